import static org.codelibs.opensearch.runner.OpenSearchRunner.newConfigs;

import java.nio.file.Files;
import java.nio.file.Path;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/**
 * One OpenSearch node for the time of a test: {@code java -cp 'JARS/*' Node.java FOLDER PORT}. It prints a line once it answers, and ends
 * when its input ends, hence with whoever started it, however that goes down.
 */
public class Node {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        int port = Integer.parseInt(arguments[1]);
        Files.createDirectories(folder);
        OpenSearchRunner runner = new OpenSearchRunner();
        // The runner gives its nodes the ports behind a base.
        runner.onBuild((number, settings) -> {
            settings.put("http.port", port);
            settings.put("transport.port", "0");
            settings.put("network.host", "127.0.0.1");
            settings.put("discovery.type", "single-node");
            settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
            settings.put("cluster.max_shards_per_node", 5000);
        });
        runner.build(newConfigs().basePath(folder.toString()).clusterName("kontor-tests").numOfNode(1).disableESLogger());
        System.out.println("OpenSearch listens on " + port);
        System.out.flush();
        while (System.in.read() >= 0) {
            // Nothing is said to it.
        }
        runner.close();
        System.exit(0);
    }
}

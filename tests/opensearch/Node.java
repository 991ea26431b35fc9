import static org.codelibs.opensearch.runner.OpenSearchRunner.newConfigs;

import java.nio.file.Files;
import java.nio.file.Path;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/**
 * Runs one OpenSearch node for a test: {@code java -cp 'JARS/*' Node.java FOLDER PORT}. Prints a line when the node is ready, and ends when
 * standard input is closed, i.e. also when the parent process crashes.
 */
public class Node {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        int port = Integer.parseInt(arguments[1]);
        Files.createDirectories(folder);
        OpenSearchRunner runner = new OpenSearchRunner();
        // Sets the port, since the runner by default assigns its nodes the ports after a base port.
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
            // Waits until standard input is closed, ignoring its content.
        }
        runner.close();
        System.exit(0);
    }
}

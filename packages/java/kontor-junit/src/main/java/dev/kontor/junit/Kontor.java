package dev.kontor.junit;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running server. */
public final class Kontor implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("http:\\S+");

    private final String url;
    private final Process process;
    private final Map<String, String> headers;

    private Kontor(String url, Process process, String testToken) {
        this.url = url.replaceAll("/+$", "");
        this.process = process;
        this.headers = testToken == null ? Map.of() : Map.of("X-Test-Token", testToken);
    }

    /** Starts a server in memory at a free port, with more flags of {@code kontor serve}, e.g. {@code --strict}. */
    public static Kontor start(String... flags) {
        try {
            List<String> command = new ArrayList<>(List.of(KontorBinary.find(),
                    "serve", "--in-memory", "--test-controls", "--listen", "127.0.0.1:0", "--log", "warn"));
            command.addAll(List.of(flags));
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            return new Kontor(readAddress(process, command.get(0)), process, null);
        } catch (IOException error) {
            throw new KontorException("kontor cannot be started", error);
        }
    }

    /** A server that runs already, e.g. in a container; {@code testToken} is null without {@code --test-token}. */
    public static Kontor connect(String url, String testToken) {
        return new Kontor(url, null, testToken);
    }

    private static String readAddress(Process process, String binary) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher found = ADDRESS.matcher(line);
            if (found.find()) {
                drain(lines);
                return found.group();
            }
        }
        throw new IOException(binary + " ended before it was ready");
    }

    /** Reads the output to its end: a full pipe would stop the server. */
    private static void drain(BufferedReader lines) {
        Thread reader = new Thread(() -> {
            try {
                lines.transferTo(Writer.nullWriter());
            } catch (IOException error) {
                // The server has ended.
            }
        }, "kontor-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** The address of the server, of its API and of its authorization service. */
    public String url() {
        return url;
    }

    /** Creates a project with a random key, and with a client that has every scope. */
    public KontorProject project() {
        return project("test-" + UUID.randomUUID().toString().substring(0, 8));
    }

    /** Creates a project, with a client that has every scope. */
    public KontorProject project(String key) {
        JsonNode client = control("POST", "", Map.of("key", key));
        return new KontorProject(this, key, client.get("id").asText(), client.get("secret").asText());
    }

    /** Calls a test control; {@code path} is what follows {@code /_test/projects}. */
    JsonNode control(String method, String path, Object body) {
        return JsonClient.send(method, url + "/_test/projects" + path, headers, body);
    }

    /** Stops the server and waits for its end. A server that this process has not started continues. */
    @Override
    public void close() {
        if (process == null) {
            return;
        }
        process.destroy();
        try {
            process.waitFor();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}

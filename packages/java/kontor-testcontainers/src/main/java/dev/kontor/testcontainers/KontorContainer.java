package dev.kontor.testcontainers;

import dev.kontor.junit.Kontor;
import java.util.UUID;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** Kontor in a container, in memory, with the test controls. */
public final class KontorContainer extends GenericContainer<KontorContainer> {
    private static final int PORT = 8989;

    private final String testToken = UUID.randomUUID().toString();

    /** A container of an image, e.g. {@code kontor:0.2.0}. */
    public KontorContainer(String image) {
        this(DockerImageName.parse(image));
    }

    public KontorContainer(DockerImageName image) {
        super(image);
        withExposedPorts(PORT);
        withEnv("KONTOR_LISTEN", "0.0.0.0:" + PORT);
        withEnv("KONTOR_IN_MEMORY", "true");
        withEnv("KONTOR_ALLOW_PUBLIC_TRIAL", "true");
        withEnv("KONTOR_TEST_CONTROLS", "true");
        withEnv("KONTOR_TEST_TOKEN", testToken);
        waitingFor(Wait.forHttp("/health").forPort(PORT));
    }

    /** The address of the server, of its API and of its authorization service. */
    public String url() {
        return "http://" + getHost() + ":" + getMappedPort(PORT);
    }

    /** The server, for projects of tests. */
    public Kontor kontor() {
        return Kontor.connect(url(), testToken);
    }
}

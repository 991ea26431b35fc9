package dev.kontor.junit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/** Finds the binary. */
final class KontorBinary {
    private KontorBinary() {}

    /**
     * Returns the system property {@code kontor.bin}, the variable {@code KONTOR_BIN}, the resource of a module such as
     * {@code kontor-linux-x64}, or {@code kontor} for a search in {@code PATH}.
     */
    static String find() throws IOException {
        String named = System.getProperty("kontor.bin", System.getenv("KONTOR_BIN"));
        if (named != null && !named.isEmpty()) {
            return named;
        }
        try (InputStream resource = KontorBinary.class.getResourceAsStream("/dev/kontor/" + platform() + "/kontor")) {
            return resource == null ? "kontor" : unpack(resource);
        }
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String architecture = System.getProperty("os.arch");
        boolean isArm = architecture.equals("aarch64") || architecture.equals("arm64");
        return (system.contains("mac") ? "darwin" : system) + (isArm ? "-arm64" : "-x64");
    }

    private static String unpack(InputStream resource) throws IOException {
        Path folder = Files.createTempDirectory("kontor-junit-");
        Path binary = folder.resolve("kontor");
        Files.copy(resource, binary);
        Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwx------"));
        folder.toFile().deleteOnExit();
        binary.toFile().deleteOnExit();
        return binary.toString();
    }
}

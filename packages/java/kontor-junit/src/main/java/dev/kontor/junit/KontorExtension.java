package dev.kontor.junit;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts one server in memory for the whole run. A test with a parameter of the type {@link KontorProject} gets a project
 * of its own, one with a parameter of the type {@link Kontor} the server. Use it with {@code @ExtendWith}, or with
 * {@code @RegisterExtension} on a static field to pass flags.
 */
public final class KontorExtension implements BeforeAllCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(KontorExtension.class);

    private final String[] flags;

    /** A server that all test classes share. */
    public KontorExtension() {
        this(new String[0]);
    }

    /** A server with more flags of {@code kontor serve}, which all test classes with the same flags share. */
    public KontorExtension(String... flags) {
        this.flags = flags.clone();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        server(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == KontorProject.class || type == Kontor.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Kontor server = server(context);
        return parameter.getParameter().getType() == Kontor.class ? server : server.project();
    }

    private Kontor server(ExtensionContext context) {
        String key = String.join(" ", flags);
        ExtensionContext.Store store = context.getRoot().getStore(NAMESPACE);
        return store.getOrComputeIfAbsent(key, ignored -> new RunningServer(Kontor.start(flags)), RunningServer.class).server;
    }

    /** Stops the server at the end of the run. */
    private static final class RunningServer implements CloseableResource {
        private final Kontor server;

        private RunningServer(Kontor server) {
            this.server = server;
        }

        @Override
        public void close() {
            server.close();
        }
    }
}

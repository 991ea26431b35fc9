package dev.kontor.junit;

import com.fasterxml.jackson.databind.JsonNode;

/** A response with an error status, or a server that cannot be started or reached. */
public final class KontorException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int status;
    private final transient JsonNode body;

    KontorException(String message, int status, JsonNode body) {
        super(message);
        this.status = status;
        this.body = body;
    }

    KontorException(String message, Throwable cause) {
        super(message, cause);
        this.status = 0;
        this.body = null;
    }

    /** The status of the response; 0 where there was none. */
    public int status() {
        return status;
    }

    /** The error of the API. */
    public JsonNode body() {
        return body;
    }
}

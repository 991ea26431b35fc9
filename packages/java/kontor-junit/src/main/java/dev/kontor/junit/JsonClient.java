package dev.kontor.junit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/** Sends requests and reads JSON. */
final class JsonClient {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private JsonClient() {}

    /** Sends a request. A body is JSON text, or anything that Jackson writes. */
    static JsonNode send(String method, String url, Map<String, String> headers, Object body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        headers.forEach(request::header);
        if (body == null) {
            return respond(request.method(method, BodyPublishers.noBody()).build());
        }
        request.header("Content-Type", "application/json");
        return respond(request.method(method, BodyPublishers.ofString(text(body))).build());
    }

    static JsonNode sendForm(String url, Map<String, String> headers, Map<String, String> form) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        headers.forEach(request::header);
        request.header("Content-Type", "application/x-www-form-urlencoded");
        return respond(request.POST(BodyPublishers.ofString(encode(form))).build());
    }

    static String encode(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String text(Object body) {
        try {
            return body instanceof String ? (String) body : JSON.writeValueAsString(body);
        } catch (JsonProcessingException error) {
            throw new KontorException("the body cannot be written as JSON", error);
        }
    }

    private static JsonNode respond(HttpRequest request) {
        String what = request.method() + " " + request.uri();
        try {
            HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
            JsonNode body = parse(response.body());
            if (response.statusCode() >= 400) {
                String said = body.path("message").asText(response.body());
                throw new KontorException(what + ": " + response.statusCode() + " " + said, response.statusCode(), body);
            }
            return body;
        } catch (IOException error) {
            throw new KontorException(what + " failed", error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new KontorException(what + " was interrupted", error);
        }
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException error) {
            return JSON.getNodeFactory().textNode(text);
        }
    }
}

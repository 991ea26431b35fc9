package dev.kontor.junit;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** A project of a test. Paths are below the project, e.g. {@code /categories}; bodies are JSON text or Jackson values. */
public final class KontorProject {
    private final Kontor server;
    private final String key;
    private final String clientId;
    private final String clientSecret;
    private String token;

    KontorProject(Kontor server, String key, String clientId, String clientSecret) {
        this.server = server;
        this.key = key;
        this.clientId = clientId;
        this.clientSecret = clientSecret;
    }

    /** The address of the server, of its API and of its authorization service. */
    public String url() {
        return server.url();
    }

    public String key() {
        return key;
    }

    public String clientId() {
        return clientId;
    }

    public String clientSecret() {
        return clientSecret;
    }

    /** Returns an access token of the project's client, requested once. */
    public synchronized String token() {
        return token == null ? requestToken() : token;
    }

    /** Returns a new access token. Tokens expire by the clock of the project, after two days. */
    public synchronized String requestToken() {
        byte[] credentials = (clientId + ":" + clientSecret).getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = Map.of("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
        Map<String, String> form = Map.of("grant_type", "client_credentials");
        token = JsonClient.sendForm(url() + "/oauth/token", headers, form).get("access_token").asText();
        return token;
    }

    public JsonNode get(String path) {
        return request("GET", path, null);
    }

    /** Sends a GET request with a query, e.g. {@code Map.of("where", "key = \"a\"")}. */
    public JsonNode get(String path, Map<String, String> parameters) {
        return request("GET", path + "?" + JsonClient.encode(parameters), null);
    }

    public JsonNode post(String path, Object body) {
        return request("POST", path, body);
    }

    public JsonNode delete(String path) {
        return request("DELETE", path, null);
    }

    /** Sends a request to the project and returns the JSON of its response. */
    public JsonNode request(String method, String path, Object body) {
        Map<String, String> headers = Map.of("Authorization", "Bearer " + token());
        return JsonClient.send(method, url() + "/" + key + path, headers, body);
    }

    /** Sets the clock. It continues to run. */
    public Instant setClock(Instant now) {
        return clock(Map.of("now", now.truncatedTo(ChronoUnit.MILLIS).toString()));
    }

    /** Moves the clock; a negative duration moves it back. */
    public Instant advanceClock(Duration by) {
        return clock(Map.of("advanceSeconds", by.toSeconds()));
    }

    /** Returns to real time. */
    public Instant resetClock() {
        return clock(Map.of());
    }

    private Instant clock(Map<String, ?> setting) {
        return Instant.parse(control("clock", setting).get("now").asText());
    }

    /**
     * Lets the next requests fail, wait or lose their connection: {@code method}, {@code path}, {@code url}, {@code status},
     * {@code delayMs}, {@code disconnect}, {@code panic}, {@code times}. Returns the number of pending faults.
     */
    public int fault(Map<String, ?> fault) {
        return control("faults", fault).get("waiting").asInt();
    }

    /** Waits for searches, derived fields and deliveries of earlier changes. */
    public void settle() {
        control("settle", Map.of());
    }

    /** Saves the content, and returns the id of the snapshot. */
    public String snapshot() {
        return control("snapshot", Map.of()).get("id").asText();
    }

    public void restore(String id) {
        control("restore", Map.of("id", id));
    }

    /** Deletes the content, the faults and the logs. */
    public void reset() {
        control("reset", Map.of());
    }

    /** Removes the project with its clients and tokens. */
    public void remove() {
        server.control("DELETE", "/" + key, null);
    }

    /** Returns the requests that the project got, the newest first. */
    public List<JsonNode> requests() {
        return log("requests", Map.of());
    }

    /** Like {@link #requests()}, with filters: {@code status}, {@code client}, {@code path}, {@code limit}. */
    public List<JsonNode> requests(Map<String, String> filters) {
        return log("requests", filters);
    }

    public void clearRequests() {
        server.control("DELETE", "/" + key + "/requests", null);
    }

    /** Returns what Subscriptions and API Extensions were sent, the newest first. */
    public List<JsonNode> deliveries() {
        return log("deliveries", Map.of());
    }

    public void clearDeliveries() {
        server.control("DELETE", "/" + key + "/deliveries", null);
    }

    private List<JsonNode> log(String name, Map<String, String> filters) {
        JsonNode page = server.control("GET", "/" + key + "/" + name + "?" + JsonClient.encode(filters), null);
        List<JsonNode> entries = new ArrayList<>();
        page.get("results").forEach(entries::add);
        return entries;
    }

    private JsonNode control(String name, Object body) {
        return server.control("POST", "/" + key + "/" + name, body);
    }
}

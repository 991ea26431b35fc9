package dev.kontor.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Uses every control once. Needs the binary: KONTOR_BIN, or kontor in PATH. */
@ExtendWith(KontorExtension.class)
class ControlsTest {
    @Test
    void everyControl(Kontor server) {
        KontorProject shop = Kontor.connect(server.url() + "/", null).project();
        String id = shop.post("/zones", Map.of("name", "Europe", "key", "europe")).get("id").asText();
        assertEquals(1, count(shop));
        String snapshot = shop.snapshot();
        shop.reset();
        assertEquals(0, count(shop));
        shop.restore(snapshot);
        shop.settle();
        shop.advanceClock(Duration.ofHours(1));
        Instant then = Instant.parse("2030-01-01T00:00:00Z");
        assertTrue(Duration.between(then, shop.setClock(then)).toMinutes() < 1);
        shop.resetClock();
        shop.requestToken();
        assertEquals(1, shop.fault(Map.of("method", "GET", "path", "/states", "status", 503)));
        assertEquals(503, assertThrows(KontorException.class, () -> shop.get("/states")).status());
        assertEquals(503, shop.requests(Map.of("path", "/states")).get(0).get("status").asInt());
        assertTrue(shop.deliveries().isEmpty());
        shop.clearRequests();
        shop.clearDeliveries();
        shop.delete("/zones/" + id + "?version=1");
        shop.remove();
        assertEquals(404, assertThrows(KontorException.class, shop::settle).status());
    }

    private static int count(KontorProject shop) {
        return shop.get("/zones", Map.of("where", "key = \"europe\"", "limit", "1")).get("total").asInt();
    }
}

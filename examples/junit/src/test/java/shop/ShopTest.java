package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kontor.junit.KontorException;
import dev.kontor.junit.KontorExtension;
import dev.kontor.junit.KontorProject;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(KontorExtension.class)
class ShopTest {
    @Test
    void aCategoryIsFoundByItsSlug(KontorProject shop) {
        shop.post("/categories", """
            {"key": "lamps", "name": {"en": "Lamps"}, "slug": {"en": "lamps"}}""");
        var page = shop.get("/categories", Map.of("where", "slug(en = \"lamps\")"));
        assertEquals("lamps", page.at("/results/0/key").asText());
    }

    @Test
    void aPasswordTokenEndsAfterAnHour(KontorProject shop) {
        shop.post("/customers", Map.of("email", "ada@example.com", "password", "secret"));
        var token = shop.post("/customers/password-token", Map.of("email", "ada@example.com", "ttlMinutes", 60));
        shop.advanceClock(Duration.ofMinutes(61));
        var reset = Map.of("tokenValue", token.get("value").asText(), "newPassword", "other");
        assertThrows(KontorException.class, () -> shop.post("/customers/password/reset", reset));
    }

    @Test
    void theShopHasABadMoment(KontorProject shop) {
        shop.fault(Map.of("method", "GET", "path", "/categories", "status", 503));
        assertEquals(503, assertThrows(KontorException.class, () -> shop.get("/categories")).status());
    }
}

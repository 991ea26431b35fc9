package shop

import (
	"log"
	"net/url"
	"os"
	"testing"
	"time"

	"example.com/kontor/kontortest"
)

var kontor *kontortest.Server

// TestMain starts one server for all tests.
func TestMain(m *testing.M) {
	var err error
	if kontor, err = kontortest.Run("--strict"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	kontor.Stop()
	os.Exit(code)
}

func TestACategoryIsFoundByItsSlug(t *testing.T) {
	shop := kontor.Project(t)
	lamps := kontortest.JSON{"key": "lamps", "name": kontortest.JSON{"en": "Lamps"}, "slug": kontortest.JSON{"en": "lamps"}}
	shop.Post("/categories", lamps)
	page := shop.Get("/categories", url.Values{"where": {`slug(en = "lamps")`}})
	if page["total"] != 1.0 {
		t.Fatalf("expected one category, got %v", page)
	}
}

func TestAPasswordTokenEndsAfterAnHour(t *testing.T) {
	shop := kontor.Project(t)
	shop.Post("/customers", kontortest.JSON{"email": "ada@example.com", "password": "secret"})
	token := shop.Post("/customers/password-token", kontortest.JSON{"email": "ada@example.com", "ttlMinutes": 60})
	shop.AdvanceClock(61 * time.Minute)
	_, err := shop.Try("POST", "/customers/password/reset", kontortest.JSON{"tokenValue": token["value"], "newPassword": "other"})
	if failure, is := err.(*kontortest.Error); !is || failure.Status != 400 {
		t.Fatalf("expected 400, got %v", err)
	}
}

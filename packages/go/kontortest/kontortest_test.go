package kontortest_test

import (
	"net/url"
	"testing"
	"time"

	"example.com/kontor/kontortest"
)

// Uses every control once. Needs the binary: KONTOR_BIN, or kontor in PATH.
func TestEveryControl(t *testing.T) {
	shop := kontortest.Start(t).Project(t)
	europe := shop.Post("/zones", kontortest.JSON{"name": "Europe", "key": "europe"})
	count := func() any { return shop.Get("/zones", url.Values{"where": {`key = "europe"`}})["total"] }
	if count() != 1.0 {
		t.Fatal("the zone is not found")
	}
	snapshot := shop.Snapshot()
	shop.Reset()
	if count() != 0.0 {
		t.Fatal("the reset project has a zone")
	}
	shop.Restore(snapshot)
	shop.Settle()
	shop.AdvanceClock(time.Hour)
	shop.SetClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	shop.ResetClock()
	shop.RequestToken()
	shop.Fault(kontortest.Fault{Method: "GET", Path: "/states", Status: 503})
	_, err := shop.Try("GET", "/states", nil)
	if failure, is := err.(*kontortest.Error); !is || failure.Status != 503 {
		t.Fatalf("expected the fault, got %v", err)
	}
	if requests := shop.Requests(url.Values{"path": {"/states"}}); requests[0]["status"] != 503.0 {
		t.Fatalf("expected the fault in the log, got %v", requests)
	}
	if deliveries := shop.Deliveries(nil); len(deliveries) != 0 {
		t.Fatalf("expected no delivery, got %v", deliveries)
	}
	shop.ClearRequests()
	shop.ClearDeliveries()
	shop.Delete("/zones/"+europe["id"].(string), url.Values{"version": {"1"}})
}

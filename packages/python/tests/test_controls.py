"""Uses every control once. Needs the binary: KONTOR_BIN, the installed wheel, or kontor in PATH."""

from datetime import datetime

import pytest

from kontor_server import KontorError, connect_kontor, start_kontor


def test_every_control(kontor):
    shop = connect_kontor(kontor.url + "/").project()
    zone = shop.post("/zones", {"name": "Europe", "key": "europe"})

    def count():
        return shop.get("/zones", where='key = "europe"', limit=1)["total"]

    assert count() == 1
    snapshot = shop.snapshot()
    shop.reset()
    assert count() == 0
    shop.restore(snapshot)
    shop.settle()
    shop.advance_clock(3600)
    assert shop.set_clock(datetime(2030, 1, 1)).startswith("2030-01-01")
    shop.reset_clock()
    shop.request_token()
    assert shop.fault(method="GET", path="/states", status=503) == 1
    with pytest.raises(KontorError) as failure:
        shop.get("/states")
    assert failure.value.status == 503
    assert shop.requests(path="/states")[0]["status"] == 503
    assert shop.deliveries() == []
    shop.clear_requests()
    shop.clear_deliveries()
    shop.delete(f"/zones/{zone['id']}", version=1)
    shop.remove()
    with pytest.raises(KontorError, match="404"):
        shop.settle()


def test_a_binary_that_is_missing():
    with pytest.raises(FileNotFoundError):
        start_kontor("/nowhere/kontor")

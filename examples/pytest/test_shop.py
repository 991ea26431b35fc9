import pytest
from kontor_server import KontorError


def test_a_category_is_found_by_its_slug(kontor_project):
    kontor_project.post("/categories", {"key": "lamps", "name": {"en": "Lamps"}, "slug": {"en": "lamps"}})
    page = kontor_project.get("/categories", where='slug(en = "lamps")')
    assert page["results"][0]["key"] == "lamps"


def test_a_password_token_ends_after_an_hour(kontor_project):
    kontor_project.post("/customers", {"email": "ada@example.com", "password": "secret"})
    token = kontor_project.post("/customers/password-token", {"email": "ada@example.com", "ttlMinutes": 60})
    kontor_project.advance_clock(61 * 60)
    with pytest.raises(KontorError, match="400"):
        kontor_project.post("/customers/password/reset", {"tokenValue": token["value"], "newPassword": "other"})


def test_the_shop_has_a_bad_moment(kontor_project):
    kontor_project.fault(method="GET", path="/categories", status=503)
    with pytest.raises(KontorError, match="503"):
        kontor_project.get("/categories")

"""Sends requests."""

import json
from typing import Any, Dict, Optional
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, ProxyHandler, build_opener

# Servers under test are on this machine: no proxy is asked for them.
_OPENER = build_opener(ProxyHandler({}))


class KontorError(Exception):
    """A response with an error status. `body` is the error of the API."""

    def __init__(self, method: str, url: str, status: int, body: Any):
        message = body.get("message", "") if isinstance(body, dict) else body
        super().__init__(f"{method} {url}: {status} {message}")
        self.status = status
        self.body = body


def send(method: str, url: str, headers: Dict[str, str], body: Any = None, form: Optional[Dict[str, str]] = None) -> Any:
    """Sends a request and returns the JSON of its response."""
    data = None
    if form is not None:
        data = urlencode(form).encode()
    elif body is not None:
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **headers}
    request = Request(url, data=data, headers=headers, method=method)
    try:
        with _OPENER.open(request) as response:
            return _parse(response.read())
    except HTTPError as error:
        with error:
            raise KontorError(method, url, error.code, _parse(error.read())) from None


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text.decode(errors="replace")


def query(parameters: Dict[str, Any]) -> str:
    """Returns a query string, with `?` unless it is empty."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return "?" + urlencode(given, doseq=True) if given else ""

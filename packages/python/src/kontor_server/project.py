"""A project of a test."""

import base64
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional, Union

from .request import query, send


class Project:
    """A project of a test. Paths are below the project, e.g. `/categories`."""

    def __init__(self, server: Any, key: str, client_id: str, client_secret: str):
        self._server = server
        self._token: Optional[str] = None
        self.url: str = server.url
        self.key = key
        self.client_id = client_id
        self.client_secret = client_secret

    def token(self) -> str:
        """Returns an access token of the project's client, requested once."""
        return self._token or self.request_token()

    def request_token(self) -> str:
        """Returns a new access token. Tokens expire by the clock of the project, after two days."""
        credentials = base64.b64encode(f"{self.client_id}:{self.client_secret}".encode()).decode()
        headers = {"Authorization": f"Basic {credentials}"}
        answer = send("POST", f"{self.url}/oauth/token", headers, form={"grant_type": "client_credentials"})
        self._token = answer["access_token"]
        return self._token

    def get(self, path: str, **parameters: Any) -> Any:
        return self.request("GET", path + query(parameters))

    def post(self, path: str, body: Any) -> Any:
        return self.request("POST", path, body)

    def delete(self, path: str, **parameters: Any) -> Any:
        return self.request("DELETE", path + query(parameters))

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request to the project and returns the JSON of its response."""
        return send(method, f"{self.url}/{self.key}{path}", {"Authorization": f"Bearer {self.token()}"}, body)

    def set_clock(self, now: Union[datetime, str]) -> str:
        """Sets the clock, which continues to run. A `datetime` without a zone is UTC."""
        if isinstance(now, datetime):
            zoned = now if now.tzinfo else now.replace(tzinfo=timezone.utc)
            now = zoned.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{zoned.microsecond // 1000:03}Z"
        return self._control("clock", {"now": now})["now"]

    def advance_clock(self, seconds: float) -> str:
        """Moves the clock; a negative number moves it back."""
        return self._control("clock", {"advanceSeconds": seconds})["now"]

    def reset_clock(self) -> str:
        """Returns to real time."""
        return self._control("clock")["now"]

    def fault(self, **fault: Any) -> int:
        """Lets the next requests fail, wait or lose their connection: `method`, `path`, `url`, `status`, `delayMs`,
        `disconnect`, `panic`, `times`. Returns the number of pending faults."""
        return self._control("faults", fault)["waiting"]

    def settle(self) -> None:
        """Waits for searches, derived fields and deliveries of earlier changes."""
        self._control("settle")

    def snapshot(self) -> str:
        """Saves the content, and returns the id of the snapshot."""
        return self._control("snapshot")["id"]

    def restore(self, snapshot_id: str) -> None:
        self._control("restore", {"id": snapshot_id})

    def reset(self) -> None:
        """Deletes the content, the faults and the logs."""
        self._control("reset")

    def remove(self) -> None:
        """Removes the project with its clients and tokens."""
        self._server.control("DELETE", f"/{self.key}")

    def requests(self, **filters: Any) -> List[Dict[str, Any]]:
        """Returns the requests that the project got, the newest first: `status`, `client`, `path`, `limit`."""
        return self._server.control("GET", f"/{self.key}/requests{query(filters)}")["results"]

    def clear_requests(self) -> None:
        self._server.control("DELETE", f"/{self.key}/requests")

    def deliveries(self, **filters: Any) -> List[Dict[str, Any]]:
        """Returns what Subscriptions and API Extensions were sent, the newest first."""
        return self._server.control("GET", f"/{self.key}/deliveries{query(filters)}")["results"]

    def clear_deliveries(self) -> None:
        self._server.control("DELETE", f"/{self.key}/deliveries")

    def _control(self, name: str, body: Optional[Dict[str, Any]] = None) -> Any:
        return self._server.control("POST", f"/{self.key}/{name}", body or {})

"""A running server."""

import atexit
import re
import subprocess
import threading
import uuid
from typing import Any, List, Optional

from .binary import find_binary
from .project import Project
from .request import send


class Kontor:
    """A running server. As a context manager it stops the server at the end."""

    def __init__(self, url: str, process: Optional[subprocess.Popen] = None, test_token: Optional[str] = None):
        self.url = url.rstrip("/")
        self._process = process
        self._headers = {"X-Test-Token": test_token} if test_token else {}

    def project(self, key: Optional[str] = None, **draft: Any) -> Project:
        """Creates a project, with a client that has every scope. Without a key it is random."""
        key = key or f"test-{uuid.uuid4().hex[:8]}"
        client = self.control("POST", "", {"key": key, **draft})
        return Project(self, key, client["id"], client["secret"])

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Calls a test control; `path` is what follows `/_test/projects`."""
        return send(method, f"{self.url}/_test/projects{path}", self._headers, body)

    def stop(self) -> None:
        """Stops the server and waits for its end. A server that this process has not started continues."""
        if self._process is None:
            return
        atexit.unregister(self._process.terminate)
        self._process.terminate()
        self._process.wait()
        self._process = None

    def __enter__(self) -> "Kontor":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def start_kontor(binary: Optional[str] = None, flags: Optional[List[str]] = None, log: str = "warn") -> Kontor:
    """Starts a server in memory at a free port."""
    binary = binary or find_binary()
    arguments = ["serve", "--in-memory", "--test-controls", "--listen", "127.0.0.1:0", "--log", log, *(flags or [])]
    process = subprocess.Popen([binary, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    atexit.register(process.terminate)
    for line in process.stdout:
        found = re.search(r"http:\S+", line)
        if found:
            # The pipe is read to its end: a full one would stop the server.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return Kontor(found.group(), process)
    process.wait()
    raise RuntimeError(f"{binary} ended before it was ready (exit code {process.returncode})")


def connect_kontor(url: str, test_token: Optional[str] = None) -> Kontor:
    """Returns a server that runs already, e.g. in a container."""
    return Kontor(url, test_token=test_token)

"""The servers of the benchmark: each is a process that listens on a free port of 127.0.0.1."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
START_SECONDS = 120.0
BUSY, MOST_TRIES = 429, 60
"""The status of a server whose queue is full, and how often it is asked again, once a second."""


class Process:
    """A server process. Its first line of output ends with, or contains, its URL."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._log: IO[str] = log.open("w")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            self.close()
            raise ChildProcessError(f"its server ended with code {self.process.returncode}: see {log}")
        self.url = next(word for word in line.split() if word.startswith("http://"))

    def post(self, path: str, body: Any) -> Any:
        """Send a request and return the answer; ValueError unless its status is 2xx."""
        return self._ask("POST", path, json.dumps(body))

    def get(self, path: str) -> Any:
        """Send a GET request and return the answer."""
        return self._ask("GET", path, None)

    def delete(self, path: str) -> None:
        """Send a DELETE request."""
        self._ask("DELETE", path, None)

    def _ask(self, method: str, path: str, body: str | None) -> Any:
        for _ in range(MOST_TRIES):
            status, content = self._answer(method, path, body)
            if status != BUSY:
                break
            time.sleep(1.0)
        if status >= 300:
            raise ValueError(f"{method} {path}: status must be 2xx, got {status}: {content[:200]!r}")
        return json.loads(content) if content else None

    def _answer(self, method: str, path: str, body: str | None) -> tuple[int, bytes]:
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=START_SECONDS)
        try:
            headers = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def processor_seconds(self) -> float:
        """The processor time that the process has used; 0.0 where /proc is missing."""
        stat = Path(f"/proc/{self.process.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def close(self) -> None:
        """Stop the process, and wait for its end."""
        self.process.terminate()
        try:
            self.process.wait(30.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()


class Ours:
    """``driftline serve`` with PA-I, or the variant that stores nothing.

    Every measurement has a model of its own, which is deleted after it.
    """

    def __init__(self, folder: Path, durable: bool) -> None:
        database = str(folder / ("durable.db" if durable else "not-durable.db"))
        if durable:
            command = ["-m", "driftline.cli", "serve", database, "--port", "0", "--no-log-requests"]
        else:
            command = [str(HERE / "not_durable.py"), database]
        self.process = Process([sys.executable, *command], folder / f"{Path(database).stem}.log")
        self._numbers = itertools.count(1)
        self._name = ""

    def begin(self) -> None:
        """Create the model."""
        self._name = f"m{next(self._numbers)}"
        self.process.post("/v1/models", {"name": self._name, "learner": "pa1", "options": {"bias": False}})

    def settle(self) -> int:
        """Wait until everything so far is stored; return how many examples and labels the model had."""
        self.process.post(self.path("predict"), {"x": {"feature_0": 1.0}, "durable": True})
        counts = self.process.get(f"/v1/models/{self._name}")["contenders"][0]["counts"]
        return int(counts["asked"]) + int(counts["labelled"])

    def end(self) -> None:
        """Delete the model."""
        self.process.delete(f"/v1/models/{self._name}")

    def path(self, call: str) -> str:
        """The path of predict, label, learn, predict:batch or learn:batch."""
        return f"/v1/models/{self._name}/{call}"


class River:
    """FastAPI with river, in the environment of the peers."""

    def __init__(self, folder: Path, python: Path) -> None:
        self.process = Process([str(python), str(HERE / "river_app.py")], folder / "river.log")

    def begin(self) -> None:
        """Make a new model."""
        self.process.post("/reset", None)

    def settle(self) -> int:
        """Nothing is stored, and nothing is counted."""
        return 0

    def end(self) -> None:
        """Forget the model."""
        self.process.post("/reset", None)

    def path(self, call: str) -> str:
        """The path of predict, label, learn, predict:batch or learn:batch."""
        return "/" + call.replace(":", "/")


Server = Ours | River

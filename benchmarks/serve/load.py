"""A bounded load on a server: wrk with a fixed number of connections, for a fixed time.

wrk sends the next request of a connection after the answer to the last one, so at most one request
for each connection is under way.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from serve.servers import Server

SCRIPT = Path(__file__).with_name("load.lua")
RESULT = re.compile(r"^RESULT (\d+) (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE)
REMEDY = "wrk must be installed: apt-get install wrk"


class Load(NamedTuple):
    """What wrk measured: requests answered, seconds, failed requests, microseconds of latency."""

    requests: int
    seconds: float
    failed: int
    p50: float
    p99: float

    @property
    def per_second(self) -> float:
        """Answered requests a second."""
        return self.requests / self.seconds


def available() -> bool:
    """Whether wrk is installed."""
    return shutil.which("wrk") is not None


def start(
    server: Server, call: str, bodies: Path, connections: int, seconds: int, pause: float | None = None
) -> subprocess.Popen[str]:
    """Start wrk with one thread. `pause` is in milliseconds, between an answer and the next request."""
    command = ["wrk", "--threads", "1", "--connections", str(connections), "--duration", str(seconds)]
    command += ["--timeout", "10", "--script", str(SCRIPT), server.process.url]
    command += ["--", server.path(call), str(bodies), *([] if pause is None else [str(pause)])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(running: subprocess.Popen[str]) -> Load:
    """Wait for wrk, and return what it measured; ValueError if requests failed."""
    text, _ = running.communicate()
    load = parsed(text)
    if load.failed:
        raise ValueError(f"wrk: all requests must be answered 2xx, got {load.failed} failures of {load.requests}")
    return load


def parsed(text: str) -> Load:
    """Read the line that load.lua prints.

    >>> parsed("RESULT 2000 1000000 0 650 4100").per_second
    2000.0
    """
    found = RESULT.search(text)
    if found is None:
        raise ValueError(f"wrk: its output must have a line RESULT, got {text[-300:]!r}")
    requests, microseconds, failed, p50, p99 = map(int, found.groups())
    return Load(requests, microseconds / 1e6, failed, float(p50), float(p99))

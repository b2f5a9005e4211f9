"""A real server in another process, on a free port of loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.paths import ROOT

CODE = """
import sys
from driftline.serve.http.limits import Limits
from driftline.serve.http.server import Server, ServerOptions
from driftline.serve.spec import Spec
from driftline.serve.storage.opening import open_storage

async def started(hub):
    if not hub.models():
        await hub.create("mail", Spec(learner="pa1", labels=["ham", "spam"]), "test")

limits = Limits(header_seconds=0.5, body_seconds=0.5, connections=20, body=100_000, drain_seconds=10)
options = ServerOptions(port=0, limits=limits, log_requests=False)
Server(open_storage(sys.argv[1]), options, started=started, ready=lambda url: print(url, flush=True)).run()
print("stopped", flush=True)
"""


@dataclass
class Live:
    """A running server."""

    process: subprocess.Popen[str]
    url: str

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or 0

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(self.address, timeout=20)

    def stop(self) -> tuple[int, str, str]:
        """Wait for the end; return the exit code, stdout and stderr."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@contextmanager
def process(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Run Python with these arguments, and kill it at the end."""
    path = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
    running = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path, "PYTHONWARNINGS": "error"},
    )
    with running:
        try:
            yield running
        finally:
            if running.poll() is None:
                running.kill()


@contextmanager
def live(database: Path) -> Iterator[Live]:
    """A server with short time limits and one model, ``mail``."""
    with process("-c", CODE, str(database)) as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        if not url:
            raise AssertionError(running.communicate()[1])
        yield Live(running, url)


def received(connection: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def request(path: str, body: bytes, *headers: str) -> bytes:
    """The bytes of a POST of JSON."""
    lines = [f"POST {path} HTTP/1.1", "host: 127.0.0.1", "content-type: application/json", *headers]
    return "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode() + body

"""Servers that run while the blocks of a page of the guide are tested, and curl."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
from threading import Timer
from types import TracebackType
from typing import IO

from driftline.cli import main

PAGE_PORT = "8000"
READY_SECONDS = 180.0
"""Longest time to compile and start."""


class Servers:
    """Starts commands in the background, and ends them at the end of the block."""

    def __init__(self) -> None:
        self._running: list[tuple[subprocess.Popen[str], IO[str]]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])

    def with_port(self, text: str) -> str:
        """The page with a free port in place of that on the page."""
        return text.replace(PAGE_PORT, self.port) if f"--port {PAGE_PORT} &" in text else text

    def start(self, words: list[str]) -> tuple[int, str]:
        """Start a command; return (0, its first line), or its exit code and its errors."""
        errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        command = [sys.executable, "-m", main.__name__, *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        self._running.append((process, errors))
        assert process.stdout is not None
        guard = Timer(READY_SECONDS, process.kill)
        guard.start()
        line = process.stdout.readline()  # printed when the server is ready
        guard.cancel()
        if line:
            return 0, line
        code = process.wait()
        errors.seek(0)
        return code, errors.read()

    def __enter__(self) -> Servers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process, errors in self._running:
            process.terminate()
            try:
                process.wait(30.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stdout is not None
            process.stdout.close()
            errors.close()


def fetched(words: list[str]) -> tuple[int, str]:
    """The exit code and the output of curl, with an end of line if there is any output."""
    done = subprocess.run(["curl", *words], capture_output=True, text=True, check=False, timeout=60.0)
    said = done.stdout + done.stderr
    return done.returncode, f"{said}\n" if said else ""

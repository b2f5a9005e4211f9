"""A client that sends a request until it is answered, and the gate through which it finds the server."""

from __future__ import annotations

import http.client
import json
import random
from collections import Counter, deque
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Any

from serve_log import Acknowledged, LossError

TIMEOUT = 30.0
"""Seconds in which the server must answer."""
FULL = (429, 503)
"""The statuses after which a request is sent again."""


@dataclass
class Gate:
    """Where the clients find the server, and whether they may send.

    The gate is closed while a server is started and checked.
    """

    port: int = 0
    opened: Event = field(default_factory=Event)
    stopped: Event = field(default_factory=Event)
    waiting: int = 0
    """Requests that are not answered yet."""
    changing: Event = field(default_factory=Event)
    """Set while a snapshot, promotion or rollback is in progress."""
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    brief: bool | None = False
    """Whether the model ``BRIEF`` exists; None if a request about it got lost."""
    acknowledged: deque[Acknowledged] = field(default_factory=deque)
    lock: Lock = field(default_factory=Lock)

    def count(self, what: str, n: int = 1) -> None:
        with self.lock:
            self.counts[what] += n

    def enter(self) -> bool:
        """Begin a request; False if the gate is closed."""
        with self.lock:
            self.waiting += self.opened.is_set()
            return self.opened.is_set()

    def leave(self) -> None:
        """End a request."""
        with self.lock:
            self.waiting -= 1

    def open(self, port: int) -> None:
        """Let the clients send to a port."""
        self.port = port
        self.opened.set()

    def close(self) -> None:
        """Let the clients wait, and return when no request is in progress."""
        with self.lock:
            self.opened.clear()
        end = monotonic() + TIMEOUT
        while self.waiting and monotonic() < end:
            sleep(0.002)


class StoppedError(Exception):
    """The clients are to stop."""


class Client(Thread):
    """A connection to the server that is made again after every error.

    Parameters
    ----------
    gate : Gate
        Where the server is.
    name : str
        Begins every id of this client.
    seed : int
        Seed of its random choices.
    """

    def __init__(self, gate: Gate, name: str, seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self.gate = gate
        self.rng = random.Random(f"{seed} {name}")
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        """Act until stopped. A wrong answer ends the client, and later the torture."""
        try:
            while True:
                self.act()
        except StoppedError:
            return
        except Exception as error:
            self.gate.faults.append(f"{self.name}: {type(error).__name__}: {error}")

    def act(self) -> None:
        """Send one or a few requests."""
        raise NotImplementedError

    def send(self, method: str, path: str, body: Any = None, *, again: bool = True) -> tuple[int, Any]:
        """Send a request until it is answered; return status and reply. (0, None) if it got lost and is not repeated.

        Parameters
        ----------
        method, path, body
            The request.
        again
            Whether to send it again after an error of the connection, or a 429 or 503.
        """
        content = None if body is None else json.dumps(body).encode()
        headers = {} if content is None else {"Content-Type": "application/json"}
        while True:
            while not self.gate.enter():
                self.wait()
            try:
                status, data = self._answered(method, path, content, headers)
            except TimeoutError:
                raise LossError(f"{method} {path} must be answered within {TIMEOUT:.0f} s, got nothing") from None
            except (OSError, http.client.HTTPException):
                self.disconnect()
                self.gate.count("lost requests")
                sleep(0.002)
                if not again:
                    return 0, None
                continue
            finally:
                self.gate.leave()
            if status in FULL:
                self.gate.count(f"{status}")
                self.pause()
                if again:
                    continue
            if status >= 500 and status not in FULL:
                raise LossError(f"{method} {path} must not fail, got {status}: {data[:300]!r}")
            octets = path.endswith("/export")
            return status, data if octets else json.loads(data or b"null")

    def pause(self) -> None:
        """Wait after a 429 or 503."""
        sleep(self.rng.uniform(0.005, 0.05))

    def wait(self) -> None:
        """Wait until the gate is open; StoppedError if the clients are to stop."""
        while not self.gate.opened.is_set() or self.gate.stopped.is_set():
            self.disconnect()
            if self.gate.stopped.is_set():
                raise StoppedError
            self.gate.opened.wait(0.1)

    def _answered(self, method: str, path: str, content: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.gate.port, timeout=TIMEOUT)
        self._connection.request(method, path, content, headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def disconnect(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def acknowledge(self, one: Acknowledged) -> None:
        """Write down an acknowledgement."""
        self.gate.acknowledged.append(one)
        self.gate.count(f"{one.what} {one.kind}")

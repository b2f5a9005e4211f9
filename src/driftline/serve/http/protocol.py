"""uvicorn's HTTP protocol, with limits on what a client may hold open.

uvicorn has no time limit for headers or bodies, and none for a client that does not read. `watch`
looks once a second at all connections, so that a request pays nothing for these limits. Malformed
requests and too many connections are answered with problem documents.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from driftline.serve.http.exchange import new_id
from driftline.serve.http.gathered_writes import GatheringTransport, Outbox
from driftline.serve.http.limits import Limits
from driftline.serve.http.one_write import OneWrite
from driftline.serve.http.problems import MEDIA, problem

WATCH_SECONDS = 1.0
MOST_HEADERS = 100
HEAD = (
    b"HTTP/1.1 %d \r\ncontent-type: %b\r\ncontent-length: %d\r\nx-request-id: %b\r\nretry-after: 1\r\n"
    b"x-content-type-options: nosniff\r\nconnection: close\r\n\r\n"
)


def guarded_protocol(limits: Limits) -> type[HttpToolsProtocol]:
    """Return a protocol class with these limits."""
    return type("GuardedProtocol", (_GuardedProtocol,), {"limits": limits, "outbox": Outbox()})


class _GuardedProtocol(HttpToolsProtocol):
    limits: Limits
    outbox: Outbox
    gathering: GatheringTransport | None = None
    """The transport of a connection without TLS. With TLS, the end of the client may come unannounced."""
    headers_since: float | None = None
    """When the connection began to wait for the headers of a request."""
    body_since = 0.0
    """When the headers of the last request were complete."""
    blocked_since: float | None = None
    header_size = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if transport.get_extra_info("sslcontext") is None:
            self.gathering = GatheringTransport(transport, self.outbox)
            transport = cast("asyncio.Transport", self.gathering)
        super().connection_made(transport)
        self.unanswered: deque[RequestResponseCycle] = deque()
        self.headers_since = self.loop.time()
        if len(self.connections) > self.limits.connections:
            most = self.limits.connections
            self._refuse(503, f"connections: at most {most} may be open, got one more. Reuse connections")

    def data_received(self, data: bytes) -> None:
        """Read from the client. Called with every piece."""
        if self.transport.is_closing():
            return
        if self.headers_since is None and not self._in_body() and (self.cycle is None or self.cycle.response_complete):
            self.headers_since = self.loop.time()
        if self.headers_since is not None:
            self.header_size += len(data)
            if self.header_size > self.limits.header_bytes + len(data):
                self._refuse(431, f"headers: must have at most {self.limits.header_bytes} bytes, got more. Send fewer")
                return
        super().data_received(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Called by the parser."""
        super().on_header(name, value)
        if len(self.headers) > MOST_HEADERS:
            raise ValueError("too many headers")

    def on_headers_complete(self) -> None:
        """Called by the parser."""
        self.headers_since = None
        self.header_size = 0
        self.body_since = self.loop.time()
        super().on_headers_complete()
        if type(self.cycle) is RequestResponseCycle:
            self.cycle.__class__ = OneWrite
        if self.cycle is not None:
            self.unanswered.append(self.cycle)

    def on_response_complete(self) -> None:
        """Called when a response was sent; those of pipelined requests have the order of the requests."""
        self.unanswered.popleft()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell all requests in progress. uvicorn tells only the last one of pipelined requests."""
        for cycle in self.unanswered:
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def on_message_complete(self) -> None:
        """Called by the parser."""
        super().on_message_complete()
        if self.cycle is not None:
            self.cycle.more_body = False  # also if the request was answered before its end

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """The client will send no more. It may still wait for the answer to its last request."""
        if self.gathering is not None:
            self.gathering.flush()  # the connection is closed after this call unless it returns True
        cycle = self.cycle
        waits = cycle is not None and not (cycle.more_body or cycle.response_started or cycle.response_complete)
        if waits and self.scheme == "http":
            cycle.keep_alive = False
            return True
        return None

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is not HTTP."""
        self._refuse(400, f"request: must be HTTP/1.1, got an error: {msg}")

    def _refuse(self, status: int, detail: str) -> None:
        cycle = self.cycle
        if cycle is None or not cycle.response_started or (cycle.response_complete and not cycle.more_body):
            request = new_id()
            body = problem(status, detail, request)
            self.transport.write(HEAD % (status, MEDIA, len(body), request.encode()) + body)
        self.transport.close()

    def _in_body(self) -> bool:
        """Whether the body of the last request is not complete. It may have been answered already."""
        return self.cycle is not None and self.cycle.more_body

    def check(self, now: float) -> None:
        """Close the connection if the client takes too long."""
        limits = self.limits
        if self.transport.is_closing():
            pass
        elif self.headers_since is not None and now - self.headers_since > limits.header_seconds:
            self.headers_since = None
            if self.header_size:
                self._refuse(408, f"headers: must arrive within {limits.header_seconds:g} seconds, got only a part")
            else:
                self.transport.close()
        elif self._in_body() and now - self.body_since > limits.body_seconds:
            self._refuse(408, f"body: must arrive within {limits.body_seconds:g} seconds, got only a part")
        if not self.flow.write_paused:
            self.blocked_since = None
        elif self.blocked_since is None:
            self.blocked_since = now
        elif now - self.blocked_since > limits.write_seconds:
            self.transport.abort()


async def watch(state: Callable[[], ServerState]) -> None:
    """Check all connections once a second, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        now = loop.time()
        connections: list[Any] = list(state().connections)
        for one in connections:
            one.check(now)

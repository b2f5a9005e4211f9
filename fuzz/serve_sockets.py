"""Requests through raw sockets to a server process: slow, half-closed, pipelined, or not HTTP at all."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import httptools
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from serve_app import SPECS, live_bytes, running
from serve_requests import Document, Request

AT_ONCE = 100
"""Connections at the same time."""
MOST_FOUND = 50
SECONDS = 20.0
"""A connection must be answered and closed within this time."""
REFUSED = ("Invalid HTTP request received.", "Unsupported upgrade request.", "No supported WebSocket library detected.")
"""What uvicorn logs about requests that are not HTTP or ask for another protocol."""
CODE = """
import sys
from driftline.serve.http.limits import Limits
from driftline.serve.http.server import Server, ServerOptions
from driftline.serve.storage.opening import open_storage

limits = Limits(
    header_seconds=0.5, body_seconds=0.5, write_seconds=1.0, connections=200, body=1_000_000, idle_seconds=1
)
options = ServerOptions(port=0, limits=limits)
Server(open_storage(sys.argv[1]), options, ready=lambda url: print(url, flush=True)).run()
"""
JUNK = (
    b"\r\n\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", b"GET /\xff HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n: x\r\n\r\n", bytes(1000),
    b"POST /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    b"POST /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
    b"GET / HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n\r\n",
    b"GET / HTTP/1.1\r\nupgrade: h2c\r\nconnection: upgrade, http2-settings\r\n\r\n",
    b"CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\n\r\n", b"OPTIONS * HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/1.0\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nx: " + b"a" * 70_000, b"GET /" + b"a" * 70_000,
    b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 300 + b"\r\n",
    b"POST /v1/session HTTP/1.1\r\ncontent-length: 99999999999999999999999\r\n\r\n",
    b"GET /?" + b"%" * 3000 + b" HTTP/1.1\r\n\r\n",
    b"POST /v1/session HTTP/1.1\r\ncontent-length: -1\r\n\r\n", b"GET / HTTP/1.1\r\na: b\r\n c: d\r\n\r\n",
    b"GET / HTTP/1.1\na: b\n\n",
)  # fmt: skip


class _Replies:
    """Reads the replies on a connection."""

    def __init__(self) -> None:
        self.each: list[tuple[int, dict[bytes, bytes], bytes]] = []
        self._headers: dict[bytes, bytes] = {}
        self._body = b""
        self.parser = httptools.HttpResponseParser(self)

    def on_message_begin(self) -> None:
        self._headers, self._body = {}, b""

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        self.each.append((self.parser.get_status_code(), self._headers, self._body))


def sockets(requests: int, number: int, found: Any, folder: Path) -> int:
    """Send requests to a server process; return how many."""
    database, log = str(folder / "sockets.db"), folder / "sockets.log"
    with asyncio.Runner() as runner:
        tokens, document = runner.run(_prepared(database))
    with log.open("wb") as out:
        server = subprocess.Popen([sys.executable, "-c", CODE, database], stdout=subprocess.PIPE, stderr=out)
    try:
        assert server.stdout is not None
        url = urlsplit(server.stdout.readline().decode().strip())
        sent = _sent(requests, number, found, (url.hostname or "", url.port or 0), Document(document, tokens, [b"x"]))
        if server.poll() is not None:
            found.add(f"the server ended with code {server.returncode}", "sockets")
        server.send_signal(signal.SIGTERM)
        if server.wait(60) != 0:
            found.add(f"the server stopped with code {server.returncode}", "sockets")
    finally:
        server.kill()
        server.wait()
    for line in log.read_text("utf-8", "replace").splitlines():
        _check_line(line, found)
    with asyncio.Runner() as runner:  # it starts again from what is stored
        runner.run(_prepared(database))
    return sent


def _check_line(line: str, found: Any) -> None:
    try:
        record = json.loads(line)
    except ValueError:
        found.add(f"a line of the log is not JSON: {line[:200]!r}", "sockets")
        return
    refused = str(record.get("message")).startswith(REFUSED)
    if "traceback" in record or (record.get("level") in ("error", "warning") and not refused):
        found.add(f"logged: {record.get('message') or record.get('traceback')}"[-300:], str(record))


async def _prepared(database: str) -> tuple[list[bytes], dict[str, Any]]:
    """Create the models and tokens; return the tokens and the document."""
    async with running(database) as started:
        assert len(live_bytes(started)) >= len(SPECS)
        from driftline.serve.http.openapi import document

        return started.tokens, json.loads(document())


def _sent(requests: int, number: int, found: Any, address: tuple[str, int], strategies: Document) -> int:
    sent = 0
    waiting: list[list[bytes]] = []
    draw = Random(number)
    with asyncio.Runner() as runner:

        @seed(number)
        @settings(
            max_examples=requests,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(connections(strategies))
        def send(pieces: list[bytes]) -> None:
            nonlocal sent
            if sent < requests and len(found.each) < MOST_FOUND:
                sent += len(pieces)
                waiting.append(pieces)
                if len(waiting) == AT_ONCE or sent >= requests:
                    runner.run(_together(waiting, draw, found, address))
                    waiting.clear()

        send()
    return sent


async def _together(several: list[list[bytes]], draw: Random, found: Any, address: tuple[str, int]) -> None:
    draws = [Random(draw.random()) for _ in several]
    await asyncio.gather(
        *(_connection(pieces, one, found, address) for pieces, one in zip(several, draws, strict=True))
    )


def connections(strategies: Document) -> st.SearchStrategy[list[bytes]]:
    """What one connection sends: requests in a row, perhaps with bytes that are no request."""
    whole = strategies.requests().map(as_bytes)
    one = (
        whole
        | whole
        | st.sampled_from(JUNK)
        | st.builds(spoilt_bytes, whole, st.integers(0, 10**6), st.integers(0, 255))
    )
    return st.lists(one, min_size=1, max_size=4)


def as_bytes(request: Request) -> bytes:
    """A request as HTTP/1.1; its own Content-Length stays if it has one."""
    lines = [
        request.method.encode()
        + b" "
        + (request.path or b"/")
        + (b"?" + request.query if request.query else b"")
        + b" HTTP/1.1"
    ]
    lines += [name + b": " + value for name, value in request.headers]
    if request.pieces == 3 and request.body:
        size = max(1, len(request.body) // 2)
        parts = [request.body[k : k + size] for k in range(0, len(request.body), size)]
        body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        return b"\r\n".join([*lines, b"transfer-encoding: chunked", b"", b""]) + body
    length = (
        []
        if any(name == b"content-length" for name, _ in request.headers)
        else [b"content-length: %d" % len(request.body)]
    )
    return b"\r\n".join([*lines, *length, b"", b""]) + request.body[: -1 if request.cut else None]


def spoilt_bytes(content: bytes, place: int, byte: int) -> bytes:
    """The bytes with one changed in the first kilobyte."""
    k = place % min(1000, len(content))
    return content[:k] + bytes([byte]) + content[k + 1 :]


async def _connection(pieces: list[bytes], draw: Random, found: Any, address: tuple[str, int]) -> None:
    """Send the pieces in one of several ways, and check what comes back until the server closes."""
    where = f"sent {[piece[:300] for piece in pieces]}"
    try:
        reader, writer = await asyncio.open_connection(*address)
    except OSError as error:
        found.add(f"a connection is refused: {error}", where)
        return
    replies, answer = _Replies(), b""
    try:
        async with asyncio.timeout(SECONDS):
            reading = asyncio.ensure_future(reader.read(-1))
            await _write(writer, b"".join(pieces), draw)
            answer = await reading
    except TimeoutError:
        found.add(f"a connection was open after {SECONDS:g} s", where)
    except OSError:
        return  # the server closed while the client was sending
    finally:
        writer.transport.abort()
    heads = any(piece.startswith(b"HEAD") for piece in pieces)
    try:
        replies.parser.feed_data(answer)
    except httptools.HttpParserError as error:
        if not heads:
            found.add(f"a reply is not HTTP: {error}: {answer[-300:]!r}", where)
    for status, headers, body in replies.each:
        _check(status, headers, body, found, where)


async def _write(writer: asyncio.StreamWriter, content: bytes, draw: Random) -> None:
    how = draw.randrange(6)
    try:
        if how == 0:  # slowly
            for k in range(0, min(len(content), 400), 40):
                writer.write(content[k : k + 40])
                await writer.drain()
                await asyncio.sleep(0.001)
            writer.write(content[400:])
        elif how == 1:  # only a part
            writer.write(content[: draw.randrange(len(content) + 1)])
        elif how == 2:  # gone without reading
            writer.write(content)
            await writer.drain()
            writer.transport.abort()
            return
        else:
            writer.write(content)
        await writer.drain()
        if how != 5 and writer.can_write_eof():
            writer.write_eof()  # half-closed: the replies must come
    except OSError:
        return


def _check(status: int, headers: dict[bytes, bytes], body: bytes, found: Any, where: str) -> None:
    found.statuses[f"{status} (sockets)"] += 1
    if status >= 500 and status != 503:
        found.add(f"sockets: status {status}: {body[:200]!r}", where)
    elif status >= 400:
        if headers.get(b"content-type") != b"application/problem+json":
            found.add(f"sockets: status {status} is no problem: {headers}", where)
    elif status == 100 or status == 304 or 200 <= status < 300:
        return
    else:
        found.add(f"sockets: status {status}", where)


if __name__ == "__main__":
    os._exit(2)

"""Requests that once made the service fail, wait or grow: against the whole application on a database."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from driftline.serve.errors import BadRequest
from driftline.serve.http.body import MOST_MEMBERS, decompress
from driftline.serve.http.tokens import new_token
from driftline.serve.hub import Hub
from driftline.serve.settings import Settings
from driftline.serve.storage.storage import TokenRow
from driftline.serve.ticking import Ticker
from tests.serve.http.live import Live, live, request
from tests.support.memory_storage import MemoryStorage
from tests.support.paths import ROOT

FUZZ = ROOT / "fuzz"
if str(FUZZ) not in sys.path:
    sys.path.insert(0, str(FUZZ))

from serve_app import Reply, Running, differences, live_bytes, running  # noqa: E402
from serve_requests import Request  # noqa: E402

SETTINGS = Settings(max_models=7, max_challengers=2, tick_seconds=0.05)
PLAIN = "/v1/models/plain"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A real server."""
    with live(tmp_path_factory.mktemp("server") / "live.db") as running_server:
        yield running_server


class Caller:
    """Sends requests to the application, and fails if it logs an exception."""

    def __init__(self, started: Running) -> None:
        self.started = started

    async def send(self, method: str, path: str, body: Any = None, *, query: str = "", **more: bytes) -> Reply:
        headers = [(b"host", b"127.0.0.1:8000"), (b"authorization", more.pop("token", self.started.tokens[0]))]
        if method == "POST":
            headers.append((b"content-type", b"application/json"))
        headers += [(name.replace("_", "-").encode(), value) for name, value in more.items()]
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        reply = await self.started.send(Request(method, path.encode(), query.encode(), headers, content))
        assert reply is not None
        assert not [line for line in self.started.logged() if "traceback" in line]
        assert self.started.records == []
        return reply


def attacked(folder: Path, attack: Callable[[Caller], Awaitable[None]], settings: Settings = SETTINGS) -> None:
    """Run an attack; afterwards the server must be ready, and the database must replay to the live models."""
    database = str(folder / "attack.db")

    async def run() -> dict[int, tuple[str, bytes]]:
        async with running(database, settings) as started:
            await attack(Caller(started))
            assert started.hub.ready, started.hub.why_not_ready
        return live_bytes(started)

    assert differences(database, asyncio.run(run())) == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{PLAIN}/predict", {"x": {"a": 10**30}}, 400),
        ("/v1/models/numbers/learn", {"x": {"a": -(10**30)}, "y": 1.0}, 400),
        (f"{PLAIN}/label", {"ticket": "early", "y": 10**30}, 400),
        ("/v1/models", {"name": "other", "learner": "pa1", "options": {"C": 10**30}}, 422),
        ("/v1/models", {"name": "other", "learner": "pa1", "labels": [0, 10**30]}, 400),
        (f"{PLAIN}/challengers", {"name": "other", "learner": "pa1", "options": {"C": 10**30}}, 422),
    ],
)
def test_numbers_that_the_log_cannot_hold_are_refused(tmp_path: Path, path: str, body: Any, status: int) -> None:
    async def attack(caller: Caller) -> None:
        before = live_bytes(caller.started)
        assert (await caller.send("POST", path, body)).status == status
        assert live_bytes(caller.started) == before
        assert (await caller.send("POST", f"{PLAIN}/learn", {"x": {"a": 2**63 - 1}, "y": "ham"})).status == 200

    attacked(tmp_path, attack)


def test_a_log_is_read_after_the_largest_position(tmp_path: Path) -> None:
    async def attack(caller: Caller) -> None:
        reply = await caller.send("GET", f"{PLAIN}/log", query="after=9223372036854775807&limit=1000")
        assert reply.status == 200 and json.loads(reply.body) == {"events": []}

    attacked(tmp_path, attack)


def test_labels_have_a_largest_length(tmp_path: Path) -> None:
    async def attack(caller: Caller) -> None:
        reply = await caller.send("POST", f"{PLAIN}/label", {"ticket": "early", "y": "x" * 1001})
        assert reply.status == 422 and b"at most 1,000 characters" in reply.body

    attacked(tmp_path, attack)


def test_a_tiny_rate_limit_has_a_finite_wait(tmp_path: Path) -> None:
    async def attack(caller: Caller) -> None:
        text, digest = new_token("tiny")
        caller.started.storage.put_token(TokenRow("tiny", digest, "predict", 0.0, per_second=5e-324))
        caller.started.service.auth.refresh(now=True)
        token = b"Bearer " + text.encode()
        assert (await caller.send("GET", "/v1/models", token=token)).status == 200
        reply = await caller.send("GET", "/v1/models", token=token)
        assert reply.status == 429 and dict(reply.headers)[b"retry-after"] == b"86400"

    attacked(tmp_path, attack)


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_a_clock_that_jumps_does_not_end_the_lease(step: float) -> None:
    class Leased(MemoryStorage):
        renew_every = 10.0
        renewed = 0

        def renew(self) -> None:
            self.renewed += 1

    async def run() -> None:
        storage, now = Leased(), [1e9]
        hub = Hub.open(storage, Settings(tick_seconds=3600.0), lambda: now[0])
        await hub.start()
        ticker = Ticker(hub)
        for jump, renewed in ((0.0, 0), (step, 1), (1.0, 1), (9.0, 2)):
            now[0] += jump
            await ticker.tick()
            assert storage.renewed == renewed
        await hub.close()

    asyncio.run(run())


def test_streams_that_are_opened_together_keep_to_the_limit(tmp_path: Path) -> None:
    async def attack(caller: Caller) -> None:
        service = caller.started.service
        service.limits = replace(service.limits, streams=3)
        streams = [asyncio.ensure_future(caller.send("GET", "/v1/events")) for _ in range(8)]
        done, open_ones = await asyncio.wait(streams, timeout=0.3)
        assert [one.result().status for one in done] == [429] * 5 and service.streams == 3
        for one in open_ones:
            one.cancel()
        await asyncio.wait(open_ones)
        assert service.streams == 0
        assert (await caller.send("HEAD", "/v1/events")).status == 200 and service.streams == 0
        service.opened = None
        assert (await caller.send("GET", "/v1/events")).status == 503 and service.streams == 0

    attacked(tmp_path, attack)


def test_a_gzip_body_of_many_members_is_refused() -> None:
    few, many = (gzip.compress(b"") * n for n in (MOST_MEMBERS, 300_000))
    assert decompress(few, "gzip", "learn", 10) == b""
    with pytest.raises(BadRequest, match="gzip members"):
        decompress(many, "gzip", "learn", 10)


def test_a_login_has_a_small_body(tmp_path: Path) -> None:
    async def attack(caller: Caller) -> None:
        reply = await caller.send("POST", "/v1/session", {"token": "x" * 100_000})
        assert reply.status == 413
        bomb = gzip.compress(bytes(1_000_000))
        assert (await caller.send("POST", "/v1/session", bomb, content_encoding=b"gzip")).status == 413

    attacked(tmp_path, attack)


def test_challengers_and_models_that_are_added_together_keep_to_the_limits(tmp_path: Path) -> None:
    async def attack(caller: Caller) -> None:
        spec = {"learner": "pa1", "labels": ["ham", "spam"]}
        names = [f"c{k}" for k in range(5)]
        replies = await asyncio.gather(
            *(caller.send("POST", f"{PLAIN}/challengers", {"name": one, **spec}) for one in names)
        )
        assert sorted(one.status for one in replies) == [201, 201, 413, 413, 413]
        replies = await asyncio.gather(*(caller.send("POST", "/v1/models", {"name": one, **spec}) for one in names))
        assert sorted(one.status for one in replies) == [201, 201, 413, 413, 413]

    attacked(tmp_path, attack)


def test_open_tickets_have_a_largest_size_in_memory(tmp_path: Path) -> None:
    async def attack(caller: Caller) -> None:
        wide = {"x": {f"feature {k}": 1.0 for k in range(1000)}}
        for _ in range(40):
            assert (await caller.send("POST", f"{PLAIN}/predict", wide)).status == 200
        tickets = caller.started.hub.model("plain").hosted.tickets
        assert 1 < len(tickets.open) < 10
        assert tickets.open_bytes == sum(map(len, tickets.open.values())) <= 150_000
        assert (await caller.send("POST", f"{PLAIN}/snapshot", {})).status == 201

    attacked(tmp_path, attack, Settings(max_open_bytes=150_000))


@pytest.mark.parametrize("change", ["rollback", "snapshot", "challengers"])
def test_a_model_that_is_deleted_during_a_change_does_not_stop_the_server(tmp_path: Path, change: str) -> None:
    bodies: dict[str, Any] = {
        "rollback": {"position": 2},
        "snapshot": {},
        "challengers": {"name": "other", "learner": "pa1", "labels": ["ham", "spam"]},
    }

    async def attack(caller: Caller) -> None:
        for pause in range(12):
            await caller.started.complete()
            for k in range(4):
                await caller.send("POST", f"{PLAIN}/learn", {"x": {"a": k}, "y": "ham"})
            sent = asyncio.ensure_future(caller.send("POST", f"{PLAIN}/{change}", bodies[change]))
            for _ in range(pause):
                await asyncio.sleep(0.0002)
            assert (await caller.send("DELETE", PLAIN)).status == 204
            reply = await sent
            assert reply.status in (200, 201, 404, 422), reply
            assert caller.started.hub.stats()["failures"] == 0.0

    attacked(tmp_path, attack)


def test_the_rest_of_a_refused_body_is_not_taken_for_headers(server: Live) -> None:
    with server.connect() as connection:
        connection.sendall(b"POST /v1/nothing HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100000\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 404 ")
        for _ in range(10):
            connection.sendall(bytes(10_000))
        connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_the_rest_of_a_refused_body_must_come_in_time(server: Live) -> None:
    with server.connect() as connection:
        connection.sendall(b"POST /v1/nothing HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100000\r\n\r\nx")
        assert connection.recv(65536).startswith(b"HTTP/1.1 404 ")
        assert connection.recv(65536) == b""  # closed, without a second reply


def test_clients_that_go_away_between_pipelined_requests_log_nothing(tmp_path: Path) -> None:
    with live(tmp_path / "gone.db") as running_server:
        several = request("/v1/models/mail/learn", b'{"x":{"a":1},"y":"ham"}') * 5
        for k in range(40):
            with running_server.connect() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset at the end
                connection.sendall(several)
                time.sleep(0.0003 * k)
        running_server.process.terminate()
        code, _, log = running_server.stop()
        assert code == 0 and "traceback" not in log, log

"""The resident memory of the service over many predictions and labels (Linux).

Everything that grows by design is bounded by small limits here: open tickets, remembered ones,
rounds of the scoreboard and waiting events. After a warm-up that reaches these limits, the memory
may rise by at most ``MOST_GROWN``.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from serve_app import Reply, Running, running
from serve_requests import Request

from driftline.serve.settings import Settings
from driftline.serve.spec import Spec

WARM_UP = 150_000
MOST_GROWN = 24 * 1024 * 1024
"""The most bytes by which the memory may rise after the warm-up: 24 bytes for each of 10^6 requests."""
AT_ONCE = 64
SETTINGS = Settings(
    max_open=2_000,
    remember=2_000,
    window=1_000,
    queue_bytes=4 << 20,
    queue_events=5_000,
    snapshot_events=50_000,
    tick_seconds=0.2,
)
MODEL = "leak"
REPORTS = 10


def leaked(requests: int, number: int, folder: Path) -> str:
    """Send requests; return what is wrong with the memory, or nothing."""
    return asyncio.run(_leaked(requests, number, str(folder / "leak.db")))


async def _leaked(requests: int, number: int, database: str) -> str:
    async with running(database, SETTINGS) as started:
        await started.hub.create(MODEL, Spec(learner="pa1", labels=["ham", "spam"], expire_after=5.0))
        begun = monotonic()
        await _mixed(started, min(WARM_UP, requests), Random(number))
        before = memory()
        print(f"leak: {before / 1e6:.1f} MB after a warm-up of {min(WARM_UP, requests):,} requests", flush=True)
        for part in range(REPORTS):
            await _mixed(started, requests // REPORTS, Random(number + part + 1))
            now = memory()
            rate = (min(WARM_UP, requests) + (part + 1) * (requests // REPORTS)) / (monotonic() - begun)
            print(
                f"leak: {now / 1e6:.1f} MB after {(part + 1) * (requests // REPORTS):,} more, {rate:,.0f}/s", flush=True
            )
        info = started.hub.model(MODEL).info()
    grown = now - before
    print(
        f"leak: grown by {grown / 1e6:.1f} MB (at most {MOST_GROWN / 1e6:.1f}), {info.open_tickets:,} open tickets",
        flush=True,
    )
    if started.records:
        return f"logged: {started.records[0]}"
    return f"grown by {grown:,} bytes over {requests:,} requests" if grown > MOST_GROWN else ""


async def _mixed(started: Running, requests: int, draw: Random) -> None:
    """Predict, tell late labels, learn and repeat, many at the same time."""
    tickets: list[Any] = []
    for _ in range(requests // AT_ONCE):
        sent = [_request(draw, tickets, started.tokens[0]) for _ in range(AT_ONCE)]
        replies = await asyncio.gather(*map(started.send, sent))
        busy = False
        for reply in replies:
            assert isinstance(reply, Reply) and reply.status in (200, 404, 409, 429), reply
            busy = busy or reply.status == 429
            if reply.status == 200 and b'"score"' in reply.body and len(tickets) < 5_000:
                tickets.append(json.loads(reply.body)["ticket"])
        if busy:
            await asyncio.sleep(0.05)
        started.logged()


def _request(draw: Random, tickets: list[Any], token: bytes) -> Request:
    x = {name: round(draw.uniform(-1.0, 1.0), 3) for name in draw.sample("abcdefghijkl", 5)}
    y = "ham" if sum(x.values()) > 0.0 else "spam"
    kind = draw.random()
    if kind < 0.45:
        route, body = "predict", {"x": x}
        if draw.random() < 0.2:
            body["id"] = f"call-{draw.randrange(10**12)}"
    elif kind < 0.8 and tickets:
        k = draw.randrange(len(tickets))
        tickets[k], tickets[-1] = tickets[-1], tickets[k]
        route, body = "label", {"ticket": tickets.pop(), "y": y}
    elif kind < 0.97:
        route, body = "learn", {"x": x, "y": y}
        if draw.random() < 0.3:
            body["id"] = f"row-{draw.randrange(10**12)}"
    else:
        route, body = "label", {"ticket": f"never-{draw.randrange(10**12)}", "y": y}
    headers = [(b"host", b"127.0.0.1:8000"), (b"authorization", token), (b"content-type", b"application/json")]
    return Request("POST", f"/v1/models/{MODEL}/{route}".encode(), b"", headers, json.dumps(body).encode())


def memory() -> int:
    """The resident memory in bytes, after a collection."""
    gc.collect()
    _trim()
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise OSError("VmRSS must be in /proc/self/status, got none")


def _trim() -> None:
    """Give freed memory back to the system, where the C library can."""
    if sys.platform == "linux":
        import ctypes

        libc = ctypes.CDLL(None)
        if hasattr(libc, "malloc_trim"):
            libc.malloc_trim(0)

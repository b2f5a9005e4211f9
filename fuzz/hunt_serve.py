"""Fuzz the service: ``python fuzz/hunt_serve.py --requests 20000 --leak 1000000``.

Most requests go to the application in this process, up to eight at a time. They are drawn from the
OpenAPI document: valid ones, broken ones and hostile ones. One in ten goes to a server process
through raw sockets, with slow, half-closed and pipelined connections. Each must be answered as the
document says: no status from 500 but 503, and a problem document (RFC 9457) for every refusal.
Nothing may be logged as an exception, and at the end the database must replay to the bytes of the
live models. ``--leak`` then measures the memory over many predictions and labels.

A run depends only on the seed and the number of requests, except for the times at which the
replies to concurrent requests come.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from serve_app import Running, differences, fault_of, live_bytes, model_files, running
from serve_leak import leaked
from serve_requests import Document, Request
from serve_sockets import sockets

from driftline.serve.http.openapi import document
from driftline.serve.http.routes import ROUTES, TABLE, shape

MOST_FOUND = 50
AT_ONCE = 8
SHOWN = 300


class Findings:
    """What was found, each kind once, and the number of replies of each status."""

    def __init__(self) -> None:
        self.each: dict[str, str] = {}
        self.statuses: Counter[str] = Counter()

    def add(self, what: str, where: str) -> None:
        """Add a finding."""
        self.each.setdefault(what, where)


def fuzz_application(requests: int, number: int, found: Findings, folder: Path) -> int:
    """Send requests to the application in this process; return how many."""
    database = str(folder / "application.db")
    with asyncio.Runner() as runner:
        manager = running(database)
        started: Running = runner.run(manager.__aenter__())
        strategies = Document(json.loads(document()), started.tokens, model_files())
        drawn = st.lists(strategies.requests(), min_size=1, max_size=AT_ONCE)
        sent = 0

        @seed(number)
        @settings(
            max_examples=requests,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(drawn)
        def send(several: list[Request]) -> None:
            nonlocal sent
            if sent < requests and len(found.each) < MOST_FOUND:
                sent += len(several)
                runner.run(_send(started, several, found))

        send()
        runner.run(manager.__aexit__(None, None, None))
        live = live_bytes(started)  # nothing changes the models any more, such as the time at which tickets expire
        for what in (*started.records, *differences(database, live)):
            found.add(what, "at the end")
    return sent


async def _send(started: Running, several: list[Request], found: Findings) -> None:
    """Send requests at the same time, and check the replies and the log."""
    await started.complete()
    replies = await asyncio.gather(*map(started.send, several), return_exceptions=True)
    for request, reply in zip(several, replies, strict=True):
        where = shown(request)
        if isinstance(reply, BaseException):
            found.add(f"an exception: {reply!r}", where)
            continue
        found.statuses["cut off" if reply is None else str(reply.status)] += 1
        what = fault_of(request, reply, documented(request))
        if reply is not None and reply.status == 503:
            what = f"status 503 although the storage works: {reply.body!r}"
        if what:
            found.add(f"{request.method} {request.path[:80]!r}: {what[:SHOWN]}", where)
    for line in started.logged():
        record: dict[str, Any] = json.loads(line)
        if record.get("event") == "exception" or record.get("level") == "error":
            last = str(record.get("traceback", record)).strip().splitlines()
            found.add(f"logged: {last[-1][:SHOWN]}", "\n".join(last[-12:]) + "\n" + "\n".join(map(shown, several)))
    while started.records:
        found.add(started.records.pop()[:SHOWN], "\n".join(map(shown, several)))


def documented(request: Request) -> dict[str, Any]:
    """The statuses that the document has for a request; empty if it has no such route."""
    route = TABLE.get(shape(request.path.decode("ascii", "replace").split("/")), {}).get(request.method)
    if route is None:
        return {}
    if not _STATUSES:
        paths = json.loads(document())["paths"]
        for one in ROUTES:
            _STATUSES[one.method, one.path] = paths[one.path][one.method.lower()]["responses"]
    return _STATUSES[route.method, route.path]


_STATUSES: dict[tuple[str, str], dict[str, Any]] = {}


def shown(request: Request) -> str:
    """A request for people."""
    headers = [(name, value if name != b"authorization" else value[:12]) for name, value in request.headers]
    cut = " (cut off)" if request.cut else ""
    return f"{request.method} {request.path[:200]!r}?{request.query!r} {headers} {request.body[:SHOWN]!r}{cut}"


def main(arguments: list[str] | None = None) -> int:
    """Fuzz; return 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--leak", type=int, default=0, metavar="N", help="measure the memory over N requests")
    given_ = parser.parse_args(arguments)
    begun, found = monotonic(), Findings()
    with tempfile.TemporaryDirectory(prefix="driftline-fuzz-") as folder:
        through_sockets = given_.requests // 10
        if given_.requests:
            sent = fuzz_application(given_.requests - through_sockets, given_.seed, found, Path(folder))
            print(f"application: {sent:,} requests in {monotonic() - begun:.0f} s", flush=True)
        if through_sockets:
            then = monotonic()
            n = sockets(through_sockets, given_.seed, found, Path(folder))
            print(f"sockets: {n:,} requests in {monotonic() - then:.0f} s", flush=True)
        statuses = ", ".join(f"{status} {n:,}" for status, n in sorted(found.statuses.items()))
        print(f"statuses: {statuses}")
        if given_.leak:
            what = leaked(given_.leak, given_.seed, Path(folder))
            if what:
                found.add(what, "the memory")
    for what, where in found.each.items():
        print(f"FOUND {what}\n  {where}")
    print(f"serve: seed {given_.seed}: {len(found.each)} found in {monotonic() - begun:.0f} s")
    return 1 if found.each else 0


if __name__ == "__main__":
    sys.exit(main())

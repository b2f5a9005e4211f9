"""Requests per second and latency of ``driftline serve``, against FastAPI with river.

All servers run at the same time on 127.0.0.1; one is under load at a time, and they take turns.
Each measurement has a new PA-I model that has learned `WARM` examples of ten features. driftline
stores every event in SQLite with ``synchronous=FULL``. The peer stores nothing.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from columns import align

from serve import load
from serve.servers import Ours, River, Server

EXAMPLES, FEATURES, BATCH, WARM = 1_000, 10, 100, 500
CONNECTIONS, SECONDS, BATCH_CONNECTIONS, FEWER_CONNECTIONS, BATCH_SECONDS = 256, 2, 128, 32, 1
"""The targets of batches are for more connections: while one batch waits for the disk, others are learned."""
TICKETS, MOST_TICKETS, TICKET_BATCH = 40_000, 200_000, 1_000
LABEL_CONNECTIONS, LABEL_PAUSE, PREDICT_CONNECTIONS, PREDICT_PAUSE = 20, 10.0, 8, 10.0
DURABLE, VOLATILE, RIVER = "driftline, durable", "driftline, not durable", "FastAPI + river"
PREDICT, LABEL, LEARN, PREDICT_MANY, LEARN_MANY = "predict", "label", "learn", "predict:batch", "learn:batch"
PREDICT_FEWER, LEARN_FEWER = (f"{call}, {FEWER_CONNECTIONS} connections" for call in (PREDICT_MANY, LEARN_MANY))
BATCHES = {
    PREDICT_MANY: (PREDICT_MANY, BATCH_CONNECTIONS),
    LEARN_MANY: (LEARN_MANY, BATCH_CONNECTIONS),
    PREDICT_FEWER: (PREDICT_MANY, FEWER_CONNECTIONS),
    LEARN_FEWER: (LEARN_MANY, FEWER_CONNECTIONS),
}
"""The requests and connections of each measurement of batches."""
CALLS = {
    PREDICT: (DURABLE, RIVER),
    LABEL: (DURABLE, VOLATILE, RIVER),
    LEARN: (DURABLE, VOLATILE, RIVER),
    PREDICT_MANY: (DURABLE, RIVER),
    LEARN_MANY: (DURABLE, RIVER),
    PREDICT_FEWER: (DURABLE, RIVER),
    LEARN_FEWER: (DURABLE, RIVER),
}
TARGETS: tuple[tuple[str, str, float | None], ...] = (
    (PREDICT, RIVER, 2.0),
    (LABEL, RIVER, 1.3),
    (LEARN, RIVER, 1.3),
    (LABEL, VOLATILE, 0.45),
    (LEARN, VOLATILE, 0.45),
    (PREDICT_MANY, RIVER, 1.5),
    (LEARN_MANY, RIVER, 1.5),
    (PREDICT_FEWER, RIVER, None),
    (LEARN_FEWER, RIVER, None),
)
"""The least ratio of the rate of driftline, durable, to another one; None is printed without a target."""
BOUNDED, FULL = "bounded", "full"
PACKAGES = ("river", "fastapi", "uvicorn", "uvloop", "httptools")
"""What the peer needs."""
VW = (
    "left out: the daemon of Vowpal Wabbit: it listens on every interface of the machine and leaves child processes "
    "behind, so it must not run outside a network namespace"
)


class Bodies(NamedTuple):
    """Files with one request body a line."""

    folder: Path

    def file(self, call: str) -> Path:
        """The bodies of a call."""
        return self.folder / f"{call.replace(':', '-')}.txt"

    def write(self) -> None:
        """Write the bodies of all calls but label."""
        rows = examples()
        predict = [json.dumps({"x": x}) for x, _ in rows]
        learn = [json.dumps({"x": x, "y": y}) for x, y in rows]
        for call, bodies in ((PREDICT, predict), (LEARN, learn)):
            self.file(call).write_text("\n".join(bodies) + "\n")
            parts = [bodies[at : at + BATCH] for at in range(0, EXAMPLES, BATCH)]
            many = "\n".join(f'{{"items": [{", ".join(part)}]}}' for part in parts)
            self.file(f"{call}:batch").write_text(many + "\n")


def examples() -> list[tuple[dict[str, float], bool]]:
    """Return examples of ten normal features, labelled by a plane, with a tenth of the labels flipped."""
    rng = random.Random(1)
    rows = [{f"feature_{k}": round(rng.gauss(0.0, 1.0), 6) for k in range(FEATURES)} for _ in range(EXAMPLES)]
    return [(x, (x["feature_0"] + x["feature_1"] > 0.0) != (rng.random() < 0.1)) for x in rows]


class Race:
    """The servers, and what was measured so far."""

    def __init__(self, servers: dict[str, Server], bodies: Bodies) -> None:
        self.servers = servers
        self.bodies = bodies
        self.rates: dict[tuple[str, str], list[float]] = {}
        self.costs: dict[tuple[str, str], list[float]] = {}
        self.latencies: dict[tuple[str, str], list[tuple[float, float, float, float]]] = {}
        self._tickets: dict[str, int] = {}

    @contextmanager
    def model(self, name: str) -> Iterator[Server]:
        """A server with a new model that has learned some examples."""
        server = self.servers[name]
        server.begin()
        try:
            server.process.post(server.path(LEARN_MANY), {"items": [{"x": x, "y": y} for x, y in examples()[:WARM]]})
            yield server
        finally:
            server.end()

    def rate(self, call: str, name: str) -> None:
        """Measure the requests per second of one call."""
        with self.model(name) as server:
            sent, connections = BATCHES.get(call, (call, CONNECTIONS))
            size, seconds = (BATCH, BATCH_SECONDS) if call in BATCHES else (1, SECONDS)
            file = self._labels(server, name) if call == LABEL else self.bodies.file(sent)
            events = server.settle()
            before = server.process.processor_seconds()
            done = load.finish(load.start(server, sent, file, connections, seconds))
            start = time.perf_counter()
            events = server.settle() - events
            taken = done.seconds + time.perf_counter() - start
            used = server.process.processor_seconds() - before
        if 0 < events < size * done.requests and call != LABEL:  # items of a batch can be refused
            raise ValueError(f"{call}: all examples must be accepted, got {events} of {size * done.requests}")
        if call == LABEL:
            given = self._tickets.get(name, TICKETS)
            self._tickets[name] = max(given, min(MOST_TICKETS, int(1.5 * done.requests)))
            if done.requests > given:  # labels were sent twice: measure again with more tickets
                self.rate(call, name)
                return
        self.rates.setdefault((call, name), []).append(size * done.requests / taken)
        self.costs.setdefault((call, name), []).append(used / (size * done.requests))

    def latency(self, kind: str, name: str) -> None:
        """Measure the latency of predict while labels of tickets are learned."""
        with self.model(name) as server:
            labels = self._labels(server, name)
            if kind == FULL:
                connections, pause = CONNECTIONS, None
            else:
                connections, pause = LABEL_CONNECTIONS, LABEL_PAUSE
            both = [
                load.start(server, LABEL, labels, connections, SECONDS, pause),
                load.start(server, PREDICT, self.bodies.file(PREDICT), PREDICT_CONNECTIONS, SECONDS, PREDICT_PAUSE),
            ]
            labelled, predicted = (load.finish(one) for one in both)
        told = (predicted.p50, predicted.p99, labelled.per_second, predicted.per_second)
        self.latencies.setdefault((kind, name), []).append(told)

    def _labels(self, server: Server, name: str) -> Path:
        """Ask for tickets, and return a file with a label for each."""
        items = [{"x": x} for x, _ in examples()][:TICKET_BATCH]
        ys = [y for _, y in examples()]
        bodies = []
        while len(bodies) < self._tickets.get(name, TICKETS):
            answers = server.process.post(server.path(PREDICT_MANY), {"items": items})["items"]
            bodies += [json.dumps({"ticket": one["ticket"], "y": y}) for one, y in zip(answers, ys, strict=True)]
        file = self.bodies.file(LABEL)
        file.write_text("\n".join(bodies) + "\n")
        return file


def measure(repeats: int, python: Path | None, scratch: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return rates, processor times and latencies of all repeats.

    `python` is the interpreter of the peers; None leaves them out. The databases are in `scratch`,
    which must be on a disk.
    """
    if not load.available():
        return {"missing": load.REMEDY}
    scratch.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=scratch, prefix="serve-")))
        makers: dict[str, Callable[[], Server]] = {
            DURABLE: lambda: Ours(folder, durable=True),
            VOLATILE: lambda: Ours(folder, durable=False),
        }
        if python is not None:
            makers[RIVER] = lambda: River(folder, python)
        servers: dict[str, Server] = {}
        for name, make in makers.items():
            servers[name] = make()
            stack.callback(servers[name].process.close)
        bodies = Bodies(folder)
        bodies.write()
        race = Race(servers, bodies)
        syncs: list[float] = []
        for turn in range(repeats):
            tell(f"round {turn + 1} of {repeats}")
            syncs.append(sync_seconds(folder))
            for call, names in CALLS.items():
                for name in _turned([name for name in names if name in servers], turn):
                    race.rate(call, name)
            for kind in (BOUNDED, FULL):
                for name in _turned([name for name in (DURABLE, RIVER) if name in servers], turn):
                    race.latency(kind, name)
    return {
        "rates": [{"call": c, "name": n, "per_second": v, "seconds": race.costs[c, n]}
                  for (c, n), v in race.rates.items()],
        "latencies": [{"kind": k, "name": n, "rounds": v} for (k, n), v in race.latencies.items()],
        "sync_seconds": syncs,
        "peer": python is not None,
    }  # fmt: skip


def _turned(names: list[str], turn: int) -> list[str]:
    start = turn % len(names)
    return names[start:] + names[:start]


def sync_seconds(folder: Path) -> float:
    """The median time in which this disk takes 4 kB."""
    times = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(20):
            file.write(bytes(4096))
            start = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def lines(told: dict[str, Any]) -> list[str]:
    """Return the rates, the latencies, and the ratios with their verdicts."""
    if "missing" in told:
        return [f"left out: driftline serve: {told['missing']}"]
    rates = {(one["call"], one["name"]): one for one in told["rates"]}
    rows = [["  call", "server", "examples/s", "min - max", "processor time each"]]
    for (call, name), one in rates.items():
        each, cost = one["per_second"], 1e6 * statistics.median(one["seconds"])
        between = f"{min(each):,.0f} - {max(each):,.0f}"
        rows.append([f"  {call}", name, f"{statistics.median(each):,.0f}", between, f"{cost:.1f} us"])
    waits = [["  labels", "server", "labels/s", "predictions/s", "p50", "min - max", "p99", "min - max"]]
    for one in told["latencies"]:
        p50, p99, labels, predictions = (list(column) for column in zip(*one["rounds"], strict=True))
        waits.append(
            [
                f"  {one['kind']}",
                one["name"],
                f"{statistics.median(labels):,.0f}",
                f"{statistics.median(predictions):,.0f}",
                *(text for values in (p50, p99) for text in _milliseconds(values)),
            ]
        )
    sync = 1e3 * statistics.median(told["sync_seconds"])
    found = [
        f"driftline serve on 127.0.0.1, PA-I with {FEATURES} features as JSON, {CONNECTIONS} connections of wrk "
        f"({BATCH_CONNECTIONS} or {FEWER_CONNECTIONS} for batches of {BATCH}), "
        f"rounds of {SECONDS} s ({BATCH_SECONDS} s) in turn; the time includes that until everything is stored; "
        f"an fsync takes {sync:.1f} ms:",
        *align(rows, words=2),
        "",
        f"predict while labels are learned: {PREDICT_CONNECTIONS} connections predict, with a pause of "
        f"{PREDICT_PAUSE:g} ms; bounded: {LABEL_CONNECTIONS} connections send labels, with a pause of "
        f"{LABEL_PAUSE:g} ms; full: {CONNECTIONS} without a pause:",
        *align(waits, words=2),
        "",
        *align(
            [["  ratio", "", "", "medians", "median of rounds", "processor time", "target", ""], *_ratios(rates)], 3
        ),
    ]
    return [*found, VW] if told["peer"] else [*found, "left out: FastAPI + river: not installed or not asked for", VW]


def _milliseconds(values: list[float]) -> tuple[str, str]:
    each = [value / 1e3 for value in values]
    return f"{statistics.median(each):.2f} ms", f"{min(each):.2f} - {max(each):.2f}"


def _ratios(rates: dict[tuple[str, str], dict[str, Any]]) -> list[list[str]]:
    """Return the ratios of the rates, of each round, and of the processor times of the other and ours."""
    rows = []
    for call, rival, least in TARGETS:
        if (call, rival) not in rates:
            continue
        ours, theirs = rates[call, DURABLE], rates[call, rival]
        ratio = statistics.median(ours["per_second"]) / statistics.median(theirs["per_second"])
        pairs = zip(ours["per_second"], theirs["per_second"], strict=True)
        paired = statistics.median(mine / other for mine, other in pairs)
        used = statistics.median(ours["seconds"])
        cost = f"{statistics.median(theirs['seconds']) / used:.2f}" if used else "-"
        target = ("", "") if least is None else (f">= {least:g}x", "met" if ratio >= least else "missed")
        rows.append([f"  {call}", DURABLE, rival, f"{ratio:.2f}x", f"{paired:.2f}x", cost, *target])
    return rows


if __name__ == "__main__":
    import sys

    cache = Path(__file__).resolve().parents[1] / ".cache"
    print("\n".join(lines(measure(int(sys.argv[1]), cache / "venv/bin/python", cache, lambda text: None))))

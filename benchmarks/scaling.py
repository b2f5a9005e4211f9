"""Sweeps and keyed learners on Ray with two workers, and on Spark, against one process.

Compiled code is in the cache before anything is timed, and Ray has started. The times of a sweep
include storing the stream. Two plain processes, with half of the settings each and all data in
memory, show what the machine permits at the time: other work takes a larger share of two cores than
of one. The processor time, of the program and then of the busiest worker, does not depend on other
work. The times of keyed learners include the wait for the last row, and, with checkpoints, the last
checkpoint. Both ways save all changed keys after every 200,000 rows. The ways to run take turns.
Spark learns fewer rows, because it is slow, and one process learns the same rows for comparison.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scaling_on_spark
from two_processes import TwoProcesses, processor_seconds, processor_seconds_since

import driftline as dl

ROWS, WIDTH, SETTINGS = 1_000_000, 30, 200
KEYS, KEYED_ROWS, BLOCK, EVERY = 1000, 400_000, 20_000, 200_000
RESIDENT_KEYS, RESIDENT_ROWS = 20_000, 400_000
TARGETS = {"sweep": 1.4, "keyed": 0.8}
ALONE, RAY, PLAIN = "one process", "Ray", "two plain processes"
PROCESSOR = ", processor time"
SKEWED, SINGLE = "Ray, one key with half the rows", "one process, one key"


def measure(repeats: int) -> dict[str, Any] | None:
    """Return all figures; None if Ray is not installed."""
    if find_spec("ray") is None:
        return None
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray reads this name
    from driftline.scale.cluster import cluster

    X, y = _data()
    settings = _settings()
    halves = [settings[: SETTINGS // 2], settings[SETTINGS // 2 :]]
    plain = TwoProcesses(lambda number: _mistakes(dl.sweep(halves[number], (X, y), progress=False)))
    with cluster(2):
        sweeps = _sweeps(settings, X, y, plain, min(repeats, 5))
        plain.close()
        found = {"sweep": sweeps, "keyed": _keyed(min(repeats, 9)), "resident": _resident()}
    return found | {"spark": scaling_on_spark.measure(min(repeats, 3))}


def lines(found: dict[str, Any] | None) -> list[str]:
    """Return the figures as lines of text."""
    if found is None:
        return ["scale: Ray is not installed (make integration installs it)"]
    sweep, keyed = found["sweep"], found["keyed"]
    rate = {name: KEYED_ROWS / seconds for name, (seconds, _, _) in keyed["costs"].items()}
    with_checkpoints = rate["Ray, checkpoints"] / rate["one process, checkpoints"]
    return [
        f"scale: a sweep of {SETTINGS} settings over {ROWS:,} rows of {WIDTH} features",
        *(f"  {name:<37} {seconds:8.2f} s" for name, seconds in sweep.items()),
        f"  Ray is {sweep[ALONE] / sweep[RAY]:.2f}x as fast (target {TARGETS['sweep']}), two plain processes "
        f"{sweep[ALONE] / sweep[PLAIN]:.2f}x",
        f"  by processor time Ray is {sweep[ALONE + PROCESSOR] / sweep[RAY + PROCESSOR]:.2f}x as fast, "
        f"two plain processes {sweep[ALONE + PROCESSOR] / sweep[PLAIN + PROCESSOR]:.2f}x",
        f"scale: PA-I of 10 features for each of {KEYS:,} keys, {KEYED_ROWS:,} rows in blocks of {BLOCK:,}",
        *(f"  {name:<32} {one:12,.0f} rows/s" for name, one in rate.items()),
        "  microseconds of processor time for a row, in the program and in the busiest worker:",
        *(
            f"  {name:<32} {1e6 * program / KEYED_ROWS:8.2f} {1e6 * worker / KEYED_ROWS:8.2f}"
            for name, (_, program, worker) in keyed["costs"].items()
        ),
        f"  Ray with checkpoints: {with_checkpoints:.2f}x one process with checkpoints (target {TARGETS['keyed']})",
        f"  a key: {keyed['memory']:,.0f} bytes as a state, {keyed['file']:,.0f} bytes in a checkpoint",
        f"  a key of {RESIDENT_KEYS:,} after {RESIDENT_ROWS // RESIDENT_KEYS} rows: "
        f"{found['resident']:,.0f} bytes of resident memory",
        *scaling_on_spark.lines(found["spark"]),
    ]


def _resident() -> float:
    """The growth of the resident memory of this process for each key."""
    rng = np.random.default_rng(2)
    keys, X = rng.integers(RESIDENT_KEYS, size=BLOCK), rng.normal(size=(BLOCK, 10))
    y = (X[:, 0] > 0.0).astype(int)
    dl.Keyed(dl.PA1()).learn_many(X, y, keys=keys)  # what is compiled, and what is allocated once
    before, keyed = _pages(), dl.Keyed(dl.PA1())
    for _ in range(RESIDENT_ROWS // BLOCK):
        keyed.learn_many(X, y, keys=rng.integers(RESIDENT_KEYS, size=BLOCK))
    return (_pages() - before) / len(keyed)


def _pages() -> int:
    """The resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _data() -> tuple[np.ndarray, np.ndarray]:
    """The stream of the sweeps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, WIDTH))
    return X, (X @ rng.normal(size=WIDTH) + rng.normal(size=ROWS) > 0.0).astype(int)


def _settings() -> list[Any]:
    return dl.grid("norma", alpha=np.logspace(-2, 0, SETTINGS).tolist(), lam=1e-5)


def _mistakes(found: Any) -> dict[str, int]:
    return {one.name: one.ledger.mistakes for one in found.settings}


def _sweeps(settings: list[Any], X: np.ndarray, y: np.ndarray, plain: TwoProcesses, repeats: int) -> dict[str, float]:
    """Elapsed and processor seconds of each way. Of processes that run in parallel, the busiest counts."""
    from driftline import scale

    def in_two() -> dict[str, int]:
        first, second = plain.run()
        return first | second

    ways: dict[str, Callable[[], dict[str, int]]] = {
        ALONE: lambda: _mistakes(dl.sweep(settings, (X, y), progress=False)),
        RAY: lambda: _mistakes(scale.sweep(settings, (X, y), progress=False)),
        PLAIN: in_two,
    }
    times: dict[str, list[float]] = {name: [] for name in (*ways, *(name + PROCESSOR for name in ways))}
    for turn in range(repeats + 1):
        mistakes = []
        for name, way in ways.items():
            before, start = processor_seconds(), perf_counter()
            mistakes.append(way())
            seconds = perf_counter() - start
            used = sum(processor_seconds_since(before))
            if turn:  # the first turn warms up
                times[name].append(seconds)
                times[name + PROCESSOR].append(used)
        assert mistakes[0] == mistakes[1] == mistakes[2]
    return {name: statistics.median(each) for name, each in times.items()}


def _blocks(share: float) -> list[tuple[Any, Any, Any]]:
    """Blocks of rows: one key has a share of them, and the others belong to all keys alike."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(KEYED_ROWS // BLOCK):
        keys, X = rng.integers(KEYS, size=BLOCK), rng.normal(size=(BLOCK, 10))
        keys[: round(share * BLOCK)] = 0
        found.append((X, (X[:, 0] > 0.0).astype(int), keys))
    return found


def _keyed(repeats: int) -> dict[str, Any]:
    from driftline import scale

    uniform, skewed, single = _blocks(0.0), _blocks(0.5), _blocks(1.0)
    sizes: dict[str, float] = {}
    Cost = tuple[float, float, float]  # seconds, processor seconds of the program, those of the busiest worker

    def alone(folder: Path, every: int, blocks: list[tuple[Any, Any, Any]]) -> Cost:
        keyed, done = dl.Keyed(dl.PA1()), 0
        before, start = processor_seconds(), perf_counter()
        for X, y, keys in blocks:
            keyed.learn_many(X, y, keys=keys)
            done += len(y)
            if every and done % every == 0:
                keyed.checkpoint(folder / "keyed", done)
        cost = perf_counter() - start, *processor_seconds_since(before)
        if every:
            sizes["file"] = (folder / "keyed").stat().st_size / len(keyed)
            sizes["memory"] = sum(len(state) for _, state in keyed.states()) / len(keyed)
        return cost

    def on_ray(folder: Path, every: int, blocks: list[tuple[Any, Any, Any]]) -> Cost:
        keyed = scale.Keyed(dl.PA1(), folder=folder, shards=2, every=KEYED_ROWS)
        X, y, keys = blocks[0]
        keyed.learn_many(X[:100], y[:100], keys=keys[:100])
        keyed.wait()
        done, before, start = 0, processor_seconds(), perf_counter()
        for X, y, keys in blocks:
            keyed.learn_many(X, y, keys=keys)
            done += len(y)
            if every and done % every == 0:
                keyed.checkpoint()
        keyed.wait()
        cost = perf_counter() - start, *processor_seconds_since(before)
        keyed.close()
        return cost

    ways = {
        "one process": (alone, 0, uniform),
        "Ray": (on_ray, 0, uniform),
        "one process, checkpoints": (alone, EVERY, uniform),
        "Ray, checkpoints": (on_ray, EVERY, uniform),
        SKEWED: (on_ray, 0, skewed),
        SINGLE: (alone, 0, single),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in ways}
    for turn in range(repeats + 1):
        for name, (run, every, blocks) in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                cost = run(Path(folder), every, blocks)
            if turn:  # the first turn warms up
                costs[name].append(cost)
    medians = {name: [statistics.median(part) for part in zip(*each, strict=True)] for name, each in costs.items()}
    return {"costs": medians, **sizes}

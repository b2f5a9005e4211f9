"""driftline from opening a file to the saved model: PA-I over text with one or two threads, and
over the cache.

The timing includes syncing the model to disk, which no peer does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import text_files
from contest import CACHE_HEAT, SVMLIGHT_HEAT, VW_HEAT, Attempt, Task
from data import Data

import driftline as dl

MODEL = text_files.FOLDER / "ours.dl"
FILES = {"svm": (SVMLIGHT_HEAT, "svmlight"), "vw": (VW_HEAT, "VW text")}


def versions() -> dict[str, str]:
    """Return nothing: other tasks report the versions."""
    return {}


def tasks(data: Data) -> Iterator[Task]:
    """Yield both text formats with one and two threads, and the cache of each."""
    rows = data.sizes.sparse_rows
    for kind, (heat, name) in FILES.items():
        file = text_files.path(data, kind)
        yield Task(heat, "ours PA-I, 1 thread", rows, _from_text(file, rows, 1))
        yield Task(heat, "ours PA-I, 2 threads", rows, _from_text(file, rows, 2))
        yield Task(CACHE_HEAT, f"ours PA-I, cache of {name}", rows, _from_cache(file, rows, _new_cache(file)))


def _from_text(file: Path, rows: int, threads: int) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        text_files.into_memory(file)
        return _attempt(file, rows, threads=threads)

    return prepare


def _from_cache(file: Path, rows: int, cache: Path) -> Callable[[], Attempt]:
    written = cache.stat().st_mtime_ns

    def prepare() -> Attempt:
        text_files.into_memory(cache)
        attempt = _attempt(file, rows, cache=True)

        def after() -> float | None:
            if cache.stat().st_mtime_ns != written:
                raise RuntimeError(f"{cache.name}: the cache must be read unchanged, got a rewritten one")
            return attempt.after()

        return Attempt(attempt.run, after)

    return prepare


def _new_cache(file: Path) -> Path:
    """Delete the cache of the file and write a new one."""
    cache = file.with_name(f"{file.name}.dlcache")
    cache.unlink(missing_ok=True)
    for _ in dl.streams.read(file, cache=True):
        pass
    return cache


def _attempt(file: Path, rows: int, **options: Any) -> Attempt:
    MODEL.unlink(missing_ok=True)
    made: list[Any] = []

    def run() -> None:
        learner = dl.PA1(C=1.0, bias=False)
        for block in dl.streams.read(file, **options):
            learner.learn_many(*block)
        learner.save(MODEL)
        made.append(learner)

    def after() -> float:
        learner = dl.load(MODEL)
        if learner.n_seen != rows or learner.weights() != made[0].weights():
            raise RuntimeError(
                f"{file.name}: the saved model must be the one that saw {rows} rows, got {learner.n_seen}"
            )
        return float(sum(value * value for value in learner.weights().values()))

    return Attempt(run, after)

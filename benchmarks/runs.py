"""``dl.run`` with its default arguments, and ``learn_many`` on the same arrays in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from blocks import block_rows, cut
from contest import LEARN_MANY, RUN, Attempt, Task, run_heat
from data import Data

import driftline as dl


def versions() -> dict[str, str]:
    """Return no versions beyond those of ``ours``."""
    return {}


def tasks(data: Data) -> Iterator[Task]:
    """Yield both calls for sparse and for dense rows."""
    for kind in ("sparse", "dense"):
        rows = block_rows(data, kind, None)
        yield Task(run_heat(kind), LEARN_MANY, rows, _task(data, kind, _learn_many))
        yield Task(run_heat(kind), RUN, rows, _task(data, kind, _run))


def _learn_many(learner: dl.Learner, X: Any, y: Any) -> object:
    return learner.learn_many(X, y)


def _run(learner: dl.Learner, X: Any, y: Any) -> object:
    return dl.run(learner, (X, y))


def _task(data: Data, kind: str, call: Callable[[dl.Learner, Any, Any], object]) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        learner, ((X, y),) = dl.PA1(), cut(data, kind, None)
        return Attempt(lambda: call(learner, X, y), lambda: float(sum(w * w for w in learner.weights().values())))

    return prepare

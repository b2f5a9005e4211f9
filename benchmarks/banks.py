"""Many settings in one pass: a bank of 32 learners against one, a sweep of 64 settings against 64
runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from blocks import cut
from contest import BANK_HEAT, SWEEP_HEAT, Attempt, Task
from data import Data

import driftline as dl

RATES = np.logspace(-2.0, 0.0, 8).tolist()
FORGETTING = [0.0, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3]
COSTS = np.logspace(-4.0, 2.0, 16).tolist()
SHARE = 4  # the 64 separate runs use a quarter of the rows


def versions() -> dict[str, str]:
    """Return nothing: other tasks of this process report the versions."""
    return {}


def tasks(data: Data) -> Iterator[Task]:
    """Yield the single learners and the banks, then the sweep and the separate runs."""
    rows = data.sizes.sparse_rows
    kinds: dict[str, Callable[[], dl.Learner]] = {
        "ours PA-I alone": lambda: dl.PA1(dtype="float32"),
        "ours NORMA alone": lambda: dl.NORMA(alpha=0.1, lam=1e-5, dtype="float32"),
        "bank of 32 PA-I and NORMA": lambda: dl.Bank(_columns()),
        "bank of 32 PA-I": lambda: dl.Bank(dl.grid("pa1", C=np.logspace(-4.0, 2.0, 32), dtype="float32")),
    }
    for name, make in kinds.items():
        yield Task(BANK_HEAT, name, rows, _learn(data, make))
    yield Task(SWEEP_HEAT, "sweep", rows, _sweep(data))
    some = data.first(max(1, rows // SHARE))
    yield Task(SWEEP_HEAT, "64 runs", some.sizes.sparse_rows, _runs(some))


def _columns() -> list[dl.Learner]:
    return [
        *dl.grid("pa1", C=COSTS, dtype="float32"),
        *dl.grid("norma", alpha=RATES[::2], lam=FORGETTING[::2], dtype="float32"),
    ]


def _settings() -> list[dl.Learner]:
    return dl.grid("norma", alpha=RATES, lam=FORGETTING)


def _learn(data: Data, make: Callable[[], dl.Learner]) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        learner, ((X, y),) = make(), cut(data, "sparse", None)
        return Attempt(lambda: learner.learn_many(X, y), lambda: None)

    return prepare


def _sweep(data: Data) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        stream: Any = cut(data, "sparse", None)[0]
        return Attempt(lambda: dl.sweep(_settings(), stream, progress=False), lambda: None)

    return prepare


def _runs(data: Data) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        stream: Any = cut(data, "sparse", None)[0]
        return Attempt(lambda: [dl.run(one, stream, progress=False) for one in _settings()], lambda: None)

    return prepare

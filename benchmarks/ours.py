"""The tasks of driftline: the public calls with all checks, and the compiled kernel alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from blocks import block_rows, cut
from contest import BLOCKS, WIDTHS, Attempt, Task, block_heat, dict_heat
from data import Data
from dicts import examples, predict_then_learn
from kernel import driftline_kernel

import driftline as dl

Make = Callable[[], Any]

LEARNERS: dict[str, Make] = {
    "ours PA-I": lambda: dl.PA1(C=1.0, bias=False),
    "ours L2PA": lambda: dl.L2PA(beta=20.0, bias=False),
    "ours NORMA": lambda: dl.NORMA(alpha=0.1, lam=1e-5, rho=1.0, bias=False),
    "ours Perceptron": lambda: dl.Perceptron(bias=False),
}
ON_DICTS: dict[str, Make] = {
    "ours PA-I": lambda: dl.PA1(C=1.0, bias=False),
    # river's Perceptron always learns an intercept
    "ours Perceptron": lambda: dl.Perceptron(bias=True),
}


def versions() -> dict[str, str]:
    """Return the versions of driftline and the libraries that its speed depends on."""
    return {"driftline": dl.__version__, **{name: version(name) for name in ("numba", "numpy", "scipy")}}


def tasks(data: Data) -> Iterator[Task]:
    """Yield every learner in every heat of matrices, the kernel alone, and the dicts."""
    for kind in ("sparse", "dense"):
        for size in BLOCKS:
            for name, make in LEARNERS.items():
                rows = block_rows(data, kind, size)
                yield Task(block_heat(kind, size), name, rows, _many(data, kind, size, make))
        ready = driftline_kernel(kind)
        if ready is not None:
            rows = block_rows(data, kind, None)
            yield Task(block_heat(kind, None), "ours PA-I, kernel alone", rows, _kernel(data, ready))
    for width in WIDTHS:
        stream = examples(data, width, float)
        for name, make in ON_DICTS.items():
            yield Task(dict_heat(width), name, len(stream), _dicts(stream, make))


def _w_sq(learner: Any) -> float:
    return float(sum(value * value for value in learner.weights().values()))


def _many(data: Data, kind: str, size: int | None, make: Make) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        learner, blocks = make(), cut(data, kind, size)

        def run() -> None:
            for X, y in blocks:
                learner.learn_many(X, y)

        return Attempt(run, lambda: _w_sq(learner))

    return prepare


def _kernel(data: Data, ready: Callable[[Data], Attempt]) -> Callable[[], Attempt]:
    return lambda: ready(data)


def _dicts(stream: list[tuple[dict[str, float], Any]], make: Make) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        learner = make()
        return Attempt(lambda: predict_then_learn(learner, stream), lambda: _w_sq(learner))

    return prepare

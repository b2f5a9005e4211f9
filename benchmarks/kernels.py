"""Kernel Perceptron and kernel NORMA with a Gaussian kernel and a budget: driftline and the bare
C loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from c_loop import compiled, function, in_c
from contest import BUDGETS, KERNEL_RULES, KERNEL_WIDTHS, AbsentError, Attempt, Task, kernel_heat
from data import NOISE, SEED, Data

import driftline as dl

SOURCE = Path(__file__).with_name("kernel_loop.c")
LOOPS = {"C loop, rows": "kernel_rows", "C loop, tiles": "kernel_tiles"}
TILE = 16
GAMMA = {2: 1.0, 50: 0.02}
ALPHA, LAM, RHO = 1.0, 0.001, 1.0
STEPS = {"Perceptron": (1.0, 0.0, 0.0), "NORMA": (ALPHA, LAM, RHO)}
RULES: dict[str, Callable[[], dl.Learner]] = {
    "Perceptron": dl.Perceptron,
    "NORMA": lambda: dl.NORMA(ALPHA, LAM, RHO),
}
SHARE = 25  # the number of rows is that of the dense stream divided by this

Stream = tuple[np.ndarray, np.ndarray]


def versions() -> dict[str, str]:
    """Return nothing: other tasks of this process report the versions."""
    return {}


def tasks(data: Data) -> Iterator[Task]:
    """Yield driftline and the C loops in every heat, or driftline alone without a C compiler."""
    rows = max(1, data.sizes.dense_rows // SHARE)
    streams = {width: draw(rows, width) for width in KERNEL_WIDTHS}
    try:
        library = compiled(SOURCE)
    except AbsentError:
        library = None
    for rule, width, budget in product(KERNEL_RULES, KERNEL_WIDTHS, BUDGETS):
        heat, stream = kernel_heat(rule, width, budget), streams[width]
        yield Task(heat, f"ours {rule}", rows, _ours(rule, stream, budget))
        if library is not None:
            for name, symbol in LOOPS.items():
                yield Task(heat, name, rows, _loop(function(library, symbol), rule, stream, budget))


def draw(rows: int, width: int) -> Stream:
    """Draw normal rows. The labels are separated by a sine curve, with noise."""
    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((rows, width))
    y = np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] > 0.0, 1.0, -1.0)
    return X, y * np.where(rng.random(rows) < NOISE, -1.0, 1.0)


def _ours(rule: str, stream: Stream, budget: int) -> Callable[[], Attempt]:
    X, y = stream

    def prepare() -> Attempt:
        learner = dl.Kernelized(RULES[rule](), dl.kernels.Gaussian(GAMMA[X.shape[1]]), budget)
        return Attempt(lambda: learner.learn_many(X, y), lambda: learner._engine.extent()[0] ** 2)

    return prepare


def _loop(loop: Any, rule: str, stream: Stream, budget: int) -> Callable[[], Attempt]:
    X, y = stream
    rows, width = X.shape
    gamma = GAMMA[width]
    slots = -(-budget // TILE) * TILE

    def prepare() -> Attempt:
        z, c, room, scale = np.zeros(slots * width), np.zeros(slots), np.zeros(slots), np.zeros(1)
        given = [in_c(one) for one in (rows, width, X, y, budget, gamma, *STEPS[rule], z, c, room, scale)]

        def w_sq() -> float:
            by_tile = z.reshape(-1, width, TILE).transpose(0, 2, 1).reshape(-1, width)
            Z = by_tile if loop.__name__ == LOOPS["C loop, tiles"] else z.reshape(width, slots).T
            return float(scale[0] ** 2 * (c @ dl.kernels.Gaussian(gamma).between(Z, Z) @ c))

        return Attempt(lambda: loop(*given), w_sq)

    return prepare

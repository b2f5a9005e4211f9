"""Updates of the full second-order Perceptron: driftline against the textbook version with BLAS.

    h = P x (dgemv),    omega += (y - omega.x) / (1 + x.h) h,    P -= h h^T / (1 + x.h) (dger)

The textbook version stores P and calls BLAS from a compiled loop. driftline stores factors of P,
for which BLAS has no update. The labels are chosen so that every row causes an update.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import cache

import numba
import numpy as np
from contest import SECOND_ORDER_HEAT, Attempt, Task
from data import Data
from numba.extending import get_cython_function_address

import driftline as dl

COLUMNS, ROWS = 200, 3_000
BLAS = "scipy.linalg.cython_blas"
POINTER = ctypes.c_void_p

_dgemv = ctypes.CFUNCTYPE(None, *[POINTER] * 11)(get_cython_function_address(BLAS, "dgemv"))
_dger = ctypes.CFUNCTYPE(None, *[POINTER] * 9)(get_cython_function_address(BLAS, "dger"))


def versions() -> dict[str, str]:
    """Return nothing: other tasks of this process report the versions."""
    return {}


@cache
def draw() -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of length about 1, with labels opposite to the learner's predictions."""
    X = np.random.default_rng(9).normal(size=(ROWS, COLUMNS)) / COLUMNS**0.5
    learner = dl.SecondOrderPerceptron(bias=False, labels=(-1.0, 1.0))
    y = np.empty(ROWS)
    for i, x in enumerate(X):
        y[i] = -1.0 if i and learner.score_one(x) > 0.0 else 1.0
        learner.learn_one(x, y[i])
    assert learner.updates == ROWS
    return X, y


@numba.njit(error_model="numpy")
def by_blas(P: np.ndarray, omega: np.ndarray, X: np.ndarray, y: np.ndarray) -> None:
    """Learn every row. P is symmetric, so its memory order does not matter."""
    letter = np.array([ord("N")], np.uint8)
    size, one = np.array([P.shape[0]], np.int32), np.ones(1, np.int32)
    number, zero, factor = np.ones(1), np.zeros(1), np.zeros(1)
    h = np.zeros(P.shape[0])
    for i in range(len(X)):
        x = X[i]
        _dgemv(
            letter.ctypes, size.ctypes, size.ctypes, number.ctypes, P.ctypes, size.ctypes, x.ctypes, one.ctypes,
            zero.ctypes, h.ctypes, one.ctypes,
        )  # fmt: skip
        v = np.dot(x, h)
        step = (y[i] - np.dot(omega, x)) / (1.0 + v)
        for j in range(omega.size):
            omega[j] += step * h[j]
        factor[0] = -1.0 / (1.0 + v)
        _dger(
            size.ctypes, size.ctypes, factor.ctypes, h.ctypes, one.ctypes, h.ctypes, one.ctypes, P.ctypes, size.ctypes
        )


def tasks(data: Data) -> Iterator[Task]:
    """Yield both versions."""
    X, y = draw()
    yield Task(SECOND_ORDER_HEAT, "ours", ROWS, _ours(X, y))
    yield Task(SECOND_ORDER_HEAT, "BLAS dgemv + dger", ROWS, _blas(X, y))


def _ours(X: np.ndarray, y: np.ndarray) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        learner = dl.SecondOrderPerceptron(bias=False, labels=(-1.0, 1.0))
        return Attempt(
            lambda: learner.learn_many(X, y), lambda: sum(value * value for value in learner.weights().values())
        )

    return prepare


def _blas(X: np.ndarray, y: np.ndarray) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        P, omega = np.eye(COLUMNS), np.zeros(COLUMNS)
        return Attempt(lambda: by_blas(P, omega, X, y), lambda: float(omega @ omega))

    return prepare

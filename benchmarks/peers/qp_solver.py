"""The L1PA steps by a general QP solver: Clarabel, an interior-point method, on all 8,000
features.

The variables are w and u with -u <= w <= u and sum u <= beta. The matrices are sparse, as the
solver requires.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import clarabel
import numpy as np
from contest import L1_HEAT, Attempt, Task
from data import Data
from l1_problems import BETA, STEPS, load
from scipy.sparse import csc_matrix, eye, hstack, vstack


def versions() -> dict[str, str]:
    """Return the version of the solver."""
    return {"clarabel": version("clarabel")}


def tasks(data: Data) -> Iterator[Task]:
    """Yield the task."""
    v, a = load()

    def prepare() -> Attempt:
        answers: list[Any] = []

        def run() -> None:
            answers.extend(solve(v[k], a[k], BETA) for k in range(STEPS))

        return Attempt(run, lambda: sum(float(w @ w) for w in answers))

    yield Task(L1_HEAT, "QP solver (Clarabel)", STEPS, prepare)


def solve(v: np.ndarray, a: np.ndarray, beta: float) -> np.ndarray:
    """Return argmin 1/2 |w - v|^2 s.t. a.w >= 1, |w|_1 <= beta."""
    n = len(v)
    zero, one = csc_matrix((n, n)), eye(n, format="csc")
    P = vstack([hstack([one, zero]), hstack([zero, zero])], format="csc")
    q = np.concatenate([-v, np.zeros(n)])
    rows = vstack(
        [
            hstack([csc_matrix(-a), csc_matrix((1, n))]),
            hstack([csc_matrix((1, n)), csc_matrix(np.ones(n))]),
            hstack([one, -one]),
            hstack([-one, -one]),
        ],
        format="csc",
    )
    b = np.concatenate([[-1.0, beta], np.zeros(2 * n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    solver = clarabel.DefaultSolver(P, q, rows, b, [clarabel.NonnegativeConeT(2 * n + 2)], settings)
    return np.array(solver.solve().x[:n])

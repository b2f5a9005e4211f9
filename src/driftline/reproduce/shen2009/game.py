"""Feature selection as a game: the learner chooses k features, the environment the k that make them worth least.

    max_u min_v u.Mv    s.t.  0 <= u, v <= 1,  sum u = sum v = k,      M_ij the gain of the pair (i, j)
  = max  k z - sum s    s.t.  z - s_j <= (M'u)_j,  s >= 0,  0 <= u <= 1,  sum u = k

Shen, Dietterich (2009), problem 4.20; the second form is the dual of the inner minimum, a linear programme.
Differs from the paper: nothing. It takes the pair's information gain as one choice of M among several.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from driftline.internals.compiled import Floats


def strategy(M: Floats, k: int) -> tuple[Floats, float]:
    """The learner's best u, and the value of the game."""
    n = len(M)
    cost = np.concatenate([np.zeros(n), [-float(k)], np.ones(n)])
    replies = np.hstack([-M.T, np.ones((n, 1)), -np.eye(n)])
    total = np.concatenate([np.ones(n), np.zeros(n + 1)])[None, :]
    bounds = [(0.0, 1.0)] * n + [(None, None)] + [(0.0, None)] * n
    options = {"presolve": False}  # nothing to find in a dense table: without it more than twice as fast
    found = linprog(cost, replies, np.zeros(n), total, [float(k)], bounds, method="highs-ds", options=options)
    if found.status != 0:
        raise ValueError(f"game: the linear programme must have a solution, got {found.message}")
    return found.x[:n], -float(found.fun)


def chosen(M: Floats, k: int) -> np.ndarray:
    """The k features with the largest u, of equal ones the first."""
    u, _ = strategy(M, k)
    return np.argsort(-np.round(u, 9), kind="stable")[:k]

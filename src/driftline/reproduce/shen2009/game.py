"""Feature selection as a zero-sum game between the learner and the environment.

The learner chooses k features. The environment chooses the k features that minimise the learner's
gain.

    max_u min_v u.Mv    s.t.  0 <= u, v <= 1,  sum u = sum v = k,  M_ij the gain of the pair (i, j)
  = max  k z - sum s    s.t.  z - s_j <= (M'u)_j,  s >= 0,  0 <= u <= 1,  sum u = k

Shen, Dietterich (2009), problem 4.20. The second form is a linear programme: the inner minimum is
replaced by its dual. Differs from the paper: nothing. The paper names the information gain of the
pair as one choice of M.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from driftline.internals.compiled import Floats


def strategy(M: Floats, k: int) -> tuple[Floats, float]:
    """Return the learner's optimal strategy u, and the value of the game."""
    n = len(M)
    cost = np.concatenate([np.zeros(n), [-float(k)], np.ones(n)])
    replies = np.hstack([-M.T, np.ones((n, 1)), -np.eye(n)])
    total = np.concatenate([np.ones(n), np.zeros(n + 1)])[None, :]
    bounds = [(0.0, 1.0)] * n + [(None, None)] + [(0.0, None)] * n
    # presolve finds nothing in a dense table and more than doubles the time
    options = {"presolve": False}
    found = linprog(cost, replies, np.zeros(n), total, [float(k)], bounds, method="highs-ds", options=options)
    if found.status != 0:
        raise ValueError(f"game: the linear programme must have a solution, got {found.message}")
    return found.x[:n], -float(found.fun)


def choose_features(M: Floats, k: int) -> np.ndarray:
    """Return the k features with the largest u. Ties are broken by the lower index."""
    u, _ = strategy(M, k)
    return np.argsort(-np.round(u, 9), kind="stable")[:k]

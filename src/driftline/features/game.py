"""Feature selection as a zero-sum game between the learner and the environment.

The learner chooses k rows of a table of rewards, the environment chooses the columns that minimise
the learner's reward.

    max_u min_v u.Mv    s.t.  0 <= u, v <= 1,  sum u = k,  sum v = replies
  = max  replies z - sum s    s.t.  z - s_j <= (M'u)_j,  s >= 0,  0 <= u <= 1,  sum u = k

The second form is a linear programme: the inner minimum is replaced by its dual. Its own dual
variables are the environment's strategy v. For the result u the environment can hold the learner to
the sum of the smallest ``replies`` entries of M'u; against v the learner gets at most the sum of
the largest k entries of Mv. The two values are equal for optimal strategies, so their difference,
the duality gap, proves the result.

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
environments. Statistical Analysis and Data Mining 2 (2009), problem 4.20.
Differs from the paper: there M is square, M_ij the reward of the pair of features (i, j), and
replies = k. Here a column may be anything that the environment chooses, such as a pair of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from driftline.encode.arrays import numbers
from driftline.internals.compiled import Floats
from driftline.internals.require import whole

WHERE = "game"
ORDINARY = 1e-3, 1e3
"""Rewards with a largest size in this range are passed to the solver as they are.

Its tolerances are absolute, so others are scaled by a power of two first.
"""
SMALL_DIFFERENCES = 0.01
"""The smallest reward is subtracted from all if they differ by less than this share of the largest size."""
LARGEST_GAP = 1e-6
"""Largest duality gap, divided by k, replies and the largest size of a reward."""


@dataclass(frozen=True, eq=False)
class Game:
    """The solution of a game.

    Attributes
    ----------
    features : array of int
        The k rows with the largest probabilities, most probable first. Ties are broken by the lower
        index.
    probabilities : array of float
        The probability with which the learner chooses each row. They add up to k.
    replies : array of float
        The probability with which the environment chooses each column. They add up to the number
        of columns that it chooses.
    value : float
        The reward that ``probabilities`` guarantees against every reply.
    gap : float
        The duality gap, >= 0 up to rounding: no strategy guarantees more than ``value + gap``.
    """

    features: np.ndarray
    probabilities: Floats
    replies: Floats
    value: float
    gap: float


def game(rewards: Any, k: int, *, replies: int | None = None) -> Game:
    """Choose features by their reward in the worst case, as a linear programme.

    Parameters
    ----------
    rewards : array of shape (features, choices of the environment)
        The reward M_ij of the learner if it chooses feature i and the environment j. In the paper,
        M is the information gain of each pair of features: ``pair_gain(X, y)``. Other rewards are
        ``agreement(X, y)``, or ``information_gain(X, y, groups).T`` against an environment that
        chooses which classes must be told apart.
    k : int
        Number of features to choose, from 1 to the number of rows.
    replies : int, optional
        Number of columns that the environment chooses, from 1 to the number of columns. The default
        is k, as in the paper.

    Returns
    -------
    Game
        The chosen features, both strategies, the value of the game, and the duality gap.

    Raises
    ------
    ValueError
        If the rewards are not a table of finite numbers, k or ``replies`` is out of range, or the
        solver finds no strategies with a duality gap near 0.

    Examples
    --------
    >>> solved = game([[1.0, 0.0, 0.4], [0.0, 1.0, 0.4], [0.1, 0.1, 0.4]], k=1)
    >>> solved.features.tolist(), round(solved.value, 3)
    ([0], 0.4)
    """
    M = _checked(rewards)
    whole(WHERE, "k", k, 1, M.shape[0])
    if replies is None and k > M.shape[1]:
        raise ValueError(f"{WHERE}: k must be at most {M.shape[1]}, the number of columns, got {k}. Pass replies=1")
    answers = int(k if replies is None else replies)
    whole(WHERE, "replies", answers if replies is None else replies, 1, M.shape[1])
    constant = float(M.min()) if np.ptp(M) < SMALL_DIFFERENCES * np.abs(M).max() else 0.0
    M = M - constant
    size = float(np.abs(M).max())
    ordinary = size == 0.0 or ORDINARY[0] <= size <= ORDINARY[1]
    u, v = _strategies(M if ordinary else M / 2.0 ** np.ceil(np.log2(size)), int(k), answers)
    low = float(np.sort(u @ M)[:answers].sum())
    high = float(np.sort(M @ v)[-int(k) :].sum())
    if not high - low <= LARGEST_GAP * k * answers * size:
        raise ValueError(
            f"{WHERE}: the duality gap must be near 0, got {high - low:g}. Round the rewards, or use fewer features"
        )
    order = np.argsort(-np.round(u, 9), kind="stable")
    return Game(order[: int(k)], u, v, low + constant * int(k) * answers, high - low)


def _checked(rewards: Any) -> Floats:
    """Return the rewards as a table of finite floats."""
    M = np.asarray(numbers(WHERE, rewards), np.float64)
    if M.ndim != 2 or not M.size:
        raise ValueError(f"{WHERE}: rewards must be a table with a row for each feature, got shape {M.shape}")
    if not np.isfinite(M).all():
        row, column = np.argwhere(~np.isfinite(M))[0]
        raise ValueError(f"{WHERE}: rewards must be finite, got {M[row, column]} in row {row}, column {column}")
    return M


def _strategies(M: Floats, k: int, replies: int) -> tuple[Floats, Floats]:
    """Return the optimal strategies of the learner and of the environment."""
    n, columns = M.shape
    cost = np.concatenate([np.zeros(n), [-float(replies)], np.ones(columns)])
    least = np.hstack([-M.T, np.ones((columns, 1)), -np.eye(columns)])
    total = np.concatenate([np.ones(n), np.zeros(columns + 1)])[None, :]
    bounds = [(0.0, 1.0)] * n + [(None, None)] + [(0.0, None)] * columns
    # presolve finds nothing in a dense table and more than doubles the time
    options = {"presolve": False}
    found = linprog(cost, least, np.zeros(columns), total, [float(k)], bounds, method="highs-ds", options=options)
    if found.status != 0:
        raise ValueError(f"{WHERE}: the linear programme must have a solution, got {found.message}")
    return np.clip(found.x[:n], 0.0, 1.0) + 0.0, np.clip(-found.ineqlin.marginals, 0.0, 1.0) + 0.0

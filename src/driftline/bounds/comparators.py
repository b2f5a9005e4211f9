"""Inputs of the theorems, measured for known comparators on the rounds of a stream.

A comparator is one vector u for all rounds, or a vector u_t for each round: for example the target
that made the labels. Pass the rows as the learner sees them: scaled as the learner scales them,
and with the constant feature if the learner has one.

>>> import numpy as np, driftline as dl
>>> stream = dl.streams.RotatingHyperplane(1000, 5, angle=0.001, margin=0.1)
>>> [(X, y)] = stream
>>> target = Comparators(stream.target(range(1000)), X, y)
>>> round(target.margin, 2), round(target.path()[0], 2)
(0.1, 1.0)
>>> learner = dl.ALMA(bias=False).tune(**target.alma(mu=0.1))
>>> learner.learn_many(X, y).shape, learner.mistakes <= dl.bounds.ALMAMistakes(**target.alma(mu=0.1)).value
((1000,), True)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import number, require

WHERE = "Comparators"
ROUNDING = 1e-9
"""Relative tolerance for the norm of a comparator, for rounding."""


class Comparators:
    """Known comparators on the rounds of a stream.

    Parameters
    ----------
    U
        One vector for all rounds, or an array with a row for each round.
    X
        The rows of the stream, as the learner sees them.
    y
        The labels, -1 or +1.
    """

    def __init__(self, U: Any, X: Any, y: Any) -> None:
        self.X = _finite("X", X, 2)
        self.y = _finite("y", y, 1)
        U = np.asarray(U, dtype=np.float64)
        self.U = _finite("U", U[None, :] if U.ndim == 1 else U, 2)
        rounds, features = self.X.shape
        require(rounds > 0, WHERE, "X must have a row", rounds)
        require(len(self.y) == rounds, WHERE, f"y must have a label for each of {rounds} rows", len(self.y))
        require(bool(np.all(np.abs(self.y) == 1.0)), WHERE, "labels must be -1 or +1", sorted(set(self.y.tolist()))[:3])
        require(len(self.U) in (1, rounds), WHERE, f"U must have one row, or one for each of {rounds}", len(self.U))
        require(self.U.shape[1] == features, WHERE, f"U must have {features} features, as X has", self.U.shape[1])
        self.margins: Floats = self.y * np.sum(self.U * self.X, axis=1)
        """y_t u_t.x_t of each round."""

    @property
    def margin(self) -> float:
        """The smallest margin. It may be negative."""
        return float(self.margins.min())

    def longest(self, q: float = 2.0) -> float:
        """max |u_t|_q, the length of the longest comparator in the norm ``q``."""
        return float(_norms(self.U, q).max())

    def radius(self, p: float = 2.0) -> float:
        """max |x_t|_p, the length of the longest example in the norm ``p``."""
        return float(_norms(self.X, p).max())

    def path(self, q: float = 2.0) -> tuple[float, float]:
        """The sums of |u_(t+1) - u_t|_q, in the norm ``q``, and of its squares."""
        steps = _norms(np.diff(self.U, axis=0), q)
        return float(steps.sum()), float((steps**2).sum())

    def lost(self, mu: float) -> float:
        """The sum of max(0, mu - y_t u_t.x_t)."""
        return float(np.maximum(0.0, number(WHERE, "mu", mu) - self.margins).sum())

    def perceptron(self, gamma: float) -> dict[str, float]:
        """R, gamma and D of the Perceptron's theorems; there must be one u, of length 1."""
        require(len(self.U) == 1, WHERE, "U must be one vector: the Perceptron's target is fixed", len(self.U))
        self._limited(self.longest(), 1.0, "|u|_2 = 1", exactly=True)
        require(number(WHERE, "gamma", gamma) > 0.0, WHERE, "gamma must be > 0", gamma)
        return {"R": self.radius(), "gamma": gamma, "D": self.lost(gamma) / gamma}

    def projection(self, gamma: float) -> dict[str, float]:
        """R, gamma, V and D of the projection Perceptron; comparators must be in the unit ball."""
        self._limited(self.longest(), 1.0, "|u_t|_2 <= 1")
        require(number(WHERE, "gamma", gamma) > 0.0, WHERE, "gamma must be > 0", gamma)
        return {"R": self.radius(), "gamma": gamma, "V": self.path()[0], "D": self.lost(gamma) / gamma}

    def alma(self, mu: float, p: float = 2.0, B: float | None = None) -> dict[str, float]:
        """X, B, mu, K, p and D of ALMA's theorems; no comparator may be longer than B, if given."""
        return {**self._moving(mu, p, B), "D": self.path(_dual(p))[0]}

    def norma(self, mu: float, p: float = 2.0, B: float | None = None) -> dict[str, float]:
        """X, B, mu, K, p, T, D1 and D2 of NORMA's theorems; no comparator may be longer than B."""
        D1, D2 = self.path(_dual(p))
        return {**self._moving(mu, p, B), "T": len(self.y), "D1": D1, "D2": D2}

    def _moving(self, mu: float, p: float, B: float | None) -> dict[str, float]:
        longest = self.longest(_dual(p))
        if B is not None:
            self._limited(longest, number(WHERE, "B", B), f"|u_t|_q <= B = {B:g}")
        return {"X": self.radius(p), "B": longest if B is None else B, "mu": mu, "K": self.lost(mu), "p": p}

    def _limited(self, size: float, limit: float, what: str, exactly: bool = False) -> None:
        """Raise ValueError if the size is above the limit or, if asked, not equal to it."""
        good = size <= limit * (1.0 + ROUNDING) and (not exactly or size >= limit * (1.0 - ROUNDING))
        if not good:
            raise ValueError(f"{WHERE}: {what} must hold, got {size:g}. Divide u by its length")


def _dual(p: float) -> float:
    require(2.0 <= number(WHERE, "p", p) < np.inf, WHERE, "p must be >= 2 and finite", p)
    return p / (p - 1.0)


def _norms(rows: Floats, q: float) -> Floats:
    lengths: Floats = np.sum(np.abs(rows) ** q, axis=1) ** (1.0 / q)
    return lengths


def _finite(name: str, values: Any, dimensions: int) -> Floats:
    """Return the values as an array of finite numbers with the given number of dimensions."""
    try:
        found: Floats = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{WHERE}: {name} must be numbers, got {values!r}") from None
    require(found.ndim == dimensions, WHERE, f"{name} must have {dimensions} dimensions", found.ndim)
    require(bool(np.isfinite(found).all()), WHERE, f"{name} must be finite", "nan or infinity")
    return found

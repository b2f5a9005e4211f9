"""Balanced Winnow or the Perceptron: which of them has the smaller bound for a target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.bounds.bound import Bound, Tight, given
from driftline.internals.compiled import Floats


@dataclass(frozen=True, kw_only=True)
class WinnowOrPerceptron(Bound):
    """Updates of the better of balanced Winnow and the Perceptron, by the margins of one u in both
    geometries.

    Winnow is better for sparse u and dense x, the Perceptron for dense u and sparse x. The
    function ``winnow_or_perceptron`` measures both margins.
    """

    name: ClassVar[str] = "winnow-or-perceptron"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 and z = 0 at the start",
        "u has both margins on every round",
        "the learner is the one whose term is smaller, Winnow with eta = margin_1 / max |x_ti|",
        "a constant feature, if there is one, is included in both norms",
    )
    citation: ClassVar[str] = "Lecture on the Perceptron and Winnow, section 5.5; Kivinen, Warmuth, Auer (1997)"
    erratum: ClassVar[str] = (
        "With a threshold and a gap alpha, the norms of the Perceptron must include the constant feature, "
        "and the margin is alpha / 2."
    )
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows, for which the Perceptron has the smaller bound")

    n: int = given("features", least=1, whole=True)
    margin_2: float = given("min y u.x / (|u|_2 max |x_t|_2)", above=0.0, most=1.0)
    margin_1: float = given("min y u.x / (|u|_1 max |x_ti|)", above=0.0, most=1.0)

    @property
    def perceptron(self) -> float:
        """1 / margin_2^2."""
        return 1.0 / self.margin_2**2

    @property
    def winnow(self) -> float:
        """2 ln(2 n) / margin_1^2."""
        return 2.0 * math.log(2.0 * self.n) / self.margin_1**2

    @property
    def value(self) -> float:
        """min(1 / margin_2^2, 2 ln(2 n) / margin_1^2)."""
        return min(self.perceptron, self.winnow)


def winnow_or_perceptron(u: Floats, X: Floats, y: Floats) -> WinnowOrPerceptron:
    """The bound for one u on these rows, with both margins measured.

    Parameters
    ----------
    u
        The target.
    X
        The rows.
    y
        The labels, -1 or +1.

    Examples
    --------

    >>> found = winnow_or_perceptron(np.array([1.0, 0.0]), np.array([[1.0, 1.0], [-1.0, 1.0]]), np.array([1.0, -1.0]))
    >>> round(found.perceptron, 9), round(found.winnow, 3)
    (2.0, 2.773)
    """
    least = float(np.min(y * (X @ u)))
    if least <= 0.0:
        raise ValueError(
            f"winnow_or_perceptron: u must have a margin > 0 on every row, got {least:g}. Pass a u that separates them"
        )
    return WinnowOrPerceptron(
        n=X.shape[1],
        margin_2=min(1.0, least / float(np.linalg.norm(u) * np.linalg.norm(X, axis=1).max())),
        margin_1=min(1.0, least / float(np.abs(u).sum() * np.abs(X).max())),
    )

"""Least squares without forgetting: square loss against the best fixed vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class LeastSquaresLoss(Bound):
    """The sum of (y_t - w.x_t)^2 is at most L + a D^2 + M^2 logdet for every fixed u.

    Proof. With v_t = x_t.P x_t before round t, the sum of (y_t - w.x_t)^2 / (1 + v_t) equals the
    minimum over u of L + a |u|^2. The rest of a term is (y_t - w.x_t)^2 v_t / (1 + v_t), at most
    M^2 ln(1 + v_t), and these logarithms add up to logdet.
    """

    name: ClassVar[str] = "least-squares"
    limits: ClassVar[str] = "squared loss"
    conditions: ClassVar[tuple[str, ...]] = (
        "RecursiveLeastSquares with forgetting = 1, or AROWRegressor with drift = 0 and a = r",
        "the matrix is full, not diagonal",
        "sample weights are 1",
        "|u|_2 <= D",
    )
    citation: ClassVar[str] = (
        "Cesa-Bianchi, Lugosi. Prediction, Learning, and Games (2006), Theorem 11.7; "
        "Azoury, Warmuth. Machine Learning 43 (2001)"
    )
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at a = 100")

    a: float = given("the parameter a, or r of AROWRegressor", above=0.0)
    D: float = given("the comparator's length", least=0.0)
    L: float = given("the loss of the comparator: sum of (y_t - u.x_t)^2", least=0.0)
    M: float = given("the largest error of the learner, max |y_t - w.x_t|", least=0.0)
    logdet: float = given("sum of ln(1 + lambda_i / a), lambda_i the eigenvalues of the Gram matrix", least=0.0)

    @property
    def value(self) -> float:
        """L + a D^2 + M^2 logdet."""
        return self.L + self.a * self.D**2 + self.M**2 * self.logdet

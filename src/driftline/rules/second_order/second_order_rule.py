"""The update of second-order rules: weights w, and the matrix P of their variances.

``full_update`` updates all of P:

    h = P x,   v = x.h,      w' = w + tau y h,      P' = P - h h^T / (v + noise)

``diagonal_update`` is used with ``diagonal=True``, which keeps only the diagonal p of P:

    v = sum p_i x_i^2,    w_i' = w_i + tau y p_i x_i,    p_i' = p_i - (p_i x_i)^2 / (v + noise)

A rule returns two numbers for an example, (tau, noise) = gain(m, v, weight, params). The inverse
of P grows by ``x x^T / noise``. ``params[0]`` is the prior, the initial diagonal of P. The
diagonal needs O(nnz(x)) time per round and one number per feature; all of P needs O(d^2) of both
for d features. A variance of 0 stands for the prior, so nothing is written for a feature before
its first update.
"""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

from driftline.internals.compiled import Floats, inlined
from driftline.internals.numeric.triangular import LEAST as LEAST_VARIANCE
from driftline.internals.numeric.triangular import absorb
from driftline.internals.require import number, require
from driftline.rules.rule import Rule

LEAST, LARGEST = 1e-60, 1e100


@inlined
def variance_of(p: float, prior: float) -> float:
    """p_i, or the prior if feature i has not been updated yet."""
    return p if p != 0.0 else prior


@inlined
def diagonal_update(
    w: float, p: float, x: float, prior: float, v: float, pull: float, noise: float
) -> tuple[float, float]:
    """Return (w_i', p_i') of one feature; ``pull`` is tau y. If x_i = 0, nothing changes."""
    if x == 0.0:
        return w, p
    p = variance_of(p, prior)
    narrowed = p * ((noise + max(0.0, v - p * x * x)) / (noise + v))
    return w + pull * (p * x), max(LEAST_VARIANCE, narrowed)


@inlined
def full_update(
    w: Floats, U: Floats, D: Floats, f: Floats, h: Floats, end: int, prior: float, pull: float, noise: float
) -> None:
    """Update w and P = U D U^T in place, up to feature ``end``; f = U^T x, ``pull`` is tau y.

    h is scratch space, all zeros before and after.
    """
    absorb(U, D, f, h, end, prior, noise)
    for k in range(end):
        w[k] += pull * h[k]
        h[k] = 0.0


class SecondOrder(Rule):
    """A rule with a ``gain``. It has two engines: one for all of P, one for the diagonal of P."""

    engine: ClassVar[str] = "second_order.full:engine_of"
    single: ClassVar[bool] = False
    place: ClassVar[int]
    """The code of the rule in the table of gains."""
    diagonal: bool
    """Whether only the diagonal of P is kept."""
    most: int
    """The largest number of features for which all of P is kept; more are refused."""

    def check(self) -> None:
        """``diagonal`` is True or False, ``most`` a whole number >= 1."""
        where = type(self).__name__
        require(isinstance(self.diagonal, bool), where, "diagonal must be True or False", self.diagonal)
        whole = isinstance(self.most, Integral) and not isinstance(self.most, bool) and self.most >= 1
        require(whole, where, "most must be a whole number >= 1", self.most)


def moderate(where: str, name: str, value: object) -> None:
    """Require a value from 1e-60 to 1e100.

    So no product with the square of an example overflows or underflows.
    """
    holds = LEAST <= number(where, name, value) <= LARGEST
    require(holds, where, f"{name} must be >= {LEAST:g} and <= {LARGEST:g}", value)

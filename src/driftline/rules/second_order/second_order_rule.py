"""What the second-order rules share: weights w, and P, which says how unsure each direction of w still is.

    h = P x,   v = x.h,      w' = w + tau y h,      P' = P - h h^T / (v + noise)

A rule answers an example with these two numbers, (tau, noise) = gain(m, v, weight, params); the inverse of P grows by
``x x^T / noise``. ``params[0]`` is what P starts with on its diagonal. ``diagonal=True`` keeps the diagonal of P only:
O(nnz(x)) a round and a number a feature, where the whole of P takes O(d^2) of both for d features.
"""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

from driftline.internals.require import number, require
from driftline.rules.rule import Rule

LEAST, LARGEST = 1e-60, 1e100


class SecondOrder(Rule):
    """A rule with a ``gain``, for which there are two engines: one for all of P, one for its diagonal."""

    engine: ClassVar[str] = "second_order.full:engine_of"
    single: ClassVar[bool] = False
    place: ClassVar[int]
    """Its place in the table of gains."""
    diagonal: bool
    """Whether only the diagonal of P is kept."""
    most: int
    """Up to how many features all of P is kept; more are refused."""

    def check(self) -> None:
        """``diagonal`` is True or False, ``most`` a whole number >= 1."""
        where = type(self).__name__
        require(isinstance(self.diagonal, bool), where, "diagonal must be True or False", self.diagonal)
        whole = isinstance(self.most, Integral) and not isinstance(self.most, bool) and self.most >= 1
        require(whole, where, "most must be a whole number >= 1", self.most)


def moderate(where: str, name: str, value: object) -> None:
    """Require a value from 1e-60 to 1e100, so that no product with the square of an example overflows or vanishes."""
    holds = LEAST <= number(where, name, value) <= LARGEST
    require(holds, where, f"{name} must be >= {LEAST:g} and <= {LARGEST:g}", value)

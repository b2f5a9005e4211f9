"""A bound: a theorem together with the values of its inputs.

The constructor checks the conditions of the theorem and raises ValueError if one fails. Inputs
that are upper limits (lengths, losses, paths) may be overestimated, but not underestimated.
"""

from __future__ import annotations

import math
import operator
from abc import ABCMeta, abstractmethod
from dataclasses import MISSING, dataclass, field, fields
from inspect import isabstract
from typing import TYPE_CHECKING, Any, ClassVar

from driftline.bounds.input_names import example, shown, wrong_names
from driftline.internals.require import number, require

COMPARED = (
    ("above", ">", operator.gt),
    ("least", ">=", operator.ge),
    ("below", "<", operator.lt),
    ("most", "<=", operator.le),
)

ROUNDING = 1e-9
"""Relative tolerance for conditions between inputs that may be equal up to rounding."""


def given(
    meaning: str,
    default: Any = MISSING,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    whole: bool = False,
) -> Any:
    """Declare an input: its meaning, its default and its range."""
    limits = {"above": above, "least": least, "below": below, "most": most, "whole": whole}
    return field(default=default, metadata={"meaning": meaning, **limits})


@dataclass(frozen=True)
class Tight:
    """The largest share of a bound that was observed, and the sequences on which it was.

    tests/bounds/test_every_theorem.py checks the figure.
    """

    share: float
    on: str


class ByName(ABCMeta):
    """Classes of objects with named inputs. A call with wrong names says which are needed."""

    if not TYPE_CHECKING:  # a type checker knows the names from the fields

        def __call__(cls, *values, **inputs):
            """Make a bound of its inputs."""
            if isabstract(cls):
                return super().__call__(*values, **inputs)
            wrong = f"inputs must be given by name, got {len(values)} without" if values else wrong_names(cls, inputs)
            if wrong:
                where = cls.__name__
                raise TypeError(f"{where}: {wrong}. Example: {where}({shown(example(cls))})")
            return super().__call__(**inputs)


@dataclass(frozen=True, kw_only=True)
class Bound(metaclass=ByName):
    """A theorem and its inputs. The docstring of a subclass states the theorem."""

    name: ClassVar[str]
    """Its name in the catalogue and on the command line."""
    limits: ClassVar[str]
    """The bounded quantity: mistakes, updates, margin errors, loss, regret, labels or risk."""
    conditions: ClassVar[tuple[str, ...]]
    """The conditions of the theorem, in addition to the ranges of its inputs."""
    citation: ClassVar[str]
    erratum: ClassVar[str] = ""
    """How it differs from the printed theorem."""
    proof: ClassVar[str] = ""
    """The proof, for theorems that are not printed in this form elsewhere."""
    tight: ClassVar[Tight]
    """How close observations come to it on sequences with a known comparator."""

    def __post_init__(self) -> None:
        where = type(self).__name__
        for one in fields(self):
            value, limits = getattr(self, one.name), one.metadata
            if value is None and one.default is None:
                continue
            v = number(where, one.name, value)
            for kind, sign, compare in COMPARED:
                limit = limits[kind]
                holds = limit is None or compare(v, limit)
                require(holds, where, f"{one.name} must be {sign} {limit:g}" if limit is not None else "", value)
            require(math.isfinite(v), where, f"{one.name} must be finite", value)
            if limits["whole"]:
                require(v == int(v), where, f"{one.name} must be a whole number", value)
            object.__setattr__(self, one.name, int(v) if limits["whole"] else v)
        self.check()

    def check(self) -> None:
        """Raise ValueError, with the condition and the value, if a condition fails."""

    @property
    @abstractmethod
    def value(self) -> float:
        """The bound."""

    @property
    def ceiling(self) -> float | None:
        """The largest possible value of the bounded quantity: the number of rounds; None if the
        theorem does not use it.
        """
        return getattr(self, "T", None)

    @property
    def useful(self) -> bool:
        """Whether the bound is below the largest possible value, as far as that is known."""
        return self.ceiling is None or self.value < self.ceiling

    def tuning(self) -> dict[str, float]:
        """The parameters that the theorem prescribes for these inputs, if any."""
        return {}

    def reaches(self, reach: float, wanted: float, lost: float, what: str) -> None:
        """Raise ValueError if the loss is smaller than the smallest possible loss of one round,
        ``wanted - reach``: ``reach`` is the length of a comparator times that of an example, ``lost``
        the given loss, and ``what`` says in the error what must hold.
        """
        self.holds(lost >= wanted - reach - ROUNDING * wanted, what, lost)

    def holds(self, condition: bool, what: str, value: float) -> None:
        """Raise ValueError unless the condition holds: ``what`` must hold, and the error shows ``value``."""
        require(condition, type(self).__name__, f"{what} must hold", value)


def largest_root(c: float, D: float) -> float:
    """The largest x with x <= c sqrt(x) + D."""
    return ((c + math.sqrt(c * c + 4.0 * D)) / 2.0) ** 2

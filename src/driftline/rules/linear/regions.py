"""Convex sets for the weights of a ``ProjectionPerceptron``: small classes with their parameters.

Each set contains 0, where the weights start, and its projection leaves weights of 0 as they are.
So features may appear at any time. ``region_projections`` has the compiled projections.
"""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import number, positive, require
from driftline.rules.linear.region_projections import BOX, ELLIPSOID, L1_BALL, SIMPLEX
from driftline.rules.rule import settle


@dataclass(frozen=True)
class Region(ABC):
    """A closed convex set that contains 0."""

    kind: ClassVar[float]
    """The code of the set in ``region_projections.project``."""

    def __post_init__(self) -> None:
        settle(self)

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError unless every parameter is in its range."""

    @abstractmethod
    def params(self) -> tuple[float, float]:
        """The two floats that the projection reads."""

    @abstractmethod
    def support(self, d: Floats) -> float:
        """The largest w.d of all w in the set.

        Parameters
        ----------
        d
            A vector with an entry for each column.
        """

    @property
    def half_axes(self) -> Floats:
        """Half-axes of an ellipsoid by column; empty for other sets."""
        return np.zeros(0)


@dataclass(frozen=True)
class Box(Region):
    """All w with ``low`` <= w_i <= ``high``.

    Parameters
    ----------
    low : float, default=-1.0
        Lower limit of every weight, <= 0. It may be -infinity.
    high : float, default=1.0
        Upper limit of every weight, >= 0. It may be infinity.
    """

    low: float = -1.0
    high: float = 1.0
    kind: ClassVar[float] = BOX

    def check(self) -> None:
        """low <= 0 <= high."""
        require(number("Box", "low", self.low) <= 0.0, "Box", "low must be <= 0", self.low)
        require(number("Box", "high", self.high) >= 0.0, "Box", "high must be >= 0", self.high)

    def params(self) -> tuple[float, float]:
        """low and high."""
        return float(self.low), float(self.high)

    def support(self, d: Floats) -> float:
        """sum max(low d_i, high d_i)."""
        d = d[d != 0.0]
        return float(np.maximum(self.low * d, self.high * d).sum())


@dataclass(frozen=True)
class Simplex(Region):
    """All w with w_i >= 0 and sum w_i <= ``radius``.

    Parameters
    ----------
    radius : float, default=1.0
        Largest sum of the weights, > 0.
    """

    radius: float = 1.0
    kind: ClassVar[float] = SIMPLEX

    def check(self) -> None:
        """radius > 0."""
        positive("Simplex", "radius", self.radius)

    def params(self) -> tuple[float, float]:
        """radius."""
        return float(self.radius), 0.0

    def support(self, d: Floats) -> float:
        """radius max(0, max d_i)."""
        return float(self.radius * d.max(initial=0.0))


@dataclass(frozen=True)
class L1Ball(Region):
    """All w with sum |w_i| <= ``radius``.

    Parameters
    ----------
    radius : float, default=1.0
        Largest sum of absolute weights, > 0.
    """

    radius: float = 1.0
    kind: ClassVar[float] = L1_BALL

    def check(self) -> None:
        """radius > 0."""
        positive("L1Ball", "radius", self.radius)

    def params(self) -> tuple[float, float]:
        """radius."""
        return float(self.radius), 0.0

    def support(self, d: Floats) -> float:
        """radius max |d_i|."""
        return float(self.radius * np.abs(d).max(initial=0.0))


@dataclass(frozen=True)
class Ellipsoid(Region):
    """All w with sum (w_i / a_i)^2 <= 1, where a_i is the half-axis of column i.

    Parameters
    ----------
    axes : tuple of float, default=()
        Half-axes of the first columns, > 0. Names are numbered as they appear.
    rest : float, default=1.0
        Half-axis of all other columns and of the constant feature, > 0.
    """

    axes: tuple[float, ...] = ()
    rest: float = 1.0
    kind: ClassVar[float] = ELLIPSOID

    def check(self) -> None:
        """All axes > 0."""
        require(isinstance(self.axes, tuple), "Ellipsoid", "axes must be a tuple of numbers", self.axes)
        for axis in (*self.axes, self.rest):
            positive("Ellipsoid", "an axis", axis)
            good = 1e-100 <= float(axis) <= 1e100
            require(good, "Ellipsoid", "an axis must be from 1e-100 to 1e100", axis)

    def params(self) -> tuple[float, float]:
        """rest."""
        return float(self.rest), 0.0

    @property
    def half_axes(self) -> Floats:
        """axes."""
        return np.array(self.axes, np.float64)

    def support(self, d: Floats) -> float:
        """sqrt(sum (a_i d_i)^2)."""
        a = np.full(d.size, self.rest)
        known = min(d.size, len(self.axes))
        a[:known] = self.axes[:known]
        return math.sqrt(float(np.sum((a * d) ** 2)))


REGIONS: tuple[type[Region], ...] = (Box, Simplex, L1Ball, Ellipsoid)
_BY_NAME = {kind.__name__.lower(): kind for kind in REGIONS}


def region_of(where: str, given: Any) -> Region | None:
    """Return the set that is given as an object or as text; None is no set.

    >>> region_of("ProjectionPerceptron", "box(low=0.0)")
    Box(low=0.0, high=1.0)
    """
    if given is None or isinstance(given, Region):
        return given
    made = _made(given) if isinstance(given, str) else None
    require(made is not None, where, "region must be None or box, simplex, l1ball or ellipsoid", given)
    return made


def _made(text: str) -> Region | None:
    """The set of a name, or of a call with parameters as in Python; None if it is neither.

    A parameter out of its range raises the error of its class.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        named = tree.func if isinstance(tree, ast.Call) else tree
        kind = _BY_NAME[named.id.lower()] if isinstance(named, ast.Name) else None
        arguments = [_number(one) for one in tree.args] if isinstance(tree, ast.Call) else []
        keywords = {str(one.arg): _number(one.value) for one in tree.keywords} if isinstance(tree, ast.Call) else {}
    except (SyntaxError, KeyError, ValueError, RecursionError, MemoryError):
        return None
    try:
        return None if kind is None else kind(*arguments, **keywords)
    except TypeError:
        return None


def _number(tree: ast.expr) -> Any:
    """The value of an argument; ``inf`` is infinity."""
    text = ast.unparse(tree)
    return float(text) if text in ("inf", "-inf") else ast.literal_eval(tree)

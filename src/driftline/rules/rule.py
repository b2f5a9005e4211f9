"""What a rule is: a compiled ``step`` in its own file, and a small frozen class with its parameters.

    w  <-  shrink * w + tau * y * x,      (shrink, tau) = step(m, x_sq, w_sq, k, params)

``m = y w.x`` is the margin, ``x_sq = |x|^2``, ``w_sq = |w|^2`` (only kept for rules with ``tracks_norm``), ``k`` the
updates made so far, ``params`` the floats of ``Rule.params()``. In the p-norm geometry ``x_sq`` is ``|x|_p^2`` and
``w_sq`` is ``|w|_q^2``. A sample weight multiplies tau, not the shrink. After the step w is
projected on the ball of radius ``Rule.ball``. ``linear.two_numbers`` applies the two numbers to w.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

When = Literal["margin", "mistake"]
Infeasible = Literal["skip", "relax", "best", "raise"]


OWN = -1


@dataclass(frozen=True)
class Rule(ABC):
    """The parameters of one rule, and what an engine must know of it besides its ``step``.

    A rule that is more than two numbers has an engine of its own, and no ``step``.
    """

    code: ClassVar[int] = OWN
    """Its number in the table of steps; OWN where it has none."""
    engine: ClassVar[str] = ""
    """The engine of its own, as "module:Class" in ``driftline.engines``; a function may choose among classes."""
    theorem: ClassVar[str] = ""
    """The one of ``bounds`` that prescribes its parameters; empty if none does."""
    bounds: ClassVar[tuple[str, ...]] = ()
    """The theorems about it, by their names in ``driftline.bounds.CATALOGUE``."""
    no_bound: ClassVar[str] = ""
    """Why ``bounds`` is empty. A certificate prints it after "no bound on mistakes:"."""
    paper: ClassVar[str] = ""
    """Authors and year of its paper, as tables show them."""
    needs_scaling: ClassVar[bool] = False
    """Whether its default parameters do badly on long examples of overlapping classes that are not scaled."""
    single: ClassVar[bool] = True
    """Whether its weights may be float32."""
    biased: ClassVar[bool] = True
    """Whether a constant feature may be added to its examples."""
    signed: ClassVar[bool] = True
    """Whether features may be negative; where they may not, no scaling may make them so."""
    voting: ClassVar[bool] = False
    """Whether its score is a vote: the share of +1 less that of -1."""
    tracks_norm: ClassVar[bool] = False
    """Whether its step reads ``w_sq``."""
    several: ClassVar[bool] = False
    """Whether there may be more than two labels."""
    spreads: ClassVar[bool] = False
    """Whether it is of second order, and its engine can tell ``spread``."""
    takes_missing: ClassVar[bool] = False
    """Whether values may be missing or infinite: nothing is then known of them."""
    elects: ClassVar[bool] = False
    """Whether it is a vote, whose leader a run records."""

    def __post_init__(self) -> None:
        settle(self)

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError unless every parameter is in its range."""

    @property
    def tunable(self) -> bool:
        """Whether its theorem speaks of it with these parameters."""
        return bool(self.theorem)

    def params(self) -> tuple[float, ...]:
        """The floats that its step reads, in the step's order."""
        return ()

    @property
    def margin(self) -> float:
        """Margin errors are rounds with ``m <= margin``."""
        return 0.0

    @property
    def passive(self) -> float:
        """From this margin on, a round leaves w as it is; infinite where that depends on more than the margin."""
        return np.inf

    @property
    def norm(self) -> float:
        """The p of its geometry; 2 is the ordinary one."""
        return 2.0

    @property
    def ball(self) -> float:
        """Radius of the ball that w never leaves."""
        return np.inf

    @property
    def removal(self) -> float:
        """Energy of small weights removed after each update (``sigma``)."""
        return 0.0

    @property
    def refuses(self) -> bool:
        """Whether its engine may stop at an example and refuse it."""
        return False


def settle(part: Any) -> None:
    """Check the parameters of a new rule or part; those that are floats become just that."""
    part.check()
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Real) and not isinstance(value, bool) and "float" in str(field.type):
            object.__setattr__(part, field.name, float(value))


def above(margin: float) -> float:
    """The smallest float above a margin: ``m <= margin`` is ``m < above(margin)``.

    Above 0 that is the smallest normal float: some libraries make the processor take anything smaller for 0.
    """
    return max(float(np.nextafter(margin, np.inf)), float(np.finfo(np.float64).tiny))


def limit(when: When) -> float:
    """The smallest margin that leaves w alone: a rule fires iff ``m < limit``.

    ``"margin"`` fires on m < 1, ``"mistake"`` on m <= 0.
    """
    return 1.0 if when == "margin" else above(0.0)

"""The interface of a rule: a compiled ``step``, and a small frozen class with its parameters.

    w  <-  shrink * w + tau * y * x,      (shrink, tau) = step(m, x_sq, w_sq, k, params)

``m = y w.x`` is the margin, ``x_sq = |x|^2``, ``w_sq = |w|^2`` (computed for rules with
``tracks_norm`` only), ``k`` the number of updates so far, ``params`` the floats of
``Rule.params()``. In the p-norm geometry ``x_sq`` is ``|x|_p^2`` and ``w_sq`` is ``|w|_q^2``. A
sample weight multiplies tau, not the shrink. After the step, w is projected on the ball of radius
``Rule.ball``. ``linear.two_numbers`` applies the two numbers to w.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

When = Literal["margin", "mistake"]
Infeasible = Literal["skip", "relax", "best", "raise"]


NO_CODE = -1


@dataclass(frozen=True)
class Rule(ABC):
    """The parameters of one rule, and the properties that its engine and its learner read.

    A rule that is not a two-number rule has no ``step``; it names its engine in ``engine``.
    """

    code: ClassVar[int] = NO_CODE
    """The code of the rule in the table of steps; NO_CODE if it has no step."""
    engine: ClassVar[str] = ""
    """The engine, as "module:name" in ``driftline.engines``; the name is a class or a factory.

    Empty for two-number rules.
    """
    theorem: ClassVar[str] = ""
    """The theorem in ``bounds`` that prescribes the parameters; empty if none does."""
    bounds: ClassVar[tuple[str, ...]] = ()
    """The theorems about the rule, by name in ``driftline.bounds.CATALOGUE``."""
    no_bound: ClassVar[str] = ""
    """Why ``bounds`` is empty. A certificate prints it after "no bound on mistakes:"."""
    paper: ClassVar[str] = ""
    """Authors and year of the paper, as tables show them."""
    needs_scaling: ClassVar[bool] = False
    """Whether the default parameters do badly on unscaled long examples of overlapping classes."""
    single: ClassVar[bool] = True
    """Whether the weights may be float32."""
    biased: ClassVar[bool] = True
    """Whether a constant (bias) feature may be added to the examples."""
    signed: ClassVar[bool] = True
    """Whether features may be negative. If not, scaling must not make them negative either."""
    voting: ClassVar[bool] = False
    """Whether the score is a vote: the share of +1 minus the share of -1."""
    tracks_norm: ClassVar[bool] = False
    """Whether the step reads ``w_sq``."""
    several: ClassVar[bool] = False
    """Whether there may be more than two labels."""
    spreads: ClassVar[bool] = False
    """Whether the engine can compute ``spread``, x.A^-1 x (second-order rules)."""
    takes_missing: ClassVar[bool] = False
    """Whether values may be missing or infinite; an infinite value counts as missing."""
    asks: ClassVar[bool] = False
    """Whether labels are learned only if they were asked for."""
    regresses: ClassVar[bool] = False
    """Whether the rule learns real targets instead of labels."""
    elects: ClassVar[bool] = False
    """Whether the rule is a vote of experts and a run records the leading expert."""

    def __post_init__(self) -> None:
        settle(self)

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError unless every parameter is in its range."""

    @property
    def tunable(self) -> bool:
        """Whether ``theorem`` applies to the rule with these parameters."""
        return bool(self.theorem)

    def params(self) -> tuple[float, ...]:
        """The floats that the step reads, in the order of the step."""
        return ()

    @property
    def margin(self) -> float:
        """A round with ``m <= margin`` counts as a margin error."""
        return 0.0

    @property
    def passive(self) -> float:
        """A round with ``m >= passive`` leaves w unchanged.

        Infinite if the margin alone does not decide that.
        """
        return np.inf

    @property
    def norm(self) -> float:
        """The p of the p-norm geometry; 2 is Euclidean."""
        return 2.0

    @property
    def ball(self) -> float:
        """Radius of the ball that w never leaves."""
        return np.inf

    @property
    def projects(self) -> bool:
        """Whether w is projected on a convex set other than a ball."""
        return False

    @property
    def removal(self) -> float:
        """Bound on the sum of squares of the small weights removed after an update (``sigma``)."""
        return 0.0

    @property
    def refuses(self) -> bool:
        """Whether the engine may refuse an example, and stop there."""
        return False


def settle(part: Any) -> None:
    """Check the parameters of a new rule or part, and convert the real ones to float."""
    part.check()
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Real) and not isinstance(value, bool) and "float" in str(field.type):
            object.__setattr__(part, field.name, float(value))


def classifies(where: str, rule: Rule) -> None:
    """Require a rule that learns labels, not real targets."""
    if rule.regresses:
        raise ValueError(f"{where}: a learner must be a classifier, got {rule!r}. Use the regressor by itself")


def above(margin: float) -> float:
    """The smallest float above a margin: ``m <= margin`` is ``m < above(margin)``.

    For a margin of 0 the result is the smallest normal float, because some libraries make the
    processor treat subnormal numbers as 0.
    """
    return max(float(np.nextafter(margin, np.inf)), float(np.finfo(np.float64).tiny))


def limit(when: When) -> float:
    """The smallest margin that leaves w unchanged: a rule updates iff ``m < limit``.

    ``"margin"`` updates on m < 1, ``"mistake"`` on m <= 0.
    """
    return 1.0 if when == "margin" else above(0.0)

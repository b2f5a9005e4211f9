"""Fixed share for square loss: the aggregating algorithm for a best expert that changes.

    v'_i ~ v_i exp(-eta (z_i - y)^2),    v_i <- (1 - alpha) v'_i + alpha / (n - 1) (1 - v'_i)

The prediction is that of ``aggregating_experts``, with eta = 1 / (2 B^2). For every sequence of
experts that changes k times and loses L in T rounds, the learner loses at most

    L + (ln n + k ln((n - 1) / alpha) + (T - 1 - k) ln(1 / (1 - alpha))) / eta

Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998), for losses such as this.
Differs from the paper: outcomes are in [-B, B] in place of [0, 1]. alpha is limited to (n - 1) / n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Floats, jit
from driftline.internals.require import number, require
from driftline.rules.experts import fixed_share
from driftline.rules.experts.fixed_share import SMALLEST
from driftline.rules.experts.outcome_rule import SUBSTITUTION, OutcomeRule


@jit
def update(v: Floats, loss: Floats, eta: float, alpha: float) -> None:
    """Multiply the shares by the exponential of the square losses of a round, then share."""
    fixed_share.update(v, loss, eta, alpha)


@dataclass(frozen=True)
class SquareLossFixedShare(OutcomeRule):
    """``alpha``, the shared fraction, > 0 and <= 1: about the frequency of changes. ``eta`` and
    ``B`` as for ``AggregatingExperts``.
    """

    alpha: float = 0.003
    predicts: ClassVar[float] = SUBSTITUTION
    paper: ClassVar[str] = "Herbster, Warmuth 1998"
    theorem: ClassVar[str] = "squarelossfixedshare"
    bounds: ClassVar[tuple[str, ...]] = ("squarelossfixedshare",)

    def check(self) -> None:
        """eta and B as for all these rules, 0 < alpha <= 1."""
        super().check()
        alpha = number("SquareLossFixedShare", "alpha", self.alpha)
        what = f"alpha must be >= {SMALLEST:g} and <= 1"
        require(SMALLEST <= alpha <= 1.0, "SquareLossFixedShare", what, self.alpha)

    @property
    def shared(self) -> float:
        """alpha."""
        return float(self.alpha)

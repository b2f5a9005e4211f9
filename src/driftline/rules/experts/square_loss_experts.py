"""Exponential weights for real outcomes: the mean of the experts' predictions, by square loss.

    v_i ~ exp(-eta L_i),    p = v.z,    L_i = sum (z_i - y)^2

For outcomes and predictions in [-B, B] and eta <= 1 / (8 B^2), for every expert the learner loses
at most L_i + ln n / eta.

Kivinen, Warmuth. Averaging expert predictions. EuroCOLT 1999; Cesa-Bianchi, Lugosi. Prediction,
Learning, and Games (2006), section 3.3.
Differs from the paper: outcomes are in [-B, B] in place of [0, 1], so eta is 1 / (8 B^2) in place
of 1 / 2. The smallest loss is subtracted from all losses before exponentiation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Floats, leaf
from driftline.rules.experts.outcome_rule import MEAN, OutcomeRule


@leaf
def mean(v: Floats, z: Floats, B: float) -> float:
    """v.z / sum v, clipped to [-B, B] because of rounding."""
    dot = 0.0
    total = 0.0
    for i in range(v.size):
        dot += v[i] * z[i]
        total += v[i]
    return min(B, max(-B, dot / total))


@dataclass(frozen=True)
class SquareLossExperts(OutcomeRule):
    """``eta`` > 0, the rate; None is 1 / (8 B^2). ``B`` > 0, the largest |prediction| and |outcome|.

    A larger rate forgets bad experts sooner, but then no bound holds.
    """

    predicts: ClassVar[float] = MEAN
    paper: ClassVar[str] = "Kivinen, Warmuth 1999"
    bounds: ClassVar[tuple[str, ...]] = ("squarelossexperts",)

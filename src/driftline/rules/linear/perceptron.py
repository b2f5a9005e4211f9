"""The Perceptron: add every example that was got wrong.

    w' = w + y x   where m = y w.x <= 0

Rosenblatt. The perceptron. Psychological Review 65 (1958); Novikoff (1962): with |x| <= R and y u.x >= gamma for
some unit vector u, at most (R / gamma)^2 updates.
Differs from the paper: a score of exactly 0 is a mistake for either label, so the first example already moves w.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.rules.rule import Rule, above

CODE = 1


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    if m > 0.0:
        return 1.0, 0.0
    return 1.0, 1.0


@dataclass(frozen=True)
class Perceptron(Rule):
    """No parameter. The baseline of everything; good on separable data with a wide margin."""

    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = (
        "perceptron-separable",
        "perceptron-hinge",
        "perceptron-quadratic",
        "perceptron-tightest",
        "pnorm-moving",
        "winnow-or-perceptron",
    )

    def check(self) -> None:
        """Nothing to check."""

    @property
    def passive(self) -> float:
        """Just above 0."""
        return above(0.0)

"""The Perceptron: add every misclassified example to the weights.

    w' = w + y x   where m = y w.x <= 0

Rosenblatt. The perceptron. Psychological Review 65 (1958). Novikoff (1962): with |x| <= R and
y u.x >= gamma for some unit vector u, there are at most (R / gamma)^2 updates.
Differs from the paper: a score of exactly 0 is a mistake for either label, so the first example
already changes w.
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
    """Add every misclassified example to the weights.

    It has no parameters and is the baseline for all other rules. Use it on separable data with a
    wide margin. If labels are noisy, prefer ``PA1`` with a small ``C``.

    Examples
    --------
    >>> import driftline as dl
    >>> learner = dl.Perceptron()
    >>> for x, y in [({"a": 1}, True), ({"b": 1}, False), ({"a": 1}, True)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one({"a": 1}), learner.mistakes
    (True, 2)
    """

    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = (
        "perceptron-separable",
        "perceptron-hinge",
        "perceptron-quadratic",
        "perceptron-tightest",
        "pnorm-moving",
        "winnow-or-perceptron",
    )
    paper: ClassVar[str] = "Rosenblatt 1958"

    def check(self) -> None:
        """Do nothing: the rule has no parameters."""

    @property
    def passive(self) -> float:
        """The smallest normal float above 0."""
        return above(0.0)

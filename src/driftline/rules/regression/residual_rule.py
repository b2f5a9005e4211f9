"""What the two-number rules of regression share: the residual, and a tube around the target.

    r = y - w.x,   m = epsilon - |r|,   w <- shrink w + tau c sgn(r) x,   (shrink, tau) = step(m, ...)

m takes the place of the margin, and sgn(r) that of the label. A round with m < 0 is outside the
tube. c is the sample weight. ``nu`` adapts the tube: see ``norma_regressor``.
"""

from __future__ import annotations

from typing import ClassVar

from driftline.internals.compiled import inlined
from driftline.rules.rule import Rule


@inlined
def residual(y: float, score: float, tube: float) -> tuple[float, float]:
    """Return (m, sgn(r)) of a round."""
    r = y - score
    return (tube - r, 1.0) if r >= 0.0 else (tube + r, -1.0)


@inlined
def next_tube(tube: float, m: float, grows: float, shrinks: float) -> float:
    """Return half the width of the tube after a round."""
    return tube + grows if m < 0.0 else max(0.0, tube - shrinks)


class Residual(Rule):
    """A two-number rule that learns real targets."""

    regresses: ClassVar[bool] = True

    @property
    def tube(self) -> float:
        """Half the width of the tube: ``epsilon``, or its value before the first example."""
        return 0.0

    @property
    def tube_steps(self) -> tuple[float, float]:
        """The amounts by which epsilon grows after a round outside the tube and shrinks after one inside."""
        return 0.0, 0.0

    @property
    def passive(self) -> float:
        """0: a round inside the tube leaves w unchanged."""
        return 0.0

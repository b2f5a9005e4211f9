"""Passive-aggressive, PA-II: the change to margin 1, softened by a squared slack.

    w' = argmin_v 1/2 |v - w|^2 + C xi^2    s.t.  y v.x >= 1 - xi
       = w + tau y x,    tau = (1 - m) / (|x|^2 + 1 / (2 C)) where m = y w.x < 1

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
(2006), section 3.
Differs from the paper: ``when="mistake"`` updates on m <= 0 only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import WHEN, one_of, positive
from driftline.rules.linear.margin_one import MarginOne
from driftline.rules.rule import When, limit

CODE = 8


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    C = params[1]
    if m >= params[0] or x_sq == 0.0:
        return 1.0, 0.0
    return 1.0, (1.0 - m) / (x_sq + 0.5 / C)


@dataclass(frozen=True)
class PA2(MarginOne):
    """Passive-aggressive (PA-II): the change to margin 1, softened by a squared slack.

    Use it like ``PA1``. Its steps stay proportional to the loss, whereas ``PA1`` caps them.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the squared slack, > 0. A large ``C`` is close to ``PA``; a small ``C`` makes
        the steps small.
    when : {"margin", "mistake"}, default="margin"
        "margin" updates on every margin below 1, "mistake" only on a mistake (margin <= 0).
    """

    C: float = 1.0
    when: When = "margin"
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("pa2", "steps")
    paper: ClassVar[str] = "Crammer et al. 2006"

    def check(self) -> None:
        """C > 0, ``when`` is "margin" or "mistake"."""
        positive("PA2", "C", self.C, finite=False)
        one_of("PA2", "when", self.when, WHEN)

    def params(self) -> tuple[float, ...]:
        """The smallest margin without an update, C."""
        return limit(self.when), float(self.C)

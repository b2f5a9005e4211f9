"""Passive-aggressive, PA: the smallest change of the weights that gives the example margin 1.

    w' = argmin_v 1/2 |v - w|^2    s.t.  y v.x >= 1
       = w + tau y x,    tau = (1 - m) / |x|^2 where m = y w.x < 1

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
(2006), section 3.
Differs from the paper: ``when="mistake"`` updates on m <= 0 only, as in Shen and Dietterich
(2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import WHEN, one_of
from driftline.rules.linear.margin_one import MarginOne
from driftline.rules.rule import When, limit

CODE = 6


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    if m >= params[0] or x_sq == 0.0:
        return 1.0, 0.0
    return 1.0, (1.0 - m) / x_sq


@dataclass(frozen=True)
class PA(MarginOne):
    """Passive-aggressive (PA): the smallest change of the weights that gives the example margin 1.

    It fits every example immediately. Use it for clean labels and abrupt changes.

    Parameters
    ----------
    when : {"margin", "mistake"}, default="margin"
        "margin" updates on every margin below 1, "mistake" only on a mistake (margin <= 0).
    """

    when: When = "margin"
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("pa", "steps")
    paper: ClassVar[str] = "Crammer et al. 2006"

    def check(self) -> None:
        """``when`` is "margin" or "mistake"."""
        one_of("PA", "when", self.when, WHEN)

    def params(self) -> tuple[float, ...]:
        """The smallest margin without an update."""
        return (limit(self.when),)

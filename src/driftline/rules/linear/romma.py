"""ROMMA: the shortest weights that meet the new constraint and one summary of all old ones.

    w' = argmin |v|^2    s.t.  y v.x >= 1,  v.w >= |w|^2
       = c w + tau y x,    c = (|x|^2 |w|^2 - m) / (|x|^2 |w|^2 - m^2),    tau = |w|^2 (1 - m) / (|x|^2 |w|^2 - m^2)

The first update, and any update with m >= |x|^2 |w|^2, sets w' = y x / |x|^2: only the new
constraint is then active. If y u.x >= 1 for some u and |x| <= R, mistakes <= R^2 |u|^2.
Li, Long. The relaxed online maximum margin algorithm. Machine Learning 46 (2002).
Differs from the paper: the paper assumes separable data. If the constraints contradict each other
(x parallel to -w), or so nearly that w' would be longer than 1e6 / |x|, no useful v exists. The
step is then counted as infeasible and restarts from w' = y x / |x|^2. With float32 weights and
noisy labels the steps amplify rounding errors; use float64 then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import WHEN, one_of
from driftline.rules.linear.margin_one import MarginOne
from driftline.rules.rule import When, limit

CODE = 11
LONGEST_SQ = 1e12


@inlined
def infeasible(m: float, x_sq: float, w_sq: float, params: Params) -> bool:
    """Whether the rule fires and no v with |v| <= 1e6 / |x| meets both constraints."""
    spread = x_sq * w_sq
    if m >= params[0] or spread == 0.0 or m >= spread:
        return False
    return spread * (spread + 1.0 - 2.0 * m) > LONGEST_SQ * (spread - m * m)


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    if m >= params[0] or x_sq == 0.0:
        return 1.0, 0.0
    if w_sq == 0.0 or m >= x_sq * w_sq or infeasible(m, x_sq, w_sq, params):
        return 0.0, 1.0 / x_sq
    across = x_sq * w_sq - m * m
    return (x_sq * w_sq - m) / across, w_sq * (1.0 - m) / across


@dataclass(frozen=True)
class ROMMA(MarginOne):
    """The shortest weights that meet the new constraint and a summary of all old ones.

    Relaxed online maximum margin algorithm. Use it for separable data; ``when="margin"`` is the
    aggressive variant. If labels are noisy, its steps amplify rounding errors: keep
    ``dtype="float64"``.

    Parameters
    ----------
    when : {"margin", "mistake"}, default="mistake"
        "margin" updates on every margin below 1, "mistake" only on a mistake (margin <= 0).
    """

    when: When = "mistake"
    code: ClassVar[int] = CODE
    paper: ClassVar[str] = "Li, Long 2002"
    needs_scaling: ClassVar[bool] = True
    tracks_norm: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("romma",)

    def check(self) -> None:
        """``when`` is "margin" or "mistake"."""
        one_of("ROMMA", "when", self.when, WHEN)

    def params(self) -> tuple[float, ...]:
        """The smallest margin without an update."""
        return (limit(self.when),)

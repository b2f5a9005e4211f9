"""Passive-aggressive, PA-I: the smallest change to margin 1, with the step capped at C.

    w' = argmin_v 1/2 |v - w|^2 + C xi    s.t.  y v.x >= 1 - xi,  xi >= 0
       = w + tau y x,    tau = min(C, (1 - m) / |x|^2) where m = y w.x < 1

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

CODE = 7


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    C = params[1]
    if m >= params[0] or x_sq == 0.0:
        return 1.0, 0.0
    return 1.0, min(C, (1.0 - m) / x_sq)


@dataclass(frozen=True)
class PA1(MarginOne):
    """Passive-aggressive (PA-I): the smallest change to margin 1, with the step capped at ``C``.

    It is the usual first choice among the linear learners. Use a small ``C`` if labels are
    noisy.

    Parameters
    ----------
    C : float, default=1.0
        Largest step, > 0. Infinity gives ``PA``.
    when : {"margin", "mistake"}, default="margin"
        "margin" updates on every margin below 1, "mistake" only on a mistake (margin <= 0).

    Examples
    --------
    >>> import driftline as dl
    >>> learner = dl.PA1(C=0.5)
    >>> learner.learn_one({"free": 1, "money": 1}, "spam")
    0.0
    >>> learner.learn_one({"lunch": 1}, "ham")
    -0.333...
    >>> learner.predict_one({"money": 1})
    'spam'
    """

    C: float = 1.0
    when: When = "margin"
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("pa1", "steps")
    paper: ClassVar[str] = "Crammer et al. 2006"

    def check(self) -> None:
        """C > 0, ``when`` is "margin" or "mistake"."""
        positive("PA1", "C", self.C, finite=False)
        one_of("PA1", "when", self.when, WHEN)

    def params(self) -> tuple[float, ...]:
        """The smallest margin without an update, C."""
        return limit(self.when), float(self.C)

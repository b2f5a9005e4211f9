"""PA-I: the mistake bound with losses of the comparators, which may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

CITATION = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7 (2006)"


@dataclass(frozen=True, kw_only=True)
class PA1Mistakes(Bound):
    """Mistakes of PA-I, updating on mistakes or below margin 1, are at most
    (D^2 + 2 W V + 2 C hinge) / g, where g is the gain of a mistake.

    If C >= 1 / R^2, then g = 1 / R^2. Against a fixed comparator V = 0, and W is not needed.
    """

    name: ClassVar[str] = "pa1"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("w = 0 at the start", "no example is 0", "|u_t|_2 <= D, |w_t|_2 <= W")
    citation: ClassVar[str] = CITATION + ", Theorem 4"
    erratum: ClassVar[str] = (
        "Theorem 4 has the smaller gain min(C, 1 / R^2), and only fixed comparators; both follow from its proof."
    )
    proof: ClassVar[str] = """\
Write l_t = 1 - y_t w_t.x_t for the loss of an update, l*_t = max(0, 1 - y_t u_t.x_t),
q_t = |x_t|^2. An update with step tau_t = min(C, l_t / q_t) gives

    |w_t - u_t|^2 - |w_(t+1) - u_t|^2 = 2 tau_t (y_t u_t.x_t - y_t w_t.x_t) - tau_t^2 q_t
                                     >= 2 tau_t l_t - tau_t^2 q_t - 2 C l*_t.

The first two terms increase with l_t. On a mistake l_t >= 1, so they are at least
g(q_t) = 2 c - c^2 q_t with c = min(C, 1 / q_t). This decreases with q_t, so it is at least g = g(R^2).
On other updates they are at least 0. The left sides sum to at most D^2 + 2 W V, because
|w - u_(t+1)|^2 - |w - u_t|^2 = |u_(t+1)|^2 - |u_t|^2 - 2 w.(u_(t+1) - u_t)."""
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    C: float = given("the largest step", above=0.0)
    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the largest length of a comparator, max |u_t|_2", least=0.0)
    hinge: float = given("sum over updates of max(0, 1 - y_t u_t.x_t)", least=0.0)
    V: float = given("path length, sum |u_(t+1) - u_t|_2", 0.0, least=0.0)
    W: float = given("the largest length of w, max |w_t|_2", 0.0, least=0.0)

    def check(self) -> None:
        """The hinge loss is at least that of one update, and W is given if the comparator moves."""
        self.reaches(self.D * self.R, 1.0, self.hinge, "hinge >= 1 - D R")
        self.holds(self.W > 0.0 or self.V == 0.0, "W > 0 unless V = 0", self.W)

    @property
    def gain(self) -> float:
        """g = 2 c - c^2 R^2, c = min(C, 1 / R^2)."""
        c = min(self.C, 1.0 / self.R**2)
        return 2.0 * c - (c * self.R) ** 2

    @property
    def value(self) -> float:
        """(D^2 + 2 W V + 2 C hinge) / g, g = 2 c - c^2 R^2, c = min(C, 1 / R^2)."""
        return (self.D**2 + 2.0 * self.W * self.V + 2.0 * self.C * self.hinge) / self.gain

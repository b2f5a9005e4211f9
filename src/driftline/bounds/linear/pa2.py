"""PA-II: the mistake bound with squared losses of the comparators, which may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given
from driftline.bounds.linear.pa1 import CITATION


@dataclass(frozen=True, kw_only=True)
class PA2Mistakes(Bound):
    """Mistakes of PA-II, updating on mistakes or below margin 1, are at most
    (R^2 + 1 / 2C) (D^2 + 2 W V + 2 C K), K the squared hinge losses of the comparators.

    Against a fixed comparator V = 0, and W is not needed.
    """

    name: ClassVar[str] = "pa2"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("w = 0 at the start", "no example is 0", "|u_t|_2 <= D, |w_t|_2 <= W")
    citation: ClassVar[str] = CITATION + ", Theorem 5"
    erratum: ClassVar[str] = "Theorem 5 has only fixed comparators; the form for moving ones follows from its proof."
    proof: ClassVar[str] = """\
Write l_t = 1 - y_t w_t.x_t for the loss of an update, l*_t = max(0, 1 - y_t u_t.x_t),
q_t = |x_t|^2 + 1 / 2C, so that the step is tau_t = l_t / q_t. An update gives

    |w_t - u_t|^2 - |w_(t+1) - u_t|^2 >= 2 tau_t (l_t - l*_t) - tau_t^2 |x_t|^2,

and 2 tau_t l*_t <= tau_t^2 / 2C + 2 C l*_t^2. So the right side is at least l_t^2 / q_t - 2 C l*_t^2.
On a mistake l_t >= 1. The left sides sum to at most D^2 + 2 W V, because
|w - u_(t+1)|^2 - |w - u_t|^2 = |u_(t+1)|^2 - |u_t|^2 - 2 w.(u_(t+1) - u_t)."""
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    C: float = given("the weight of the squared slack", above=0.0)
    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the largest length of a comparator, max |u_t|_2", least=0.0)
    squares: float = given("K, the sum over updates of max(0, 1 - y_t u_t.x_t)^2", least=0.0)
    V: float = given("path length, sum |u_(t+1) - u_t|_2", 0.0, least=0.0)
    W: float = given("the largest length of w, max |w_t|_2", 0.0, least=0.0)

    def check(self) -> None:
        """The squared loss is at least that of one update, and W is given if the comparator moves."""
        self.reaches(self.D * self.R, 1.0, self.squares**0.5, "K >= (1 - D R)^2 unless D R >= 1")
        self.holds(self.W > 0.0 or self.V == 0.0, "W > 0 unless V = 0", self.W)

    @property
    def value(self) -> float:
        """(R^2 + 1 / 2C) (D^2 + 2 W V + 2 C K)."""
        return (self.R**2 + 0.5 / self.C) * (self.D**2 + 2.0 * self.W * self.V + 2.0 * self.C * self.squares)

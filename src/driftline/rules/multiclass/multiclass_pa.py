"""Multiclass passive-aggressive: the smallest change that gives the right class a margin of 1.

    loss_r = 1 - (s_y - s_r),    s_r = w_r.x
    min 1/2 sum |v_r - w_r|^2    s.t.  v_y.x - sum_r a_r v_r.x >= 1    over r != y, where sum a_r = 1:

    "max"           a = 1 for the highest other class
    "proportional"  a_r ~ max(0, loss_r)

    w_y <- w_y + tau x,    w_r <- w_r - tau a_r x,    with l = sum a_r loss_r and n = |x|^2 (1 + sum a_r^2):
    tau = l / n  ("pa"),    min(C, l / n)  ("pa1"),    l / (n + 1 / 2C)  ("pa2")

If some u_1, ..., u_k have u_y.x - u_r.x >= 1 for all r != y, then "pa" has
sum l^2 / n <= sum |u_r|^2. So with "max" there are at most 2 max |x|^2 sum |u_r|^2 mistakes.

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
(2006), section 9 with one relevant label. "proportional" takes the a_r from Crammer, Singer. JMLR
3 (2003), over all classes within the margin.
Differs from the paper: classes may appear at any time, with weights of 0. The constraint of
"proportional" is the mean of the violated constraints, weighted by their violation; the update
meets it exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from driftline.internals.compiled import Floats, Params, jit
from driftline.internals.require import one_of, positive
from driftline.rules.rule import Rule

KIND = 1
UPDATES = ("max", "proportional")
VARIANTS = ("pa", "pa1", "pa2")
MAX, PA1, PA2 = 0.0, 1.0, 2.0


@jit
def steps(s: Floats, y: int, classes: int, rival: int, x_sq: float, params: Params, tau: Floats) -> bool:
    """Write the step of each class to tau; return whether there is an update.

    ``rival`` is the class with the highest score except y.
    """
    update, variant, C = params[0], params[1], params[2]
    loss = 1.0 - (s[y] - s[rival])
    if loss <= 0.0:
        return False
    for r in range(classes):
        tau[r] = 0.0
    if update == MAX:
        tau[rival] = 1.0
        n = 2.0 * x_sq
    else:
        total = 0.0
        squares = 0.0
        for r in range(classes):
            if r != y:
                tau[r] = max(0.0, 1.0 - (s[y] - s[r]))
                total += tau[r]
                squares += tau[r] * tau[r]
        loss = squares / total
        n = x_sq * (1.0 + loss / total)
        for r in range(classes):
            tau[r] /= total
    step = loss / n
    if variant == PA1:
        step = min(C, step)
    elif variant == PA2:
        step = loss / (n + 0.5 / C)
    for r in range(classes):
        tau[r] *= -step
    tau[y] = step
    return True


@dataclass(frozen=True)
class MulticlassPA(Rule):
    """``C`` > 0 caps ("pa1") or softens ("pa2") the step; ``update`` selects classes to change.

    "max" changes only the right class and the highest other class. "proportional" changes all
    classes within the margin, each in proportion to its loss; one pass over handwritten digits
    then makes a tenth fewer errors.
    """

    C: float = 1.0
    variant: Literal["pa", "pa1", "pa2"] = "pa1"
    update: Literal["max", "proportional"] = "proportional"
    engine: ClassVar[str] = "multiclass.class_engine:LinearClassesEngine"
    paper: ClassVar[str] = "Crammer et al. 2006"
    several: ClassVar[bool] = True
    single: ClassVar[bool] = False
    kind: ClassVar[int] = KIND
    no_bound: ClassVar[str] = "no theorem of the catalogue covers several classes"

    def check(self) -> None:
        """C > 0, ``variant`` and ``update`` have known values."""
        positive("MulticlassPA", "C", self.C, finite=False)
        one_of("MulticlassPA", "variant", self.variant, VARIANTS)
        one_of("MulticlassPA", "update", self.update, UPDATES)

    @property
    def margin(self) -> float:
        """1."""
        return 1.0

    def params(self) -> tuple[float, ...]:
        """The codes of the update and the variant, and C."""
        return float(UPDATES.index(self.update)), float(VARIANTS.index(self.variant)), float(self.C)

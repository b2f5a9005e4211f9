"""Multiclass Perceptron: on a mistake, add x to the right class and subtract it from its rivals.

    s_r = w_r.x,    E = {r != y : s_r >= s_y}
    w_y <- w_y + x,    w_r <- w_r - a_r x    for r in E, where sum a_r = 1:

    "max"           a = 1 for the highest of E
    "uniform"       a_r = 1 / |E|
    "proportional"  a_r ~ s_r - s_y

A class with a lower score than the right class does not change: the update is ultraconservative.
If some u_1, ..., u_k with sum |u_r|^2 = 1 have u_y.x - u_r.x >= gamma for all r != y, there are at
most 2 max |x|^2 / gamma^2 updates.

Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3 (2003),
sections 4 and 5.
Differs from the paper: classes may appear at any time, with weights of 0. The round in which a
class appears is a mistake, because the class could not be predicted, even if the round makes no
update. If all classes of E tie with y, "proportional" is "uniform".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from driftline.internals.compiled import Floats, Params, jit
from driftline.internals.require import one_of
from driftline.rules.rule import Rule

KIND = 0
UPDATES = ("max", "uniform", "proportional")
MAX, UNIFORM = 0.0, 1.0


@jit
def steps(s: Floats, y: int, classes: int, rival: int, x_sq: float, params: Params, tau: Floats) -> bool:
    """Write the step of each class to tau; return whether there is an update.

    ``rival`` is the class with the highest score except y.
    """
    if s[rival] < s[y]:
        return False
    for r in range(classes):
        tau[r] = 0.0
    tau[y] = 1.0
    if params[0] == MAX:
        tau[rival] = -1.0
        return True
    total = 0.0
    even = params[0] == UNIFORM or s[rival] == s[y]
    for r in range(classes):
        if r != y and s[r] >= s[y]:
            tau[r] = 1.0 if even else s[r] - s[y]
            total += tau[r]
    for r in range(classes):
        if r != y:
            tau[r] /= -total
    return True


@dataclass(frozen=True)
class MulticlassPerceptron(Rule):
    """``update``: subtract x from the highest class only, or from all that outscored y."""

    update: Literal["max", "uniform", "proportional"] = "max"
    engine: ClassVar[str] = "multiclass.class_engine:LinearClassesEngine"
    paper: ClassVar[str] = "Crammer, Singer 2003"
    needs_scaling: ClassVar[bool] = True
    several: ClassVar[bool] = True
    single: ClassVar[bool] = False
    kind: ClassVar[int] = KIND
    no_bound: ClassVar[str] = "no theorem of the catalogue covers several classes"

    def check(self) -> None:
        """``update`` has a known value."""
        one_of("MulticlassPerceptron", "update", self.update, UPDATES)

    def params(self) -> tuple[float, ...]:
        """The code of the update."""
        return (float(UPDATES.index(self.update)),)

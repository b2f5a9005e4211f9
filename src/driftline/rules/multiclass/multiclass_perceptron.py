"""The Perceptron of several classes: on a mistake, towards the right class and away from those that outscored it.

    s_r = w_r.x,    E = {r != y : s_r >= s_y}
    w_y <- w_y + x,    w_r <- w_r - a_r x    for r in E, where sum a_r = 1:

    "max"           a = 1 for the highest of E
    "uniform"       a_r = 1 / |E|
    "proportional"  a_r ~ s_r - s_y

A class that scores below the right one is left alone: the update is ultraconservative. If some u_1, ..., u_k with
sum |u_r|^2 = 1 have u_y.x - u_r.x >= gamma for all r != y, there are at most 2 max |x|^2 / gamma^2 updates.

Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3 (2003), sections 4 and 5.
Differs from the paper: classes may appear at any time, with weights of 0, and the round in which one appears is a
mistake, since it could not be shown, even where it is no update. Where all of E are ties, "proportional" is "uniform".
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
    """Write the step of each class to tau, and say whether there is one; ``rival`` is the highest other class."""
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
    """Which classes an ``update`` moves away from: the highest only, or all that outscored the right one."""

    update: Literal["max", "uniform", "proportional"] = "max"
    engine: ClassVar[str] = "multiclass.class_engine:LinearClassesEngine"
    paper: ClassVar[str] = "Crammer, Singer 2003"
    needs_scaling: ClassVar[bool] = True
    several: ClassVar[bool] = True
    single: ClassVar[bool] = False
    kind: ClassVar[int] = KIND
    no_bound: ClassVar[str] = "no theorem of the catalogue covers several classes"

    def check(self) -> None:
        """A known update."""
        one_of("MulticlassPerceptron", "update", self.update, UPDATES)

    def params(self) -> tuple[float, ...]:
        """The number of the update."""
        return (float(UPDATES.index(self.update)),)

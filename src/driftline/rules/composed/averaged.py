"""The average of all hypotheses that were used: steadier than the last one, and as cheap.

    part    ``learner``, a rule of two numbers with p = 2; it learns as it would by itself
    input   an example x; then its label y = -1 or +1 and its sample weight c

    w_bar = (w_1 + ... + w_T) / T                w_t are the weights that the rule had in round t
    score = w_bar.x                              before x is learned: over earlier rounds

A round of sample weight 0 is scored and not counted. The sum of the w_t is kept lazily, at
O(nnz(x)) a round. The rule's weights are w = scale v, as in ``linear.two_numbers``. A is the sum
of the scales used since v was last multiplied out, and z makes up the rest:

    w_1 + ... + w_T = A v + z                    A = 0, z = 0 and T = 0 at first
    A <- A + scale,   T <- T + 1                 ``used``: a round uses w = scale v
    v <- v + f x,     z <- z - A f x             ``correction``: an update keeps the past sum
    z <- z + A v,     v <- scale v,   A <- 0     ``settle``: the scale becomes too small or large
    w_bar.x = (A v.x + z.x) / T                  ``mean``

If the rule shrinks its weights, A v and z grow as 1 / scale and nearly cancel. Therefore v is
multiplied out as soon as the scale leaves [LEAST, 1 / LEAST]. This reads all weights, but only
once in the time that the scale takes to shrink to LEAST. The error is at most 1e-11 of the
average.

Freund, Schapire. Large margin classification using the Perceptron algorithm. Machine Learning 37
(1999), section 5.
Differs from the paper: the paper stores each hypothesis v_k with the number c_k of rounds in which
it was used, and scores by the sum of c_k v_k.x. Here the sum is one vector. Rules that shrink or
project are averaged too. The mean includes the first hypothesis, which is 0, because the theorem
on the risk of the average includes it. The paper leaves it out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.internals.compiled import Floats, inlined, jit
from driftline.rules.linear.l1pa import L1PA
from driftline.rules.linear.perceptron import Perceptron
from driftline.rules.rule import Rule, classifies

LEAST = 1e-5
"""The smallest scale before v is multiplied out."""


@inlined
def used(A: float, T: float, scale: float) -> tuple[float, float]:
    """Return (A, T) after a round that was scored with w = scale v."""
    return A + scale, T + 1.0


@inlined
def correction(A: float, f: float) -> float:
    """Return the factor of x in the update of z, where v += f x: A v + z stays the same."""
    return -A * f


@jit
def settle(v: Floats, z: Floats, A: float, scale: float) -> None:
    """z += A v and v *= scale, in place; A is 0 and the scale 1 afterwards."""
    for j in range(v.size):
        z[j] += A * v[j]
        v[j] *= scale


@inlined
def mean(A: float, T: float, dot: float, dot_z: float) -> float:
    """Return w_bar.x, from v.x and z.x; 0 before any round."""
    return (A * dot + dot_z) / T if T > 0.0 else 0.0


@dataclass(frozen=True)
class Averaged(Rule):
    """The average of the weights of the rule ``learner`` over all rounds.

    For targets that do not change, above all with noisy labels. The certificate of its risk needs
    no choice of a round.
    """

    learner: Rule = field(default_factory=Perceptron)
    engine: ClassVar[str] = "composed.averaged:AveragedEngine"
    paper: ClassVar[str] = "Freund, Schapire 1999"
    single: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, ...]] = ("average-risk",)

    def check(self) -> None:
        """``learner`` is a two-number rule with p = 2, without feature removal."""
        rule = self.learner
        plain = isinstance(rule, Rule) and not rule.engine and not isinstance(rule, L1PA)
        if not plain or rule.norm != 2.0 or rule.removal > 0.0 or rule.projects:
            raise ValueError(
                "Averaged: learner must be a rule of two numbers with p = 2 and sigma = 0, without a region, "
                f"got {rule!r}. Average PA1(), NORMA() or the like"
            )
        classifies("Averaged", rule)

    @property
    def margin(self) -> float:
        """The margin of ``learner``."""
        return self.learner.margin

    @property
    def refuses(self) -> bool:
        """Whether ``learner`` may refuse an example."""
        return self.learner.refuses

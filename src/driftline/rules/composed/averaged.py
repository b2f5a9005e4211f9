"""The average of all hypotheses that were used: steadier than the last one, and as cheap.

    w_bar = (w_1 + ... + w_T) / T,      w_t = the weights that another rule scored round t with

Any rule of two numbers can be averaged. With w = scale v, A the sum of the scales used so far and z = 0 at first, an
update v += delta keeps the sum exact by z -= A delta:

    w_1 + ... + w_T = A v + z

Freund, Schapire. Large margin classification using the Perceptron algorithm. Machine Learning 37 (1999), section 5.
Differs from the paper: rules that shrink or project are averaged too. The mean is over the hypotheses used, the first
of which is 0, as the theorem on the risk of the average has it; the paper's leaves out the one before any update.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.rules.linear.l1pa import L1PA
from driftline.rules.linear.perceptron import Perceptron
from driftline.rules.rule import Rule


@dataclass(frozen=True)
class Averaged(Rule):
    """The mean of the hypotheses of the rule ``learner``.

    For targets that stand still, above all with noise: the certificate of its risk needs no choice of a round.
    """

    learner: Rule = field(default_factory=Perceptron)
    engine: ClassVar[str] = "composed.averaged:AveragedEngine"
    paper: ClassVar[str] = "Freund, Schapire 1999"
    single: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, ...]] = ("average-risk",)

    def check(self) -> None:
        """A rule of two numbers, p = 2, without feature removal."""
        rule = self.learner
        plain = isinstance(rule, Rule) and not rule.engine and not isinstance(rule, L1PA)
        if not plain or rule.norm != 2.0 or rule.removal > 0.0:
            raise ValueError(
                "Averaged: learner must be a rule of two numbers with p = 2 and sigma = 0, "
                f"got {rule!r}. Average PA1(), NORMA() or the like"
            )

    @property
    def margin(self) -> float:
        """That of the rule."""
        return self.learner.margin

    @property
    def refuses(self) -> bool:
        """Whether the rule does."""
        return self.learner.refuses

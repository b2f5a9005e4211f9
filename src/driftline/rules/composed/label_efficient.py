"""Label-efficient learning: ask for a label only where the score says little.

    part    ``learner``, any rule of two labels, with its weights w
    input   an example x; its label y only if it was asked for; its sample weight c

    r = w.x                                      the score, in every round that of the rule inside
    a = b / (b + |r|)                            the probability of asking for y
    Z = [coin < a]                               the coin is uniform on [0, 1)
    Z = 1:  the rule inside learns (x, y, c)
    Z = 0:  nothing is learned

    "constant":  b as it is
    "adaptive":  b_t = b R_t^2 sqrt(1 + K),  R_t the longest |x| so far, x and the constant feature
                 included, K the updates of the rule inside so far
    "second":    a = b / (b + |s| + s^2 (1 + q) / 2),  s = r / (1 + q),  q = x.A^-1 x  of the
                 second-order Perceptron

With "constant" and the Perceptron inside, examples no longer than R, a unit vector u, and D the
hinge loss of u at margin gamma over the updates, the expected mistakes, in rounds with and
without a label, are at most

    (2 b + R^2)^2 / (8 b gamma^2) + (1 + R^2 / (2 b)) D
    R^2 / gamma^2 + 2 D                                      for b = R^2 / 2

The second line is the bound of the Perceptron, which needs all labels. A larger b asks for more
labels.

Cesa-Bianchi, Gentile, Zaniboni. Worst-case analysis of selective sampling for linear
classification. JMLR 7 (2006).
Differs from the paper: a score of exactly 0 asks. ``b = inf`` always asks. The coin of a round is
a hash of the seed and the number of the round, so that a run can be cut anywhere and resumed.
Rounds of sample weight 0 have no coin and are only scored. A label that is not known (NaN) is not
learned, and does not count as asked for. Any rule may be inside; the bounds are those of the
Perceptron ("constant", "adaptive") and of the second-order Perceptron ("second"). In a p-norm
geometry R_t is the longest |x|_p. Over a kernel, where it would be the longest sqrt(k(x, x)),
"adaptive" is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import ClassVar, Literal

import numpy as np

from driftline.internals.compiled import inlined
from driftline.internals.numeric.splitmix import STEP, mixed
from driftline.internals.require import one_of, positive, require, whole
from driftline.rules.experts.expert_rule import ExpertRule
from driftline.rules.kernel.kernel_second_order import KernelSecondOrder
from driftline.rules.kernel.kernelized import Kernelized
from driftline.rules.kernel.multilinear_perceptron import MultilinearPerceptron
from driftline.rules.linear.l1pa import L1PA
from driftline.rules.linear.perceptron import Perceptron
from driftline.rules.rule import Rule, classifies

Variant = Literal["constant", "adaptive", "second"]
VARIANTS = ("constant", "adaptive", "second")
CONSTANT, ADAPTIVE, SECOND = 0, 1, 2
"""The code of each variant."""
LAST_SEED = (1 << 64) - 1
OVER_A_KERNEL = Kernelized, KernelSecondOrder, MultilinearPerceptron
"""Rules over a kernel: the norm of an example is sqrt(k(x, x)), which only these rules know."""

SPARE_BITS, UNIT = np.uint64(11), 2.0**-53


@inlined
def coin(seed: int, number: int) -> float:
    """A random number in [0, 1) for each seed and round, by splitmix64."""
    bits = mixed(mixed(np.uint64(seed)) + (np.uint64(number) + np.uint64(1)) * STEP)
    return (bits >> SPARE_BITS) * UNIT


@inlined
def chance(variant: int, b: float, r: float, q: float, longest_sq: float, updates: float) -> float:
    """The probability of asking for the label of an example with score r."""
    doubt = abs(r)
    if doubt == 0.0:
        return 1.0
    if variant == ADAPTIVE:
        b *= longest_sq * sqrt(1.0 + updates)
    elif variant == SECOND:
        s = doubt / (1.0 + q)
        doubt = s + 0.5 * s * s * (1.0 + q)
    return 1.0 / (1.0 + doubt / b)


@dataclass(frozen=True)
class LabelEfficient(Rule):
    """The rule ``learner``, ``b`` > 0, the ``variant`` and the ``seed`` of the coins.

    For streams with costly labels: a person's time, an inspection, a refund.
    """

    engine: ClassVar[str] = "composed.label_efficient:engine_of"
    paper: ClassVar[str] = "Cesa-Bianchi, Gentile, Zaniboni 2006"
    asks: ClassVar[bool] = True
    theorem: ClassVar[str] = "labelefficient"
    bounds: ClassVar[tuple[str, ...]] = (
        "labelefficient",
        "labelefficient-adaptive",
        "labelefficient-second-order",
        "labelefficient-labels",
        "labelefficient-adaptive-labels",
        "labelefficient-second-order-labels",
    )

    learner: Rule = field(default_factory=Perceptron)
    b: float = 1.0
    variant: Variant = "constant"
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("single", "biased", "signed", "voting", "takes_missing"):
            object.__setattr__(self, name, getattr(self.learner, name))

    @property
    def tunable(self) -> bool:
        """Whether the theorem applies: it covers the Perceptron with a constant b."""
        return self.variant == "constant" and isinstance(self.learner, Perceptron)

    def check(self) -> None:
        """b > 0, a known variant, a seed of 64 bits, and a learner that suits the variant."""
        where = "LabelEfficient"
        inner = self.learner
        single = isinstance(inner, Rule) and not isinstance(inner, LabelEfficient)
        require(single, where, "learner must be a rule that learns every label it is given", inner)
        require(not inner.several, where, "learner must be a rule of two labels", inner)
        classifies(where, inner)
        what = "learner must not be of experts, whose number the first example fixes: pass the learners that advise"
        require(not isinstance(inner, ExpertRule), where, what, inner)
        positive(where, "b", self.b, finite=False)
        one_of(where, "variant", self.variant, VARIANTS)
        fits = self.variant != "second" or inner.spreads
        require(fits, where, "learner must be of second order for variant 'second'", inner)
        if self.variant == "adaptive" and isinstance(inner, OVER_A_KERNEL):
            raise ValueError(
                f"{where}: learner must not be over a kernel for variant 'adaptive', which measures an example by "
                f"|x| and not by k(x, x), got {inner!r}. Set variant='constant'"
            )
        whole(where, "seed", self.seed, 0, LAST_SEED)
        object.__setattr__(self, "seed", int(self.seed))

    @property
    def margin(self) -> float:
        """The value of ``learner``."""
        return self.learner.margin

    @property
    def norm(self) -> float:
        """The value of ``learner``."""
        return self.learner.norm

    @property
    def refuses(self) -> bool:
        """Whether ``learner`` may, or learns row by row and can be interrupted between rows."""
        return self.learner.refuses or not self.plain

    @property
    def plain(self) -> bool:
        """Whether ``learner`` is a two-number rule in Euclidean geometry (compiled loop)."""
        inner = self.learner
        plain = inner.norm == 2.0 and inner.removal == 0.0 and not inner.projects
        return not inner.engine and plain and not isinstance(inner, L1PA)

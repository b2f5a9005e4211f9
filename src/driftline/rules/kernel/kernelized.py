"""A two-number rule in the space of a kernel: w is a sum of examples, its support vectors, and scores are kernel sums.

    w = s sum_i c_i phi(x_i),    w.x = s sum_i c_i k(x_i, x),    |x|^2 = k(x, x)
    w <- shrink w + tau y phi(x):    s <- shrink s,    one more support vector with c = tau y / s

Every update costs a support vector. What is done when there are ``budget`` of them (``evict``):

    oldest      the first that came goes (Shen, Dietterich 2009, section 5)
    smallest    the one with the smallest |c_i| sqrt(k(x_i, x_i)) goes; not the newest
    random      any goes; not the newest (Cavallanti, Cesa-Bianchi, Gentile 2007)
    age         one that is ``age`` rounds old goes (ShrunkPA: updates), budget or not (Kivinen, Smola, Williamson 2004)
    forgetron   all shrink so that the oldest can go at a bounded loss (Dekel, Shalev-Shwartz, Singer 2008)
    projectron  an example that is a sum of the others, but for ``eta``, is written as that sum (Orabona et al. 2009)

Forgetron, self-tuned: after the M-th mistake, where that is one too many, let r be the oldest, a = |its coefficient|,
mu = y_r w.x_r; take the largest phi <= 1 with Psi(phi) = (phi a)^2 + 2 phi a - 2 phi^2 a mu <= 15/32 M - Q, multiply w
by phi, drop r, add Psi(phi) to Q. With k(x, x) <= 1, for any g with |g| <= 1/4 sqrt((B + 1) / ln(B + 1)), where B is
the budget: mistakes <= 2 |g|^2 + 4 sum hinge(g).
Projectron++: d are the coefficients of the sum of support vectors next to x, delta its distance. A mistake adds y d if
delta <= eta (or there is no room), else x. A margin m in (0, 1) whose loss l = 1 - m is >= delta / eta adds tau y d,
tau = min(l / k.d, 2 (l - delta / eta) / k.d, 1).
Differs from the papers: ages of ShrunkPA count updates, as its coefficients shrink with these. A sample weight
multiplies the step; the bounds are for weights of 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from driftline.internals.require import one_of, positive, require, whole
from driftline.rules.kernel.kernels import Kernel
from driftline.rules.linear.l1pa import L1PA
from driftline.rules.linear.norma import NORMA
from driftline.rules.linear.perceptron import Perceptron
from driftline.rules.linear.shrunk_pa import ShrunkPA
from driftline.rules.rule import OWN, Rule

Evict = Literal["oldest", "smallest", "random", "age", "forgetron", "projectron"]
EVICT = ("oldest", "smallest", "random", "age", "forgetron", "projectron")
WHERE = "Kernelized"
MOST_SEED = (1 << 63) - 1
MOST, OLDEST = 10**9, 10**15
"""Support vectors that there may be, and how old they may become."""


@dataclass(frozen=True)
class Kernelized(Rule):
    """A rule ``learner`` and a ``kernel``; at most ``budget`` support vectors, and what goes when there are more.

    Without a budget, an example that would be support vector ``most`` + 1 is refused. ``age``, or the ``epsilon`` from
    which it follows, is for evict="age"; ``eta`` for "projectron"; ``seed`` for "random".
    """

    learner: Rule
    kernel: Kernel
    budget: int | None = None
    evict: Evict = "oldest"
    age: int | None = None
    epsilon: float | None = None
    eta: float = 0.1
    seed: int = 0
    most: int = 20_000
    engine: ClassVar[str] = "kernel.expansion_engine:KernelEngine"
    paper: ClassVar[str] = "Kivinen et al. 2004; Dekel et al. 2008; Orabona et al. 2009"
    single: ClassVar[bool] = False

    def check(self) -> None:
        """A two-number rule with p = 2, a kernel, and a way to forget that fits both."""
        require(isinstance(self.learner, Rule), WHERE, "learner must be a rule", self.learner)
        require(isinstance(self.kernel, Kernel), WHERE, "kernel must be one of driftline.kernels", self.kernel)
        fits = self.learner.code != OWN and not self.learner.engine and not isinstance(self.learner, L1PA)
        require(fits, WHERE, "learner must be a rule of two numbers, such as PA1", self.learner)
        require(self.learner.norm == 2.0, WHERE, "learner must have p = 2", self.learner)
        require(self.learner.removal == 0.0, WHERE, "learner must have sigma = 0: there are no weights", self.learner)
        one_of(WHERE, "evict", self.evict, EVICT)
        if self.budget is not None:
            whole(WHERE, "budget", self.budget, 1, MOST)
        whole(WHERE, "most", self.most, 1, MOST)
        whole(WHERE, "seed", self.seed, 0)
        require(self.seed <= MOST_SEED, WHERE, "seed must be below 2**63", self.seed)
        positive(WHERE, "eta", self.eta)
        if self.evict in ("forgetron", "projectron"):
            require(isinstance(self.learner, Perceptron), WHERE, f"{self.evict} needs the Perceptron", self.learner)
        if self.evict in ("smallest", "random", "forgetron"):
            require(self.budget is not None, WHERE, f"evict={self.evict!r} must have a budget", self.budget)
        self._check_age()
        for name in ("budget", "age", "seed", "most"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else int(value))

    def _check_age(self) -> None:
        """Age or epsilon for evict="age" and only then; epsilon where an age follows from it."""
        given = [value for value in (self.age, self.epsilon) if value is not None]
        if self.evict != "age":
            require(not given, WHERE, "age and epsilon must be None unless evict='age'", given)
            return
        require(len(given) == 1, WHERE, "evict='age' must have either age or epsilon", (self.age, self.epsilon))
        if self.age is not None:
            whole(WHERE, "age", self.age, 1, OLDEST)
            return
        positive(WHERE, "epsilon", self.epsilon)
        fits = self.kernel.unit and self._forgets
        require(fits, WHERE, "epsilon needs NORMA or ShrunkPA that forget, and k(x, x) = 1; or give age", self.learner)
        soon = self._rounds <= OLDEST
        require(soon, WHERE, f"epsilon must be reached within an age of {OLDEST:g}; or give age", self.epsilon)

    @property
    def _forgets(self) -> bool:
        rule = self.learner
        return (isinstance(rule, NORMA) and rule.lam > 0.0) or (isinstance(rule, ShrunkPA) and rule.alpha > 0.0)

    @property
    def oldest(self) -> int | None:
        """The age at which a support vector goes: as given, or the least whose error is at most epsilon."""
        return self.age if self.epsilon is None else max(1, math.ceil(self._rounds))

    @property
    def _rounds(self) -> float:
        """How long it takes until the error of forgetting is epsilon."""
        rule, epsilon = self.learner, self.epsilon
        assert isinstance(rule, NORMA | ShrunkPA) and epsilon is not None
        rate = -math.log1p(-rule.alpha * rule.lam) if isinstance(rule, NORMA) else math.log1p(rule.alpha)
        excess = math.log(truncation_error(rule, 0)) - math.log(epsilon)
        return excess / rate if rate > 0.0 else math.inf

    @property
    def limit(self) -> int:
        """The most support vectors there may be."""
        return self.most if self.budget is None else self.budget

    @property
    def margin(self) -> float:
        """That of its learner."""
        return self.learner.margin

    @property
    def passive(self) -> float:
        """That of its learner."""
        return self.learner.passive

    @property
    def ball(self) -> float:
        """That of its learner."""
        return self.learner.ball

    @property
    def refuses(self) -> bool:
        """True: where there is no room, or where a kernel overflows."""
        return True


def truncation_error(rule: NORMA | ShrunkPA, age: int, longest: float = 1.0, shortest: float = 1.0) -> float:
    """How far from the full score that without support vectors of this age is, at most.

    It compares sums over the same updates; |x| is between ``shortest`` and ``longest``.
    NORMA: X^2 (1 - alpha lam)^age / lam. ShrunkPA, by updates: X (beta + (1 + alpha) / r) (1 + alpha)^-age / alpha,
    where |w| <= beta = (1 + alpha) / (r sqrt(alpha (2 + alpha))). Infinite where the rule does not forget.

    >>> truncation_error(NORMA(alpha=1.0, lam=0.5), 10)
    0.001953125
    """
    if isinstance(rule, NORMA):
        return longest**2 * (1.0 - rule.alpha * rule.lam) ** age / rule.lam if rule.lam > 0.0 else math.inf
    grown = 1.0 + rule.alpha
    if rule.alpha == 0.0:
        return math.inf
    size = grown / shortest * (1.0 + 1.0 / math.sqrt(rule.alpha * (2.0 + rule.alpha)))
    return float(longest * size * grown**-age / rule.alpha)

"""Version space: predict by the centre of mass of all weights that are consistent, found by sampling.

    V = {w : |w| <= 1,  y_s w.x_s >= 0 for every mistake s},      predict sgn(c.x),  c = mean of V

Every mistake cuts away at least about a third of V (Gruenbaum), so with the exact centre y u.x >= gamma, |u| = 1 and
|x| <= R allow at most d ln(1 + R / gamma) / -ln(1 - 1/e) = 2.18 d ln(1 + R / gamma) updates. This is Halving without
a grid. Here c is the mean of ``samples`` points (10 d + 50 without it) of a random walk in V, so it is a heuristic: the
figure above is what to expect, not a bound.

Gilad-Bachrach, Navot, Tishby. Bayes and Tukey meet at the center point. COLT (2004); hit-and-run: Smith. Operations
Research 32 (1984); Lovasz, Vempala. Hit-and-run from a corner. SIAM J. Computing 35 (2006).
Differs from the papers: the walk moves to a uniform point of its chord along the axes of a round V, namely the columns
of L with L L' the covariance of the last samples; 2 d moves lie between two samples. After a mistake it starts at a
sample that has the example right, else at what a linear programme finds; there is one walk to see the new shape (three
after a programme), and one for the samples. A walk's randomness depends on ``seed`` and the number of updates alone. d
is the number of the last feature that was not zero in an update, and the constant one. An example with which V would be
empty, as far as can be told, is counted as infeasible, and ignored, or V starts anew with the next one. Sample weights
have no effect, but 0 only tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.require import one_of, whole
from driftline.rules.consistent.ellipsoid_learner import INCONSISTENT, Inconsistent
from driftline.rules.rule import Rule, above

LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class VersionSpace(Rule):
    """For up to ``most`` dimensions and clean labels; ``inconsistent`` says what to do about an impossible example."""

    samples: int | None = None
    seed: int = 0
    inconsistent: Inconsistent = "ignore"
    most: int = 200
    engine: ClassVar[str] = "consistent.version_space:VersionSpaceEngine"
    paper: ClassVar[str] = "Gilad-Bachrach et al. 2004"
    single: ClassVar[bool] = False

    def check(self) -> None:
        """samples >= 2, a seed of 63 bits, a known policy, most >= 1."""
        if self.samples is not None:
            whole("VersionSpace", "samples", self.samples, 2)
        whole("VersionSpace", "seed", self.seed, 0, LARGEST_SEED)
        one_of("VersionSpace", "inconsistent", self.inconsistent, INCONSISTENT)
        whole("VersionSpace", "most", self.most, 1)

    @property
    def passive(self) -> float:
        """Just above 0."""
        return above(0.0)

    @property
    def refuses(self) -> bool:
        """More dimensions than it has room for."""
        return True

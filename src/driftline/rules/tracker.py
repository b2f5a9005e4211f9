"""Tracker: nothing to tune, under any drift. A bank of simple learners on several scalings of x, stacked, and a vote.

    experts   PA-I, NORMA, diagonal and full AROW on scalings ("views") of x, each of length 1: scores s_j
    stackers  three learners whose features are F_j = tanh(s_j / rms of s_j), V_j = sgn s_j, and F_j again
    vote      p = sum_{a,i} G[a,i] V_i over experts, the constants +1 and -1, and stackers; rates a of switching
              G[a,i] *= e^(-1/2) where V_i is wrong;  then G[a,i] = (1 - alpha_a) G[a,i] + alpha_a W_a pi_i

W_a is the weight of rate a, alpha_a one of 1/(t + 1), 0.001 and 0.01, pi the prior: half of it on the stackers, half on
the others. The vote is a Bayes mixture over sequences of voters, so its mistakes are bounded by those of the best
sequence with few shifts (``driftline.bounds.TrackerMistakes``). It leads where the best scaling, the best rate and the
best rule are not known beforehand, or change.

Views: x standardised by the running mean and deviation ("std"), the same with a memory of 100 rounds ("forget"), x over
its running maximum ("max"), and all products of two standardised features, standardised again ("quad", up to 10
features). Sparse rows of more than 128 features have the view "max" alone, without full AROW.

Fixed share: Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998). Mixing over rates: Vovk.
Derandomizing stochastic prediction strategies. Machine Learning 35 (1999). AROW: Crammer, Kulesza, Dredze (2013).
Differs from the papers: AROW's variances are divided by a gamma below 1 on each update and kept below a limit, so that
it forgets; one rate of learning, 1/2, for all rates of switching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.rules.rule import Rule

# experts, margin 1 on examples of length 1
PA_C = (0.01, 0.1, np.inf)
NORMA_STEP, NORMA_FORGETS = 1.0, 0.03
DIAGONAL_R, DIAGONAL_GAMMA = (0.1, 100.0), (0.998, 0.99)
FULL_R, FULL_GAMMA = (0.1, 1.0), (1.0, 0.998)
MOST_VARIANCE = 1e3
# views
CLIP, WINSOR, WARM, GROWTH = 5.0, 10.0, 10.0, 10.0
STAYS = 1.0 - 1.0 / 100.0
QUAD_FEATURES, FULL_FEATURES, DENSE_FEATURES = 10, 300, 128
BEYOND = 1e60  # what is not closer to 0 counts as infinite
# stackers
RMS_STAYS = 0.999
STACK_RATE, STACK_R, STACK_GAMMA, STACK_TRACE = 0.1, 1.0, 0.999, 10.0
# shares
RATE = 0.5
ALPHAS = (-1.0, 1e-3, 1e-2)  # -1 stands for 1 / (t + 1)

COLUMNS = ("pa1(C=0.01)", "pa1(C=0.1)", "pa", "norma", "diagonal arow(r=0.1)", "diagonal arow(r=100)")
MATRICES = ("arow(r=0.1)", "arow(r=1)")
BANK: tuple[tuple[str, str], ...] = (
    *(("max", rule) for rule in COLUMNS),
    *(("std", rule) for rule in COLUMNS),
    *(("forget", rule) for rule in COLUMNS),
    *(("std", rule) for rule in MATRICES),
    *(("max", rule) for rule in MATRICES),
    *(("quad", rule) for rule in (*COLUMNS, *MATRICES)),
)
"""View and rule of every expert. Whatever is dropped as features appear is at the end."""
SPARSE_BANK, WIDE_BANK, DENSE_BANK, FULL_BANK = 6, 18, 22, 30
"""Experts for sparse rows of many features, and for dense ones: of more than 300, of more than 10, and of fewer."""
OTHERS = (
    ("constant", "+1"),
    ("constant", "-1"),
    ("stacker", "of scores"),
    ("stacker", "of signs"),
    ("stacker", "arow"),
)
"""The voters before the experts."""


@dataclass(frozen=True)
class Tracker(Rule):
    """No parameters: it finds out. Missing and infinite values are taken for what they are, nothing known."""

    engine: ClassVar[str] = "tracker:TrackerEngine"
    single: ClassVar[bool] = False
    biased: ClassVar[bool] = False
    voting: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True
    elects: ClassVar[bool] = True

    def check(self) -> None:
        """There is nothing to check."""

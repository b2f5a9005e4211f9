"""TrackerRegressor: a weighted mean of simple regressors on several scalings of x, without tuning.

    parts     experts j = 1, ..., M; two stackers; shares G of all of them
    input     an example x; then its target y and its sample weight c

    views     scalings z of x, each with a constant 1: see ``tracker``; they are not of length 1
    experts   means of the targets; PA-I, normalised gradient descent and least squares, each on
              one view; trees and nearest neighbours on the view "std": predictions p_j
    stackers  q_k = b + rho (a_k.F),  F_j = (p_j - b) / rho in [-10, 10],  b the mean of the p_j
              weighted by their shares
    mean      p = sum_{a,i} G[a,i] v_i  over all voters i, stackers and experts;  a are rates

All of it is computed before y is known. Every v_i is first moved into the range of the targets so
far, extended by its length on both sides. Then, in this order, unless c = 0:

    error     rho, the running mean of |y - p| over 1,000 rounds, takes in min(|y - p|, 10 rho)
    shares    G[a,i] *= exp(-c/2 min(10, |y - v_i| / rho));  then G is divided by its sum;  then
              G[a,i] = (1 - alpha_a) G[a,i] + alpha_a W pi_i
    stackers  least squares on F, prior variances 1/100 and 1/1000, forgetting 0.999
    experts   each by its rule on its own view, r_j = y - p_j before it was moved:
              PA-I:   w += sgn(r) min(c C s, |r| / |z|^2) z,  C = 0.01, 0.1 and infinity
              NLMS:   w += min(1, c eta) r / |z|^2 z,  eta = 0.01 and 0.1
              RLS:    ``recursive_least_squares``, forgetting 1, 0.99 and 0.95
              AROW:   ``arow_regressor``, drift 0.003 and 0.03
              means:  of all targets, with forgetting 0.99, 0.9 and 0.5, and the last target
    views     running maxima, means and deviations take in x

W is the weight of a switching rate. The switching rate alpha_a is 1/(t + 1), 0.001 or 0.01 in
round t. pi is the prior: half of it is on the stackers, half on the experts. s is the running
standard deviation of the targets, with a memory of 1,000 rounds. To the experts, a target that is
more than 10 s from the mean of the targets is one at 10 s, unless the target before was so too, on
the same side. The first ten targets are left alone. All targets are taken relative to the first
one. The constant 1 of a view has the prior variance 1000 in least squares.

The views "std" and "max" have all five columns PA-I and NLMS. "std" has all least squares, "max"
those with forgetting 0.99 and 0.95 and AROW with drift 0.03. "quad" (up to 10 features) has the
columns, least squares with forgetting 1 and 0.99, and AROW with drift 0.003. Rows of more than 300
features have only columns and means. Once more than 128 features were seen, sparse rows have only
the columns of "max", and means.

Trees and neighbours take the view "std":

    trees           five Hoeffding trees of up to 255 nodes, with means in leaves; their mean is
                    weighted by the inverse of their recent squared errors
    residual trees  five trees of up to 127 nodes on y less the prediction of AROW with drift 0.003,
                    which is added again; each is replaced after 2,000 rounds by one that has
                    learned in the background
    neighbours(n)   the mean of the 5 nearest of the last n rows, weights 1 / (distance + 0.001)

A leaf tries a random part of the d features: 7/10 of them, at most 2 sqrt(d) + 2, at most 12. After
every 50 examples, let g1 and g2 be the parts of its variance that the best splits at one of 15
thresholds of the best and of the second best feature remove. The leaf is split if g2 < (1 - e) g1
or e < 0.05, e = sqrt(ln(100) / (2 n)) for n examples.

Prediction intervals are [p - h, p + h], h = rho Q(1 - alpha_t). Q is the quantile of |y - p| / rho
in the last 1,000 rounds, and for the coverage 1 - alpha

    alpha_{t+1} = alpha_t + alpha/20 (alpha - [y was outside the interval])

So the share of targets outside differs from alpha by at most (1 + alpha/20) 20 / (alpha T) in T
rounds, whatever the targets are.

Fixed share: Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998). Mixing over
rates: Vovk. Derandomizing stochastic prediction strategies. Machine Learning 35 (1999). Trees:
Ikonomovska, Gama, Dzeroski. Learning model trees from evolving data streams. Data Mining and
Knowledge Discovery 23 (2011). Intervals: Gibbs, Candes. Adaptive conformal inference under
distribution shift. NeurIPS 2021.
Differs from the paper: losses are absolute errors divided by a running error, so no theorem about
fixed share covers them (``no_bound``). The trees compare means of 16 bins of each feature instead
of all its values. The combination of these parts is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.rules.rule import Rule

# columns: the largest step in deviations of the targets, the part of an error that is corrected
LARGEST_STEPS = (0.01, 0.1, np.inf, np.inf, np.inf)
CORRECTED = (1.0, 1.0, 1.0, 0.01, 0.1)
# least squares: forgetting and drift in each view
STD_FORGETTING, STD_DRIFT = (1.0, 0.99, 0.95, 1.0, 1.0), (0.0, 0.0, 0.0, 0.003, 0.03)
MAX_FORGETTING, MAX_DRIFT = (0.99, 0.95, 1.0), (0.0, 0.0, 0.03)
QUAD_FORGETTING, QUAD_DRIFT = (1.0, 0.99, 1.0), (0.0, 0.0, 0.003)
STD_SQUARES, MAX_SQUARES, QUAD_SQUARES = len(STD_DRIFT), len(MAX_DRIFT), len(QUAD_DRIFT)
CONSTANT_VARIANCE = 1e3
# the part of the deviation and of the means of the targets that stays in a round
TARGET_STAYS = 0.999
STAYS_OF_MEANS = (1.0, 0.99, 0.9, 0.5, 0.0)
# stackers
STACK_PRIOR, STACK_FORGETTING, STACK_CLIP = (0.01, 0.001), 0.999, 10.0
# shares
RATE, LARGEST_LOSS, ERROR_STAYS = 0.5, 10.0, 0.999
# intervals
COVERAGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
GAIN, SCORES = 0.05, 1000

COLUMNS = ("pa1(C=0.01)", "pa1(C=0.1)", "pa", "nlms(0.01)", "nlms(0.1)")
STACKED = (("stacker", "prior 0.01"), ("stacker", "prior 0.001"))
BANK: tuple[tuple[str, str], ...] = (
    *(("mean", rule) for rule in ("all", "memory 100", "memory 10", "memory 2", "last target")),
    *(("max", rule) for rule in COLUMNS),
    *(("std", rule) for rule in COLUMNS),
    *(("std", rule) for rule in ("rls", "rls(0.99)", "rls(0.95)", "arow(0.003)", "arow(0.03)")),
    *(("max", rule) for rule in ("rls(0.99)", "rls(0.95)", "arow(0.03)")),
    *(("std", rule) for rule in ("trees", "residual trees", "neighbours(500)", "neighbours(2000)")),
    *(("quad", rule) for rule in COLUMNS),
    *(("quad", rule) for rule in ("rls", "rls(0.99)", "arow(0.003)")),
)
"""View and rule of every expert. The experts dropped as features appear are at the end."""


@dataclass(frozen=True)
class TrackerRegressor(Rule):
    """A weighted mean of many regressors with nothing to tune. Missing values are allowed."""

    engine: ClassVar[str] = "tracker.regression.regressor_engine:TrackerRegressorEngine"
    paper: ClassVar[str] = "Herbster, Warmuth 1998"
    single: ClassVar[bool] = False
    biased: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = True
    regresses: ClassVar[bool] = True
    no_bound: ClassVar[str] = (
        "the losses of the experts are divided by a running error, which no theorem of the catalogue covers"
    )

    def check(self) -> None:
        """There are no parameters."""

"""Tracker: a vote of learners on several scalings of x, for any drift, without tuning.

The light bank, ``bank="light"``, has linear experts only:

    parts     experts j = 1, ..., M; three stackers; the constants +1 and -1; shares G of all
    input     an example x; then its label y = -1 or +1 and its sample weight c

    views     scalings z of x, each with a constant and of length 1
    experts   PA-I, NORMA, diagonal and full AROW, each on one view: scores s_j = w_j.z
    stackers  scores a_1.F, a_2.V and a_3.F of the experts' scores,
              F_j = tanh(s_j / rms of s_j),  V_j = sgn s_j,  sgn 0 = +1
    vote      p = sum_{e,a,i} G[e,a,i] V_i  over all voters i: the constants, the signs of the
              stackers and those of the experts;  e and a are rates

All of it is computed before y is known. Then, in this order, unless c = 0:

    shares    G[e,a,i] *= exp(-c eta_e) where V_i is wrong;  then all of G[e] is scaled so that its
              sum, S before, is S - (1 - exp(-c/2)) U, U the wrong voters' part of S;  then
              G[e,a,i] = (1 - alpha_a) G[e,a,i] + alpha_a W pi_i;  then G is divided by its sum
    stackers  a_1 += y min(1, c/10) min(1, 1 - m) F / |F|^2  where m = y a_1.F < 1;
              a_2 likewise by V;  a_3 by full AROW on F, r = 1, gamma = 0.999
    experts   each by its rule on its own view, with margin 1 and |z| = 1:
              PA-I:   w += y min(c C, 1 - m) z  where m = y s < 1,  C = 0.01, 0.1 and infinity
              NORMA:  w = 0.97 w + c y z [m <= 1]
              AROW:   w += (1 - m) b y h,  P = (P - b h h^T) / gamma  where m < 1,  h = P z,
                      b = 1 / (z.h + r / c);  diagonal AROW keeps the diagonal of P
    views     running maxima, means and deviations take in x

W is the weight of a pair of rates. The learning rate eta_e is 1, 1/2 or 1/10. The switching rate
alpha_a is 1/(t + 1), 0.001 or 0.01 in round t. pi is the prior: half of it is on the stackers,
half on the other voters. For each learning rate the shares are a Bayes mixture over sequences of
voters, and the vote is a mixture over learning rates, at the rate 1/2. So its mistakes are bounded
by those of the best sequence with few shifts (``driftline.bounds.TrackerMistakes``). Use it if the
best scaling, the best rate and the best rule are unknown, or change.

The views are:

    std     x standardised by the running mean and deviation, clipped to [-5, 5]
    forget  like std, with a memory of 100 rounds
    max     x divided by its running maximum
    quad    all standardised features and products of two of them, standardised again; up to 10
            features

The running maximum includes x itself and at most doubles in a round; means and deviations are
those of earlier rounds. If a value is missing, "max" has the mean of the feature. If the range of
a feature is below 1/100 of its smallest distance from 0, "max" has (x - least) / range. Deviations
beyond 10 count as 10, but the first ten values of a feature are not clipped. These first values
are dropped from mean and deviation if the variance without them is below 1/1000 of the variance
with them. This is tested from the 31st to the 1000th value; from the 71st on also without the
first 50 values, and from the 271st on without the first 250.

Once more than 128 features were seen, sparse rows have only the view "max", with a constant as
long as the rest of the row. They have no full AROW, but four more experts: two diagonal AROW that
never forget, and two naive Bayes, one of them with a memory of 500 rounds:

    s = [ln (c+ + 1) / (c- + 1) + sum_i ln (n_i+ + a) / (n_i- + a)
         - m ln (t+ + a N + 1) / (t- + a N + 1)] / sqrt(m + 1)

The sum is over the m features of x that were learned before. c+ and c- count the examples of
either label, n_i the examples with feature i, t is the sum of all n_i, N the number of features;
a = 0.1.

The strong bank, ``bank="strong"``, is the default. It has the same views and linear experts, experts
for curved boundaries on the standardised features of dense rows, and one combination for any number
of classes c:

    experts   linear: with two labels as above; with more labels one head per class against the
              others, w_c, where all heads of a full AROW share P, which moves if any head moves
              forest: five Hoeffding trees, and five that are replaced every 4,000 rounds
              paths: two diagonal AROW on the nodes that x visits in 20 random trees
              waves: full AROW on 100 random cosines of x
              neighbours: the 5 nearest of the last 500 and of the last 2,000 examples
    features  F_cj = tanh(s_cj / rms of s_j);  class shares p of trees and neighbours are s = 2 p - 1
    read-outs p_c = softmax(w.F_c + b_c) by online Newton steps, with memory 1 and 0.999; then the
              same on (share of the vote, ln p, ln p') of each class; and a mixture of these four
              and of running shares of the labels, weighted by log loss: the probabilities
    vote      every voter names the class of its highest score; the class with the largest sum of
              shares G is predicted. Voters: the most frequent label so far and lately, the first
              two read-outs, the mixture, and the experts. Shares and prior are those of the light
              bank, with the read-outs in place of the stackers and the frequent labels in place
              of the constants

For sparse rows of many features, the strong bank has one more expert, a multinomial naive Bayes on
the values v_i = |x_i| / |x|:

    s = [sum_i v_i ln (n_i+ + b) / (n_i- + b) - V ln (t+ + b N + 1) / (t- + b N + 1)] / sqrt(m + 1)

The sum is over the m features of x that were learned before. V is the sum of their v_i, n_i the
sum of the v_i of either label, t the sum of all n_i; b = 0.01.

If the vote errs, the shares of the right class are at most 1/2. So its mistakes have the bound of
the light bank for any number of classes. Forest, paths and waves take part up to 128 features,
neighbours up to 300; sparse rows of many features have the experts above only. The formulas are in
``driftline.engines.joint`` and ``driftline.engines.nonlinear``. If labels come late, a second
combination judges the experts by what they said when they were asked
(``driftline.engines.joint.late_votes``).

``bank="recipe"`` has one learning rate, 1/2, and six experts for sparse rows of many features. Its
running maxima grow up to tenfold in a round. Its "max" is 0 if a value is missing and never uses
the range. It never drops the first values of a feature.

Fixed share: Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998). Mixing over
rates: Vovk. Derandomizing stochastic prediction strategies. Machine Learning 35 (1999). AROW:
Crammer, Kulesza, Dredze (2013). Naive Bayes for words: McCallum, Nigam. A comparison of event
models for naive Bayes text classification (1998). Length normalisation: Rennie, Shih, Teevan, Karger.
Tackling the poor assumptions of naive Bayes text classifiers (2003).
Differs from the paper: the variances of AROW are divided by a gamma below 1 on each update and
kept below a limit, so that it forgets. The two naive Bayes of the light bank count whether a feature
is present, not how often. Log odds are divided by sqrt(m + 1), because they are overconfident on long
texts. The multinomial naive Bayes has no prior for the labels, does not take logarithms of values and
has no inverse document frequencies. The combination of these parts is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from driftline.internals.require import one_of
from driftline.rules.rule import Rule

# experts, margin 1 on examples of length 1
PA_C = (0.01, 0.1, np.inf)
NORMA_STEP, NORMA_FORGETS = 1.0, 0.03
DIAGONAL_R, DIAGONAL_GAMMA = (0.1, 100.0), (0.998, 0.99)
FULL_R, FULL_GAMMA = (0.1, 1.0), (1.0, 0.998)
MOST_VARIANCE = 1e3
STATIC_R = (0.1, 10.0)
SMOOTHING, BAYES_STAYS = 0.1, 0.998
VALUE_SMOOTHING = 0.01
# views
CLIP, WINSOR, WARM, GROWTH, FAR = 5.0, 10.0, 10.0, 2.0, 0.01
SURE, FALSE, YOUNG, AGAIN = 20, 1000.0, 1000, (50, 250)
PLAIN_GROWTH = 10.0
STAYS = 1.0 - 1.0 / 100.0
QUAD_FEATURES, FULL_FEATURES, DENSE_FEATURES = 10, 300, 128
BEYOND = 1e60  # a value with |x| >= BEYOND counts as infinite
# stackers
RMS_STAYS = 0.999
STACK_RATE, STACK_R, STACK_GAMMA, STACK_TRACE = 0.1, 1.0, 0.999, 10.0
# shares
RATE = 0.5
RATES = (1.0, RATE, 0.1)
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
"""View and rule of every expert. The experts dropped as features appear are at the end."""
WORDS = ("static arow(r=0.1)", "static arow(r=10)", "bayes", "bayes(memory=500)")
"""The seventh to tenth expert for sparse rows of many features; otherwise ``BANK`` lists them."""
VALUES = ("unit", "multinomial bayes")
"""View and rule of the eleventh such expert, in the strong bank only."""
SPARSE_BANK, WORDS_BANK, WIDE_BANK, DENSE_BANK, FULL_BANK = 6, 10, 18, 22, 30
"""The number of experts for sparse rows of many features, in "recipe" and in "light"; for other
rows of more than 300 features, of more than 10, and of at most 10."""
VALUES_BANK = WORDS_BANK + 1
"""The number of linear experts for sparse rows of many features in "strong"."""
OTHERS = (
    ("constant", "+1"),
    ("constant", "-1"),
    ("stacker", "of scores"),
    ("stacker", "of signs"),
    ("stacker", "arow"),
)
"""The voters before the experts."""
JOINT_OTHERS = (
    ("label", "most frequent"),
    ("label", "most frequent lately"),
    ("read-out", "softmax"),
    ("read-out", "softmax(memory=1000)"),
    ("read-out", "mixture"),
)
"""The voters before the experts in the strong bank."""
BANKS = ("strong", "light", "recipe")
LIGHT, FORMER_LIGHT = "light", "extended"


def experts_of(members: int) -> tuple[tuple[str, str], ...]:
    """View and rule of each expert in a bank of ``members`` experts.

    >>> experts_of(18)[9], experts_of(10)[9]
    (('std', 'norma'), ('max', 'bayes(memory=500)'))
    >>> experts_of(11)[10]
    ('unit', 'multinomial bayes')
    """
    if members not in (WORDS_BANK, VALUES_BANK):
        return BANK[:members]
    return (*BANK[:SPARSE_BANK], *(("max", rule) for rule in WORDS), VALUES)[:members]


@dataclass(frozen=True)
class Tracker(Rule):
    """A vote of many learners with nothing to tune. Missing and infinite values are allowed.

    ``bank`` is "strong"; "light" for the linear experts only, which "extended" means too; or "recipe"
    for the Tracker as it was first published, for comparison.
    """

    bank: Literal["strong", "light", "extended", "recipe"] = "strong"
    engine: ClassVar[str] = "joint.bank_choice:two_labels"
    paper: ClassVar[str] = "Herbster, Warmuth 1998"
    single: ClassVar[bool] = False
    biased: ClassVar[bool] = False
    voting: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True
    elects: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("tracker", "tracker-expected", "tracker-stacker")

    def check(self) -> None:
        """``bank`` is "strong", "light" or "recipe"; "extended" is the former name of "light"."""
        if self.bank == FORMER_LIGHT:
            object.__setattr__(self, "bank", LIGHT)
        one_of("Tracker", "bank", self.bank, BANKS)

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates."""
        return (RATE,) if self.plain else RATES

    @property
    def sparse(self) -> int:
        """The number of experts for sparse rows of many features."""
        return {"recipe": SPARSE_BANK, LIGHT: WORDS_BANK}.get(self.bank, VALUES_BANK)

    @property
    def plain(self) -> bool:
        """Whether the view "max" is only x divided by its running maximum, without the range."""
        return self.bank == "recipe"

"""The weights of features in the strong bank.

The weight of a feature is the slope of the smooth counterpart of the vote (``smooth_vote``) near
the mean of all features, where all scores are 0. For linear experts it is that of the light bank;
the multinomial naive Bayes adds what a feature of average value adds to a row of average length.
For nonlinear experts it is half of the difference between the scores of two rows: one standard
deviation above and below the mean of this feature, at the mean of all others. With several classes
the weight compares a class with the mean of the others.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.joint.attribution import by_head, experts_of_head, explained_class
from driftline.engines.joint.families import EXPERTS, FIRST, SHARES
from driftline.engines.joint.joint_bank import JointBank
from driftline.engines.joint.multinomial_bayes import MULTINOMIAL, PAIR, multinomial_terms, smoothing_of_totals
from driftline.engines.joint.smooth_vote import smooth_vote
from driftline.engines.tracker.feature_weights import deviations, mean_length, named_by_index, slot_weights
from driftline.engines.tracker.state import LINE, MEMBERS, SEEN, SLOTS, STD
from driftline.engines.tracker.voting import EXPERTS as OTHERS
from driftline.internals.compiled import Floats
from driftline.rules.tracker.tracker import VALUES_BANK


def feature_weights(bank: JointBank, k: int) -> dict[int, float]:
    """Index of each feature to its weight for +1 or class k; weights of 0 are left out."""
    shares, squares, active = bank.shares(), bank.combination.squares, np.zeros(EXPERTS, np.uint8)
    active[[i - OTHERS for i in bank.voters()[OTHERS:]]] = 1
    scores, c = np.zeros((bank.classes, EXPERTS)), explained_class(bank, k)
    factors = smooth_vote(bank.combination, scores, squares, shares, active, c)[1]
    factors = by_head(factors, bank.classes if bank.several else 1)
    members, by_slot = int(bank.own[MEMBERS]), np.zeros(int(bank.own[SLOTS]))
    for head in range(len(factors)):
        by_slot += slot_weights(experts_of_head(bank, head), factors[head, :members])
        if members == VALUES_BANK:
            by_slot += factors[head, MULTINOMIAL] * multinomial_weights(bank, head)
    for word in bank.curved:
        if word not in bank.left:
            by_slot += family_weights(bank, word, factors)
    return named_by_index(bank.views, by_slot)


def multinomial_weights(bank: JointBank, head: int) -> Floats:
    """The change of the score of the multinomial naive Bayes if a feature is added to an average row.

    The value of the feature is then 1 / sqrt(length), as if all values of the row were equal.
    """
    heads, places = bank.heads, slice(0, int(bank.own[SLOTS]) + 1)
    own, sums = heads.own[head], heads.value_sums[head].reshape(-1, PAIR)[places]
    length = mean_length(own, heads.sparse_lines[head].reshape(-1, LINE))
    units = np.full(len(sums), 1.0 / np.sqrt(length))
    return multinomial_terms(sums[0] + smoothing_of_totals(own[SEEN]), sums, units, length)[1:]


def family_weights(bank: JointBank, word: str, factors: Floats) -> Floats:
    """The weight of each slot in a family of nonlinear experts; 0 for a feature that has not varied."""
    family, d = bank.curved[word], int(bank.own[SLOTS])
    Z, known = np.vstack([np.eye(d), -np.eye(d)]), np.full(2 * d, d)
    found = np.zeros((2 * d, family.experts, bank.mass.shape[1]))
    family.learn(Z, known, np.zeros(2 * d, np.int64), np.zeros(2 * d), found)  # rows of weight 0 are only scored
    classes = slice(1, 2) if len(factors) == 1 else slice(len(factors))
    changes = 0.5 * (found[:d] - found[d:])[:, :, classes]
    if word in SHARES:
        changes *= 2.0
    own = factors[:, FIRST[word] : FIRST[word] + family.experts]
    weights: Floats = np.einsum("iec,ce->i", changes, own)
    return np.where(deviations(bank.views.course, STD, d)[1], weights, 0.0)

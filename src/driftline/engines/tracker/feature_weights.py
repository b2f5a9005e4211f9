"""The weights of features in a tracker, over all its experts and stackers.

The weight of a feature is the slope of the smooth counterpart of the vote (see ``attribution``):
how much one standard deviation of the feature changes it, near the mean of all features and for
an example of average length. Products of features have no slope there and are left out. For
sparse rows of many features, of which no deviations are known, the weight is the change if the
feature is added with its largest value so far to a row of average length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from driftline.engines.tracker.attribution import experts_in, factors
from driftline.engines.tracker.expert_terms import Experts, bayes_terms, columns, feature_of_slot
from driftline.engines.tracker.sparse_experts import AT, COUNTS
from driftline.engines.tracker.state import (
    FORGET,
    FORGET_VIEW,
    HIGH,
    LINE,
    LOW,
    MAX_VIEW,
    PLAIN,
    QUAD_VIEW,
    SCALES,
    SLOTS,
    STD,
    STD_VIEW,
    TOTALS,
    Views,
    block_of,
)
from driftline.internals.compiled import Floats
from driftline.rules.tracker.tracker import DENSE_BANK, FAR, FULL_BANK, WIDE_BANK, WORDS_BANK

if TYPE_CHECKING:
    from driftline.engines.tracker.tracker_engine import TrackerEngine


def feature_weights(engine: TrackerEngine) -> dict[int, float]:
    """Index of each feature to its weight; weights of 0 are left out."""
    members = engine.members
    slopes = factors(engine, np.zeros(members), engine.voting.squares[:members], engine.shares())
    return named_by_index(engine.views, slot_weights(experts_in(engine), slopes))


def named_by_index(views: Views, by_slot: Floats) -> dict[int, float]:
    """Index of each feature to its weight, given the weight of each slot; 0 is left out."""
    feature = feature_of_slot(views, by_slot.size)
    return {int(feature[slot]): float(by_slot[slot]) for slot in np.flatnonzero(by_slot)}


def slot_weights(experts: Experts, slopes: Floats) -> Floats:
    """The weight of each slot, given the factor of each expert that has not left."""
    return _sparse(experts, slopes) if slopes.size < WIDE_BANK else _dense(experts, slopes)


def _dense(experts: Experts, slopes: Floats) -> Floats:
    """The weight of each slot, in standard deviations."""
    scales, bank, views, members = experts.scales, experts.bank, experts.views, slopes.size
    d = int(experts.own[SLOTS])
    places = np.arange(1, d + 1)
    deviation, varies = deviations(views.course, STD, d)
    recent, also = deviations(views.course, FORGET, d)
    std = np.where(varies, 1.0, 0.0) / np.sqrt(1.0 + np.count_nonzero(varies))
    forget = np.where(also, deviation / recent, 0.0) / np.sqrt(1.0 + np.count_nonzero(also))
    largest = deviation * _scale_of_max(experts, d)
    found = std * (slopes[6:12] @ columns(bank.std, places, scales[SCALES + STD_VIEW]))
    found += forget * (slopes[12:18] @ columns(bank.forget, places, scales[SCALES + FORGET_VIEW]))
    found += largest * (slopes[:6] @ columns(bank.max, places, scales[SCALES + MAX_VIEW]))
    if members >= DENSE_BANK:
        found += std * (slopes[18:20] @ bank.means[:2, 1 : d + 1])
        found += largest * (slopes[20:22] @ bank.means[2:4, 1 : d + 1])
    if members == FULL_BANK:
        size = int(block_of(d))
        spread, paired = deviations(views.pairs, 0, size)
        alone = np.array([int(block_of(j)) for j in range(d)], np.intp)
        quad = np.where(paired, 1.0 / spread, 0.0)[alone] / np.sqrt(1.0 + np.count_nonzero(paired))
        found += quad * (slopes[22:28] @ columns(bank.quad, alone + 1, scales[SCALES + QUAD_VIEW]))
        found += quad * (slopes[28:30] @ bank.quad_means[:, alone + 1])
    return found


def deviations(moments: Floats, at: int, size: int) -> tuple[Floats, np.ndarray]:
    """The standard deviations, 1 for a feature that has not varied, and which features have."""
    mean, variance, count = moments[at : at + 3, :size]
    varies = (count > 1.0) & (variance > 1e-20 * (1e-200 + mean * mean))
    return np.sqrt(np.where(varies, variance, 1.0)), varies


def _scale_of_max(experts: Experts, d: int) -> Floats:
    """The change of each place of the view "max" per unit of its feature, in an average example."""
    course, highest = experts.views.course[:, :d], experts.views.highest[:d]
    low, high, mean, variance = course[LOW], course[HIGH], course[STD], course[STD + 1]
    far = (high > low) & (high - low < FAR * np.minimum(np.abs(low), np.abs(high)))
    far &= experts.own[PLAIN] == 0.0
    span = np.where(far, high - low, highest)
    scale = np.where(span > 0.0, 1.0 / np.where(span > 0.0, span, 1.0), 0.0)
    squares = (np.square(mean - np.where(far, low, 0.0)) + variance) * scale * scale
    scaled: Floats = scale / np.sqrt(1.0 + squares.sum())
    return scaled


def _sparse(experts: Experts, slopes: Floats) -> Floats:
    """The weight of each slot for sparse rows of many features."""
    scales, bank, d = experts.scales, experts.bank, int(experts.own[SLOTS])
    places = np.arange(d + 1)
    found = slopes[:6] @ columns(bank.max, places, scales[SCALES + MAX_VIEW])
    length = 1.0
    if slopes.size >= WORDS_BANK:
        lines = bank.sparse_lines.reshape(-1, LINE)[places]
        found += slopes[AT : AT + 2] @ lines[:, :2].T
        rounds = float(lines[0, COUNTS] + lines[0, COUNTS + 1])
        length = mean_length(scales, lines)
        bayes = bayes_terms(scales, lines, length) if rounds > 0.0 else np.zeros((2, d + 1))
        return np.asarray(found / np.sqrt(2.0 * length) + slopes[AT + 2 : AT + 4] @ bayes)[1:]
    return np.asarray(found / np.sqrt(2.0 * length))[1:]


def mean_length(scales: Floats, lines: Floats) -> float:
    """The mean number of features of the sparse rows that were learned, at least 1."""
    rounds = float(lines[0, COUNTS] + lines[0, COUNTS + 1])
    return max(1.0, float(scales[TOTALS] + scales[TOTALS + 1]) / rounds) if rounds > 0.0 else 1.0

"""The terms of the scores of linear experts, by place, and the features that the places belong to.

Every score is a sum over the places of one view: w.z, or for naive Bayes the logarithms of odds.
The place of a feature belongs to this feature, a product of two features to both by halves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.tracker.sparse_experts import AT, COUNTS, FORGOTTEN
from driftline.engines.tracker.state import (
    FORGET_VIEW,
    GROWN,
    LINE,
    MAX_VIEW,
    MEMBERS,
    QUAD_VIEW,
    SCALES,
    SEEN,
    SLOTS,
    STD_VIEW,
    TOTALS,
    Bank,
    Views,
    Workspace,
    X,
    Z,
    block_of,
)
from driftline.internals.compiled import Floats, Indices
from driftline.rules.tracker.tracker import BEYOND, DENSE_BANK, FULL_BANK, SMOOTHING, WIDE_BANK, WORDS_BANK

NORMA = 3
"""The column of NORMA."""
Terms = tuple[slice, np.ndarray, Floats]
"""Some experts, places, and the terms of their scores: a row per expert and a column per place.

A place is 0 for the constant, otherwise slot + 1; a product of the slots i and j has the place
-1 - (its index in ``pair_slots``)."""


class Experts(NamedTuple):
    """The linear experts of a light bank, or of one head of a strong bank.

    ``own`` has the counters of the bank. ``scales`` is indexed like ``own`` and has the scales of
    NORMA and the totals of naive Bayes; in a light bank it is the same array.
    """

    own: Floats
    scales: Floats
    views: Views
    bank: Bank
    workspace: Workspace


def expert_terms(experts: Experts, members: int, size: int) -> list[Terms]:
    """The terms that the scores of all experts are sums of, for the row in the workspace.

    ``size`` is the number of entries of its view, if it is a sparse row of many features.
    """
    if members < WIDE_BANK:
        return _sparse_terms(experts, size)
    own, bank, rows, scales = experts.own, experts.bank, experts.workspace.rows, experts.scales[SCALES:]
    n = int(own[SLOTS]) + 1
    places = np.arange(n)
    zmax, zstd, zforget = (rows[Z + view, :n] for view in (MAX_VIEW, STD_VIEW, FORGET_VIEW))
    found = [
        (slice(0, 6), places, columns(bank.max, places, scales[MAX_VIEW]) * zmax),
        (slice(6, 12), places, columns(bank.std, places, scales[STD_VIEW]) * zstd),
        (slice(12, 18), places, columns(bank.forget, places, scales[FORGET_VIEW]) * zforget),
    ]
    if members >= DENSE_BANK:
        found += [
            (slice(18, 20), places, bank.means[0:2, :n] * zstd),
            (slice(20, 22), places, bank.means[2:4, :n] * zmax),
        ]
    if members == FULL_BANK:
        size = int(block_of(n - 1)) + 1
        zquad, pairs = experts.workspace.pair[1, :size], quad_places(n - 1)
        found += [
            (slice(22, 28), pairs, columns(bank.quad, np.arange(size), scales[QUAD_VIEW]) * zquad),
            (slice(28, 30), pairs, bank.quad_means[:, :size] * zquad),
        ]
    return found


def add_terms(by_slot: Floats, constant: float, terms: list[Terms], factors: Floats) -> float:
    """Add the terms of the experts, times the factor of each expert, to the slots.

    Return the constant plus the terms of place 0.
    """
    for experts, places, part in terms:
        total = factors[experts] @ part
        constant += float(total[places == 0].sum())
        _add_to_slots(by_slot, places, total)
    return constant


def columns(lines: Floats, places: np.ndarray, scale: float) -> Floats:
    """The weights of the six columns of a view at these places, a row per column."""
    weights: Floats = lines[: lines.size // LINE * LINE].reshape(-1, LINE)[places, :6].T.copy()
    weights[NORMA] *= scale
    return weights


def quad_places(slots: int) -> np.ndarray:
    """The place of each number of the view "quad" of this many slots; see ``Terms``."""
    found = [0]
    for j in range(slots):
        first = j * (j + 1) // 2
        found += [j + 1, *(-1 - (first + i) for i in range(j + 1))]
    return np.array(found)


def pair_slots(pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The slots i <= j of products, given their indices j (j + 1) / 2 + i."""
    j = ((np.sqrt(8.0 * pair + 1.0) - 1.0) / 2.0).astype(np.intp)
    return pair - j * (j + 1) // 2, j


def _add_to_slots(by_slot: Floats, places: np.ndarray, terms: Floats) -> None:
    """Add the terms of these places to their slots; those of products by halves."""
    single = places > 0
    np.add.at(by_slot, places[single] - 1, terms[single])
    double = places < 0
    for slots in pair_slots(-1 - places[double]):
        np.add.at(by_slot, slots, 0.5 * terms[double])


def _sparse_terms(experts: Experts, size: int) -> list[Terms]:
    """``expert_terms`` for sparse rows of many features."""
    scales, bank, workspace = experts.scales, experts.bank, experts.workspace
    places, z = workspace.places[:size].astype(np.intp), workspace.entries[0, :size]
    found = [(slice(0, 6), places, columns(bank.max, places, scales[SCALES + MAX_VIEW]) * z)]
    if not WORDS_BANK <= experts.own[MEMBERS] < WIDE_BANK:
        return found
    lines = bank.sparse_lines.reshape(-1, LINE)[places]
    found.append((slice(AT, AT + 2), places, lines[:, :2].T * z))
    found.append((slice(AT + 2, AT + 4), places, bayes_terms(scales, lines)))
    return found


def bayes_terms(scales: Floats, lines: Floats, length: float | None = None) -> Floats:
    """The terms of the scores of the two naive Bayes; the first line is that of the constant.

    ``length`` is the number of learned features of the row; None counts those of ``lines``.
    """
    learned = lines[:, COUNTS] + lines[:, COUNTS + 1] > 0.0
    learned[0] = False
    found = np.zeros((2, len(lines)))
    added = SMOOTHING * scales[SEEN] + 1.0
    for e, (at, grown) in enumerate(((COUNTS, 1.0), (FORGOTTEN, float(scales[GROWN])))):
        less, more = lines[:, at], lines[:, at + 1]
        totals = scales[TOTALS + 2 * e : TOTALS + 2 * e + 2] + added * grown
        each = np.log((more + SMOOTHING * grown) / (less + SMOOTHING * grown)) - np.log(totals[1] / totals[0])
        found[e] = np.where(learned, each, 0.0)
        found[e, 0] = np.log((more[0] + grown) / (less[0] + grown))
    scaled: Floats = found / np.sqrt((np.count_nonzero(learned) if length is None else length) + 1.0)
    return scaled


# features -------------------------------------------------------------------------------------------------------------
class ByFeature(NamedTuple):
    """Contributions of the entries of a row and of absent features, and the features without a value."""

    entries: Floats
    absent: dict[int, float]
    missing: frozenset[int]


def entries_in_view(views: Views, indices: Indices, values: Floats) -> int:
    """The number of entries of a sparse view of many features: the constant and the known features."""
    return 1 + int(np.count_nonzero(there(views, indices) & known_values(values) & (values != 0.0)))


def by_feature(experts: Experts, members: int, indices: Indices, values: Floats, by_slot: Floats) -> ByFeature:
    """The contributions ``by_slot``, for the row in the workspace."""
    present, feature = there(experts.views, indices), feature_of_slot(experts.views, by_slot.size)
    slots = experts.views.slots[indices[present]].astype(np.intp) - 1
    entries, others = np.zeros(values.size), by_slot.copy()
    entries[present] = by_slot[slots]
    others[slots] = 0.0
    absent = {int(feature[slot]): float(others[slot]) for slot in np.flatnonzero(others)}
    missing = set(indices[~known_values(values)].tolist())
    if members >= WIDE_BANK:
        missing |= set(feature[np.isnan(experts.workspace.rows[X, : feature.size])].tolist())
    return ByFeature(entries, absent, frozenset(missing))


def feature_of_slot(views: Views, slots: int) -> np.ndarray:
    """The index of the feature of each slot."""
    found = np.zeros(slots, np.intp)
    known = np.flatnonzero(views.slots)
    found[views.slots[known].astype(np.intp) - 1] = known
    return found


def there(views: Views, indices: Indices) -> np.ndarray:
    """Whether each of these features has a slot."""
    found = indices < views.slots.size
    found[found] = views.slots[indices[found]] > 0
    return found


def known_values(values: Floats) -> np.ndarray:
    """Whether each value is neither missing nor infinite."""
    return np.asarray(np.abs(values) < BEYOND)

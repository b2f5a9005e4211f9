"""The contributions of features to the vote of a tracker, through its experts and stackers.

The vote is a sum of signs, which belongs to no feature. Its smooth counterpart is

    p = G+ - G- + sum_j G_j F_j + sum_k G_k tanh(c_k),    F_j = tanh(s_j / rms_j)

G are the shares of the voters, s_j the scores of the experts and c_k = a_k.F those of the
stackers, here also for the stacker of signs. Every s_j is a sum over the places of one view: w.z,
or for naive Bayes the logarithms of odds. A function f of such a sum is replaced by its secant,
f(s) = (f(s) / s) s, which is exact for this row. So p is a sum over places. The place of a feature
belongs to this feature, a product of two features to both by halves, and the constant of a view
to the constant of the attribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from driftline.engines.attribution import Attribution, entries_of
from driftline.engines.tracker.sparse_experts import AT, COUNTS, FORGOTTEN
from driftline.engines.tracker.state import (
    FORGET_VIEW,
    GROWN,
    LINE,
    MAX_VIEW,
    MEMBERS,
    QUAD_VIEW,
    ROUNDS,
    SCALES,
    SEEN,
    SLOTS,
    SPARSE,
    STD_VIEW,
    TOTALS,
    X,
    Z,
    block_of,
)
from driftline.engines.tracker.views import members_of
from driftline.engines.tracker.voting import EXPERTS, MINUS, PLUS, STACKERS, redistribute_shares, set_prior_shares
from driftline.internals.compiled import Floats, Indices
from driftline.internals.rows import DenseRows, Rows
from driftline.rules.tracker.tracker import BEYOND, DENSE_BANK, FULL_BANK, SMOOTHING, WIDE_BANK, WORDS_BANK

if TYPE_CHECKING:
    from driftline.engines.tracker.tracker_engine import TrackerEngine

NORMA = 3
"""The column of NORMA."""
LEAST_SQUARE = 1e-18
"""Mean square of the scores of an expert below which it counts as silent, as in the vote."""


def attribute(engine: TrackerEngine, row: Rows) -> Attribution:
    """The contributions to the smooth counterpart of the vote on one row."""
    indices, values = entries_of(row)
    vote, members, shares = scored(engine, row, indices)
    present = there(engine, indices)
    terms = expert_terms(engine, members, 1 + int(np.count_nonzero(present & known_values(values) & (values != 0.0))))
    coefficients = secants(engine, members, shares)
    by_slot = np.zeros(int(engine.own[SLOTS]))
    constant = float(shares[PLUS] - shares[MINUS])
    for experts, places, part in terms:
        total = coefficients[experts] @ part
        constant += float(total[places == 0].sum())
        _add_to_slots(by_slot, places, total)
    slots = engine.views.slots[indices[present]].astype(np.intp) - 1
    entries = np.zeros(values.size)
    entries[present] = by_slot[slots]
    by_slot[slots] = 0.0
    feature = feature_of_slot(engine)
    others = np.flatnonzero(by_slot)
    return Attribution(
        entries,
        constant,
        absent={int(feature[slot]): float(by_slot[slot]) for slot in others},
        missing=_missing(engine, members, indices, values, feature),
        vote=vote,
        method="proportional",
    )


def scored(engine: TrackerEngine, row: Rows, indices: Indices) -> tuple[float, int, Floats]:
    """Score one row; return the vote, the number of experts in it, and the shares of all voters.

    Views and scores of the row are then in the workspace of the engine.
    """
    from driftline.engines.tracker.tracker_engine import score  # imported late: it imports this module

    given, found = engine.given(row), np.zeros(1)
    own, views, voting = engine.own, engine.views, engine.voting
    score(own, views, engine.bank, voting, engine.workspace, *given, found)
    members = int(own[MEMBERS])
    seen = int(own[SLOTS]) + int(np.count_nonzero(~there(engine, indices)))
    left = int(members_of(members, seen, isinstance(row, DenseRows), int(own[SPARSE])))
    shares = voting.shares
    if left != members:
        shares = np.zeros_like(shares)
        if own[ROUNDS] == 0.0:
            set_prior_shares(shares, left)
        else:
            redistribute_shares(voting.shares, shares, left)
    return float(found[0]), left, shares[:, : EXPERTS + left].sum(axis=0)


def secants(engine: TrackerEngine, members: int, shares: Floats) -> Floats:
    """The factor of the score of each expert in the smooth counterpart of the vote."""
    workspace = engine.workspace
    return factors(engine, workspace.scores[:members], workspace.squares[:members], shares)


def factors(engine: TrackerEngine, scores: Floats, squares: Floats, shares: Floats) -> Floats:
    """``secants`` for experts with these scores and mean squares of scores."""
    stack, size = engine.voting.stack[:, : scores.size], np.sqrt(squares)
    silent = (squares <= LEAST_SQUARE) | ~np.isfinite(scores)
    size[silent] = 1.0
    s = np.where(silent, 0.0, scores)
    slopes = np.where(silent, 0.0, tanh_secant(s / size) / size)
    stacked = stack @ (slopes * s)
    through = shares[STACKERS:EXPERTS] * tanh_secant(stacked)
    made: Floats = slopes * (shares[EXPERTS:] + through @ stack)
    return made


def tanh_secant(t: Floats) -> Floats:
    """tanh(t) / t, which is 1 at 0."""
    zero = t == 0.0
    return np.where(zero, 1.0, np.tanh(t) / np.where(zero, 1.0, t))


# the terms of the scores ----------------------------------------------------------------------------------------------
Terms = tuple[slice, np.ndarray, Floats]
"""Some experts, places, and the terms of their scores: a row per expert and a column per place.

A place is 0 for the constant, otherwise slot + 1; a product of the slots i and j has the place
-1 - (its index in ``pair_slots``)."""


def expert_terms(engine: TrackerEngine, members: int, size: int) -> list[Terms]:
    """The terms that the scores of all experts are sums of, for the row in the workspace.

    ``size`` is the number of entries of its view, if it is a sparse row of many features.
    """
    if members < WIDE_BANK:
        return _sparse_terms(engine, size)
    own, bank, rows = engine.own, engine.bank, engine.workspace.rows
    n = int(own[SLOTS]) + 1
    places = np.arange(n)
    zmax, zstd, zforget = (rows[Z + view, :n] for view in (MAX_VIEW, STD_VIEW, FORGET_VIEW))
    found = [
        (slice(0, 6), places, columns(bank.max, places, own[SCALES + MAX_VIEW]) * zmax),
        (slice(6, 12), places, columns(bank.std, places, own[SCALES + STD_VIEW]) * zstd),
        (slice(12, 18), places, columns(bank.forget, places, own[SCALES + FORGET_VIEW]) * zforget),
    ]
    if members >= DENSE_BANK:
        found += [
            (slice(18, 20), places, bank.means[0:2, :n] * zstd),
            (slice(20, 22), places, bank.means[2:4, :n] * zmax),
        ]
    if members == FULL_BANK:
        size = int(block_of(n - 1)) + 1
        zquad, pairs = engine.workspace.pair[1, :size], quad_places(n - 1)
        found += [
            (slice(22, 28), pairs, columns(bank.quad, np.arange(size), own[SCALES + QUAD_VIEW]) * zquad),
            (slice(28, 30), pairs, bank.quad_means[:, :size] * zquad),
        ]
    return found


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


def _sparse_terms(engine: TrackerEngine, size: int) -> list[Terms]:
    """``expert_terms`` for sparse rows of many features."""
    own, bank, workspace = engine.own, engine.bank, engine.workspace
    places, z = workspace.places[:size].astype(np.intp), workspace.entries[0, :size]
    found = [(slice(0, 6), places, columns(bank.max, places, own[SCALES + MAX_VIEW]) * z)]
    if own[MEMBERS] != WORDS_BANK:
        return found
    lines = bank.sparse_lines.reshape(-1, LINE)[places]
    found.append((slice(AT, AT + 2), places, lines[:, :2].T * z))
    found.append((slice(AT + 2, AT + 4), places, bayes_terms(own, lines)))
    return found


def bayes_terms(own: Floats, lines: Floats, length: float | None = None) -> Floats:
    """The terms of the scores of the two naive Bayes; the first line is that of the constant.

    ``length`` is the number of learned features of the row; None counts those of ``lines``.
    """
    learned = lines[:, COUNTS] + lines[:, COUNTS + 1] > 0.0
    learned[0] = False
    found = np.zeros((2, len(lines)))
    added = SMOOTHING * own[SEEN] + 1.0
    for e, (at, grown) in enumerate(((COUNTS, 1.0), (FORGOTTEN, float(own[GROWN])))):
        less, more = lines[:, at], lines[:, at + 1]
        totals = own[TOTALS + 2 * e : TOTALS + 2 * e + 2] + added * grown
        each = np.log((more + SMOOTHING * grown) / (less + SMOOTHING * grown)) - np.log(totals[1] / totals[0])
        found[e] = np.where(learned, each, 0.0)
        found[e, 0] = np.log((more[0] + grown) / (less[0] + grown))
    scaled: Floats = found / np.sqrt((np.count_nonzero(learned) if length is None else length) + 1.0)
    return scaled


# features -------------------------------------------------------------------------------------------------------------
def feature_of_slot(engine: TrackerEngine) -> np.ndarray:
    """The index of the feature of each slot."""
    slots = engine.views.slots
    found = np.zeros(int(engine.own[SLOTS]), np.intp)
    there = np.flatnonzero(slots)
    found[slots[there].astype(np.intp) - 1] = there
    return found


def there(engine: TrackerEngine, indices: Indices) -> np.ndarray:
    """Whether each of these features has a slot."""
    slots = engine.views.slots
    found = indices < slots.size
    found[found] = slots[indices[found]] > 0
    return found


def known_values(values: Floats) -> np.ndarray:
    """Whether each value is neither missing nor infinite."""
    return np.asarray(np.abs(values) < BEYOND)


def _missing(
    engine: TrackerEngine, members: int, indices: Indices, values: Floats, feature: np.ndarray
) -> frozenset[int]:
    """The features whose values are missing in the row, given or not."""
    given = set(indices[~known_values(values)].tolist())
    if members < WIDE_BANK:
        return frozenset(given)
    return frozenset(given | set(feature[np.isnan(engine.workspace.rows[X, : feature.size])].tolist()))

"""The engine of the tracker: all experts score a row and vote, and then all of them learn it.

Scoring changes nothing, so a score equals the score that learning would return. The effect of a
row depends only on the rows before it, never on the block. A feature gets a slot in the row in
which it first appears, and experts for fewer features are removed in that row too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.engines.array_checks import without
from driftline.engines.attribution import Attribution
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import LEARNED, NO_VOTES, Engine, extent_of
from driftline.engines.state import EVENT, FIRST, LABEL, SCORE, UPDATED, UPDATES, WEIGHT, tally
from driftline.engines.tracker.array_shapes import arrays_of, checked, new_parts, new_workspace, roomy, shed, trimmed
from driftline.engines.tracker.calibration import (
    Calibration,
    calibrate,
    drop_experts,
    new_calibration,
    probability,
)
from driftline.engines.tracker.calibration_arrays import SAVED, copied, learned_arrays, restored, saved_arrays
from driftline.engines.tracker.experts import dot, score_columns, score_entries, train_arow, train_columns
from driftline.engines.tracker.sparse_experts import open_line, score_sparse_experts, train_sparse_experts
from driftline.engines.tracker.state import (
    FORGET_VIEW,
    GROWN,
    GUARDED,
    LINE,
    MAX_VIEW,
    MEMBERS,
    MISSING,
    OWN,
    PLAIN,
    PROBABILITY,
    QUAD_VIEW,
    ROUNDS,
    SCALES,
    SINCE,
    SLOTS,
    SPARSE,
    STD_VIEW,
    VOTERS,
    Bank,
    H,
    Views,
    Votes,
    Voting,
    Workspace,
    Z,
    block_of,
)
from driftline.engines.tracker.views import count_new, keep_maxima, keep_moments, look_dense, look_sparse, members_of
from driftline.engines.tracker.voting import (
    EXPERTS,
    begin,
    learn_votes,
    redistribute_shares,
    remove_experts,
    set_prior_shares,
    vote,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.rules.tracker.tracker import (
    DENSE_BANK,
    DENSE_FEATURES,
    FULL_BANK,
    FULL_GAMMA,
    FULL_R,
    MOST_VARIANCE,
    OTHERS,
    SPARSE_BANK,
    WIDE_BANK,
    WORDS_BANK,
    Tracker,
    experts_of,
)

if TYPE_CHECKING:
    from driftline.engines.tracker.row_call import RowCall

NO_INDICES = np.zeros(0, np.uint32)
NO_INDPTR = np.zeros(1, np.uint64)
ENTRIES = 256  # initial room for the entries of a sparse row
# the index among the experts of the columns of each view and of the full AROW of three views; the
# columns of "max" start at 0
STD_AT, FORGET_AT, STD_AROW, MAX_AROW, QUAD_AT, QUAD_AROW = 6, 12, 18, 20, 22, 28


@jit
def admit(
    own: Floats, views: Views, bank: Bank, voting: Voting, calibration: Calibration, dense: bool, indices: Indices
) -> None:
    """Assign slots to the new features of a row; remove the experts for fewer features."""
    new = count_new(views.slots, indices)
    if new == 0 and own[ROUNDS] > 0.0 and (dense or own[SLOTS] <= DENSE_FEATURES or own[MEMBERS] < WIDE_BANK):
        return
    slot = int(own[SLOTS])
    members = members_of(int(own[MEMBERS]), slot + new, dense, int(own[SPARSE]))
    if own[ROUNDS] == 0.0:
        begin(voting, members)
    elif members < own[MEMBERS]:
        remove_experts(voting, members)
        drop_experts(calibration, members)
    if members == WORDS_BANK and own[MEMBERS] != WORDS_BANK:
        for place in range(slot + 1):
            open_line(bank.sparse_lines, place)
    own[MEMBERS] = members
    own[SLOTS] += new
    for j in range(indices.size):
        k = indices[j]
        if views.slots[k] == 0:
            views.slots[k] = slot + 1
            open_slot(own, views, bank, members, slot)
            slot += 1


@jit
def open_slot(own: Floats, views: Views, bank: Bank, members: int, slot: int) -> None:
    """Set the variances of a new slot to 1 in all experts."""
    place = slot + 1
    set_unit_variances(bank.max, place)
    if members == WORDS_BANK:
        open_line(bank.sparse_lines, place)
    if members < WIDE_BANK:
        return
    views.course[SINCE, slot] = own[ROUNDS]
    set_unit_variances(bank.std, place)
    set_unit_variances(bank.forget, place)
    if members >= DENSE_BANK:
        for e in range(4):
            bank.factors[e, place * (place + 1) // 2 + place] = 1.0
    if members == FULL_BANK:
        for place in range(block_of(slot) + 1, block_of(slot + 1) + 1):
            set_unit_variances(bank.quad, place)
            for e in range(2):
                bank.quad_factors[e, place * (place + 1) // 2 + place] = 1.0


@jit
def set_unit_variances(lines: Floats, place: int) -> None:
    """Set the variances of the two diagonal AROW at a new place to 1."""
    lines[LINE * place + 6] = 1.0
    lines[LINE * place + 7] = 1.0


@jit
def look(
    own: Floats,
    views: Views,
    bank: Bank,
    workspace: Workspace,
    members: int,
    dense: bool,
    indices: Indices,
    values: Floats,
) -> tuple[int, int]:
    """Write views and scores of a row into the workspace.

    Return the number of entries of a sparse view and the number of missing values.
    """
    scores, spreads, rows = workspace.scores, workspace.spreads, workspace.rows
    if members < WIDE_BANK:
        entries, missing = look_sparse(own, views, workspace, indices, values)
        score_entries(
            bank.max, workspace.places, workspace.entries[0], entries, own[SCALES + MAX_VIEW], scores, spreads
        )
        if own[MEMBERS] == WORDS_BANK:
            score_sparse_experts(
                own, bank.sparse_lines, workspace.places, workspace.entries[0], entries, scores, spreads
            )
        else:
            scores[SPARSE_BANK:WORDS_BANK] = 0.0  # these experts have learned nothing yet
        return entries, missing
    missing = look_dense(own, views, workspace, members, dense, indices, values)
    n = int(own[SLOTS]) + 1
    zmax, zstd, zforget = rows[Z + MAX_VIEW], rows[Z + STD_VIEW], rows[Z + FORGET_VIEW]
    score_columns(bank.max, zmax, n, own[SCALES + MAX_VIEW], scores, spreads)
    score_columns(bank.std, zstd, n, own[SCALES + STD_VIEW], scores[STD_AT:], spreads[2:])
    score_columns(bank.forget, zforget, n, own[SCALES + FORGET_VIEW], scores[FORGET_AT:], spreads[4:])
    if members >= DENSE_BANK:
        for e in range(2):
            scores[STD_AROW + e] = dot(bank.means[e], zstd, n)
            scores[MAX_AROW + e] = dot(bank.means[2 + e], zmax, n)
    if members == FULL_BANK:
        size, zquad = block_of(n - 1) + 1, workspace.pair[1]
        score_columns(bank.quad, zquad, size, own[SCALES + QUAD_VIEW], scores[QUAD_AT:], spreads[6:])
        for e in range(2):
            scores[QUAD_AROW + e] = dot(bank.quad_means[e], zquad, size)
    return 0, missing


@jit
def train(own: Floats, bank: Bank, workspace: Workspace, entries: int, y: float, weight: float) -> None:
    """Update every expert with the row in the workspace."""
    scores, spreads, rows, places = workspace.scores, workspace.spreads, workspace.rows, workspace.places
    members, n, h, scales = int(own[MEMBERS]), int(own[SLOTS]) + 1, rows[H], own[SCALES:]
    sparse = members < WIDE_BANK
    if sparse:
        train_columns(scales, bank.max, sparse, places, workspace.entries[0], entries, n, y, weight, scores, spreads)
        if members == WORDS_BANK:
            train_sparse_experts(
                own, bank.sparse_lines, places, workspace.entries[0], entries, n, y, weight, scores, spreads
            )
        return
    zmax, zstd, zforget = rows[Z + MAX_VIEW], rows[Z + STD_VIEW], rows[Z + FORGET_VIEW]
    by = scores[STD_AT:], scores[FORGET_AT:]
    train_columns(scales, bank.max, sparse, places, zmax, n, n, y, weight, scores, spreads)
    train_columns(scales[STD_VIEW:], bank.std, sparse, places, zstd, n, n, y, weight, by[0], spreads[2:])
    train_columns(scales[FORGET_VIEW:], bank.forget, sparse, places, zforget, n, n, y, weight, by[1], spreads[4:])
    if members >= DENSE_BANK:
        most = MOST_VARIANCE * n
        for e in range(2):
            r, gamma = FULL_R[e] / weight, FULL_GAMMA[e]
            train_arow(bank.means[e], bank.factors[e], zstd, n, scores[STD_AROW + e], y, r, gamma, most, h)
            train_arow(bank.means[2 + e], bank.factors[2 + e], zmax, n, scores[MAX_AROW + e], y, r, gamma, most, h)
    if members == FULL_BANK:
        size, z, own_scores = block_of(n - 1) + 1, workspace.pair[1], scores[QUAD_AT:]
        most = MOST_VARIANCE * size
        scale = scales[QUAD_VIEW:]
        train_columns(scale, bank.quad, sparse, places, z, size, size, y, weight, own_scores, spreads[6:])
        for e in range(2):
            r, gamma, score = FULL_R[e] / weight, FULL_GAMMA[e], scores[QUAD_AROW + e]
            train_arow(bank.quad_means[e], bank.quad_factors[e], z, size, score, y, r, gamma, most, h)


@jit
def test(
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    workspace: Workspace,
    dense: bool,
    indices: Indices,
    values: Floats,
) -> tuple[float, int]:
    """The vote on a row, as learning the row would compute it, and the number of its experts."""
    members = int(own[MEMBERS])
    left = members_of(members, int(own[SLOTS]) + count_new(views.slots, indices), dense, int(own[SPARSE]))
    look(own, views, bank, workspace, left, dense, indices, values)
    if left == members:
        return vote(own, voting, voting.shares, workspace, members), members
    if own[ROUNDS] == 0.0:
        set_prior_shares(workspace.shares, left)
    else:
        redistribute_shares(voting.shares, workspace.shares, left)
    return vote(own, voting, workspace.shares, workspace, left), left


@jit
def learn(
    state: Floats,
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    calibration: Calibration,
    workspace: Workspace,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    expert_votes: Votes,
) -> None:
    """Test, then train on each row: dense rows of this width, or sparse rows if ``width`` is 0.

    Unless ``expert_votes`` is empty, the votes of the voters are written to it, a row per round.
    The probability of +1 is written to a fifth row of ``trials``, if there is one.
    """
    own, views, bank, voting = borrowed(own), borrowed(views), borrowed(bank), borrowed(voting)
    workspace, calibration = borrowed(workspace), borrowed(calibration)
    indptr, indices, values = borrowed(indptr), borrowed(indices), borrowed(values)
    dense = width > 0
    for i in range(trials.shape[1]):
        if dense:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        y, weight = trials[LABEL, i], trials[WEIGHT, i]
        trials[EVENT, i] = 0.0
        if weight == 0.0:
            score, left = test(own, views, bank, voting, workspace, dense, here, there)
            trials[SCORE, i] = score
            if len(trials) > PROBABILITY:
                trials[PROBABILITY, i] = probability(calibration, workspace, left, score, own[ROUNDS])
            continue
        admit(own, views, bank, voting, calibration, dense, here)
        members = int(own[MEMBERS])
        entries, missing = look(own, views, bank, workspace, members, dense, here, there)
        score = vote(own, voting, voting.shares, workspace, members)
        trials[SCORE, i] = score
        p = probability(calibration, workspace, members, score, own[ROUNDS])
        if len(trials) > PROBABILITY:
            trials[PROBABILITY, i] = p
        if expert_votes.shape[0] > 0:
            for k in range(EXPERTS + members):
                expert_votes[i, k] = np.int8(workspace.votes[k])
        calibrate(calibration, members, y)
        learn_votes(own, voting, workspace, y, weight)
        train(own, bank, workspace, entries, y, weight)
        keep_maxima(own, views, workspace, entries)
        if members >= WIDE_BANK:
            keep_moments(own, views, workspace, here, there)
        own[MISSING] += missing
        own[ROUNDS] += 1.0
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
    tally(state, trials, trials.shape[1])


@jit
def score(
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    workspace: Workspace,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row."""
    own, views, bank, voting = borrowed(own), borrowed(views), borrowed(bank), borrowed(voting)
    workspace = borrowed(workspace)
    indptr, indices, values = borrowed(indptr), borrowed(indices), borrowed(values)
    for i in range(scores.size):
        if width > 0:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        scores[i] = test(own, views, bank, voting, workspace, width > 0, here, there)[0]


@jit
def estimate(
    own: Floats,
    views: Views,
    bank: Bank,
    voting: Voting,
    calibration: Calibration,
    workspace: Workspace,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    probabilities: Floats,
) -> None:
    """Write the probability of +1 for each row."""
    own, views, bank, voting = borrowed(own), borrowed(views), borrowed(bank), borrowed(voting)
    workspace, calibration = borrowed(workspace), borrowed(calibration)
    indptr, indices, values = borrowed(indptr), borrowed(indices), borrowed(values)
    for i in range(probabilities.size):
        if width > 0:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        score, left = test(own, views, bank, voting, workspace, width > 0, here, there)
        probabilities[i] = probability(calibration, workspace, left, score, own[ROUNDS])


class TrackerEngine(Engine):
    """The views, the experts, the vote and the calibration of a tracker."""

    calibrates = True
    finds_bad_values = True  # missing and infinite values are allowed

    def __init__(self, rule: Tracker, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.rates = len(rule.rates)
        self.known = 0
        self.own = np.zeros(OWN)
        self.own[MEMBERS] = FULL_BANK
        self.own[SPARSE] = rule.sparse
        self.own[PLAIN] = rule.plain
        self.own[SCALES : GROWN + 1] = 1.0
        self.views, self.bank, self.voting = new_parts(self.rates)
        self.workspace = new_workspace(0, 0, self.rates)
        begin(self.voting, FULL_BANK)
        self.calibration = new_calibration()
        self.every = NO_INDICES
        self.dense_call: RowCall | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "dense_call": None}  # a RowCall holds memory addresses

    def wider(self, features: int) -> dict[str, Any]:
        """The views, the bank and the number of features."""
        slots, sparse = self.views.course.shape[1], self.bank.sparse_lines.size > 0
        views, bank = roomy(self.own, self.views, self.bank, features, slots, sparse)
        return {"known": features, "views": views, "bank": bank}

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row."""
        size = trials.shape[1]
        if size == 1 and isinstance(rows, DenseRows) and trials.item(WEIGHT) == 1.0:
            call = self._call_of(rows.X)
            call.learn(trials.item(LABEL))
            trials[:] = call.trial[: len(trials)]
            return 1
        self._learn_rows(rows, trials, NO_VOTES)
        return size

    def learn_with_votes(self, rows: Rows, trials: Floats) -> tuple[int, Votes]:
        """``learn``; return also the vote of every expert: -1, +1, or 0 if it took no part."""
        size = trials.shape[1]
        votes = np.zeros((size, VOTERS), np.int8)
        self._learn_rows(rows, trials, votes)
        return size, votes

    def _learn_rows(self, rows: Rows, trials: Floats, votes: Votes) -> None:
        given = self.given(rows)  # may replace the arrays below with larger ones
        parts = self.views, self.bank, self.voting, self.calibration, self.workspace
        learn(self.state, self.own, *parts, *given, trials, votes)
        self.drop_unused()

    def drop_unused(self) -> None:
        """Drop the arrays of removed experts; without memory for smaller ones, after a later round."""
        with suppress(MemoryError):
            self.views, self.bank = shed(self.own, self.views, self.bank)

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        if scores.size == 1 and isinstance(rows, DenseRows):
            scores[0] = self._call_of(rows.X).score()
            return
        given = self.given(rows)  # may replace the arrays below with larger ones
        score(self.own, self.views, self.bank, self.voting, self.workspace, *given, scores)

    def probabilities(self, rows: Rows, probabilities: Floats) -> None:
        """Write the probability of +1 for each row."""
        if probabilities.size == 1 and isinstance(rows, DenseRows):
            probabilities[0] = self._call_of(rows.X).probability()
            return
        given = self.given(rows)  # may replace the arrays below with larger ones
        parts = self.views, self.bank, self.voting, self.calibration, self.workspace
        estimate(self.own, *parts, *given, probabilities)

    def _call_of(self, X: Floats) -> RowCall:
        """The RowCall for the one row of X; passing all arrays would cost more than learning."""
        from driftline.engines.tracker.row_call import RowCall  # imported late: it imports this module

        call = self.dense_call
        if call is None or not isinstance(call.row, DenseRows) or call.row.X.shape != X.shape:
            call = self.dense_call = RowCall(self, DenseRows(np.empty(X.shape)), np.ones((PROBABILITY + 1, 1)))
            assert isinstance(call.row, DenseRows)
        call.row.X[:] = X
        return call

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a function that learns the current content of ``row`` with a label."""
        from driftline.engines.tracker.row_call import RowCall

        return RowCall(self, row, trial).learn

    def scorer_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a function that scores the current content of ``row``."""
        from driftline.engines.tracker.row_call import RowCall

        return RowCall(self, row, np.ones((4, 1))).score

    def estimator_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a function that estimates the probability of +1 for the current content of ``row``."""
        from driftline.engines.tracker.row_call import RowCall

        return RowCall(self, row, np.ones((4, 1))).probability

    def _make_room(self, rows: Rows, reused: bool) -> int:
        """Make room for these rows, or for any row in ``reused`` arrays; return the width."""
        width = rows.X.shape[1] if isinstance(rows, DenseRows) else 0
        entries = width if isinstance(rows, DenseRows) else rows.indices.size
        if not isinstance(rows, DenseRows) and entries >= self.workspace.places.size and not reused:
            entries = int(np.diff(rows.indptr).max(initial=0))
        slots = 0 if self.own[MEMBERS] < WIDE_BANK else max(width, min(self.known, DENSE_FEATURES))
        sparse = self.own[MEMBERS] < WIDE_BANK or (width == 0 and self.known > DENSE_FEATURES)
        self.views, self.bank = roomy(self.own, self.views, self.bank, self.known, slots, sparse)
        if entries >= self.workspace.places.size or slots >= self.workspace.rows.shape[1]:
            self.workspace = new_workspace(slots, max(ENTRIES, 2 * entries), self.rates)
        return width

    def given(self, rows: Rows, reused: bool = False) -> tuple[int, Offsets, Indices, Floats]:
        """Make room for the rows; return width, indptr, indices and values. See ``_make_room``."""
        width = self._make_room(rows, reused)
        if isinstance(rows, DenseRows):
            if self.every.size != width:
                self.every = np.arange(width, dtype=np.uint32)
            return width, NO_INDPTR, self.every, rows.X.reshape(-1)
        return 0, rows.indptr, rows.indices, rows.values

    # voters -------------------------------------------------------------------------------------------------
    @property
    def members(self) -> int:
        """The number of experts."""
        return int(self.own[MEMBERS])

    def voter_names(self) -> list[tuple[str, str]]:
        """View and rule of every voter."""
        return [*OTHERS, *experts_of(self.members)]

    def missing(self) -> int:
        """The number of missing values learned."""
        return int(self.own[MISSING])

    def guarded(self) -> int:
        """The number of scores that were not finite."""
        return int(self.own[GUARDED])

    def shares(self) -> Floats:
        """The share of every voter; the sum is 1."""
        shares: Floats = self.voting.shares[:, : EXPERTS + self.members].sum(axis=0)
        return shares

    def errors(self) -> Floats:
        """The number of rounds in which each voter was wrong."""
        return self.voting.errors[: EXPERTS + self.members]

    def attribute(self, row: Rows) -> Attribution:
        """The contributions of features to the smooth counterpart of the vote."""
        from driftline.engines.tracker.attribution import attribute  # imported late: only explanations need it

        return attribute(self, row)

    def feature_weights(self) -> dict[int, float]:
        """The weight of each feature that is not 0, by its index."""
        from driftline.engines.tracker.feature_weights import feature_weights  # imported late: rarely used

        return feature_weights(self)

    def weights(self) -> Floats:
        """Zeros: a vote is not linear."""
        return np.zeros(FIRST)

    def extent(self) -> tuple[float, int]:
        """The norm of the shares, and the number of voters with a nonzero share."""
        return extent_of(self.shares())

    # saving and restoring -----------------------------------------------------------------------------------
    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows and restores dropped arrays."""
        if size <= 1:
            return lambda: None
        state, own, calibration = self.state.copy(), self.own.copy(), copied(self.calibration)
        views, bank, voting = (
            type(part)(*(array.copy() for array in part)) for part in (self.views, self.bank, self.voting)
        )

        def undo() -> None:
            self.state[:], self.own[:] = state, own
            self.views, self.bank, self.voting, self.calibration = views, bank, voting, calibration

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        parts = arrays_of(self.own, self.views, self.bank, self.voting)
        return {"state": self.state, **parts, **learned_arrays(self.calibration)}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays without spare room."""
        views, bank = trimmed(self.own, self.views, self.bank, features)
        parts = arrays_of(self.own, views, bank, self.voting)
        return {"state": self.state[LEARNED], **parts, **saved_arrays(self.calibration)}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that each slot belongs to one feature, and that all numbers are finite.

        Files of earlier versions have no calibration; a new one takes its place.
        """
        due, parts = self.state[LEARNED], without(arrays, *SAVED)
        own, views, bank, voting = checked(features, parts, due, self.own, self.rates)
        self.calibration = restored(arrays, own[ROUNDS])
        self.own, self.views, self.bank, self.voting = own, views, bank, voting
        self.reserve(features)

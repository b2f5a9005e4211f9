"""The engine of the TrackerRegressor: all experts predict a row, and then all of them learn it.

Scoring changes nothing, so a prediction equals the one that learning would return. The effect of a
row depends only on the rows before it, never on the block. A feature gets a slot in the row in
which it first appears, and experts for fewer features are removed in that row too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from driftline.engines.attribution import Attribution
from driftline.engines.engine import LEARNED, Engine, extent_of
from driftline.engines.state import EVENT, FIRST, LABEL, MARGIN_ERRORS, SCORE, SEEN, UPDATED, UPDATES, WEIGHT
from driftline.engines.tracker.array_shapes import new_workspace
from driftline.engines.tracker.regression.array_shapes import new_parts, new_scratch, roomy, shed
from driftline.engines.tracker.regression.bank import score_experts, train_experts
from driftline.engines.tracker.regression.intervals import half_width, keep_score
from driftline.engines.tracker.regression.saved_arrays import arrays_of, checked, copied, trimmed
from driftline.engines.tracker.regression.state import ORIGIN, OWN, STACKERS, Linear, Model, Scratch, Voting, experts_in
from driftline.engines.tracker.regression.view_rows import look_dense, look_sparse
from driftline.engines.tracker.regression.voting import (
    begin,
    combine,
    learn_votes,
    redistribute_shares,
    remove_experts,
    set_prior_shares,
)
from driftline.engines.tracker.state import (
    MEMBERS,
    MISSING,
    ROUNDS,
    SINCE,
    SLOTS,
    SPARSE,
    Views,
    Workspace,
    block_of,
)
from driftline.engines.tracker.views import count_new, keep_maxima, keep_moments, members_of
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import DenseRows, Rows
from driftline.rules.tracker.tracker import DENSE_BANK, DENSE_FEATURES, FULL_BANK, SPARSE_BANK, WIDE_BANK
from driftline.rules.tracker.tracker_regressor import TrackerRegressor

NO_INDICES = np.zeros(0, np.uint32)
NO_INDPTR = np.zeros(1, np.uint64)
ENTRIES = 256  # initial room for the entries of a sparse row


@jit
def open_slot(own: Floats, views: Views, linear: Linear, members: int, slot: int) -> None:
    """Set the variances of a new slot to 1 in all least squares."""
    if members < WIDE_BANK:
        return
    views.course[SINCE, slot] = own[ROUNDS]
    place = slot + 1
    if members >= DENSE_BANK:
        for factors in (linear.std_factors, linear.max_factors):
            for e in range(len(factors)):
                factors[e, place * (place + 1) // 2 + place] = 1.0
    if members == FULL_BANK:
        factors = linear.quad_factors
        for place in range(block_of(slot) + 1, block_of(slot + 1) + 1):
            for e in range(len(factors)):
                factors[e, place * (place + 1) // 2 + place] = 1.0


@jit
def admit(own: Floats, views: Views, linear: Linear, voting: Voting, dense: bool, indices: Indices) -> None:
    """Assign slots to the new features of a row; remove the experts for fewer features."""
    new = count_new(views.slots, indices)
    if new == 0 and own[ROUNDS] > 0.0 and (dense or own[SLOTS] <= DENSE_FEATURES or own[MEMBERS] < WIDE_BANK):
        return
    slot = int(own[SLOTS])
    members = members_of(int(own[MEMBERS]), slot + new, dense, int(own[SPARSE]))
    if own[ROUNDS] == 0.0:
        begin(voting, experts_in(members))
    elif members < own[MEMBERS]:
        remove_experts(voting, experts_in(members))
    own[MEMBERS] = members
    own[SLOTS] += new
    for j in range(indices.size):
        k = indices[j]
        if views.slots[k] == 0:
            views.slots[k] = slot + 1
            open_slot(own, views, linear, members, slot)
            slot += 1


@jit
def look(
    own: Floats,
    views: Views,
    workspace: Workspace,
    members: int,
    dense: bool,
    indices: Indices,
    values: Floats,
) -> tuple[int, int]:
    """Write the views of a row into the workspace.

    Return the number of entries of a sparse view and the number of missing values.
    """
    if members < WIDE_BANK:
        return look_sparse(own, views, workspace, indices, values)
    return 0, look_dense(own, views, workspace, members, dense, indices, values)


@jit
def test(
    own: Floats,
    views: Views,
    model: Model,
    workspace: Workspace,
    scratch: Scratch,
    dense: bool,
    indices: Indices,
    values: Floats,
) -> float:
    """The prediction for a row, as learning the row would compute it."""
    members = int(own[MEMBERS])
    left = members_of(members, int(own[SLOTS]) + count_new(views.slots, indices), dense, int(own[SPARSE]))
    entries, _ = look(own, views, workspace, left, dense, indices, values)
    score_experts(own, model, workspace, scratch, left, entries)
    if left == members:
        return own[ORIGIN] + combine(own, model.voting, model.voting.shares, scratch, experts_in(members))
    if own[ROUNDS] == 0.0:
        set_prior_shares(scratch.shares, experts_in(left))
    else:
        redistribute_shares(model.voting.shares, scratch.shares, experts_in(left))
    return own[ORIGIN] + combine(own, model.voting, scratch.shares, scratch, experts_in(left))


@jit
def learn(
    state: Floats,
    own: Floats,
    views: Views,
    model: Model,
    workspace: Workspace,
    scratch: Scratch,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> None:
    """Test, then train on each row: dense rows of this width, or sparse rows if ``width`` is 0."""
    dense = width > 0
    for i in range(trials.shape[1]):
        if dense:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        y, weight = trials[LABEL, i], trials[WEIGHT, i]
        trials[EVENT, i] = 0.0
        if weight == 0.0:
            trials[SCORE, i] = test(own, views, model, workspace, scratch, dense, here, there)
            state[MARGIN_ERRORS] += y != trials[SCORE, i]
            continue
        admit(own, views, model.linear, model.voting, dense, here)
        members = int(own[MEMBERS])
        entries, missing = look(own, views, workspace, members, dense, here, there)
        score_experts(own, model, workspace, scratch, members, entries)
        mean = combine(own, model.voting, model.voting.shares, scratch, experts_in(members))
        trials[SCORE, i] = own[ORIGIN] + mean
        state[MARGIN_ERRORS] += y != trials[SCORE, i]
        if own[ROUNDS] == 0.0:
            own[ORIGIN] = y
        u = y - own[ORIGIN]
        if own[ROUNDS] > 0.0:
            keep_score(own, model.voting, abs(u - mean))
        learn_votes(own, model.voting, scratch, experts_in(members), mean, u, weight)
        train_experts(own, model, workspace, scratch, members, entries, u, weight)
        keep_maxima(own, views, workspace, entries)
        if members >= WIDE_BANK:
            keep_moments(own, views, workspace, here, there)
        own[MISSING] += missing
        own[ROUNDS] += 1.0
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
    state[SEEN] += trials.shape[1]


@jit
def score(
    own: Floats,
    views: Views,
    model: Model,
    workspace: Workspace,
    scratch: Scratch,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Predict each row."""
    for i in range(scores.size):
        if width > 0:
            here, there = indices, values[i * width : (i + 1) * width]
        else:
            here, there = indices[indptr[i] : indptr[i + 1]], values[indptr[i] : indptr[i + 1]]
        scores[i] = test(own, views, model, workspace, scratch, width > 0, here, there)


class TrackerRegressorEngine(Engine):
    """The views, the experts and the vote of a TrackerRegressor."""

    finds_bad_values = True  # missing and infinite values are allowed

    def __init__(self, rule: TrackerRegressor, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.known = 0
        self.own = np.zeros(OWN)
        self.own[MEMBERS] = FULL_BANK
        self.own[SPARSE] = SPARSE_BANK
        self.views, self.model = new_parts()
        self.workspace, self.scratch = new_workspace(0, 0, 1), new_scratch(0)
        self.every = NO_INDICES

    def wider(self, features: int) -> dict[str, Any]:
        """The views, the experts and the number of features."""
        views, model = roomy(self.own, self.views, self.model, features, self.views.course.shape[1])
        return {"known": features, "views": views, "model": model}

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row."""
        given = self._given(rows)  # may replace the arrays below with larger ones
        learn(self.state, self.own, self.views, self.model, self.workspace, self.scratch, *given, trials)
        with suppress(MemoryError):  # then the arrays are dropped after a later round
            self.views, self.model = shed(self.own, self.views, self.model)
        return trials.shape[1]

    def score(self, rows: Rows, scores: Floats) -> None:
        """Predict each row."""
        given = self._given(rows)  # may replace the arrays below with larger ones
        score(self.own, self.views, self.model, self.workspace, self.scratch, *given, scores)

    def _given(self, rows: Rows) -> tuple[int, Offsets, Indices, Floats]:
        """Make room for the rows; return width, indptr, indices and values."""
        width = rows.X.shape[1] if isinstance(rows, DenseRows) else 0
        entries = 0 if isinstance(rows, DenseRows) else int(np.diff(rows.indptr).max(initial=0))
        slots = 0 if self.own[MEMBERS] < WIDE_BANK else max(width, min(self.known, DENSE_FEATURES))
        self.views, self.model = roomy(self.own, self.views, self.model, self.known, slots)
        slots = max(slots, int(self.own[SLOTS]))
        if entries >= self.workspace.places.size or slots >= self.workspace.rows.shape[1]:
            self.workspace = new_workspace(slots, max(ENTRIES, 2 * entries), 1)
        if slots > self.scratch.ones.size:
            self.scratch = new_scratch(slots)
        if isinstance(rows, DenseRows):
            if self.every.size != width:
                self.every = np.arange(width, dtype=np.uint32)
            return width, NO_INDPTR, self.every, rows.X.reshape(-1)
        return 0, rows.indptr, rows.indices, rows.values

    # voters -------------------------------------------------------------------------------------------------
    def voters(self) -> int:
        """The number of stackers and experts."""
        return STACKERS + experts_in(int(self.own[MEMBERS]))

    def shares(self) -> Floats:
        """The share of every voter, stackers first; the sum is 1."""
        shares: Floats = self.model.voting.shares[:, : self.voters()].sum(axis=0)
        return shares

    def mean_squares(self) -> Floats:
        """The mean squared error of every voter."""
        found: Floats = self.model.voting.squares[: self.voters()] / max(1.0, float(self.own[ROUNDS]))
        return found

    def half_width(self, coverage: float) -> float:
        """Half the width of the prediction interval of the next round."""
        return half_width(self.own, self.model.voting, coverage)

    def attribute(self, row: Rows) -> Attribution:
        """The contributions of features: the prediction less that with the feature missing."""
        from driftline.engines.tracker.regression.attribution import attribute  # imported late: rarely used

        return attribute(self, row)

    def weights(self) -> Floats:
        """Zeros: a mean of trees and neighbours is not linear."""
        return np.zeros(FIRST)

    def extent(self) -> tuple[float, int]:
        """The norm of the shares, and the number of voters with a nonzero share."""
        return extent_of(self.shares())

    # saving and restoring -----------------------------------------------------------------------------------
    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows and restores dropped arrays."""
        if size <= 1:
            return lambda: None
        state, own, views, model = self.state.copy(), self.own.copy(), *copied(self.views, self.model)

        def undo() -> None:
            self.state[:], self.own[:] = state, own
            self.views, self.model = views, model

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        return {"state": self.state, **arrays_of(self.own, self.views, self.model)}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays without spare room."""
        return {"state": self.state[LEARNED], **trimmed(self.own, self.views, self.model, features)}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that slots, nodes, leaves and counters are those of a TrackerRegressor."""
        self.own, self.views, self.model = checked(features, arrays, self.state[LEARNED])
        self.reserve(features)

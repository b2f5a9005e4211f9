"""The engine of the tracker: its arrays, and the calls of its ``rounds``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from driftline.engines.array_checks import without
from driftline.engines.attribution import Attribution
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import LEARNED, NO_VOTES, Engine, extent_of
from driftline.engines.state import FIRST, LABEL, WEIGHT
from driftline.engines.tracker.array_shapes import arrays_of, checked, new_parts, new_workspace, roomy, shed, trimmed
from driftline.engines.tracker.calibration import new_calibration
from driftline.engines.tracker.calibration_arrays import SAVED, copied, learned_arrays, restored, saved_arrays
from driftline.engines.tracker.rounds import ENTRIES, NO_INDICES, NO_INDPTR, estimate, learn, score
from driftline.engines.tracker.row_call import RowCall
from driftline.engines.tracker.state import (
    GROWN,
    GUARDED,
    MEMBERS,
    MISSING,
    OWN,
    PLAIN,
    PROBABILITY,
    ROUNDS,
    SCALES,
    SPARSE,
    VOTERS,
    Votes,
)
from driftline.engines.tracker.voting import EXPERTS, begin
from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.rules.tracker.tracker import DENSE_FEATURES, FULL_BANK, OTHERS, WIDE_BANK, Tracker, experts_of


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
        call = self.dense_call
        if call is None or not isinstance(call.row, DenseRows) or call.row.X.shape != X.shape:
            call = self.dense_call = RowCall(self, DenseRows(np.empty(X.shape)), np.ones((PROBABILITY + 1, 1)))
            assert isinstance(call.row, DenseRows)
        call.row.X[:] = X
        return call

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a function that learns the current content of ``row`` with a label."""
        return RowCall(self, row, trial).learn

    def scorer_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a function that scores the current content of ``row``."""
        return RowCall(self, row, np.ones((4, 1))).score

    def estimator_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a function that estimates the probability of +1 for the current content of ``row``."""
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

"""The evidence of a run: every example as the engine saw it, and its outcome.

Examples are scaled and contain the constant feature.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from driftline.engines.engine import NO_VOTES
from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.rows import DenseRows, Rows
from driftline.learners import LearnedBlock

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST = 1 << 28
"""The most values that are stored; with their indices they take about three gigabytes."""


@dataclass(frozen=True)
class Evidence:
    """All rounds of a run.

    Attributes
    ----------
    indptr, indices, values
        The rows as a CSR matrix. The constant feature is the last entry of its row, with index 0.
    width
        The number of columns.
    y
        The labels, -1 or +1.
    margins
        y * score of each round, before learning.
    updated
        Whether the learner was updated.
    expert_votes
        For a Tracker, the vote of every expert in each round: -1, +1, or 0 if it took no part.
        Empty for other learners.
    rounding
        The rounding error of an update, as a share of the length of w: about 1e-7 for weights in
        float32. 0 for float64, whose errors are too small to matter.
    """

    indptr: Offsets
    indices: Indices
    values: Floats
    width: int
    y: Floats
    margins: Floats
    updated: np.ndarray
    expert_votes: np.ndarray = field(default_factory=lambda: NO_VOTES)
    rounding: float = 0.0

    def __len__(self) -> int:
        return len(self.y)

    def part(self, chosen: np.ndarray) -> Evidence:
        """Some rounds, in order.

        Parameters
        ----------
        chosen
            The positions of the rounds, or a mask.
        """
        lengths = np.diff(self.indptr)[chosen]
        indptr = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
        entries = np.repeat(np.asarray(chosen), np.diff(self.indptr).astype(np.intp)) if chosen.dtype == bool else None
        if entries is None:
            starts = self.indptr[:-1][chosen].astype(np.intp)
            within = np.arange(int(indptr[-1])) - np.repeat(indptr[:-1].astype(np.intp), lengths.astype(np.intp))
            entries = np.repeat(starts, lengths.astype(np.intp)) + within
        return Evidence(
            indptr,
            self.indices[entries],
            self.values[entries],
            self.width,
            self.y[chosen],
            self.margins[chosen],
            self.updated[chosen],
            self.expert_votes[chosen] if len(self.expert_votes) else self.expert_votes,
            self.rounding,
        )

    def sparse(self) -> csr_matrix:
        """The rows as a CSR matrix."""
        from scipy.sparse import csr_matrix  # slow to import

        return csr_matrix((self.values, self.indices, self.indptr.astype(np.int64)), (len(self), self.width))

    def dense(self) -> Floats:
        """The rows as a dense array."""
        rows: Floats = self.sparse().toarray()
        return rows

    def lengths(self, p: float = 2.0) -> Floats:
        """The norm |x_t|_p of every round."""
        if len(self) == 0:
            return np.zeros(0)
        sizes = np.diff(self.indptr).astype(np.intp)
        starts, sized = self.indptr[:-1].astype(np.intp), sizes > 0
        values = np.append(np.abs(self.values), 0.0)
        largest = np.where(sized, np.maximum.reduceat(values, starts), 0.0)
        # scale each row by its largest value, so that powers neither overflow nor vanish
        scale = np.append(np.repeat(np.where(largest > 0.0, largest, 1.0), sizes), 1.0)
        sums = np.where(sized, np.add.reduceat((values / scale) ** p, starts), 0.0)
        lengths: Floats = largest * sums ** (1.0 / p)
        return lengths


class EvidenceRecorder:
    """Collects the evidence of a run, block by block.

    Parameters
    ----------
    before
        The number of examples that the learner had learned before the run.
    bias
        The value of its constant feature; 0 if it has none.
    dtype
        The dtype of its weights.
    """

    def __init__(self, before: int = 0, bias: float = 0.0, dtype: str = "float64") -> None:
        self.before = before
        self.asked = 0
        """The number of labels asked for."""
        self.weighted = False
        """Whether an example had a sample weight other than 1: no theorem covers such examples."""
        self._bias = bias
        self._rounding = 0.0 if dtype == "float64" else float(np.finfo(dtype).eps)
        self._rows: list[tuple[Offsets, Indices, Floats]] = []
        self._rounds: list[tuple[Floats, Floats, np.ndarray]] = []
        self._votes: list[np.ndarray] = []
        self._width = 0
        self._size = 0

    def add(self, learned: LearnedBlock) -> None:
        """Store a learned block, which must contain its rows and votes."""
        for rows in learned.rows:
            self._add_rows(rows)
        self._rounds.append((learned.y.copy(), learned.y * learned.scores, learned.updated))
        if len(learned.votes):
            self._votes.append(learned.votes)
        self.asked += int(np.count_nonzero(learned.asked))
        if learned.weights is not None and bool(np.any(learned.weights != 1.0)):
            self.weighted = True

    def _add_rows(self, rows: Rows) -> None:
        """Copy rows. The constant feature has index 0; the other features follow it."""
        if isinstance(rows, DenseRows):
            size, width = rows.X.shape
            indptr = np.arange(size + 1, dtype=np.uint64) * np.uint64(width)
            indices = np.tile(np.arange(width, dtype=np.uint32), size)
            values = rows.X.reshape(-1).copy()
        else:
            indptr, stop = rows.indptr - rows.indptr[0], int(rows.indptr[-1])
            start = int(rows.indptr[0])
            indices, values = rows.indices[start:stop], rows.values[start:stop].copy()
        indices = indices + np.uint32(1)
        if self._bias != 0.0:
            ends = indptr[1:].astype(np.intp)
            indices = np.insert(indices, ends, np.uint32(0))
            values = np.insert(values, ends, self._bias)
            indptr = np.add(indptr, np.arange(len(indptr), dtype=np.uint64), dtype=np.uint64)
        self._size += values.size
        if self._size > MOST:
            raise ValueError(
                f"run: a certified run must have at most {MOST:,} values, got more. Certify a part of the stream"
            )
        self._width = max(self._width, int(indices.max(initial=0)) + 1)
        self._rows.append((indptr, indices.astype(np.uint32), values))

    def evidence(self) -> Evidence:
        """The evidence of all blocks so far."""
        if not self._rows:
            nothing = np.zeros(0)
            return Evidence(
                np.zeros(1, np.uint64), np.zeros(0, np.uint32), nothing, 0, nothing, nothing, np.zeros(0, bool)
            )
        lengths = np.concatenate([np.diff(indptr) for indptr, _, _ in self._rows])
        indptr = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
        indices, values = (np.concatenate([rows[k] for rows in self._rows]) for k in (1, 2))
        y, margins, updated = (np.concatenate([rounds[k] for rounds in self._rounds]) for k in range(3))
        votes = np.concatenate(self._votes) if self._votes else NO_VOTES
        return Evidence(indptr, indices, values, self._width, y, margins, updated, votes, self._rounding)

"""What a run has shown, as its engine saw it: every example, scaled, with its constant feature, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.rows import DenseRows, Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST = 1 << 28
"""Values that are kept: with their indices some three gigabytes."""
NO_BALLOTS = np.zeros((0, 0), np.int8)


@dataclass(frozen=True)
class Evidence:
    """Rows as CSR (a constant feature is the last entry of its row), labels -1 or +1, margins, and where it updated."""

    indptr: Offsets
    indices: Indices
    values: Floats
    width: int
    y: Floats
    margins: Floats
    updated: np.ndarray
    ballots: np.ndarray = field(default_factory=lambda: NO_BALLOTS)
    """What every voter said in each round, where the learner is a vote: -1, +1, or 0 if it was not there."""

    def __len__(self) -> int:
        return len(self.y)

    def part(self, chosen: np.ndarray) -> Evidence:
        """The chosen rounds, in order."""
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
            self.ballots[chosen] if len(self.ballots) else self.ballots,
        )

    def sparse(self) -> csr_matrix:
        """The rows as a matrix."""
        from scipy.sparse import csr_matrix  # which takes long to import

        return csr_matrix((self.values, self.indices, self.indptr.astype(np.int64)), (len(self), self.width))

    def dense(self) -> Floats:
        """The rows with all their zeros."""
        rows: Floats = self.sparse().toarray()
        return rows

    def lengths(self, p: float = 2.0) -> Floats:
        """|x_t|_p of every round."""
        if len(self) == 0:
            return np.zeros(0)
        sizes = np.diff(self.indptr).astype(np.intp)
        starts, sized = self.indptr[:-1].astype(np.intp), sizes > 0
        values = np.append(np.abs(self.values), 0.0)
        largest = np.where(sized, np.maximum.reduceat(values, starts), 0.0)
        # each row by its own largest value: powers of others may vanish
        scale = np.append(np.repeat(np.where(largest > 0.0, largest, 1.0), sizes), 1.0)
        sums = np.where(sized, np.add.reduceat((values / scale) ** p, starts), 0.0)
        lengths: Floats = largest * sums ** (1.0 / p)
        return lengths


class Witness:
    """Collects the evidence block by block."""

    def __init__(self, before: int = 0) -> None:
        self.before = before
        """Examples that the learner had learned before."""
        self._parts: list[tuple[Offsets, Indices, Floats, Floats, Floats, np.ndarray]] = []
        self._width = 0
        self._size = 0
        self.asked = 0
        """Labels that were asked for."""
        self._ballots: list[np.ndarray] = []
        self.weighted = False
        """Whether some example had a sample weight other than 1: no theorem speaks of these."""

    def see(self, rows: Rows, bias: float, y: Floats, scores: Floats, updated: np.ndarray) -> None:
        """Keep a block that was learned; the constant feature is called 0, the others come after it."""
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
        if bias != 0.0:
            ends = indptr[1:].astype(np.intp)
            indices = np.insert(indices, ends, np.uint32(0))
            values = np.insert(values, ends, bias)
            indptr = np.add(indptr, np.arange(len(indptr), dtype=np.uint64), dtype=np.uint64)
        self._size += values.size
        if self._size > MOST:
            raise ValueError(
                f"run: what is certified must be kept, at most {MOST:,} values, got more. Certify a part of the stream"
            )
        self._width = max(self._width, int(indices.max(initial=0)) + 1)
        self._parts.append((indptr, indices.astype(np.uint32), values, y.copy(), y * scores, updated.copy()))

    def hear(self, ballots: list[np.ndarray]) -> None:
        """Keep what the voters said in a block that was learned."""
        self._ballots += ballots

    def evidence(self) -> Evidence:
        """All that was seen so far."""
        if not self._parts:
            nothing = np.zeros(0)
            return Evidence(
                np.zeros(1, np.uint64), np.zeros(0, np.uint32), nothing, 0, nothing, nothing, np.zeros(0, bool)
            )
        lengths = np.concatenate([np.diff(part[0]) for part in self._parts])
        indptr = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
        indices, values, y, margins, updated = (np.concatenate([part[k] for part in self._parts]) for k in range(1, 6))
        ballots = np.concatenate(self._ballots) if self._ballots else NO_BALLOTS
        return Evidence(indptr, indices, values, self._width, y, margins, updated, ballots)

"""Names as a reader numbers them, as indices of a learner: each name of the reader's list is looked up once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftline.compiled import Floats, Indices, Offsets, jit
from driftline.rows import SparseRows

UNKNOWN = np.uint32(0xFFFFFFFF)
ONE, HALF = np.uint64(1), np.uint64(32)
STIR = np.uint64(0x9E3779B97F4A7C15)
KEPT = 8
"""Lists that are remembered: a reader has one for each of its threads."""

Find = Callable[[list[str]], Indices]


class Lookup:
    """The index of every name of a list, which may grow; UNKNOWN for a name that nothing was learned of."""

    def __init__(self) -> None:
        self.lists: list[_Indices] = []

    def forget(self) -> None:
        """Know no list."""
        self.lists.clear()

    def of(self, names: list[str], width: int, known: int, find: Find) -> Indices:
        """The indices of the first ``width`` names; ``find`` looks names up and gives UNKNOWN for those not known.

        ``known`` is how many names there are: while it stays, there is no use in looking for unknown ones again.
        """
        found = next((one for one in self.lists if one.names is names), None)
        if found is None:
            found = _Indices(names)
            self.lists = [*self.lists[1 - KEPT :], found]
        return found.upto(width, known, find)


class _Indices:
    """The indices of the names of one list, as far as they were asked for."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.indices: Indices = np.zeros(0, np.uint32)
        self.known = 0

    def upto(self, width: int, known: int, find: Find) -> Indices:
        """Those of the first ``width`` names; unknown ones are looked up again when others became known."""
        if known != self.known:
            again = np.flatnonzero(self.indices == UNKNOWN)
            self.indices[again] = find([self.names[k] for k in again.tolist()])
            self.known = known
        if len(self.indices) < width:
            new = find(self.names[len(self.indices) : width])
            self.indices = np.concatenate([self.indices, new])
        return self.indices


def numbered_alike(table: Indices, uses: int) -> bool:
    """Whether reader and learner number the names in the same way. Not looked into for few uses."""
    return table.size <= uses and bool((table == np.arange(table.size, dtype=np.uint32)).all())


def added_up(rows: SparseRows) -> SparseRows:
    """Rows in which names that fall together by hashing are one feature, in the place of the first: as in a dict."""
    longest = int(np.diff(rows.indptr).max(initial=0))
    joined = SparseRows(rows.indptr.copy(), rows.indices.copy(), rows.values.copy())
    join(*joined, np.zeros(2 << longest.bit_length(), np.uint64))
    size = joined.indptr[-1]
    return SparseRows(joined.indptr, joined.indices[:size], joined.values[:size])


@jit
def join(indptr: Offsets, indices: Indices, values: Floats, slots: Offsets) -> None:
    """Add up, in place, what a row has twice. ``slots`` are all 0: a power of 2, at least twice the longest row."""
    last = np.uint64(slots.size) - ONE
    end = np.uint64(0)
    start = indptr[0]
    for row in range(np.uint64(indptr.size) - ONE):
        stop = indptr[row + ONE]
        first = end
        for k in range(start, stop):
            index = indices[k]
            slot = (np.uint64(index) * STIR >> HALF) & last
            while slots[slot] > first and indices[slots[slot] - ONE] != index:
                slot = (slot + ONE) & last
            at = slots[slot]  # one more than where the feature stands, if it stands in this row
            if at > first:
                values[at - ONE] += values[k]
            else:
                indices[end] = index
                values[end] = values[k]
                end += ONE
                slots[slot] = end
        indptr[row + ONE] = end
        start = stop

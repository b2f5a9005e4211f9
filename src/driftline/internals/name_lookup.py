"""Map the names of a growing list to indices, looking up each name once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from driftline.internals.compiled import Indices

UNKNOWN = np.uint32(0xFFFFFFFF)
KEPT = 8
"""Lists to remember: those of the last readers, or one per reader thread."""

Find = Callable[[list[str]], Indices]


def number_all(index: dict[Any, int], names: Sequence[Any]) -> tuple[Indices, Sequence[Any]]:
    """Return the index of each name, numbering new names consecutively, and the list of new names."""
    before = len(index)
    new = dict.fromkeys(names)
    if not index.keys().isdisjoint(new):
        new = dict.fromkeys([name for name in new if name not in index])
    index.update(zip(new, range(before, before + len(new)), strict=True))
    if len(new) == len(names):
        return np.arange(before, len(index), dtype=np.uint32), names
    return np.array([index[name] for name in names], np.uint32), list(new)


class Lookup:
    """Indices of the names of growing lists; UNKNOWN for a name that has none."""

    def __init__(self, kept: int = KEPT) -> None:
        self.lists: list[NameIndices] = []
        self._kept = kept

    def forget(self) -> None:
        """Forget all lists."""
        self.lists.clear()

    def of(self, names: list[str], width: int, known: int, find: Find) -> tuple[Indices, bool]:
        """Return the indices of the first ``width`` names, and whether they are 0, 1, 2, ....

        See ``found`` for the parameters.
        """
        found = self.found(names, width, known, find)
        return found.indices, found.alike

    def found(self, names: list[str], width: int, known: int, find: Find) -> NameIndices:
        """Look up the first ``width`` names.

        ``find`` looks up names and returns UNKNOWN where it has none. ``known`` is the number of known names:
        unknown names are looked up again only when it has changed.
        """
        found = next((one for one in self.lists if one.names is names), None)
        if found is None:
            found = self._like(names)
            self.lists = [*self.lists, found][-self._kept :]
        found.look_up(width, known, find)
        return found

    def _like(self, names: list[str]) -> NameIndices:
        """Indices of a new list, copied as far as it starts like a remembered one."""
        found = NameIndices(names)
        for one in self.lists:
            size = _shared(one.names[: len(one.indices)], names)
            if len(found.indices) < size:
                found.copy(one, size)
        return found


def _shared(one: list[str], other: list[str]) -> int:
    """Length of the common prefix of two lists."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        size = (least + most + 1) // 2
        if one[least:size] == other[least:size]:
            least = size
        else:
            most = size - 1
    return least


class NameIndices:
    """Indices of the names of one list, looked up on demand."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.indices: Indices = np.zeros(0, np.uint32)
        self.unknown = np.zeros(0, np.int64)
        """The positions in the list of the names without an index."""
        self._known = 0
        self._same = 0  # the first names have the indices 0, 1, ..., _same - 1

    @property
    def alike(self) -> bool:
        """Whether the indices are 0, 1, 2, ...."""
        return self._same == len(self.indices)

    def copy(self, other: NameIndices, size: int) -> None:
        """Take over the indices of the first ``size`` names of another list."""
        self.indices, self._known = other.indices[:size].copy(), other._known
        self.unknown, self._same = other.unknown[other.unknown < size], min(size, other._same)

    def look_up(self, width: int, known: int, find: Find) -> None:
        """Look up the first ``width`` names, as far as they have no index. See ``Lookup.found``."""
        if known != self._known:
            if self.unknown.size:
                self.add(self.unknown, find([self.names[k] for k in self.unknown.tolist()]))
            self._known = known
        start = len(self.indices)
        if start < width:
            new = find(self.names[start:width])
            self.indices = np.concatenate([self.indices, new])
            self.unknown = np.concatenate([self.unknown, start + np.flatnonzero(new == UNKNOWN)])
            self._count_same()

    def add(self, positions: np.ndarray, indices: Indices) -> None:
        """Set the indices of the names at these positions of the list."""
        self.indices[positions] = indices
        self.unknown = self.unknown[self.indices[self.unknown] == UNKNOWN]
        self._count_same()

    def _count_same(self) -> None:
        start, size = self._same, len(self.indices)
        if start < size and self.indices[start] in (start, UNKNOWN):  # else it never grows again
            differs = np.flatnonzero(self.indices[start:] != np.arange(start, size, dtype=np.uint32))
            self._same = start + int(differs[0]) if differs.size else size

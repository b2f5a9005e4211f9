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
    """Indices of the names of growing lists; UNKNOWN for a name that was never learned."""

    def __init__(self, kept: int = KEPT) -> None:
        self.lists: list[_Indices] = []
        self._kept = kept

    def forget(self) -> None:
        """Forget all lists."""
        self.lists.clear()

    def of(self, names: list[str], width: int, known: int, find: Find) -> tuple[Indices, bool]:
        """Return the indices of the first ``width`` names, and whether they are 0, 1, 2, ....

        ``find`` looks up names and returns UNKNOWN where it has none. ``known`` is the number of known names:
        unknown names are looked up again only when it has changed.
        """
        found = next((one for one in self.lists if one.names is names), None)
        if found is None:
            found = self._like(names)
            self.lists = [*self.lists, found][-self._kept :]
        return found.upto(width, known, find), found.alike

    def _like(self, names: list[str]) -> _Indices:
        """Indices of a new list, copied as far as it starts like a remembered one."""
        found = _Indices(names)
        for one in self.lists:
            size = _shared(one.names[: len(one.indices)], names)
            if len(found.indices) < size:
                found.indices, found.known, found.alike = one.indices[:size].copy(), one.known, one.alike
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


class _Indices:
    """Indices of the names of one list, computed on demand."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.indices: Indices = np.zeros(0, np.uint32)
        self.known = 0
        self.alike = True

    def upto(self, width: int, known: int, find: Find) -> Indices:
        """Indices of the first ``width`` names."""
        if known != self.known:
            again = np.flatnonzero(self.indices == UNKNOWN)
            self.indices[again] = find([self.names[k] for k in again.tolist()])
            self.known = known
        if len(self.indices) < width:
            start = len(self.indices)
            new = find(self.names[start:width])
            self.alike &= bool((new == np.arange(start, start + new.size, dtype=np.uint32)).all())
            self.indices = np.concatenate([self.indices, new])
        return self.indices

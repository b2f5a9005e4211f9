"""Names as a list numbers them, as indices of something else: each name of a list that may grow is looked up once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from driftline.internals.compiled import Indices

UNKNOWN = np.uint32(0xFFFFFFFF)
KEPT = 8
"""Lists that are remembered: of the last readers, or one for each thread of a reader."""

Find = Callable[[list[str]], Indices]


def number_all(index: dict[Any, int], names: Sequence[Any]) -> tuple[Indices, Sequence[Any]]:
    """The index of each name, new ones numbered on; and the new ones. Faster than name by name, mostly if all are."""
    before = len(index)
    new = dict.fromkeys(names)
    if not index.keys().isdisjoint(new):
        new = dict.fromkeys([name for name in new if name not in index])
    index.update(zip(new, range(before, before + len(new)), strict=True))
    if len(new) == len(names):
        return np.arange(before, len(index), dtype=np.uint32), names
    return np.array([index[name] for name in names], np.uint32), list(new)


class Lookup:
    """The index of every name of a list, which may grow; UNKNOWN for a name that nothing was learned of."""

    def __init__(self, kept: int = KEPT) -> None:
        self.lists: list[_Indices] = []
        self._kept = kept

    def forget(self) -> None:
        """Know no list."""
        self.lists.clear()

    def of(self, names: list[str], width: int, known: int, find: Find) -> tuple[Indices, bool]:
        """The indices of the first ``width`` names, and whether these are 0, 1, 2, ...: numbered as in the list.

        ``find`` looks names up and gives UNKNOWN for those not known.
        ``known`` is how many names there are: while it stays, there is no use in looking for unknown ones again.
        """
        found = next((one for one in self.lists if one.names is names), None)
        if found is None:
            found = self._like(names)
            self.lists = [*self.lists, found][-self._kept :]
        return found.upto(width, known, find), found.alike

    def _like(self, names: list[str]) -> _Indices:
        """Those of a new list, which may begin as one that is known."""
        found = _Indices(names)
        for one in self.lists:
            size = _shared(one.names[: len(one.indices)], names)
            if len(found.indices) < size:
                found.indices, found.known, found.alike = one.indices[:size].copy(), one.known, one.alike
        return found


def _shared(one: list[str], other: list[str]) -> int:
    """How many names two lists begin with alike."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        size = (least + most + 1) // 2
        if one[least:size] == other[least:size]:
            least = size
        else:
            most = size - 1
    return least


class _Indices:
    """The indices of the names of one list, as far as they were asked for."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.indices: Indices = np.zeros(0, np.uint32)
        self.known = 0
        self.alike = True

    def upto(self, width: int, known: int, find: Find) -> Indices:
        """Those of the first ``width`` names; unknown ones are looked up again when others became known."""
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

"""Names as a list numbers them, as indices of something else: each name of a list that may grow is looked up once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftline.compiled import Indices

UNKNOWN = np.uint32(0xFFFFFFFF)
KEPT = 8
"""Lists that are remembered: of the last readers, or one for each thread of a reader."""

Find = Callable[[list[str]], Indices]


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
            found = _Indices(names)
            self.lists = [*self.lists, found][-self._kept :]
        return found.upto(width, known, find), found.alike


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

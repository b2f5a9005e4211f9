"""The feature names of a file: an append-only list, replaced when full to bound memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from driftline.internals.compiled import Indices
from driftline.internals.name_lookup import number_all
from driftline.internals.rows import FileRows

MOST_NAMES = 1 << 20


class Names:
    """Maps names to indices. Features of the same name share an index."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self.list: list[str] = []
        self._index: dict[str, int] = {}
        self._suffixes: dict[str, Suffixes] = {}

    @property
    def full(self) -> bool:
        """Return whether the next block starts a new list."""
        return len(self.list) > MOST_NAMES

    def next_block(self) -> None:
        """Start a new list if this one is full; indices from before are then invalid."""
        if self.full:
            self._start()

    def forget(self, size: int) -> None:
        """Keep only the first ``size`` names. The others must not have been used yet."""
        if len(self.list) == size:
            return
        for name in self.list[size:]:
            del self._index[name]
        del self.list[size:]
        self._suffixes.clear()

    def in_order_of_rows(self, known: int, rows: FileRows) -> FileRows:
        """Renumber the names from ``known`` on in the order in which the rows first have a value.

        Names then do not depend on how a file is split into blocks. Names that only have missing
        values so far come last. The rows must be the only ones with these names.
        """
        size = len(self.list)
        if size == known:
            return rows
        new = (rows.indices >= known) & ~np.isnan(rows.values)
        valued, first = np.unique(rows.indices[new], return_index=True)
        order = valued[np.argsort(first)]
        numbers = np.arange(size, dtype=np.uint32)
        rest = np.setdiff1d(np.arange(known, size, dtype=np.uint32), order)
        order = np.concatenate([order, rest])
        numbers[order] = np.arange(known, size, dtype=np.uint32)
        names = self.list
        names[known:] = [names[k] for k in order.tolist()]
        self._index.update(zip(names[known:], range(known, size), strict=True))
        self._suffixes.clear()
        return replace(rows, indices=numbers[rows.indices])

    def __getitem__(self, name: str) -> int:
        """Return the index of a name; a new name gets a new index."""
        index = self._index.get(name)
        if index is None:
            index = self._index[name] = len(self.list)
            self.list.append(name)
        return index

    def numbers(self, names: list[str]) -> Indices:
        """Return the indices of names; new names get new indices."""
        found, new = number_all(self._index, names)
        self.list.extend(new)
        return found

    def after(self, prefix: str) -> Suffixes:
        """Return a dict from suffixes to the indices of names with this prefix."""
        suffixes = self._suffixes.get(prefix)
        if suffixes is None:
            suffixes = self._suffixes[prefix] = Suffixes(self, prefix)
        return suffixes


class Suffixes(dict[str, int]):
    """Maps the suffixes of names with a common prefix to indices; filled on demand."""

    def __init__(self, names: Names, prefix: str) -> None:
        super().__init__()
        self._names = names
        self._prefix = prefix

    def __missing__(self, suffix: str) -> int:
        index = self[suffix] = self._names[self._prefix + suffix]
        return index

"""Names behind hashed indices: the first ones that were learned."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, overload

MOST_NAMES = 1 << 20
"""Upper limit of the number of names."""
NAMES_PER_INDEX = 3
"""Upper limit of the number of names of one index."""


class KeptNames:
    """The first names of each index."""

    def __init__(self) -> None:
        self.index: dict[Hashable, int] = {}
        self.counts: dict[int, int] = {}

    def add_all(self, names: Iterable[Hashable], indices: Iterable[int]) -> None:
        """Store names and their indices, as far as there is room for them."""
        known, counts = self.index, self.counts
        for name, index in zip(names, indices, strict=True):
            if name in known:
                continue
            if len(known) >= MOST_NAMES:
                return
            count = counts.get(index, 0)
            if count < NAMES_PER_INDEX:
                known[name] = index
                counts[index] = count + 1

    def forget(self, size: int) -> None:
        """Keep only the first ``size`` names."""
        while len(self.index) > size:
            index = self.index.popitem()[1]
            self.counts[index] -= 1
            if not self.counts[index]:
                del self.counts[index]


class NamesOfIndices(Sequence[Any]):
    """A name for each index, different for each: its name, all its names, or its number.

    >>> names = NamesOfIndices({"a": 2, "b": 0, "c": 0}, 4)
    >>> list(names)
    ['b | c (slot 0)', 'slot 1', 'a', 'slot 3']
    """

    def __init__(self, kept: dict[Hashable, int], size: int) -> None:
        self._size = size
        self._kept = kept
        self._names: dict[int, list[Hashable]] = {}
        for name, index in kept.items():
            self._names.setdefault(index, []).append(name)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._size))]
        if not 0 <= index < self._size:
            raise IndexError(index)
        names = self._names.get(index, [])
        if len(names) == 1:
            return names[0]
        text = f"{' | '.join(map(str, names))} (slot {index})" if names else f"slot {index}"
        return f"{text} (slot {index})" if text in self._kept else text

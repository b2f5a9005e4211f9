"""The names of a file's features: a list that only grows, until a new one is begun so that memory stays bounded."""

from __future__ import annotations

from driftline.internals.compiled import Indices
from driftline.internals.name_lookup import number_all

MOST_NAMES = 1 << 20


class Names:
    """Names to indices. Two things of the same name share an index."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.list: list[str] = []
        self._index: dict[str, int] = {}
        self._endings: dict[str, Endings] = {}

    @property
    def full(self) -> bool:
        """Whether the next block begins a new list."""
        return len(self.list) > MOST_NAMES

    def next_block(self) -> None:
        """Begin a new list if this one has become too long; what was asked for before holds no longer."""
        if self.full:
            self._begin()

    def forget(self, size: int) -> None:
        """Drop the names that came after the first ``size``; nobody may have seen them."""
        if len(self.list) == size:
            return
        for name in self.list[size:]:
            del self._index[name]
        del self.list[size:]
        self._endings.clear()

    def __getitem__(self, name: str) -> int:
        """The index of a name, a new one if need be."""
        index = self._index.get(name)
        if index is None:
            index = self._index[name] = len(self.list)
            self.list.append(name)
        return index

    def numbers(self, names: list[str]) -> Indices:
        """The indices of names, new ones if need be."""
        found, new = number_all(self._index, names)
        self.list.extend(new)
        return found

    def after(self, beginning: str) -> Endings:
        """The indices of the names with this beginning, by what follows it."""
        endings = self._endings.get(beginning)
        if endings is None:
            endings = self._endings[beginning] = Endings(self, beginning)
        return endings


class Endings(dict[str, int]):
    """Endings of names to indices, filled when asked."""

    def __init__(self, names: Names, beginning: str) -> None:
        super().__init__()
        self._names = names
        self._beginning = beginning

    def __missing__(self, ending: str) -> int:
        index = self[ending] = self._names[self._beginning + ending]
        return index

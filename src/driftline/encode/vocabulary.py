"""Map feature names to indices: by a growing vocabulary, or by hashing into a fixed range."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from driftline.encode.kept_names import KeptNames, NamesOfIndices
from driftline.internals.compiled import Indices
from driftline.internals.name_lookup import number_all

MASK = 0xFFFFFFFFFFFFFFFF
CACHED = 1 << 17


class Vocabulary:
    """A vocabulary: every new name gets the next index."""

    def __init__(self) -> None:
        self.index: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self.index)

    def add(self, name: Any) -> int:
        """Return the index of a name; a new name gets a new index."""
        return self.index.setdefault(name, len(self.index))

    def add_all(self, names: Sequence[Any]) -> Indices:
        """Return the index of each name; new names get new indices."""
        return number_all(self.index, names)[0]

    def names(self) -> Sequence[Any]:
        """Return all names, in the order of their indices."""
        return list(self.index)

    def forget(self, size: int) -> None:
        """Keep only the first ``size`` names."""
        while len(self.index) > size:
            self.index.popitem()


class Hashing:
    """Hash feature names to ``2**bits`` indices, which bounds the memory of a learner.

    Names that collide share a weight. A name has the same index in every process. An int used as
    a name is the same feature as the column of that number; ints are taken modulo 2**64.

    Parameters
    ----------
    bits : int, default=18
        Number of bits of an index, from 1 to 30.
    keep_names : bool, default=False
        Whether the learner stores the names behind indices, for ``weights``, ``largest``,
        ``explain_one`` and ``driftline inspect``. It stores the first three names that it learns
        of each index, and at most 2**20 names in all. Other indices are shown as "slot 7". Without
        it, names cannot be recovered from indices, and features are shown as these numbers.

    Examples
    --------
    >>> Hashing(bits=8).add("colour=red") == Hashing(bits=8).add("colour=red")
    True
    """

    kept: KeptNames | None = None

    def __init__(self, bits: int = 18, *, keep_names: bool = False) -> None:
        if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 1 <= bits <= 30:
            raise ValueError(f"Hashing: bits must be a whole number from 1 to 30, got {bits!r}")
        if not isinstance(keep_names, bool | np.bool_):
            raise ValueError(f"Hashing: keep_names must be True or False, got {keep_names!r}")
        self.bits = int(bits)
        self.index: dict[Hashable, int] = {}
        if keep_names:
            self.kept = KeptNames()

    @property
    def keep_names(self) -> bool:
        """Whether names are stored."""
        return self.kept is not None

    def for_learner(self) -> Hashing:
        """The object that a learner uses: a new one if it stores names, as they belong to one learner."""
        return Hashing(self.bits, keep_names=True) if self.keep_names else self

    def __repr__(self) -> str:
        return f"Hashing(bits={self.bits}{', keep_names=True' if self.keep_names else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashing) and (other.bits, other.keep_names) == (self.bits, self.keep_names)

    def __hash__(self) -> int:
        return hash((Hashing, self.bits, self.keep_names))

    def __len__(self) -> int:
        return int(1 << self.bits)

    def add(self, name: Any) -> int:
        """Return the index of a name; recent results are cached."""
        found = self.index.get(name)
        if found is not None:
            return found
        index = int(self.add_all([name])[0])
        if len(self.index) >= CACHED:
            self.index.clear()
        self.index[name] = index
        return index

    def add_all(self, names: Sequence[Any]) -> Indices:
        """Return the index of each of ``names``, without caching."""
        return self.add_columns(np.array([_key(name) for name in names], np.uint64))

    def add_columns(self, columns: np.ndarray) -> Indices:
        """Return the indices of columns, or of ints used as names."""
        return (mix(columns.astype(np.uint64)) >> np.uint64(64 - self.bits)).astype(np.uint32)

    def remember(self, names: Sequence[Any], indices: Indices) -> None:
        """Store learned names with their ``indices``, if names are stored at all."""
        if self.kept is not None:
            self.kept.add_all(names, indices.tolist())

    def names(self) -> Sequence[Any]:
        """Return a name for each index, or the indices themselves if names are not stored."""
        return range(len(self)) if self.kept is None else NamesOfIndices(self.kept.index, len(self))


def _key(name: Any) -> int:
    """Return an int as it is and a string as its CRC-32, modulo 2**64."""
    return (name if isinstance(name, int) else zlib.crc32(str(name).encode("utf-8", "surrogatepass"))) & MASK


def mix(key: np.ndarray) -> np.ndarray:
    """Mix 64-bit keys by a splitmix64-style finaliser (multiplication wraps around)."""
    with np.errstate(over="ignore"):
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key = (key ^ (key >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    mixed: np.ndarray = key
    return mixed

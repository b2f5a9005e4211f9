"""Map feature names to indices: by a growing vocabulary, or by hashing into a fixed range."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

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

    Names that collide share a weight. A name has the same index in every process. Names cannot be
    recovered from indices. An int used as a name is the same feature as the column of that number;
    ints are taken modulo 2**64.

    Parameters
    ----------
    bits : int, default=18
        Number of bits of an index, from 1 to 30.

    Examples
    --------
    >>> Hashing(bits=8).add("colour=red") == Hashing(bits=8).add("colour=red")
    True
    """

    def __init__(self, bits: int = 18) -> None:
        if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 1 <= bits <= 30:
            raise ValueError(f"Hashing: bits must be a whole number from 1 to 30, got {bits!r}")
        self.bits = int(bits)
        self.index: dict[Hashable, int] = {}

    def __repr__(self) -> str:
        return f"Hashing(bits={self.bits})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashing) and other.bits == self.bits

    def __hash__(self) -> int:
        return hash((Hashing, self.bits))

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
        """Return the index of each name, without caching."""
        return self.add_columns(np.array([_key(name) for name in names], np.uint64))

    def add_columns(self, columns: np.ndarray) -> Indices:
        """Return the indices of columns, or of ints used as names."""
        return (mix(columns.astype(np.uint64)) >> np.uint64(64 - self.bits)).astype(np.uint32)

    def names(self) -> Sequence[Any]:
        """Return the indices themselves, since names are not stored."""
        return range(len(self))


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

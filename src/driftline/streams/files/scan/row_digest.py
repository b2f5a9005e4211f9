"""A digest of rows in their order: features by name, values, labels and sample weights.

It does not depend on how the rows are split into blocks, on how the reader numbers the names, or
on the order of the features within a row. It tells a changed file from an unchanged one; it is no
protection against a forger.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.internals.compiled import Indices, Offsets, jit
from driftline.internals.numeric.splitmix import mixed
from driftline.internals.rows import FileRows

START = np.uint64(0x9E3779B97F4A7C15)
ODD = np.uint64(0xD6E8FEB86659FD93)
NO_NAMES = np.empty(0, np.uint64)
ONE = np.ones(1).view(np.uint64)[0]


class RowDigest:
    """The digest of all rows that were added so far."""

    def __init__(self) -> None:
        self._state = START
        self._list: list[str] | None = None
        self._hashes = NO_NAMES
        """Hashes of the names of ``_list``."""

    def add(self, rows: FileRows, y: Any, w: np.ndarray | None) -> None:
        """Add rows with their labels and sample weights. No weights are weights of 1."""
        names = NO_NAMES if rows.names is None else self._named(rows.names, rows.width)
        weights = np.full(len(rows), ONE) if w is None else _bits(w)
        values = rows.values.view(np.uint64)
        state = fold_rows(self._state, rows.indptr, rows.indices, values, names, _hashed_labels(y), weights)
        self._state = np.uint64(state)

    def hexdigest(self) -> str:
        """Return the digest as 16 hexadecimal digits."""
        return f"{int(self._state):016x}"

    def _named(self, names: list[str], width: int) -> Offsets:
        """Return the hash of each name; a name is hashed once."""
        if names is not self._list:
            self._list, self._hashes = names, NO_NAMES
        if width > len(self._hashes):
            new = _hashed_names(names[len(self._hashes) : width])
            self._hashes = np.concatenate([self._hashes, new])
        return self._hashes


def _hashed_names(names: list[str]) -> Offsets:
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.cumsum([len(one) for one in encoded], dtype=np.uint64)
    return hash_bytes(np.frombuffer(bytearray(b"".join(encoded)), np.uint8), ends)


def _hashed_labels(y: Any) -> Offsets:
    """Return the hash of each label. A whole number has the same hash as an int and as a float."""
    labels = np.asarray(y)
    if labels.dtype.kind in "biuf":
        return _bits(labels)
    texts = np.ascontiguousarray(labels.astype(np.str_))
    points = texts.view(np.uint32).reshape(len(texts), texts.dtype.itemsize // 4)
    return hash_texts(points if points.flags.writeable else points.copy())


def _bits(numbers: np.ndarray) -> Offsets:
    return (numbers.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 becomes 0.0


@jit
def hash_bytes(data: np.ndarray, ends: Offsets) -> Offsets:
    """Return the hash of each text, given the UTF-8 of all texts and the offsets of their ends."""
    found = np.empty(ends.size, np.uint64)
    at = np.uint64(0)
    for k in range(ends.size):
        state = START
        for place in range(at, ends[k]):
            state = (state ^ np.uint64(data[place])) * ODD
        found[k] = mixed(state)
        at = ends[k]
    return found


@jit
def hash_texts(points: Indices) -> Offsets:
    """Return the hash of each row of code points; trailing zeros are padding."""
    found = np.empty(len(points), np.uint64)
    for k in range(len(points)):
        state = START
        size = points.shape[1]
        while size > 0 and points[k, size - 1] == 0:
            size -= 1
        for place in range(size):
            state = (state ^ np.uint64(points[k, place])) * ODD
        found[k] = mixed(state)
    return found


@jit
def fold_rows(
    state: np.uint64,
    indptr: Offsets,
    indices: Indices,
    values: Offsets,
    names: Offsets,
    labels: Offsets,
    weights: Offsets,
) -> np.uint64:
    """Fold rows into the state, one after the other; ``names`` is empty if indices are columns."""
    named = names.size > 0
    for row in range(labels.size):
        total = mixed(labels[row] * ODD ^ weights[row])
        for k in range(indptr[row], indptr[row + 1]):
            name = names[indices[k]] if named else np.uint64(indices[k]) * ODD
            total += mixed(name ^ values[k])
        state = mixed((state ^ total) * ODD)
    return state

"""Examples in compact form: a shape that many examples share, and their values as bytes.

The shape of a dict is its names, the shape of an array its width. Two dicts with the same names
share one shape. A shape is dropped with the last example that has it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from driftline.encode.arrays import numbers, plain
from driftline.encode.features import feature
from driftline.encode.frames import is_series, named_values
from driftline.encode.sparse import matrix, one_row
from driftline.internals.compiled import Floats

NAMED, DENSE, SPARSE = 0, 1, 2
Shape = tuple[int, Any]
"""NAMED and the names, DENSE and the width, or SPARSE and the width."""
WHERE = "Pending"
PLAIN_NUMBERS = {float, int}


def compact(x: Any) -> tuple[Shape, bytes]:
    """The shape and the values of an example that a learner can score.

    Parameters
    ----------
    x
        The example: a dict, a 1-d array, a pandas Series or a sparse row. Strings and missing
        values become the features that a learner makes of them.
    """
    if is_series(x):
        x = named_values(WHERE, x)
    if isinstance(x, Mapping):
        return _named(x)
    if hasattr(type(x), "tocsr"):
        indptr, columns, values, width = matrix(WHERE, one_row(WHERE, x))
        part = slice(int(indptr[0]), int(indptr[-1]))
        return (SPARSE, width), columns[part].astype(np.int64).tobytes() + values[part].tobytes()
    values = plain(numbers(WHERE, x))
    return (DENSE, len(values)), values.tobytes()


def _named(x: Mapping[Any, Any]) -> tuple[Shape, bytes]:
    names = tuple(x)
    if {*map(type, names)} <= {str} and {*map(type, x.values())} <= PLAIN_NUMBERS:
        try:
            return (NAMED, names), struct.pack(f"{len(names)}d", *x.values())
        except OverflowError:
            pass  # an infinite number, below
    found: dict[Any, float] = {}
    for name, value in x.items():
        known_as, number = feature(WHERE, name, value)
        if known_as in found and number == number:
            number += found[known_as] if found[known_as] == found[known_as] else 0.0
        elif known_as in found:
            continue
        found[known_as] = number
    return (NAMED, tuple(found)), struct.pack(f"{len(found)}d", *found.values())


def restored(shape: Shape, values: bytes) -> Any:
    """An example that learners read like the one that was made compact.

    Parameters
    ----------
    shape, values
        What ``compact`` returned.
    """
    kind, size = shape
    if kind == NAMED:
        return dict(zip(size, struct.unpack(f"{len(size)}d", values), strict=True))
    if kind == DENSE:
        return _floats(values)
    from scipy.sparse import csr_array

    half = len(values) // 2
    columns = np.frombuffer(values[:half], np.int64)
    return csr_array((_floats(values[half:]), columns, np.array([0, len(columns)])), shape=(1, size))


def fits(shape: Shape, length: int) -> bool:
    """Whether an example of this shape can have so many bytes of values."""
    kind, size = shape
    return length % 16 == 0 if kind == SPARSE else length == 8 * (len(size) if kind == NAMED else size)


def _floats(values: bytes) -> Floats:
    return np.frombuffer(values, np.float64).copy()


class Shapes:
    """The shapes in use, numbered, with the number of examples of each."""

    def __init__(self) -> None:
        self.all: list[Shape | None] = []
        self._counts: list[int] = []
        self._numbers: dict[Shape, int] = {}
        self._free: list[int] = []

    def add(self, shape: Shape, examples: int = 1) -> int:
        """Count examples of a shape; return its number."""
        number = self._numbers.get(shape)
        if number is None:
            if self._free:
                number = self._free.pop()
            else:
                number = len(self.all)
                self.all.append(None)
                self._counts.append(0)
            self.all[number] = shape
            self._numbers[shape] = number
        self._counts[number] += examples
        return number

    def remove(self, number: int) -> None:
        """Count one example less; drop the shape with the last one."""
        self._counts[number] -= 1
        shape = self.all[number]
        if self._counts[number] == 0 and shape is not None:
            del self._numbers[shape]
            self.all[number] = None
            self._free.append(number)

    def __getitem__(self, number: int) -> Shape:
        shape = self.all[number]
        assert shape is not None
        return shape

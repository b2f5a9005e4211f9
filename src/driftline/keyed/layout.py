"""The part of a state that many keys share: labels, feature names, and which arrays there are.

A record is the state of one key in memory or in a file of this package: the number of its layout,
then its numbers and arrays (``packed``). Layouts are numbered in the order in which they appear.
A record whose layout has no number contains the layout, because the number of layouts is limited.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.saved import feature_names
from driftline.saved.container import DTYPES
from driftline.saved.fault import UnfitError
from driftline.saved.plain import parsed, written

MOST_NUMBERED = 4096
"""The most layouts that have a number."""
INLINE = 0xFFFF
"""Stands for the number of a layout that is contained in its record."""
MOST_AXES = 8
TYPES = {"labels": list, "vocabulary": str, "names": list, "arrays": list}


@dataclass(frozen=True, eq=False)
class Layout:
    """What a record needs besides its own bytes.

    Attributes
    ----------
    data
        The layout as JSON text.
    labels, vocabulary
        As in a model file.
    names
        The names of features as arrays of a model file; empty if features have no names.
    index
        The names of features and their numbers.
    arrays
        Name, dtype and number of axes of each array.
    """

    data: bytes
    labels: list[Any]
    vocabulary: str
    names: dict[str, np.ndarray]
    index: dict[Hashable, int]
    arrays: list[tuple[str, np.dtype[Any], int]]
    axes: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", sum(axes for _, _, axes in self.arrays))


def layout_bytes(labels: list[Any], vocabulary: str, names: list[Any], arrays: list[tuple[str, str, int]]) -> bytes:
    """Return a layout as text, for example ``{"labels":[0,1],...}``; the same layout gives the same bytes."""
    content = {"labels": labels, "vocabulary": vocabulary, "names": names, "arrays": [list(one) for one in arrays]}
    return written(content).encode("ascii")


def layout_of(data: bytes) -> Layout:
    """Return the layout that ``layout_bytes`` wrote; raise UnfitError for other bytes."""
    content = parsed(data.decode("ascii", "replace"))
    if not isinstance(content, dict) or content.keys() != TYPES.keys():
        raise UnfitError(f"a layout {shortened(content)}")
    if any(type(content[name]) is not kind for name, kind in TYPES.items()):
        raise UnfitError(f"a layout {shortened(content)}")
    names = content["names"]
    if not all(type(name) in (str, int, bool) for name in names):
        raise UnfitError(f"feature names {shortened(names)}")
    arrays = [_array(one) for one in content["arrays"]]
    if len({name for name, _, _ in arrays}) != len(arrays):
        raise UnfitError("two arrays with the same name")
    own = feature_names.to_arrays(names) if names else {}
    return Layout(data, content["labels"], content["vocabulary"], own, _index(own, len(names)), arrays)


def _index(names: dict[str, np.ndarray], number: int) -> dict[Hashable, int]:
    return feature_names.from_arrays(names, number) if names else {}


def _array(one: Any) -> tuple[str, np.dtype[Any], int]:
    if isinstance(one, list) and len(one) == 3:
        name, dtype, axes = one
        fits = type(name) is str and name not in feature_names.ARRAYS and type(dtype) is str and dtype in DTYPES
        if fits and type(axes) is int and 0 <= axes <= MOST_AXES:
            return name, DTYPES[dtype].newbyteorder("="), axes
    raise UnfitError(f"an array {shortened(one)}")


class Layouts:
    """Layouts by number, and the most recent ones without a number."""

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self._numbers: dict[bytes, int] = {}
        self._known: dict[bytes, Layout] = {}

    def restart(self, data: list[bytes]) -> None:
        """Take over the layouts of a file, with their numbers."""
        if len(data) > MOST_NUMBERED or len(set(data)) != len(data):
            raise UnfitError("duplicate layouts, or too many layouts")
        self.data = list(data)
        self._numbers = {one: number for number, one in enumerate(data)}
        for one in data:
            self.layout(one)

    def number(self, data: bytes) -> int:
        """Return the number of a layout; a new one gets the next number, or INLINE if there are too many."""
        number = self._numbers.get(data)
        if number is None:
            if len(self.data) >= MOST_NUMBERED:
                return INLINE
            number = self._numbers[data] = len(self.data)
            self.data.append(data)
        return number

    def layout(self, data: bytes) -> Layout:
        """Return the layout with these bytes, which are read once."""
        known = self._known.get(data)
        if known is None:
            if len(self._known) >= 2 * MOST_NUMBERED:
                self._known.clear()
            known = self._known[data] = layout_of(data)
        return known

    def of(self, record: bytes) -> tuple[Layout, int]:
        """Return the layout of a record, and where the rest of the record starts."""
        number = int.from_bytes(record[:2], "little")
        if number != INLINE:
            if number >= len(self.data):
                raise UnfitError(f"layout {number} of {len(self.data)}")
            return self.layout(self.data[number]), 2
        end = 6 + int.from_bytes(record[2:6], "little")
        if end > len(record):
            raise UnfitError("a state that is cut short")
        return self.layout(record[6:end]), end

    def started(self, data: bytes) -> bytes:
        """Return the start of a record with this layout."""
        number = self.number(data)
        if number != INLINE:
            return number.to_bytes(2, "little")
        return INLINE.to_bytes(2, "little") + len(data).to_bytes(4, "little") + data

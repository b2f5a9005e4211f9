"""Checks of what a cache file says. Its checksums are no secret, and compiled loops trust rows.

So a cache is checked for everything that ``FileRows`` promises. Each check raises DamagedError;
the file is then parsed again.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import fields
from types import NoneType
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, jit, leaf
from driftline.internals.numeric.index_order import rising
from driftline.internals.rows import FileRows
from driftline.streams.files.faults import Fault
from driftline.streams.files.parsed import Findings
from driftline.streams.schema.kinds import KINDS

WIDEST = 1 << 31
"""The upper limit of indices: that of the encoder."""
LARGEST_TEXTS = 1 << 28
"""The upper limit of the characters of an array of labels; numpy stores four bytes for each."""
MOST = 1 << 52
ONE, HALF = np.uint64(1), np.uint64(32)
STIR = np.uint64(0x9E3779B97F4A7C15)
ROW_DTYPES = (np.dtype(np.uint64), np.dtype(np.uint32), np.dtype(np.float64), np.dtype(np.uint64))
FAULT_TYPES: dict[str, tuple[type, ...]] = {
    "source": (str,),
    "line": (int, NoneType),
    "column": (int, str, NoneType),
    "must": (str,),
    "got": (str,),
    "remedy": (str,),
}
assert FAULT_TYPES.keys() == {one.name for one in fields(Fault)}


class DamagedError(Exception):
    """Raised if a cache is missing, outdated or damaged."""


def require(holds: bool) -> None:
    """Raise DamagedError unless it holds."""
    if not holds:
        raise DamagedError


def is_count(value: object, most: int = WIDEST) -> bool:
    """Whether a plain value is a whole number from 0 to ``most``."""
    return type(value) is int and 0 <= value <= most


# rows -----------------------------------------------------------------------------------------------------------------
@leaf
def count_not_finite(values: Floats) -> int:
    """The number of values that are not finite."""
    number = np.uint64(0)
    for j in range(np.uint64(values.size)):
        number += np.uint64(not abs(values[j]) < np.inf)
    return number


@jit
def all_finite(values: Floats) -> bool:
    """Whether all values are finite."""
    return count_not_finite(values) == 0


@jit
def repeats(indices: Indices, slots: Offsets, mark: int) -> bool:
    """Whether an index occurs twice.

    ``slots`` is a hash table: a power of 2, at least twice the number of indices. A slot of
    another row has another ``mark``, so that the table is not cleared between rows.
    """
    last = np.uint64(slots.size) - ONE
    for j in range(np.uint64(indices.size)):
        index = np.uint64(indices[j])
        slot = (index * STIR >> HALF) & last
        own = mark << HALF | index
        while slots[slot] >> HALF == mark:
            if slots[slot] == own:
                return True
            slot = (slot + ONE) & last
        slots[slot] = own
    return False


@jit
def indices_are_valid(indptr: Offsets, indices: Indices, width: int, slots: Offsets) -> bool:
    """Whether all indices are below ``width``, and none is twice in a row.

    ``indptr`` has been checked. Most files have increasing indices, which is fast to find out.
    """
    rows = np.uint64(indptr.size) - ONE
    if rising(indptr, indices, np.uint64(0), rows, width):
        return True
    for j in range(indices.size):
        if indices[j] >= width:
            return False
    twice = False
    for i in range(rows):
        twice |= repeats(indices[indptr[i] : indptr[i + ONE]], slots, i + ONE)
    return not twice


def check_rows(rows: FileRows, finite: bool) -> None:
    """Check sizes, offsets, indices and values, which must be ``finite`` in formats without columns."""
    indptr, indices, values, lines = rows.indptr, rows.indices, rows.values, rows.lines
    require(is_count(rows.width) and (rows.names is None or rows.width <= len(rows.names)))
    require((indptr.dtype, indices.dtype, values.dtype, lines.dtype) == ROW_DTYPES)
    require(indptr.size == lines.size + 1 and indices.size == values.size)
    require(indptr[0] == 0 and indptr[-1] == indices.size and bool((indptr[1:] >= indptr[:-1]).all()))
    require(bool((lines[1:] > lines[:-1]).all()))
    require(not finite or all_finite(values))
    longest = int(np.diff(indptr).max(initial=0))
    require(indices_are_valid(indptr, indices, rows.width, np.zeros(2 << longest.bit_length(), np.uint64)))


def check_numbers(array: np.ndarray | None, kinds: tuple[str, ...], size: int, least: float = -np.inf) -> None:
    """Check labels or weights: their dtype, their number, and that they are finite and >= least.

    A label may be NaN: it is missing.
    """
    if array is not None:
        require(array.dtype.name in kinds and array.size == size)
        here = array if least >= 0.0 else array[~np.isnan(array)]
        require(bool((np.isfinite(here) & (here >= least)).all()))


# texts and faults -----------------------------------------------------------------------------------------------------
def strings(arrays: dict[str, np.ndarray], name: str) -> list[str]:
    """The strings that are stored as an array of bytes and an array of end offsets."""
    require(arrays.keys() >= {name, f"{name} end"})
    text, ends = arrays[name], arrays[f"{name} end"]
    require(text.dtype == np.uint8 and ends.dtype == np.uint64 and bool((ends[1:] >= ends[:-1]).all()))
    require(int(ends[-1] if ends.size else 0) == text.size)
    data, stops = text.tobytes(), ends.tolist()
    starts = [0, *stops][: len(stops)]
    try:
        return [data[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, stops, strict=True)]
    except UnicodeDecodeError:
        raise DamagedError from None


def labels(arrays: dict[str, np.ndarray], size: int) -> np.ndarray:
    """The labels of ``size`` rows that are stored as different texts and their codes."""
    texts, codes = strings(arrays, "labels"), arrays["codes"]
    require(codes.dtype == np.int64 and codes.size == size)
    require(bool(((codes >= 0) & (codes < len(texts))).all()))
    require(max(map(len, texts), default=0) * (size + len(texts)) <= LARGEST_TEXTS)
    return np.array(texts, dtype=np.str_)[codes]


def listed_numbers(given: Any, size: int) -> list[int | float]:
    """The labels of ``size`` rows that are stored as a list, because an array would round them.

    NaN is a missing label.
    """
    require(isinstance(given, list) and len(given) == size)
    require(all(type(one) is int or (type(one) is float and not math.isinf(one)) for one in given))
    return list(given)


def listed_labels(given: Any, size: int) -> np.ndarray:
    """The labels of ``size`` rows of which some are missing: None."""
    require(isinstance(given, list) and len(given) == size)
    require(all(type(one) in (str, int, NoneType) or (type(one) is float and math.isfinite(one)) for one in given))
    found = np.empty(size, object)
    found[:] = given
    return found


def findings_of(given: Any) -> Findings | None:
    """The findings of a piece from their fields."""
    if given is None:
        return None
    require(isinstance(given, dict) and given.keys() == {one.name for one in fields(Findings)})
    kinds, missing = given["kinds"], given["missing"]
    require(given["target"] is None or type(given["target"]) is str)
    require(isinstance(kinds, dict) and all(type(one) is str and one in KINDS for one in kinds.values()))
    require(isinstance(given["notes"], list) and all(type(one) is str for one in given["notes"]))
    require(isinstance(missing, dict) and all(is_count(one, MOST) for one in missing.values()))
    require(is_count(given["unlabelled"], MOST) and isinstance(given["bad_cells"], list))
    cells = [fault_of(cell) for cell in given["bad_cells"]]
    return Findings(**given | {"missing": Counter(missing), "bad_cells": cells})


def fault_of(given: Any) -> Fault:
    """A fault from its fields."""
    require(isinstance(given, dict) and given.keys() == FAULT_TYPES.keys())
    require(all(type(given[name]) in types for name, types in FAULT_TYPES.items()))
    return Fault(**given)

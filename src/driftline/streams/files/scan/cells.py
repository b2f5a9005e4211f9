"""The cells of one column in a block: numbers, or dictionary-encoded texts.

The functions work on whole Arrow arrays. Python loops only over distinct texts and malformed
cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats
from driftline.streams.files.faults import excerpt

Codes = npt.NDArray[np.int32]
TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Wrong:
    """A malformed cell: its position, the condition, the text found and the remedy."""

    cell: int
    must: str
    got: str
    remedy: str


@dataclass(frozen=True)
class Numbers:
    """Numbers; NaN means missing."""

    values: Floats
    wrong: list[Wrong] = field(default_factory=list)
    written: Any = None
    """What the numbers were read from, if floats may have rounded them: Arrow or Python values."""

    def text(self, cell: int) -> str:
        """Return the text of a number."""
        if self.written is None:
            return repr(float(self.values[cell]))
        found = self.written[cell]
        return str(found.as_py() if hasattr(found, "as_py") else found)


@dataclass(frozen=True)
class Texts:
    """Texts: cell k is ``distinct[codes[k]]``; the code -1 means missing."""

    codes: Codes
    distinct: list[str]
    wrong: list[Wrong] = field(default_factory=list)


Cells = Numbers | Texts


def texts(strings: Any) -> Texts:
    """Return Arrow strings as texts."""
    encoded = strings.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Texts(codes.astype(np.int32, copy=False), encoded.dictionary.to_pylist())


def numbers(strings: Any) -> Numbers:
    """Parse Arrow strings as numbers, exactly as Python's ``float`` does; NaN means missing."""
    values = _all_numbers(strings)
    return _looked_up(strings, number, "a number") if values is None else Numbers(values, written=strings)


def truths(strings: Any) -> Numbers:
    """Parse Arrow strings "true" and "false" as 1 and 0."""
    return _looked_up(strings, truth, "true or false")


def kind_of(strings: Any) -> Callable[[Any], Cells]:
    """Return ``numbers`` or ``truths`` if all non-null strings parse as such, else ``texts``."""
    if _all_numbers(strings) is not None:
        return numbers
    distinct = strings.drop_null().unique().to_pylist()
    if all(number(text) is not None for text in distinct):
        return numbers
    return truths if all(truth(text) is not None for text in distinct) else texts


def number(text: str) -> float | None:
    """Parse a text as a number; None if it is not one."""
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def truth(text: str) -> float | None:
    """Return 1 for "true", 0 for "false" (any case), None for anything else."""
    return TRUTH.get(text.strip().lower())


def _all_numbers(strings: Any) -> Floats | None:
    """Parse all strings by Arrow; None if Arrow and Python may disagree on what is a number.

    Arrow and Python parse numbers to the same bits.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        array = strings.cast(pa.float64())
    except pa.ArrowInvalid:
        try:
            array = pc.utf8_trim_whitespace(strings).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    values: Floats = array.to_numpy(zero_copy_only=False)
    if np.isnan(values).sum() > array.null_count:
        odd = strings.filter(pc.is_nan(array)).unique().to_pylist()
        if any(number(text) is None for text in odd):
            return None
    return values


def _looked_up(strings: Any, meaning: Callable[[str], float | None], wanted: str) -> Numbers:
    """Parse each distinct text once."""
    found = texts(strings)
    meant = [meaning(text) for text in found.distinct]
    values = np.array([math.nan if value is None else value for value in meant] + [math.nan])[found.codes]
    odd = np.array([value is None for value in meant] + [False])[found.codes]
    wrong = [not_a(wanted, k, found.distinct[found.codes[k]]) for k in np.flatnonzero(odd).tolist()]
    return Numbers(values, wrong, strings)


def not_a(wanted: str, cell: int, text: str) -> Wrong:
    """Return the record of a cell that does not have its column's type."""
    return Wrong(cell, f"a cell of this column must be {wanted}", excerpt(text), "Correct it, or drop the column")


def listed_numbers(strings: list[str]) -> Numbers:
    """Do ``numbers`` for Python strings."""
    meant = [number(text) for text in strings]
    wrong = [not_a("a number", k, strings[k]) for k, value in enumerate(meant) if value is None]
    return Numbers(np.array([math.nan if value is None else value for value in meant], np.float64), wrong, strings)


def listed_texts(strings: list[str]) -> Texts:
    """Do ``texts`` for Python strings."""
    codes: dict[str, int] = {}
    found = [codes.setdefault(text, len(codes)) for text in strings]
    return Texts(np.array(found, np.int32), list(codes))

"""The cells of one column in a block: numbers, or dictionary-encoded texts.

The functions work on whole Arrow arrays. Python loops only over distinct texts and malformed
cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from shlex import quote
from typing import Any

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats
from driftline.streams.files.faults import excerpt
from driftline.streams.schema.kinds import number, number_or_truth
from driftline.streams.schema.times import LARGEST_TIME, seconds_of_number, seconds_of_strings, seconds_of_text

Codes = npt.NDArray[np.int32]
LONGEST_MARKER = 20
"""A longer text is not repeated as the text of a missing cell."""


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
    """What the numbers were read from, if floats may have rounded them: an Arrow array."""

    def text(self, cell: int) -> str:
        """Return the text of a number."""
        if self.written is None:
            return repr(float(self.values[cell]))
        return str(python_values(self.written[cell : cell + 1])[0])

    @property
    def present(self) -> np.ndarray:
        """A mask of the cells that are not missing."""
        return ~np.isnan(self.values)


@dataclass(frozen=True)
class Texts:
    """Texts: cell k is ``distinct[codes[k]]``; the code -1 means missing."""

    codes: Codes
    distinct: list[str]
    wrong: list[Wrong] = field(default_factory=list)

    @property
    def present(self) -> np.ndarray:
        """A mask of the cells that are not missing."""
        return self.codes >= 0


Cells = Numbers | Texts


def texts(strings: Any, markers: Iterable[str] = ()) -> Texts:
    """Return Arrow strings as texts; texts among the ``markers`` are missing."""
    encoded = strings.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    distinct = encoded.dictionary.to_pylist()
    known = frozenset(markers)
    gone = [code for code, text in enumerate(distinct) if text.strip() in known] if known else []
    if gone:
        codes = np.where(np.isin(codes, gone), np.int32(-1), codes)
    return Texts(codes, distinct)


def numbers(strings: Any, markers: Iterable[str] = ()) -> Numbers:
    """Parse Arrow strings as numbers, exactly as Python's ``float`` does; NaN means missing.

    True and false are 1 and 0. Texts among the ``markers`` are missing.
    """
    if any(map(_is_finite, markers)):  # -999 is a number, but means missing
        strings = without(strings, markers)
    values = all_numbers(strings)
    if values is None and markers:
        strings = without(strings, markers)
        values = all_numbers(strings)
    if values is None:
        return _looked_up(strings, number_or_truth, "a number", bool(markers))
    return Numbers(values, written=strings)


def _is_finite(text: str) -> bool:
    value = number(text)
    return value is not None and math.isfinite(value)


def times(strings: Any, markers: Iterable[str] = ()) -> Numbers:
    """Parse Arrow strings as times in seconds since 1970: ISO dates and times, or numbers."""
    strings = without(strings, markers) if markers else strings
    values = seconds_of_strings(strings)
    if values is None:
        values = all_numbers(strings)
        if values is None:
            wanted = "a time such as 2024-03-01T12:30:00"
            return within_calendar(_looked_up(strings, _moment, wanted, bool(markers)))
        values = seconds_of_number(values)
    return within_calendar(Numbers(values, written=strings))


def _moment(text: str) -> float | None:
    seconds = seconds_of_text(text)
    if seconds is None and (found := number(text)) is not None:
        seconds = float(seconds_of_number(np.array([found]))[0])
    return seconds


def within_calendar(found: Numbers) -> Numbers:
    """Mark times that no calendar has as wrong."""
    beyond = np.flatnonzero(np.abs(found.values) > LARGEST_TIME)
    wrong = [not_a("a time before the year 9999", k, str(found.values[k])) for k in beyond.tolist()]
    if not wrong:
        return found
    values = found.values.copy()
    values[beyond] = math.nan
    return Numbers(values, [*found.wrong, *wrong], found.written)


def python_values(array: Any) -> list[Any]:
    """Return Arrow values as Python values. Times that Python cannot hold become strings."""
    import pyarrow as pa

    try:
        return list(array.to_pylist())
    except (OverflowError, ValueError):
        return list(array.cast(pa.string()).to_pylist())


def without(strings: Any, markers: Iterable[str]) -> Any:
    """Return Arrow strings with null in place of the ``markers``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = pc.is_in(pc.utf8_trim_whitespace(strings), pa.array(list(markers), pa.string()))
    return pc.if_else(missing, pa.scalar(None, pa.string()), strings)


def all_numbers(strings: Any) -> Floats | None:
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


def _looked_up(strings: Any, meaning: Callable[[str], float | None], wanted: str, marked: bool) -> Numbers:
    """Parse each distinct text once; ``marked`` is as in ``not_a``."""
    found = texts(strings)
    meant = [meaning(text) for text in found.distinct]
    values = np.array([math.nan if value is None else value for value in meant] + [math.nan])[found.codes]
    odd = np.array([value is None for value in meant] + [False])[found.codes]
    wrong = [not_a(wanted, k, found.distinct[found.codes[k]], marked) for k in np.flatnonzero(odd).tolist()]
    return Numbers(values, wrong, strings)


def not_a(wanted: str, cell: int, text: str, marked: bool = False) -> Wrong:
    """Return the record of a cell that does not have its column's kind.

    ``marked`` says whether texts can mean a missing cell in this format.
    """
    option = f" or pass {_missing_option(text)}" if marked else ""
    remedy = f"Correct it, leave it empty{option} if it is missing, or declare another kind with --kind"
    return Wrong(cell, f"a cell of this column must be {wanted}", excerpt(text), remedy)


def _missing_option(text: str) -> str:
    """Return the option that takes a text as missing, as it is typed in a shell.

    >>> _missing_option("-"), _missing_option("not known"), _missing_option("-x")
    ('--na -', "--na 'not known'", '--na=-x')
    """
    text = text.strip()
    if not text or len(text) > LONGEST_MARKER or not text.isprintable():
        return "--na TEXT"
    return f"--na{'=' if text[0] == '-' and text != '-' else ' '}{quote(text)}"

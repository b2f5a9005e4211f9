"""The kinds of columns, and how a kind is found from a sample of the first rows.

==========  =====================================================================================
number      one feature with the column's name; true and false are 1 and 0
category    one feature ``name=value`` per value
text        one feature ``name:word`` per word
time        hour, weekday and month of a date or time, as categories
ignore      no feature
==========  =====================================================================================

A kind is declared, or found from the first rows and then held for the whole stream. A single odd
cell does not change it, wherever it stands: a column is a number if more than half of its sampled
cells are numbers.
"""

from __future__ import annotations

import re
from typing import Any

from driftline.streams.schema.times import is_time

NUMBER, CATEGORY, TEXT, TIME, IGNORE = "number", "category", "text", "time", "ignore"
KINDS = (NUMBER, CATEGORY, TEXT, TIME, IGNORE)

SAMPLE = 1000
"""Number of rows from which the kinds of columns are found."""
MAJORITY = 0.5
"""A column is a number (or a time) if more than this share of its sampled cells are."""
UNIQUE_CELLS, UNIQUE_SHARE = 100, 0.95
"""A column of at least UNIQUE_CELLS strings is left out if at least UNIQUE_SHARE of them are distinct."""
WORDY = 3.0
"""Average number of words from which a column of distinct strings is proposed as text."""
LARGEST_WHOLE = 2.0**53
"""Floats hold smaller whole numbers exactly."""
DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
OTHER_DATE = re.compile(
    r"\s*(\d{1,2}([./-])\d{1,2}\2\d{4}|\d{4}([./])\d{1,2}\3\d{1,2})([ T,].*)?\s*", re.ASCII | re.DOTALL
)
"""A date that is not ISO 8601: 31/01/2024, 31.01.2024 or 2024/01/31, with a time or without."""
TRUTH = {"true": 1.0, "false": 0.0}


def number(text: str) -> float | None:
    """Parse a text as a number; None if it is not one."""
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def number_text(value: float) -> str:
    """Return a number as the text of a category: a whole number has no decimal point."""
    return str(int(value)) if value == value // 1 and abs(value) < LARGEST_WHOLE else repr(value)


def truth(text: str) -> float | None:
    """Return 1 for "true", 0 for "false" (any case), None for anything else."""
    return TRUTH.get(text.strip().lower())


def number_or_truth(text: str) -> float | None:
    """Parse a text as a number, true or false; None if it is none of these."""
    found = number(text)
    return truth(text) if found is None else found


class ColumnSample:
    """Counts of the sampled cells of one column.

    Parameters
    ----------
    untyped : bool
        Whether cells are texts that may stand for numbers, as in CSV. In a typed source such as
        JSON or Parquet a string is never a number.
    """

    def __init__(self, untyped: bool) -> None:
        self.untyped = untyped
        self.present = self.numbers = self.times = self.words = 0
        self.numerals = self.decimal_commas = 0
        """Strings that look like numbers: in a typed source, and with a decimal comma."""
        self.other_dates = 0
        self.distinct: set[str] = set()

    def add(self, value: Any) -> None:
        """Count a cell that is not missing: a string, or a number."""
        self.present += 1
        if not isinstance(value, str) or (self.untyped and number_or_truth(value) is not None):
            self.numbers += 1
        else:
            self.times += is_time(value)
            self.numerals += number(value) is not None
            self.decimal_commas += DECIMAL_COMMA.fullmatch(value) is not None
            self.other_dates += OTHER_DATE.fullmatch(value) is not None
            self.distinct.add(value)
            self.words += len(value.split())

    def add_numbers(self, count: int) -> None:
        """Count cells that are numbers."""
        self.present += count
        self.numbers += count

    def label_kind(self) -> str | None:
        """Return the kind of a label column: number or category; None without a cell."""
        if not self.present:
            return None
        return NUMBER if self.numbers > MAJORITY * self.present else CATEGORY

    def time_kind(self) -> str | None:
        """Return how to compare the values of a time column: as numbers, times or strings."""
        kind = self.label_kind()
        return TIME if kind == CATEGORY and self._is_time() else kind

    def feature_kind(self, name: str) -> tuple[str | None, str]:
        """Return the kind of a feature column and a note for the user, which is usually empty.

        The kind is None if the sample has no cell.
        """
        kind = self.label_kind()
        if kind != CATEGORY:
            return kind, ""
        if self._is_time():
            return IGNORE, time_note(name)
        unique = self.present >= UNIQUE_CELLS and len(self.distinct) >= UNIQUE_SHARE * self.present
        consequence = "is left out" if unique else "gives one feature per value"
        note = self._number_note(name, consequence) or self._date_note(name, consequence)
        if unique and not note:
            wordy = self.words >= WORDY * self.present
            first = f"--text {name} for its words" if wordy else f"--drop {name} if it is an id"
            note = (
                f"column {name} has a different text in almost every row and is left out. "
                f"Pass {first}, or --kind {name}=category for one feature per value"
            )
        return IGNORE if unique else CATEGORY, note

    def _number_note(self, name: str, consequence: str) -> str:
        """Return a note for a column of strings that look like numbers; else nothing."""
        if self.decimal_commas > MAJORITY * self.present:
            return (
                f"column {name} has numbers with a decimal comma and {consequence}. "
                f"Write a decimal point for numbers, or pass --kind {name}=category for one feature per value"
            )
        if self.numerals > MAJORITY * self.present:
            return (
                f"column {name} has numbers written as strings and {consequence}. "
                f"Pass --kind {name}=number for numbers, or --kind {name}=category for one feature per value"
            )
        return ""

    def _date_note(self, name: str, consequence: str) -> str:
        """Return a note for a column of dates that are not ISO 8601; else nothing."""
        if self.other_dates > MAJORITY * self.present:
            return (
                f"column {name} has dates that are not ISO 8601 and {consequence}. Write them as 2024-03-01 for times, "
                f"or pass --drop {name}, or --kind {name}=category for one feature per value"
            )
        return ""

    def _is_time(self) -> bool:
        return self.times > MAJORITY * self.present


def time_note(name: str) -> str:
    """The note for a column of times without a role."""
    return (
        f"column {name} holds times and is left out. Pass --time {name} if the rows are in its order, "
        f"or --kind {name}=time for its hour, weekday and month"
    )

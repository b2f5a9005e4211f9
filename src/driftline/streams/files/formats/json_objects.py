"""Convert JSON objects to features, by the kinds of their keys.

Nested objects give names such as ``outer.inner``. A list of strings gives ``key=value`` for each
item, a list of numbers ``key[0]``, ``key[1]`` and so on. Lists have no kind.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from math import nan
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats, Indices
from driftline.streams.files.column_kinds import ColumnKinds
from driftline.streams.files.faults import Fault, excerpt
from driftline.streams.files.scan.feature_names import Names, Suffixes
from driftline.streams.files.scan.words import words
from driftline.streams.schema.kinds import (
    CATEGORY,
    IGNORE,
    NUMBER,
    TEXT,
    TIME,
    ColumnSample,
    number_or_truth,
    number_text,
)
from driftline.streams.schema.recipe import MOST_KINDS
from driftline.streams.schema.record_values import float_of
from driftline.streams.schema.times import seconds_of, time_parts

DEEPEST = 64
NUMBERS = (int, float, bool)
ONCE = array("d", [1.0])
REMEDY = "Correct it, write null if it is missing, or declare another kind with --kind"


class MalformedError(Exception):
    """A malformed line; the arguments are column, condition, text found and remedy."""


class Objects:
    """The features of the objects so far.

    Parameters
    ----------
    names
        The names of the features.
    kinds
        The kinds of the keys; new keys are added.
    ngrams
        The maximum number of consecutive words that form a feature.
    lenient
        Whether a value that does not have its key's kind is missing.
    """

    def __init__(self, names: Names, kinds: ColumnKinds, ngrams: int, lenient: bool) -> None:
        self.names = names
        self.kinds = kinds
        self.ngrams = ngrams
        self.lenient = lenient
        self.roles = frozenset(kinds.options.roles)
        self.missing: Counter[str] = Counter()
        self.bad_cells: list[MalformedError] = []
        self.indices = array("I")
        """The indices of all features so far."""
        self._values = array("d")
        self._aside: dict[str, Any] = {}
        self._categories = Categories(names)

    def take(self, example: dict[str, Any]) -> dict[str, Any]:
        """Add the features of an object; return the values of keys with a role.

        If it raises, the caller must remove the partial features with ``cut``.
        """
        self._aside = {}
        self._walk("", example, 1)
        return self._aside

    def cut(self, size: int, known: int) -> None:
        """Keep only the first ``size`` features and ``known`` names."""
        del self.indices[size:], self._values[size:]
        if len(self.names.list) > known:
            self.names.forget(known)
            self._categories.clear()

    def arrays(self) -> tuple[Indices, Floats]:
        """Return the indices and values of the features."""
        return np.array(self.indices, np.uint32), np.array(self._values, np.float64)

    def _walk(self, beginning: str, example: dict[str, Any], depth: int) -> None:
        add, add_value, numbers = self.indices.append, self._values.append, self.names.after("")
        kind_of, roles = self.kinds.known.get, self.roles
        for key, value in example.items():
            path = beginning + key if beginning else key
            if path in roles:
                self._aside[path] = value
                continue
            kind = type(value)
            how = kind_of(path)
            if how is None and kind is not dict and kind is not list:
                if value is None:
                    self.missing[path] += not self.kinds.options.closed
                    continue
                how = self._new_kind(path, value)
            if how == NUMBER and kind in NUMBERS:
                add(numbers[path])
                try:
                    add_value(value)
                except OverflowError:
                    add_value(float_of(value))
            elif how == CATEGORY and kind is str:
                add(self._categories[path][value])
                add_value(1.0)
            elif how == IGNORE:
                continue
            elif kind is dict:
                if depth == DEEPEST:
                    must = f"objects must be nested at most {DEEPEST} deep"
                    raise MalformedError(path[:200], must, "a deeper one", "Pass --drop with a key above it")
                self._walk(path + ".", value, depth + 1)
            elif kind is list:
                self._list(path, value)
            else:
                self._other(path, value, how)

    def _new_kind(self, path: str, value: Any) -> str:
        """Decide the kind of a key that the sample did not have, by its first value."""
        if self.kinds.options.closed:
            return IGNORE
        if len(self.kinds.known) >= MOST_KINDS:
            return NUMBER if type(value) in NUMBERS else CATEGORY
        sample = ColumnSample(False)
        sample.add(value)
        return self.kinds.decide(path, sample, None) or CATEGORY

    def _other(self, path: str, value: Any, how: str | None) -> None:
        """Add a value that is missing, or text, or time, or not of the type of its kind."""
        if value is None:
            if how != TEXT:
                self._add_missing(path, how)
            return
        try:
            self._convert(path, value, how)
        except MalformedError as error:
            if not self.lenient:
                raise
            self.bad_cells.append(error)
            if how == NUMBER:
                self._add(path, nan)

    def _convert(self, path: str, value: Any, how: str | None) -> None:
        if how == NUMBER:
            found = number_or_truth(value)
            if found is None:
                raise MalformedError(path, "a value of this key must be a number", excerpt(value), REMEDY)
            self._add(path, found)
        elif how == CATEGORY:
            self._add(f"{path}={text_of(value)}", 1.0)
        elif how == TIME:
            seconds = seconds_of(value)
            if seconds is None:
                must = "a value of this key must be a time such as 2024-03-01T12:30:00"
                raise MalformedError(path, must, excerpt(str(value)), REMEDY)
            for part, found_part in time_parts(np.array([seconds])).items():
                self._add(f"{path}.{part}={found_part[0]}", 1.0)
        else:
            if type(value) is not str:
                raise MalformedError(path, "text must be a string", excerpt(str(value)), "Write it in quotes")
            found_words = words(value, self.ngrams)
            self.indices.extend(map(self.names.after(path + ":").__getitem__, found_words))
            self._values.extend(ONCE * len(found_words))

    def _add_missing(self, path: str, how: str | None) -> None:
        self.missing[path] += 1
        if how == NUMBER:
            self._add(path, nan)

    def _add(self, name: str, value: float) -> None:
        self.indices.append(self.names[name])
        self._values.append(value)

    def _list(self, path: str, items: list[Any]) -> None:
        for place, item in enumerate(items):
            if type(item) is str:
                self.indices.append(self.names.after(path + "=")[item])
                self._values.append(1.0)
            elif type(item) in NUMBERS:
                self._add(f"{path}[{place}]", float_of(item))
            elif item is not None:
                must, got = "a list must hold strings or numbers", excerpt(str(item))
                raise MalformedError(path, must, got, f"Pass --drop {path}, or write the list as an object")


class Categories(dict[str, Suffixes]):
    """Maps keys to the indices of their values; filled on demand."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, path: str) -> Suffixes:
        suffixes = self[path] = self._names.after(path + "=")
        return suffixes


def text_of(value: Any) -> str:
    """Return a string, a number or a bool as the text of a category; 7.0 is "7"."""
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
        return number_text(value)
    return value if type(value) is str else repr(value)


def leaves(beginning: str, example: dict[str, Any], depth: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield the path and value of every key that is not an object, and the path of every object."""
    for key, value in example.items():
        path = beginning + key
        yield path, None if type(value) is dict else value
        if type(value) is dict and depth < DEEPEST:
            yield from leaves(f"{path}.", value, depth + 1)


def sampled(samples: dict[str, ColumnSample], example: dict[str, Any]) -> None:
    """Add the values of an object to the samples of its keys."""
    for path, value in leaves("", example):
        sample = samples.get(path)
        if sample is None:
            sample = samples[path] = ColumnSample(False)
        if type(value) is str or type(value) in NUMBERS:
            sample.add(value)


def fault_of(source: str, line: int, error: MalformedError) -> Fault:
    """Return a malformed line as a fault."""
    return Fault(source, line, *error.args)

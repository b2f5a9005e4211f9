"""The options that a user gave to ``read``, and how they agree with the recipe of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from driftline.streams.files.faults import ReadError
from driftline.streams.files.options import ReadOptions
from driftline.streams.schema.kinds import IGNORE, KINDS, TEXT
from driftline.streams.schema.missing import NA_VALUES, checked_markers
from driftline.streams.schema.recipe import MOST_NGRAMS, TASKS, Recipe


@dataclass(frozen=True)
class GivenOptions:
    """The options of ``read``; None and empty tuples were not given."""

    target: str | None
    positive: str | None
    time: str | None
    weight: str | None
    drop: tuple[str, ...]
    text: tuple[str, ...]
    kinds: tuple[tuple[str, str], ...]
    ngrams: int | None
    na: tuple[str, ...] | None
    task: str | None
    keep: tuple[str, ...]
    labelled: bool
    header: bool | None
    lenient: bool
    keep_flag: str = "column"

    def options(self) -> ReadOptions:
        """Return the options for reading without a recipe."""
        return ReadOptions(
            target=self.target,
            drop=self.drop,
            time=self.time,
            text=self.text,
            ngrams=self.ngrams or 1,
            labelled=self.labelled,
            weight=self.weight,
            kinds=self.kinds,
            na=NA_VALUES if self.na is None else self.na,
            header=self.header is not False,
            keep=self.keep,
            keep_flag=self.keep_flag,
            lenient=self.lenient,
        )

    def options_by(self, recipe: Recipe) -> ReadOptions:
        """Return the options for reading by a recipe."""
        return ReadOptions(
            target=recipe.target,
            time=recipe.time,
            ngrams=recipe.ngrams,
            labelled=self.labelled,
            weight=recipe.weight,
            held=tuple(recipe.kinds.items()),
            closed=bool(recipe.kinds) and not recipe.open,
            na=recipe.na,
            header=recipe.header if self.header is None else self.header,
            keep=self.keep,
            keep_flag=self.keep_flag,
            lenient=self.lenient,
        )

    def check_agreement(self, recipe: Recipe) -> None:
        """Raise ReadError if an option contradicts the recipe."""
        for name in ("target", "positive", "time", "weight", "ngrams", "na", "task"):
            given, expected = getattr(self, name), getattr(recipe, name)
            if given is not None and given != expected:
                raise _contradiction(f"--{name}", expected, given)
        declared = [*self.kinds, *((name, TEXT) for name in self.text), *((name, IGNORE) for name in self.drop)]
        for name, kind in declared:
            expected = recipe.kinds.get(name, IGNORE)
            if recipe.kinds and kind != expected:
                raise _contradiction(f"the kind of column {name}", expected, kind)


def _contradiction(what: str, expected: Any, given: Any) -> ReadError:
    return ReadError(f"{what} must be {expected!r} as in the model, got {given!r}. Leave the option out")


def checked_names(what: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return names of columns as a tuple."""
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise ReadError(f"read: {what} must be names of columns, got {given!r}")
    return names


def checked_kinds(given: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return declared kinds as pairs."""
    for name, kind in given.items():
        if not isinstance(name, str) or kind not in KINDS:
            raise ReadError(f"read: kinds must map columns to {', '.join(KINDS)}, got {name!r}: {kind!r}")
    return tuple(given.items())


def checked_na(given: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the texts that mean missing; None if they were not given."""
    if given is None:
        return None
    try:
        return checked_markers(given)
    except ValueError as error:
        raise ReadError(str(error)) from None


def checked_task(given: str | None) -> str | None:
    """Return the task."""
    if given is not None and given not in TASKS:
        raise ReadError(f"read: task must be one of {', '.join(TASKS)}, got {given!r}")
    return given


def checked_ngrams(given: int | None) -> int | None:
    """Return the number of words."""
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MOST_NGRAMS):
        raise ReadError(f"read: ngrams must be a whole number from 1 to {MOST_NGRAMS}, got {given!r}")
    return given

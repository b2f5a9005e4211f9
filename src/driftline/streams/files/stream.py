"""Streams of examples from files: blocks ``(X, y)``, or ``(X, y, w)`` with sample weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from driftline.internals.record_stream import RecordStream
from driftline.internals.rows import FileRows
from driftline.internals.visible_text import visible
from driftline.streams.files.cache import cached
from driftline.streams.files.faults import EndlessFault, ReadError
from driftline.streams.files.formats.choose import format_of, pieces_of
from driftline.streams.files.given_options import GivenOptions
from driftline.streams.files.identity import identity_as_saved, identity_of
from driftline.streams.files.label_column import whole_if_all_are, with_none
from driftline.streams.files.label_task import check_task
from driftline.streams.files.memory_source import MemorySource
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.row_entries import some_rows
from driftline.streams.files.source import Source
from driftline.streams.schema.kinds import SAMPLE
from driftline.streams.schema.recipe import CLASSIFICATION, MOST_KINDS, Recipe

LISTED = 20
"""Maximum number of messages kept for skipped examples."""
OTHER = "other"
WITHOUT_COLUMNS = ("svmlight", "vw")
"""Formats in which a row has features only."""
MOST_LABELS = 1000
"""Maximum number of different labels that ``first_labels`` lists."""


@dataclass
class Reasons:
    """The number of skipped examples, and the messages of the first ones."""

    count: int = 0
    listed: list[str] = field(default_factory=list)

    def add(self, reason: str) -> None:
        """Count one more skipped example."""
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(reason)


class FileStream(RecordStream):
    """Files, read again from the start at every iteration. Make one with ``read``.

    All counts are about the current or latest iteration.

    Attributes
    ----------
    skipped, reasons
        The number of examples skipped so far, and the messages of the first ones.
    unlabelled
        The number of rows without a label, which are not learned.
    missing
        The number of missing cells, by column.
    bad_cells
        Cells that did not have their column's kind and were taken as missing.
    notes
        Columns that were left out and why, and how the files differ from the recipe in use.
    first_labels
        The different labels among the first 1,000 examples, in order of appearance.
    """

    def __init__(
        self,
        sources: list[Source | MemorySource],
        given: GivenOptions,
        *,
        kind: str | None,
        on_error: Literal["stop", "skip"],
        threads: int,
        cache: bool,
    ) -> None:
        self.sources = sources
        self.given = given
        self.options = given.options()
        self.positive = given.positive
        self.on_error = on_error
        self.threads = threads
        self.cache = cache
        self.formats = [
            source.kind if isinstance(source, MemorySource) else kind or format_of(source) for source in sources
        ]
        self._recipe: Recipe | None = None
        """The recipe that the user or a model gave."""
        self._resumed = Reasons()
        self._left_out_here: set[str] = set()
        """Places of the rows left out since the latest block was read; others may refuse them too."""
        self._start()

    def _start(self) -> None:
        """Reset the counts."""
        self.faults = Reasons()
        """The malformed rows and their faults."""
        self.refused_rows = Reasons()
        """The rows that a learner refused, and the reasons."""
        self.bad_cells = Reasons()
        self.unlabelled = 0
        self.missing: Counter[str] = Counter()
        self.notes: list[str] = []
        self.first_labels: list[Any] = []
        self._sides: set[str] = set()
        """The labels that ``positive`` made so far."""
        self._original_labels: dict[str, None] = {}
        """Some labels of the files, until ``positive`` has made two of them."""
        self._kinds = dict(self.options.held)
        self._target = self.options.target

    def __repr__(self) -> str:
        return f"<FileStream {visible(self.name)}>"

    @property
    def name(self) -> str:
        """Return a short description of the files."""
        names = [source.name for source in self.sources]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def title(self) -> str:
        """Return a short description of the files, without folders."""
        return self.name.replace(self.sources[0].name, Path(self.sources[0].name).name, 1)

    @property
    def format(self) -> str:
        """Return the format or formats of the files."""
        return ", ".join(sorted(set(self.formats)))

    @property
    def fraction(self) -> float | None:
        """Return the fraction of bytes read so far; None if a file size is unknown."""
        sizes = [source.size for source in self.sources]
        if any(size is None for size in sizes):
            return None
        return sum(source.read for source in self.sources) / max(1, sum(size or 0 for size in sizes))

    @property
    def kept(self) -> Sequence[str]:
        """Return the columns whose cells are passed through."""
        return self.options.keep

    # recipe -------------------------------------------------------------------------------------------------
    @property
    def recipe(self) -> Recipe:
        """How the examples are made. It is complete once the stream has been read."""
        if self._recipe is not None:
            return self._recipe
        options = self.options
        return Recipe(
            target=self._target,
            positive=self.positive,
            time=options.time,
            weight=options.weight,
            ngrams=options.ngrams,
            na=options.na,
            task=self.given.task or CLASSIFICATION,
            kinds=dict(self._kinds),
            header=options.header,
            open=len(self._kinds) >= MOST_KINDS,
        )

    def use(self, recipe: Recipe) -> None:
        """Read the files by the recipe of a model.

        Parameters
        ----------
        recipe : Recipe
            The recipe. Columns that it does not list are left out.

        Raises
        ------
        ReadError
            If an option that was given to ``read`` contradicts the recipe.
        """
        self.given.check_agreement(recipe)
        self.options = self.given.options_by(recipe)
        self.positive = recipe.positive
        self._recipe = recipe

    def hold(self, kinds: Mapping[str, str]) -> None:
        """Read these columns as these kinds, as a run did before it is resumed. Other columns may appear.

        Parameters
        ----------
        kinds : mapping of str to str
            Column to kind.
        """
        self.options = replace(self.options, held=tuple(kinds.items()))

    def keep(self, column: str, option: str = "slice") -> None:
        """Pass on the cells of this column, for example because a run is sliced by them.

        Parameters
        ----------
        column : str
            The column.
        option : str
            The option that names the column; an error about the column names it.
        """
        if column not in self.options.keep:
            columns = (*self.options.keep, column)
            self.given = replace(self.given, keep=columns, keep_flag=option)
            self.options = replace(self.options, keep=columns, keep_flag=option)

    # blocks -------------------------------------------------------------------------------------------------
    def __iter__(self) -> Iterator[Any]:
        self._start()
        self.refused_rows, self._resumed = self._resumed, Reasons()
        for source in self.sources:
            source.read = 0
        blocks = self._blocks()
        first: list[Any] = []
        failed: list[ReadError] = []
        try:
            labels = 0
            for block in blocks:
                first.append(block)
                labels += 0 if block[1] is None else len(block[1])
                if labels >= SAMPLE or not self.options.labelled:
                    break
        except ReadError as error:
            failed.append(error.with_traceback(None))  # the examples before it are learned first
        self._look_at_labels(first)
        for block in chain(first, () if failed else blocks):
            self._left_out_here.clear()
            yield block
        if failed:
            raise failed.pop()  # the list must not keep it: its traceback leads to this frame

    def _blocks(self) -> Iterator[Any]:
        some = False
        for source, kind in zip(self.sources, self.formats, strict=True):
            for parsed in self._pieces(source, kind):
                self._take_findings(parsed)
                for fault in parsed.faults:
                    if isinstance(fault, EndlessFault):
                        raise fault.error()
                    self._skip(fault.error(), self.faults)
                block = self._labelled(parsed) if self.options.labelled else parsed
                if len(block.rows):
                    some = True
                    yield self._block(block)
        if not some and self.unlabelled:
            raise ReadError(
                f"{self.name}: at least one example must have a label, got none in {self.unlabelled:,} examples. "
                "Check --target, or use driftline predict"
            )
        if not some and self.faults.count:
            raise self.nothing_left()
        if not some:
            raise ReadError(f"{self.name}: must have at least one example, got none. Check that it is the right file")
        if self.options.labelled and self._recipe is None and len(self._sides) == 1:
            side = "none" if OTHER in self._sides else "all"
            raise ReadError(
                f"{self.name}: --positive must match some labels and not others, got {self.positive!r}, which matches "
                f"{side} of {', '.join(map(repr, self._original_labels))}. Check its spelling"
            )

    def _pieces(self, source: Source | MemorySource, kind: str) -> Iterator[Parsed]:
        """Parse a file. The kinds of columns in the files before it are held."""
        options = replace(self.options, held=tuple(self._kinds.items()))
        if kind in WITHOUT_COLUMNS:
            options = replace(options, held=(), lenient=False)
        fresh = partial(pieces_of, source, kind, options, self.threads)
        if self.options.keep and kind in WITHOUT_COLUMNS:
            raise ReadError(
                f"{source.name}: --{self.options.keep_flag} must name a column, got a {kind} file, which has none. "
                "Leave it out"
            )
        if not self.cache:
            return fresh()
        if self.options.keep:
            raise ReadError(
                f"{source.name}: --cache must come without --{self.options.keep_flag}, got both. Leave one out"
            )
        if isinstance(source, MemorySource):
            raise ReadError(f"{source.name}: must be a file on disk to have a cache, got a {kind}. Leave out cache")
        return cached(source, kind, options, fresh)

    def _take_findings(self, parsed: Parsed) -> None:
        found = parsed.findings
        if found is None:
            return
        if self._recipe is None:
            self._kinds.update(found.kinds)
            self._target = found.target
        self.notes += found.notes
        self.missing.update(found.missing)
        self.unlabelled += found.unlabelled
        for cell in found.bad_cells:
            self.bad_cells.add(str(cell))

    def _labelled(self, parsed: Parsed) -> Parsed:
        """Return only the rows with a label, and count the others."""
        if parsed.y is None:
            self.unlabelled += len(parsed.rows)
            return parsed._replace(rows=some_rows(parsed.rows, np.zeros(len(parsed.rows), bool)))
        given = parsed.y == parsed.y  # NaN is missing
        if given.all():
            return parsed
        self.unlabelled += int(np.count_nonzero(~given))
        w = None if parsed.w is None else parsed.w[given]
        return parsed._replace(rows=some_rows(parsed.rows, given), y=whole_if_all_are(parsed.y[given]), w=w)

    def _block(self, parsed: Parsed) -> Any:
        rows, y, w, *_ = parsed
        if y is not None and not (given := y == y).all():  # labels are optional, and NaN is missing
            y = with_none(y, given)
        if y is not None and self.positive is not None:
            y = self._two(y, self.positive)
        return (rows, y) if w is None else (rows, y, w)

    def _two(self, y: np.ndarray, positive: str) -> np.ndarray:
        """Return two labels: the pattern for labels that match it, "other" for the rest; None stays."""
        labels = {one: positive if fnmatchcase(str(one), positive) else OTHER for one in set(y.tolist()) - {None}}
        if len(self._sides) < 2:
            self._sides.update(labels.values())
            self._original_labels.update(dict.fromkeys(sorted(map(str, labels))[:LISTED]))
        found = [labels.get(one) for one in y.tolist()]
        return np.array(found, object if None in found else np.str_)

    def _look_at_labels(self, blocks: list[Any]) -> None:
        """Keep the labels of the first examples, and check that they look like classes."""
        labels = [y for _, y, *_ in blocks if y is not None]
        if not labels or not self.options.labelled:
            return
        first = list(chain.from_iterable(y.tolist() for y in labels))[:SAMPLE]
        self.first_labels = list(dict.fromkeys(first))[:MOST_LABELS]
        if self.given.task is None and self._recipe is None and self.positive is None:
            check_task(self.name, self._target, first)

    # rows that are left out ---------------------------------------------------------------------------------
    def leave_out(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a learner refuses, and count it; raise with ``on_error="stop"``."""
        place = rows.place(row)
        if place not in self._left_out_here:
            self._left_out_here.add(place)
            self._skip(ReadError(f"{place}: {what}"), self.refused_rows)

    def leave_out_of_baseline(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a baseline refuses; ``ReadError`` if the main learner took it."""
        place = rows.place(row)
        if place not in self._left_out_here:
            raise ReadError(f"{place}: {what}")

    def _skip(self, error: ReadError, reasons: Reasons) -> None:
        if self.on_error == "stop":
            raise error
        reasons.add(str(error))

    def nothing_left(self) -> ReadError:
        """The error for a stream without a valid example: how many were skipped, and why the first."""
        return ReadError(
            f"{self.name}: must have at least one valid example, got none of {self.skipped:,}. "
            f"The first was skipped because {self.reasons[0]}"
        )

    @property
    def skipped(self) -> int:
        """Return the number of examples skipped so far."""
        return self.faults.count + self.refused_rows.count

    @property
    def reasons(self) -> list[str]:
        """Return the messages of the first skipped examples."""
        return [*self.faults.listed, *self.refused_rows.listed][:LISTED]

    def refusals(self) -> dict[str, Any]:
        """The rows that learners refused so far, as plain values; ``resume_refusals`` takes them."""
        return {"count": self.refused_rows.count, "listed": list(self.refused_rows.listed)}

    def resume_refusals(self, refusals: dict[str, Any]) -> None:
        """Start the next iteration with these rows counted as refused."""
        self._resumed = Reasons(refusals["count"], list(refusals["listed"]))

    # identity -----------------------------------------------------------------------------------------------
    @property
    def identity(self) -> dict[str, Any]:
        """Names, formats and options: they must be the same when a run is resumed."""
        options = replace(self.given.options(), lenient=False)  # on_error says it
        return identity_of(self.sources, self.formats, options, self.given.positive, self.on_error)

    def identity_like(self, saved: Any) -> dict[str, Any]:
        """The identity, in the form of version 0.1.0 if ``saved`` has that form."""
        return identity_as_saved(saved, self.identity, self.sources)

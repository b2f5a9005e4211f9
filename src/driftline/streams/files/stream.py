"""Streams of examples from files: blocks ``(X, y)``, or ``(X, y, w)`` with sample weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from driftline.streams.files.memory_source import MemorySource
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.positive_label import PositiveLabel
from driftline.streams.files.reasons import LISTED, Reasons
from driftline.streams.files.scan.row_entries import some_rows
from driftline.streams.files.source import Source
from driftline.streams.files.stream_task import StreamTask
from driftline.streams.schema.kinds import SAMPLE
from driftline.streams.schema.recipe import MOST_KINDS, REGRESSION, Recipe

WITHOUT_COLUMNS = ("svmlight", "vw")
"""Formats in which a row has features only."""
MOST_LABELS = 1000
"""Maximum number of different labels that ``first_labels`` lists."""


Begun = tuple[list[Any], list[ReadError], Iterator[Any]]
"""The first blocks of an iteration, the error that ended them, if any, and the other blocks."""


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
        self._task = StreamTask(self.name)
        self._task.said, self._task.positive = given.task, given.positive is not None
        self._begun: Begun | None = None
        """An iteration of which only the first blocks have been read."""
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
        self._two = None if self.positive is None else PositiveLabel(self.positive)
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
            task=self.task,
            kinds=dict(self._kinds),
            header=options.header,
            open=len(self._kinds) >= MOST_KINDS,
        )

    @property
    def task(self) -> str:
        """Return "classification" or "regression": as the recipe, the option, the learner or the labels say."""
        return self._task.task

    def expect(self, task: str, learner: str) -> None:
        """Read labels or targets for the task of a learner, as in ``RecordStream``."""
        self._task.expect(task, learner)

    def find_task(self) -> str:
        """Read the first rows, and return why they are a regression; empty if they are not.

        The next iteration goes on after these rows, so that a pipe can be read, too.
        """
        if self._begun is None:
            self._begun = self._begin()
        self._task.look(self._first_of(self._begun[0]))
        return self._task.continuous if self.task == REGRESSION else ""

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
        self._task.said, self._task.positive = recipe.task, recipe.positive is not None
        self._begun = None

    def hold(self, kinds: Mapping[str, str]) -> None:
        """Read these columns as these kinds, as a run did before it is resumed. Other columns may appear.

        Parameters
        ----------
        kinds : mapping of str to str
            Column to kind.
        """
        self.options = replace(self.options, held=tuple(kinds.items()))
        if self._begun is not None and any(self._kinds.get(name) != kind for name, kind in kinds.items()):
            self._begun = None

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
            self._begun = None

    # blocks -------------------------------------------------------------------------------------------------
    def __iter__(self) -> Iterator[Any]:
        begun, self._begun = self._begun, None
        first, failed, blocks = self._begin() if begun is None else begun
        self.refused_rows, self._resumed = self._resumed, Reasons()
        labels = self._first_of(first)
        self.first_labels = list(dict.fromkeys(labels))[:MOST_LABELS]
        self._task.look(labels)
        self._task.check(self._target, labels)
        for block in chain(first, () if failed else blocks):
            self._left_out_here.clear()
            yield block
        if failed:
            raise failed.pop()  # the list must not keep it: its traceback leads to this frame

    def _begin(self) -> Begun:
        """Start an iteration: read the first blocks, which show the labels."""
        self._start()
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
        return first, failed, blocks

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
        if self.options.labelled and self._recipe is None and self._two is not None:
            self._two.check(self.name)

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
        if y is not None and self._two is not None:
            y = self._two.two(y)
        return (rows, y) if w is None else (rows, y, w)

    def _first_of(self, blocks: list[Any]) -> list[Any]:
        """The labels of the first examples; none if labels are optional."""
        labels = [y for _, y, *_ in blocks if y is not None] if self.options.labelled else []
        return list(chain.from_iterable(y.tolist() for y in labels))[:SAMPLE]

    # rows that are left out ---------------------------------------------------------------------------------
    def leave_out(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out one of ``rows`` that a learner refuses, and count it; raise with ``on_error="stop"``.

        ``what`` is the reason.
        """
        place = rows.place(row)
        if place not in self._left_out_here:
            self._left_out_here.add(place)
            self._skip(ReadError(f"{place}: {what}"), self.refused_rows)

    def leave_out_of_baseline(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out one of ``rows`` that a baseline refuses; ``ReadError`` if the main learner took it.

        ``what`` is the reason.
        """
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
        """Start the next iteration with the rows in ``refusals`` counted as refused."""
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

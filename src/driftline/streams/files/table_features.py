"""Convert the columns of a table to features.

A number is a feature with the column's name. A category is the feature ``name=value``. A text has
one feature per word. A missing number is NaN; a missing category or text has no feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Offsets
from driftline.streams.files.column_kinds import ColumnKinds
from driftline.streams.files.faults import Fault
from driftline.streams.files.label_column import label_array, whole_if_all_are, with_none
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Findings, Parsed
from driftline.streams.files.raw_columns import RawBlock, RawColumn
from driftline.streams.files.scan.cells import Cells, Numbers, Texts, python_values
from driftline.streams.files.scan.feature_names import Names
from driftline.streams.files.scan.row_entries import Entries, gathered, some_cells
from driftline.streams.files.scan.words import words
from driftline.streams.files.source import CHUNK
from driftline.streams.files.time_column import Clock, order_remedy, row_times
from driftline.streams.schema.kinds import IGNORE, NUMBER, SAMPLE, TEXT, TIME, ColumnSample
from driftline.streams.schema.times import time_parts

NOTHING = Entries(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0))
MOST_WAITING = 32 * CHUNK
"""Number of bytes after which a sample with fewer rows than SAMPLE decides; a block without rows counts as CHUNK."""


class Column(NamedTuple):
    """The cells of one column. Cell k is in row ``rows[k]``; ``rows`` increases."""

    name: str
    rows: Offsets
    kind: str
    cells: Cells


class Table:
    """A table that is read block by block. The options must have been checked by ``settled``."""

    def __init__(self, source: str, options: ReadOptions) -> None:
        self.source = source
        self.options = options
        self.kinds = ColumnKinds(source, options)
        self.names = Names()
        self.clock = Clock()

    def wanted(self, columns: Sequence[str]) -> list[str]:
        """Return the columns to read, without the ignored ones. Compare all with the model."""
        self.kinds.compare_columns(columns)
        named = {*self.options.roles, *self.options.keep}
        return [name for name in columns if name in named or self.kinds.wants(name)]

    def blocks(self, raw: Iterable[RawBlock]) -> Iterator[Parsed]:
        """Convert all blocks. The first rows decide the kinds of the columns."""
        coming = iter(raw)
        waiting: list[RawBlock] = []
        rows = size = 0
        for block in coming:
            waiting.append(block)
            rows += len(block.lines)
            size += sum(column.values.nbytes for column in block.columns) if len(block.lines) else CHUNK
            if rows >= SAMPLE or size >= MOST_WAITING:
                break
        self._decide([block for block in waiting if len(block.lines)])
        for block in chain(waiting, coming):
            yield self._parsed(block)

    def _decide(self, waiting: Sequence[RawBlock]) -> None:
        """Decide the kinds of all columns that have a value in the first rows."""
        if not waiting:
            return
        for place, first in enumerate(waiting[0].columns):
            if first.name == self.options.weight:
                continue
            sample, rows = ColumnSample(first.untyped), 0
            for block in waiting:
                column = block.columns[place]
                column.add_to(sample, int(np.searchsorted(column.rows, SAMPLE - rows)))
                rows += len(block.lines)
                if rows >= SAMPLE:
                    break
            self.kinds.decide(first.name, sample, first.natural)

    def _kind(self, column: RawColumn) -> str:
        """Return the kind of a column; an open one is decided by its first value, whatever its block holds."""
        if column.name == self.options.weight:
            return NUMBER
        known = self.kinds.known.get(column.name)
        if known is None:
            sample = ColumnSample(column.untyped)
            column.add_to(sample, size=1)
            known = self.kinds.decide(column.name, sample, column.natural)
        return known or NUMBER  # without a value, all cells are missing numbers

    def _parsed(self, raw: RawBlock) -> Parsed:
        """Convert one block. A row with a fault is skipped and adds no feature names."""
        options, lines = self.options, raw.lines
        block = _Block(self.source, raw.lines, options.target, options.lenient)
        features: list[Column] = []
        y: np.ndarray | None = None
        w: Floats | None = None
        times: Floats | None = None
        given = np.ones(len(lines), bool)
        kept: dict[str, list[Any]] = {}
        for column in raw.columns if len(lines) else ():
            if column.name in options.keep:
                kept[column.name] = _listed(column, len(lines))
            kind = self._kind(column)
            if kind == IGNORE and column.name not in options.roles:
                continue
            found = Column(column.name, column.rows, kind, column.cells(kind))
            if column.name == options.target:
                y, given = block.labels(found, options.labelled)
            elif column.name == options.time:
                times = row_times(found.rows, kind, found.cells, len(lines))
                if options.labelled:
                    block.check_times(found, self.clock)
            elif column.name == options.weight:
                w = block.weights(found)
            else:
                features.append(block.checked(found))
        keep = np.ones(len(lines), bool)
        keep[list(block.bad)] = False
        if options.labelled:
            block.findings.unlabelled = int(np.count_nonzero(keep & ~given))
            keep &= given
        elif y is not None and not given.all():
            y = with_none(y, given) if given.any() else None
        if not keep.all():
            features = [_kept(column, keep) for column in features]
            lines, y, w = lines[keep], None if y is None else y[keep], None if w is None else w[keep]
            kept = {name: some_cells(cells, keep) for name, cells in kept.items()}
            times = None if times is None else times[keep]
        faults = sorted([*raw.faults, *block.bad.values()], key=lambda fault: fault.line or 0)
        block.findings.bad_cells.sort(key=lambda fault: fault.line or 0)
        self.names.next_block()
        known = len(self.names.list)
        parts = [part for column in features for part in self._entries(column)]
        rows = self.names.in_order_of_rows(known, gathered(parts, self.names, self.source, lines))
        block.findings.kinds, block.findings.notes = self.kinds.take_news()
        rows = replace(rows, kept=kept if options.keep else None, times=times)
        labels = None if y is None or (not len(y) and not options.labelled) else whole_if_all_are(y)
        return Parsed(rows, labels, w, faults, findings=block.findings)

    def _entries(self, column: Column) -> Iterable[Entries]:
        """Return the features of a column."""
        if column.kind == TEXT:
            return (self._words(column),)
        if column.kind == TIME:
            return self._time_parts(column)
        return (self._one_each(column),)

    def _one_each(self, column: Column) -> Entries:
        """Return one feature per cell; a missing number is NaN, a missing category is left out."""
        if isinstance(column.cells, Numbers):
            if not len(column.rows):
                return NOTHING
            index = self.names[column.name]
            return Entries(column.rows, np.full(len(column.rows), index, np.uint32), column.cells.values)
        present = column.cells.present
        return self._coded(column.name + "=", column.rows[present], column.cells.codes[present], column.cells.distinct)

    def _coded(self, beginning: str, rows: Offsets, codes: np.ndarray, distinct: Sequence[str]) -> Entries:
        """Return one feature with value 1 per cell; codes are places in ``distinct``."""
        if not len(rows):
            return NOTHING
        endings = self.names.after(beginning)
        indices = np.zeros(len(distinct), np.uint32)
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            indices[code] = endings[distinct[code]]
        return Entries(rows, indices[codes], np.ones(len(rows)))

    def _time_parts(self, column: Column) -> Iterable[Entries]:
        """Return hour, weekday and month."""
        assert isinstance(column.cells, Numbers)
        present = column.cells.present
        rows = column.rows[present]
        for part, values in time_parts(column.cells.values[present]).items():
            distinct, codes = np.unique(values, return_inverse=True)
            yield self._coded(f"{column.name}.{part}=", rows, codes, [str(one) for one in distinct.tolist()])

    def _words(self, column: Column) -> Entries:
        """Return one feature per word; a word that occurs twice in a cell counts twice."""
        assert isinstance(column.cells, Texts)
        index = self.names.after(f"{column.name}:").__getitem__
        present = np.flatnonzero(column.cells.present)
        found = []
        for code in column.cells.codes[present].tolist():
            some = words(column.cells.distinct[code], self.options.ngrams)
            found.append(np.fromiter(map(index, some), np.uint32, len(some)))
        if not found:
            return NOTHING
        rows = np.repeat(column.rows[present], [len(indices) for indices in found])
        return Entries(rows, np.concatenate(found), np.ones(len(rows)))


class _Block:
    """The line numbers of a block, the first fault of each bad row, and the findings."""

    def __init__(self, source: str, lines: Offsets, target: str | None, lenient: bool) -> None:
        self.source = source
        self.lines = lines
        self.lenient = lenient
        self.bad: dict[int, Fault] = {}
        self.findings = Findings(target=target)

    def add(self, row: int, column: str, must: str, got: str, remedy: str) -> None:
        """Record a fault, unless the row already has one."""
        self.bad.setdefault(row, Fault(self.source, int(self.lines[row]), column, must, got, remedy))

    def add_wrong(self, column: Column) -> None:
        """Record the malformed cells of a column as faults."""
        for wrong in column.cells.wrong:
            self.add(int(column.rows[wrong.cell]), column.name, wrong.must, wrong.got, wrong.remedy)

    def count_missing(self, column: Column) -> None:
        """Count the missing cells of a column."""
        absent = ~column.cells.present
        absent[[wrong.cell for wrong in column.cells.wrong]] = False
        if column.kind != TEXT and absent.any():
            self.findings.missing[column.name] += int(np.count_nonzero(absent))

    def checked(self, column: Column) -> Column:
        """Return a feature column; malformed cells become faults, or missing if ``lenient``."""
        self.count_missing(column)
        if not column.cells.wrong:
            return column
        if not self.lenient:
            self.add_wrong(column)
            return column
        places = [wrong.cell for wrong in column.cells.wrong]
        for wrong in column.cells.wrong:
            line = int(self.lines[int(column.rows[wrong.cell])])
            self.findings.bad_cells.append(Fault(self.source, line, column.name, wrong.must, wrong.got, wrong.remedy))
        if isinstance(column.cells, Numbers):
            values = column.cells.values.copy()
            values[places] = np.nan
            return column._replace(cells=Numbers(values))
        codes = column.cells.codes.copy()
        codes[places] = -1
        return column._replace(cells=replace(column.cells, codes=codes, wrong=[]))

    def check_times(self, column: Column, clock: Clock) -> None:
        """Record cells without a valid time, and times that decrease."""
        self.add_wrong(column)
        missing = np.ones(len(self.lines), bool)
        missing[column.rows[column.cells.present]] = False
        for row in np.flatnonzero(missing).tolist():
            self.add(row, column.name, "a time must be given", "none", "Fill it in")
        for cell, both in clock.backwards(column.cells).items():
            must, remedy = "the time must not go backwards", order_remedy(isinstance(column.cells, Texts))
            self.add(int(column.rows[cell]), column.name, must, both, remedy)

    def weights(self, column: Column) -> Floats:
        """Return the sample weights; record cells without a finite weight >= 0."""
        assert isinstance(column.cells, Numbers)
        self.add_wrong(column)
        found = np.full(len(self.lines), np.nan)
        found[column.rows] = column.cells.values
        for row in np.flatnonzero(~(np.isfinite(found) & (found >= 0.0))).tolist():
            got = "none" if np.isnan(found[row]) else f"{found[row]:g}"
            self.add(row, column.name, "a weight must be a number >= 0", got, "Fill it in, or leave the row out")
        return found

    def labels(self, column: Column, needed: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return the labels, and a mask of the rows that have one.

        A malformed label is a fault if labels are ``needed``, else missing.
        """
        labels, given = label_array(column.rows, column.cells, len(self.lines))
        if not needed:
            given[column.rows[[wrong.cell for wrong in column.cells.wrong]]] = False
            return labels, given
        self.add_wrong(column)
        if isinstance(column.cells, Numbers):
            infinite = np.isinf(column.cells.values)
            for cell in np.flatnonzero(infinite).tolist():
                got, remedy = f"{column.cells.values[cell]}", "Correct it, or leave it empty"
                self.add(int(column.rows[cell]), column.name, "a label must be finite", got, remedy)
        return labels, given


def _listed(column: RawColumn, size: int) -> list[Any]:
    """Return the cells of a column as Python values, None where a row has none."""
    found: list[Any] = [None] * size
    for row, value in zip(column.rows.tolist(), python_values(column.values), strict=True):
        found[row] = value
    return found


def _kept(column: Column, keep: np.ndarray) -> Column:
    """Return the cells of the rows to keep, with the rows renumbered."""
    here = keep[column.rows]
    rows = (np.cumsum(keep) - 1)[column.rows[here]].astype(np.uint64)
    if isinstance(column.cells, Numbers):
        return column._replace(rows=rows, cells=Numbers(column.cells.values[here]))
    return column._replace(rows=rows, cells=Texts(column.cells.codes[here], column.cells.distinct))

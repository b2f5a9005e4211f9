"""Convert the columns of a table to features.

A number is a feature with the column's name. A string is the feature ``name=value``. A text column
has one feature per word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Offsets
from driftline.streams.files.faults import Fault
from driftline.streams.files.label_column import label_array, whole_if_all_are
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.cells import Cells, Numbers, Texts
from driftline.streams.files.scan.feature_names import Names
from driftline.streams.files.scan.row_entries import Entries, gathered
from driftline.streams.files.scan.words import words
from driftline.streams.files.time_column import Clock

NOTHING = Entries(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0))


class Column(NamedTuple):
    """The cells of one column. Cell k is in row ``rows[k]``; ``rows`` increases."""

    name: str
    rows: Offsets
    cells: Cells


class Table:
    """A table that is read block by block. The options must have been checked by ``settled``."""

    def __init__(self, source: str, options: ReadOptions) -> None:
        self.source = source
        self.options = options
        self.names = Names()
        self.clock = Clock()

    def parsed(self, columns: Sequence[Column], lines: Offsets, faults: list[Fault]) -> Parsed:
        """Convert one block. ``lines`` are the line numbers of the rows.

        A row with a fault is skipped and adds no feature names.
        """
        block = _Block(self.source, lines, {})
        target, time = self.options.target, self.options.time
        features = [column for column in columns if column.name not in (target, time)]
        for column in features:
            block.check_features(column)
        for column in columns:
            if column.name == time:
                block.check_times(column, self.clock)
        y = None
        for column in columns:
            if column.name == target:
                y = block.labels(column, self.options.labelled)
        if block.bad:
            keep = np.ones(len(lines), bool)
            keep[list(block.bad)] = False
            features = [_kept(column, keep) for column in features]
            lines, y = lines[keep], None if y is None else y[keep]
            faults = sorted([*faults, *block.bad.values()], key=lambda fault: fault.line or 0)
        self.names.next_block()
        parts = [
            self._words(column) if column.name in self.options.text else self._one_each(column) for column in features
        ]
        rows = gathered(parts, self.names, self.source, lines)
        return Parsed(rows, None if y is None else whole_if_all_are(y), None, faults)

    def _one_each(self, column: Column) -> Entries:
        """Return one feature per cell."""
        present = _present(column.cells)
        if not present.any():
            return NOTHING
        rows = column.rows if present.all() else column.rows[present]
        if isinstance(column.cells, Numbers):
            index = self.names[column.name]
            return Entries(rows, np.full(len(rows), index, np.uint32), column.cells.values[present])
        codes = column.cells.codes[present]
        endings = self.names.after(f"{column.name}=")
        indices = np.zeros(len(column.cells.distinct), np.uint32)
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            indices[code] = endings[column.cells.distinct[code]]
        return Entries(rows, indices[codes], np.ones(len(rows)))

    def _words(self, column: Column) -> Entries:
        """Return one feature per word; a word that occurs twice in a cell counts twice."""
        assert isinstance(column.cells, Texts)
        index = self.names.after(f"{column.name}:").__getitem__
        present = np.flatnonzero(_present(column.cells))
        found = []
        for code in column.cells.codes[present].tolist():
            some = words(column.cells.distinct[code], self.options.ngrams)
            found.append(np.fromiter(map(index, some), np.uint32, len(some)))
        if not found:
            return NOTHING
        rows = np.repeat(column.rows[present], [len(indices) for indices in found])
        return Entries(rows, np.concatenate(found), np.ones(len(rows)))


class _Block(NamedTuple):
    """The line numbers of a block, and the first fault of each bad row."""

    source: str
    lines: Offsets
    bad: dict[int, Fault]

    def add(self, row: int, column: str, must: str, got: str, remedy: str) -> None:
        """Record a fault, unless the row already has one."""
        self.bad.setdefault(row, Fault(self.source, int(self.lines[row]), column, must, got, remedy))

    def check_features(self, column: Column) -> None:
        """Record cells that are malformed or infinite."""
        for wrong in column.cells.wrong:
            self.add(int(column.rows[wrong.cell]), column.name, wrong.must, wrong.got, wrong.remedy)
        if isinstance(column.cells, Numbers):
            for cell in np.flatnonzero(np.isinf(column.cells.values)).tolist():
                got, remedy = f"{column.cells.values[cell]}", "Correct it, or leave it empty if it is missing"
                self.add(int(column.rows[cell]), column.name, "a value must be finite", got, remedy)

    def check_times(self, column: Column, clock: Clock) -> None:
        """Record cells without a valid time, and times that decrease."""
        self.check_features(column)
        missing = np.ones(len(self.lines), bool)
        missing[column.rows[_present(column.cells)]] = False
        for row in np.flatnonzero(missing).tolist():
            self.add(row, column.name, "a time must be given", "none", "Fill it in")
        for cell, both in clock.backwards(column.cells).items():
            must, remedy = "the time must not go backwards", "Sort the file by it, or name another column"
            self.add(int(column.rows[cell]), column.name, must, both, remedy)

    def labels(self, column: Column, needed: bool) -> np.ndarray | None:
        """Return the labels; None if labels are optional and some are missing."""
        labels, given = label_array(column.rows, column.cells, len(self.lines))
        if not needed:
            return labels if given.all() else None
        self.check_features(column)
        for row in np.flatnonzero(~given).tolist():
            self.add(row, column.name, "a label must be given", "none", "Fill it in, or leave the row out")
        return labels


def _present(cells: Cells) -> np.ndarray:
    return ~np.isnan(cells.values) if isinstance(cells, Numbers) else cells.codes >= 0


def _kept(column: Column, keep: np.ndarray) -> Column:
    """Return the cells of the rows to keep, with the rows renumbered."""
    here = keep[column.rows]
    rows = (np.cumsum(keep) - 1)[column.rows[here]].astype(np.uint64)
    if isinstance(column.cells, Numbers):
        return Column(column.name, rows, Numbers(column.cells.values[here]))
    return Column(column.name, rows, Texts(column.cells.codes[here], column.cells.distinct))

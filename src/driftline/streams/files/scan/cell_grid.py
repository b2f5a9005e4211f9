"""Delimited text to a grid of cells: Arrow strings column by column; a record that does not fit is a fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftline.internals.compiled import Offsets
from driftline.streams.files.faults import Fault, excerpt
from driftline.streams.files.scan.records import NO_QUOTE, Records


class Text(NamedTuple):
    """Some whole records of a file. ``line`` is the number of the first line."""

    source: str
    data: np.ndarray
    records: Records
    line: int

    def line_of(self, record: int) -> int:
        """The line on which a record begins."""
        return self.line + int(self.records.lines[record])

    def after(self, record: int) -> Text:
        """The text from a record on."""
        rest = Records(*(array[record:] for array in self.records))
        start = rest.starts[0] if len(rest.starts) else np.uint64(self.data.size)
        moved = rest._replace(starts=rest.starts - start, stops=rest.stops - start)
        return self._replace(data=self.data[int(start) :], records=moved)

    def bytes_of(self, record: int) -> bytes:
        """The record as it stands in the file."""
        return self.data[int(self.records.starts[record]) : int(self.records.stops[record])].tobytes()


class Dialect(NamedTuple):
    """How the cells of a record are told apart; ``quote`` may be NO_QUOTE. ``missing`` is a cell without a value."""

    delimiter: int
    quote: int
    missing: str


class Grid(NamedTuple):
    """Cells by column, the line of every row, and the records that have no row."""

    columns: dict[str, Any]
    lines: Offsets
    faults: list[Fault]


def grid(text: Text, columns: Sequence[str], wanted: Sequence[str], dialect: Dialect) -> Grid:
    """The wanted columns of some text."""
    bad = _bad_width(text, len(columns)) | {record: undecodable(text, record) for record in not_utf8(text)}
    lines = text.records.lines + np.uint64(text.line)
    data = text.data
    if bad:
        order = sorted(bad)
        lines = np.delete(lines, order)
        data = _without(text, order)
    faults = [fault for _, fault in sorted(bad.items()) if fault is not None]
    return Grid(_cells(data, columns, wanted, dialect) if len(lines) else {}, lines, faults)


def _cells(data: np.ndarray, columns: Sequence[str], wanted: Sequence[str], dialect: Dialect) -> dict[str, Any]:
    """Arrow's own reader, every column as strings, all of the text at once."""
    import pyarrow as pa
    from pyarrow import csv

    table = csv.read_csv(
        pa.BufferReader(pa.py_buffer(data)),
        csv.ReadOptions(column_names=columns, block_size=len(data) + 1),
        csv.ParseOptions(
            delimiter=chr(dialect.delimiter),
            quote_char=False if dialect.quote == NO_QUOTE else chr(dialect.quote),
            newlines_in_values=True,
        ),
        csv.ConvertOptions(
            check_utf8=False,
            column_types=dict.fromkeys(columns, pa.string()),
            include_columns=wanted,
            null_values=[dialect.missing],
            strings_can_be_null=True,
        ),
    )
    return {name: table.column(name).combine_chunks() for name in wanted}


def _bad_width(text: Text, width: int) -> dict[int, Fault | None]:
    """The records with too many or too few cells, or with a quote that stays open; None for one of blanks only."""
    faults: dict[int, Fault | None] = {}
    for record in np.flatnonzero(text.records.widths != width).tolist():
        got, shown = int(text.records.widths[record]), text.bytes_of(record)
        if got == 0:
            what = "a quote must be closed", excerpt(shown), "Add the quote that ends the cell"
        else:
            must = f"a row must have {width} cells, one for each column"
            what = must, f"{got} in {excerpt(shown)}", "Add what is missing, or quote cells that hold the delimiter"
        faults[record] = Fault(text.source, text.line_of(record), None, *what) if shown.strip() else None
    return faults


def not_utf8(text: Text) -> list[int]:
    """The records that are no UTF-8."""
    try:
        text.data.tobytes().decode()
    except UnicodeDecodeError:
        foreign = np.flatnonzero(text.data >= 128).astype(np.uint64)
        records = np.unique(np.searchsorted(text.records.starts, foreign, side="right") - 1)
        return [record for record in records.tolist() if _undecodable_at(text.bytes_of(record)) is not None]
    return []


def _undecodable_at(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def undecodable(text: Text, record: int) -> Fault:
    """The first place of a record that is no UTF-8."""
    data = text.bytes_of(record)
    at = _undecodable_at(data) or 0
    return Fault(
        text.source, text.line_of(record), at + 1, "text must be UTF-8", excerpt(data[at : at + 20]), "Convert the file"
    )


def _without(text: Text, bad: Sequence[int]) -> np.ndarray:
    """The bytes but for those of the bad records; their line ends stay, as blank lines."""
    pieces, at = [], 0
    for record in bad:
        pieces.append(text.data[at : int(text.records.starts[record])])
        at = int(text.records.stops[record])
    return np.concatenate([*pieces, text.data[at:]])

"""Split delimited text into cells: Arrow strings by column. A malformed record is a fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftline.internals.compiled import Offsets
from driftline.streams.files.faults import Fault, excerpt
from driftline.streams.files.scan.records import NO_QUOTE, Records

SMALL = 1 << 16
"""Size of a text, in bytes, up to which Arrow starts no threads: a header needs none."""


class Text(NamedTuple):
    """Whole records of a file. ``line`` is the number of the first line."""

    source: str
    data: np.ndarray
    records: Records
    line: int

    def line_of(self, record: int) -> int:
        """Return the line on which a record begins."""
        return self.line + int(self.records.lines[record])

    def after(self, record: int) -> Text:
        """Return the text from a record on."""
        rest = Records(*(array[record:] for array in self.records))
        start = rest.starts[0] if len(rest.starts) else np.uint64(self.data.size)
        moved = rest._replace(starts=rest.starts - start, stops=rest.stops - start)
        return self._replace(data=self.data[int(start) :], records=moved)

    def bytes_of(self, record: int) -> bytes:
        """Return the bytes of a record."""
        return self.data[int(self.records.starts[record]) : int(self.records.stops[record])].tobytes()


class Dialect(NamedTuple):
    """The delimiter, the quote (or NO_QUOTE), and the text of a missing cell."""

    delimiter: int
    quote: int
    missing: str


class Grid(NamedTuple):
    """Cells by column, the line of every row, and the faults of malformed records."""

    columns: dict[str, Any]
    lines: Offsets
    faults: list[Fault]


def grid(text: Text, columns: Sequence[str], wanted: Sequence[str], dialect: Dialect) -> Grid:
    """Return the wanted columns of some text."""
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
    """Read the whole text by Arrow's CSV reader, every column as strings."""
    import pyarrow as pa
    from pyarrow import csv

    table = csv.read_csv(
        pa.BufferReader(pa.py_buffer(data)),
        csv.ReadOptions(column_names=columns, block_size=len(data) + 1, use_threads=len(data) > SMALL),
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
    """Return the faults of records with a wrong number of cells or an open quote.

    A record of blanks has None: it is skipped without a fault.
    """
    faults: dict[int, Fault | None] = {}
    for record in np.flatnonzero(text.records.widths != width).tolist():
        got, shown = int(text.records.widths[record]), text.bytes_of(record)
        if got == 0:
            what = "a quote must be closed", excerpt(shown), "Add the quote that ends the cell"
        else:
            must = f"a row must have {width} cells, one for each column"
            what = must, f"{got} in {excerpt(shown)}", "Add the missing cells, or quote cells that hold the delimiter"
        faults[record] = Fault(text.source, text.line_of(record), None, *what) if shown.strip() else None
    return faults


def not_utf8(text: Text) -> list[int]:
    """Return the records that are not valid UTF-8."""
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
    """Return the fault for the first invalid UTF-8 in a record."""
    data = text.bytes_of(record)
    at = _undecodable_at(data) or 0
    return Fault(
        text.source, text.line_of(record), at + 1, "text must be UTF-8", excerpt(data[at : at + 20]), "Convert the file"
    )


def _without(text: Text, bad: Sequence[int]) -> np.ndarray:
    """Return the text without the bad records; their line ends remain, as blank lines."""
    pieces, at = [], 0
    for record in bad:
        pieces.append(text.data[at : int(text.records.starts[record])])
        at = int(text.records.stops[record])
    return np.concatenate([*pieces, text.data[at:]])

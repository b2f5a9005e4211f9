"""CSV and similar formats: a header, then rows, delimited by commas, tabs, semicolons or bars.

The cells have no types: the first rows determine the kind of each column (``schema/kinds.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from itertools import chain
from pathlib import PurePath

import numpy as np

from driftline.streams.files.column_roles import check_names, no_rows, settled
from driftline.streams.files.faults import Fault, ReadError, excerpt
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.raw_columns import RawBlock, RawColumn
from driftline.streams.files.scan.cell_grid import Dialect, Text, grid
from driftline.streams.files.scan.records import Records, records
from driftline.streams.files.source import BOM, CHUNK, LONGEST_LINE, Source, reading
from driftline.streams.files.table_features import Table
from driftline.streams.schema.kinds import number

QUOTE = ord('"')
TAB = ord("\t")
DELIMITERS = b",\t;|"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
HEAD = 1 << 16


def read_delimited(source: Source, options: ReadOptions) -> Iterator[Parsed]:
    """Yield the rows of a CSV or TSV file."""
    stream = source.open()
    try:
        with reading(source.name):
            head = stream.peek(HEAD)[:HEAD]
        dialect = Dialect(_delimiter(source, head), QUOTE, "")
        texts = (text for text in _texts(source.name, stream, dialect) if len(text.records.starts))
        first = next(texts, None)
        if first is None:
            raise no_rows(source.name)
        reader = _Delimited(first, dialect, options)
        some = False
        for parsed in reader.table.blocks(reader.blocks(first.after(1) if options.header else first, texts)):
            some = True
            yield parsed
        if not some:
            raise no_rows(source.name)
    finally:
        if source.repeatable:
            stream.close()


class _Delimited:
    """Reads the rows below a header; ``text`` begins with the header, or with the first row."""

    def __init__(self, text: Text, dialect: Dialect, options: ReadOptions) -> None:
        self.dialect = dialect
        self.columns = _header(text, dialect) if options.header else _numbered(text)
        self.options = settled(text.source, self.columns, options)
        self.table = Table(text.source, self.options)
        self.wanted = self.table.wanted(self.columns)

    def blocks(self, first: Text, others: Iterator[Text]) -> Iterator[RawBlock]:
        """Yield the rows of all texts as strings."""
        for text in chain([first], others):
            if not len(text.records.starts):
                continue
            found = grid(text, self.columns, self.wanted, self.dialect)
            rows = np.arange(len(found.lines), dtype=np.uint64)
            columns = [
                RawColumn(name, rows, strings, None, self.options.na, True) for name, strings in found.columns.items()
            ]
            yield RawBlock(columns, found.lines, found.faults)


def _delimiter(source: Source, head: bytes) -> int:
    """Return a tab for a TSV file name, else the delimiter that gives the most header cells."""
    if {suffix.lower() for suffix in PurePath(source.name).suffixes} & {".tsv", ".tab"}:
        return TAB
    data = np.frombuffer(head.removeprefix(BOM), np.uint8)

    def cells(delimiter: int) -> int:
        found = records(data, delimiter, QUOTE, True)[0]
        return int(found.widths[0]) if len(found.widths) else 0

    return max(DELIMITERS, key=cells)


def _texts(file: str, stream: BufferedReader, dialect: Dialect) -> Iterator[Text]:
    """Yield the file as whole records, about one chunk at a time."""
    kept, line, first = b"", 1, True
    while True:
        with reading(file):
            fresh = stream.read(CHUNK)
        ended = len(fresh) < CHUNK
        if first and fresh.startswith(UTF16):
            raise ReadError(f"{file}: text must be UTF-8, got UTF-16. Convert the file")
        kept += fresh.removeprefix(BOM) if first else fresh
        first = False
        data = np.frombuffer(kept, np.uint8)
        found, done, lines = records(data, dialect.delimiter, dialect.quote, ended)
        if done:
            yield Text(file, data[:done], found, line)
        if ended:
            return
        kept, line = kept[done:], line + lines
        if len(kept) > LONGEST_LINE:
            raise ReadError(
                f"{file}, line {line}: a row must have at most {LONGEST_LINE:,} bytes, got more, "
                f"from {excerpt(kept[:200])} on. Close the open quote, or check that this is the right format"
            )


def _numbered(text: Text) -> list[str]:
    """Return the names of columns without a header: c1, c2 and so on."""
    return [f"c{place}" for place in range(1, _width(text) + 1)]


def _width(text: Text) -> int:
    """Return the number of cells of the first record."""
    width = int(text.records.widths[0])
    if width == 0:
        must, remedy = "a quote must be closed", "Add the quote that ends the cell"
        raise Fault(text.source, text.line_of(0), None, must, excerpt(text.bytes_of(0)), remedy).error()
    return width


def _header(text: Text, dialect: Dialect) -> list[str]:
    """Return the names of the columns."""
    one = text._replace(data=text.data[: int(text.records.stops[0])], records=Records(*(a[:1] for a in text.records)))
    places = [str(place) for place in range(_width(one))]
    found = grid(one, places, places, dialect)
    if found.faults:
        raise found.faults[0].error()
    names = [(found.columns[place][0].as_py() or "").strip() for place in places]
    check_names(text.source, names)
    if all(number(name) is not None for name in names) and not all(name.isdecimal() for name in names):
        raise ReadError(
            f"{text.source}: the first line must be a header with the columns' names, got {excerpt(one.bytes_of(0))}. "
            "Write one above the rows, or pass --no-header"
        )
    return names

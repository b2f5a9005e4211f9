"""CSV and similar formats: a header, then rows, delimited by commas, tabs, semicolons or bars.

The first block of rows determines the type of each column: numbers or booleans if all of its cells
are, else strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import PurePath
from typing import Any

import numpy as np

from driftline.streams.files.column_roles import check_names, no_rows, settled
from driftline.streams.files.faults import Fault, ReadError, excerpt
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.cell_grid import Dialect, Text, grid
from driftline.streams.files.scan.cells import Cells, kind_of, number, texts
from driftline.streams.files.scan.records import Records, records
from driftline.streams.files.source import BOM, CHUNK, LONGEST_LINE, Source, reading
from driftline.streams.files.table_features import Column, Table

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
        reader, some = None, False
        for text in _texts(source.name, stream, dialect):
            if not len(text.records.starts):
                continue
            if reader is None:
                reader, text = _Delimited(text, dialect, options), text.after(1)
            if len(text.records.starts):
                some = True
                yield reader.parsed(text)
        if not some:
            raise no_rows(source.name)
    finally:
        if source.repeatable:
            stream.close()


class _Delimited:
    """Reads the rows below a header; the first record of ``text`` is the header."""

    def __init__(self, text: Text, dialect: Dialect, options: ReadOptions) -> None:
        self.dialect = dialect
        self.columns = _header(text, dialect)
        self.options = settled(text.source, self.columns, options)
        self.wanted = [name for name in self.columns if name not in self.options.drop]
        self.table = Table(text.source, self.options)
        self.kinds: dict[str, Callable[[Any], Cells]] = dict.fromkeys(self.options.text, texts)

    def parsed(self, text: Text) -> Parsed:
        """Parse the rows of some text."""
        found = grid(text, self.columns, self.wanted, self.dialect)
        rows = np.arange(len(found.lines), dtype=np.uint64)
        columns = [Column(name, rows, self._cells(name, strings)) for name, strings in found.columns.items()]
        return self.table.parsed(columns, found.lines, found.faults)

    def _cells(self, name: str, strings: Any) -> Cells:
        """Convert cells to the column's type, which the first block with a value determines."""
        kind = self.kinds.get(name) or kind_of(strings)
        if strings.null_count < len(strings):
            self.kinds[name] = kind
        return kind(strings)


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


def _header(text: Text, dialect: Dialect) -> list[str]:
    """Return the names of the columns."""
    one = text._replace(data=text.data[: int(text.records.stops[0])], records=Records(*(a[:1] for a in text.records)))
    width = int(one.records.widths[0])
    if width == 0:
        must, remedy = "a quote must be closed", "Add the quote that ends the cell"
        raise Fault(text.source, text.line_of(0), None, must, excerpt(one.bytes_of(0)), remedy).error()
    places = [str(place) for place in range(width)]
    found = grid(one, places, places, dialect)
    if found.faults:
        raise found.faults[0].error()
    names = [(found.columns[place][0].as_py() or "").strip() for place in places]
    check_names(text.source, names)
    if all(number(name) is not None for name in names) and not all(name.isdecimal() for name in names):
        raise ReadError(
            f"{text.source}: the first line must be a header with the columns' names, got {excerpt(one.bytes_of(0))}. "
            "Write one above the rows"
        )
    return names

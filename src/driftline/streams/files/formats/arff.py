"""ARFF: declared attributes, then rows of their values, dense or sparse.

A value left out of a sparse row is 0. For a feature that means it is absent. A label or time is
then 0, or the first value declared for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from driftline.internals.compiled import Offsets
from driftline.streams.files.column_roles import check_names, no_rows, settled
from driftline.streams.files.faults import Fault, ReadError, excerpt
from driftline.streams.files.formats.arff_header import (
    DATE,
    MISSING,
    NOMINAL,
    NUMERIC,
    Attribute,
    cells,
    declaration,
    sparse_cells,
)
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.raw_columns import RawBlock, RawColumn
from driftline.streams.files.scan.cell_grid import Dialect, Text, grid, not_utf8, undecodable
from driftline.streams.files.scan.records import NO_QUOTE, records
from driftline.streams.files.source import Source
from driftline.streams.files.table_features import Table
from driftline.streams.schema.kinds import CATEGORY, IGNORE, NUMBER, TEXT, TIME, number

PLAIN = Dialect(ord(","), NO_QUOTE, MISSING)
NATURAL = {NUMERIC: NUMBER, DATE: TIME}
"""The kind of column that a kind of attribute stands for; strings are sampled."""
SPECIAL = np.frombuffer(b"'\"{%\\", np.uint8)


def read_arff(source: Source, options: ReadOptions) -> Iterator[Parsed]:
    """Yield the rows of an ARFF file.

    Without a target, the label is the attribute named class, or else the last attribute.
    """
    texts = _texts(source)
    attributes: list[Attribute] = []
    for text in texts:
        if isinstance(text, Fault):
            raise text.error()
        rest, ended = _read_header(text, attributes)
        if ended:
            break
    else:
        raise ReadError(
            f"{source.name}: the header must end with a line @data, got none. Check that it is an ARFF file"
        )
    reader, some = _Arff(source.name, attributes, options), False
    for parsed in reader.table.blocks(reader.blocks(chain([rest], texts))):
        some = True
        yield parsed
    if not some:
        raise no_rows(source.name)


def _texts(source: Source) -> Iterator[Text | Fault]:
    """Yield the file in whole lines; a line that is too long is a fault."""
    line = 1
    for chunk in source.chunks():
        if isinstance(chunk, Fault):
            yield replace(chunk, line=line)
            line += 1
        else:
            found, _, lines = records(chunk.data, PLAIN.delimiter, PLAIN.quote, True)
            yield Text(source.name, chunk.data, found, line)
            line += lines


def _read_header(text: Text, attributes: list[Attribute]) -> tuple[Text, bool]:
    """Append the declared attributes; return the text after @data, and whether it was reached."""
    for record in range(len(text.records.starts)):
        line = text.bytes_of(record).decode("utf-8", "replace").strip()
        word = line[:10].lower()
        if word.startswith("@data"):
            return text.after(record + 1), True
        if word.startswith("@attribute"):
            attributes.append(declaration(text.source, text.line_of(record), line))
        elif line and not line.startswith("%") and not word.startswith("@relation"):
            must = "the header must hold @relation, @attribute and @data"
            raise Fault(text.source, text.line_of(record), None, must, excerpt(line), "Correct it").error()
    return text, False


def _target(attributes: list[Attribute], options: ReadOptions) -> ReadOptions:
    """Return the options with the default target, if there is one."""
    if options.target is not None:
        return options
    taken = {options.time, options.weight}
    taken |= {name for name, kind in options.declared.items() if kind in (IGNORE, TEXT)}
    names = [attribute.name for attribute in attributes if attribute.name not in taken]
    called = [name for name in names if name.lower() == "class"]
    if called:
        return replace(options, target=called[-1])
    return replace(options, target=names[-1]) if options.labelled and names else options


class _Arff:
    """Reads the rows below the header."""

    def __init__(self, source: str, attributes: list[Attribute], options: ReadOptions) -> None:
        self.source = source
        self.columns = [attribute.name for attribute in attributes]
        check_names(source, self.columns)
        self.options = settled(source, self.columns, _target(attributes, options))
        self.attributes = attributes
        self.table = Table(source, self.options)
        wanted = set(self.table.wanted(self.columns))
        self.wanted = [(k, attribute) for k, attribute in enumerate(attributes) if attribute.name in wanted]
        for _, attribute in self.wanted:
            if attribute.kind == NUMERIC and self.table.kinds.known.get(attribute.name) == TEXT:
                raise ReadError(
                    f"{source}, column {attribute.name}: text must be strings, got {attribute.kind}. "
                    "Declare another kind"
                )
        never_absent = {self.options.target, self.options.time, self.options.weight}
        self.when_left_out: dict[int, str | None] = {
            k: next(iter(attribute.values), "0")
            for k, attribute in enumerate(attributes)
            if attribute.name in never_absent
        }

    def blocks(self, texts: Iterable[Text | Fault]) -> Iterator[RawBlock]:
        """Yield some lines: vectorised if they hold no special characters, else line by line."""
        for text in texts:
            if isinstance(text, Fault):
                yield RawBlock([], np.zeros(0, np.uint64), [text])
            elif len(text.records.starts):
                special = np.isin(text.data, SPECIAL).any()
                yield self._line_by_line(text) if special else self._vectorised(text)

    def _vectorised(self, text: Text) -> RawBlock:
        import pyarrow.compute as pc

        found = grid(text, self.columns, [attribute.name for _, attribute in self.wanted], PLAIN)
        rows = np.arange(len(found.lines), dtype=np.uint64)
        columns = [
            self._column(attribute, rows, pc.utf8_trim_whitespace(found.columns[attribute.name]))
            for _, attribute in self.wanted
            if len(rows)
        ]
        return RawBlock(columns, found.lines, found.faults)

    def _column(self, attribute: Attribute, rows: Offsets, strings: Any) -> RawColumn:
        """Return a column; a declared value of a nominal attribute is never missing."""
        natural, allowed = NATURAL.get(attribute.kind), None
        if attribute.kind == NOMINAL:
            natural, allowed = self._natural_of_nominal(attribute), attribute.values
        markers = [marker for marker in self.options.na if allowed is None or marker not in allowed]
        return RawColumn(attribute.name, rows, strings, natural, markers, False, allowed)

    def _natural_of_nominal(self, attribute: Attribute) -> str:
        """The kind of a nominal attribute: 0 and 1 are numbers, and labels that are all numbers."""
        if attribute.name == self.options.target:
            return CATEGORY if None in map(number, attribute.values) else NUMBER
        return NUMBER if attribute.values and attribute.values.keys() <= {"0", "1"} else CATEGORY

    def _line_by_line(self, text: Text) -> RawBlock:
        import pyarrow as pa

        lines: list[int] = []
        faults = {record: undecodable(text, record) for record in not_utf8(text)}
        rows: list[list[int]] = [[] for _ in self.attributes]
        values: list[list[str | None]] = [[] for _ in self.attributes]
        for record in range(len(text.records.starts)):
            line = text.bytes_of(record).decode("utf-8", "replace").strip()
            if record in faults or not line or line.startswith("%"):
                continue
            try:
                found = self._sparse(line) if line.startswith("{") else self._dense(line)
            except _MalformedError as error:
                must, got, remedy = error.args
                faults[record] = Fault(text.source, text.line_of(record), None, must, got, remedy)
                continue
            for k, value in found:
                rows[k].append(len(lines))
                values[k].append(value)
            lines.append(text.line_of(record))
        columns = [
            self._column(attribute, np.array(rows[k], np.uint64), pa.array(values[k], pa.string()))
            for k, attribute in self.wanted
        ]
        return RawBlock(columns, np.array(lines, np.uint64), [faults[record] for record in sorted(faults)])

    def _dense(self, line: str) -> Iterable[tuple[int, str | None]]:
        found = cells(line)
        if found is None:
            raise _MalformedError("quotes must enclose a whole value", excerpt(line), "Escape quotes in it with \\")
        if len(found) != len(self.attributes):
            must = f"a row must have {len(self.attributes)} cells, one for each attribute"
            raise _MalformedError(
                must, f"{len(found)} in {excerpt(line)}", "Add the missing cells, or quote the commas"
            )
        return enumerate(found)

    def _sparse(self, line: str) -> Iterable[tuple[int, str | None]]:
        found = sparse_cells(line)
        if found is None:
            raise _MalformedError("a sparse row must be written {INDEX VALUE, ...}", excerpt(line), "Correct it")
        given = dict(found)
        if len(given) < len(found):
            raise _MalformedError("a sparse row must not repeat an index", excerpt(line), "Correct it")
        if given and max(given) >= len(self.attributes):
            must = f"an index must be below {len(self.attributes)}, the number of attributes"
            raise _MalformedError(must, f"{max(given)} in {excerpt(line)}", "Indices count from 0")
        return (self.when_left_out | given).items()


class _MalformedError(Exception):
    """A malformed row; the arguments are the condition, the text found and the remedy."""

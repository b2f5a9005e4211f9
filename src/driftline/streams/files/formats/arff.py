"""ARFF: declared attributes, then rows of their values, dense or sparse.

A value left out of a sparse row is 0. For a feature that means it is absent. A label or time is
then 0, or the first value declared for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from driftline.internals.compiled import Offsets
from driftline.streams.files.column_roles import MOST_SHOWN, check_names, no_rows, settled
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
from driftline.streams.files.pieces import only_faults
from driftline.streams.files.scan.cell_grid import Dialect, Text, grid, not_utf8, undecodable
from driftline.streams.files.scan.cells import (
    Cells,
    Numbers,
    Texts,
    Wrong,
    listed_numbers,
    listed_texts,
    number,
    numbers,
    texts,
)
from driftline.streams.files.scan.records import NO_QUOTE, records
from driftline.streams.files.source import Source
from driftline.streams.files.table_features import Column, Table

PLAIN = Dialect(ord(","), NO_QUOTE, MISSING)
SPECIAL = np.frombuffer(b"'\"{%\\", np.uint8)


def read_arff(source: Source, options: ReadOptions) -> Iterator[Parsed]:
    """Yield the rows of an ARFF file.

    Without a target, the label is the attribute named class, or else the last attribute.
    """
    attributes: list[Attribute] = []
    reader, some = None, False
    line = 1
    for chunk in source.chunks():
        if isinstance(chunk, Fault):
            fault = replace(chunk, line=line)
            line += 1
            if reader is None:
                raise fault.error()
            some = True
            yield only_faults(source.name, [fault])
            continue
        found, _, lines = records(chunk.data, PLAIN.delimiter, PLAIN.quote, True)
        text = Text(source.name, chunk.data, found, line)
        line += lines
        if reader is None:
            text, ended = _read_header(text, attributes)
            if not ended:
                continue
            reader = _Arff(source.name, attributes, options)
        if len(text.records.starts):
            some = True
            yield reader.parsed(text)
    if reader is None:
        raise ReadError(
            f"{source.name}: the header must end with a line @data, got none. Check that it is an ARFF file"
        )
    if not some:
        raise no_rows(source.name)


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
    taken = {*options.drop, *options.text, options.time}
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
        self.wanted = [attribute for attribute in attributes if attribute.name not in self.options.drop]
        for attribute in self.wanted:
            self._check_kind(attribute)
        self.table = Table(source, self.options)
        never_absent = {self.options.target, self.options.time}
        self.when_left_out: dict[int, str | None] = {
            k: next(iter(attribute.values), "0")
            for k, attribute in enumerate(attributes)
            if attribute.name in never_absent
        }

    def _check_kind(self, attribute: Attribute) -> None:
        name = attribute.name
        if attribute.kind == DATE and name != self.options.time:
            raise ReadError(
                f"{self.source}, column {name}: a feature must be numeric, a string or nominal, got a date. "
                f"Pass --drop {name}, or --time {name} if the rows are in its order"
            )
        if attribute.kind == NUMERIC and name in self.options.text:
            raise ReadError(
                f"{self.source}, column {name}: text must be strings, got {attribute.kind}. Remove it from --text"
            )

    def parsed(self, text: Text) -> Parsed:
        """Parse some lines: vectorised if they hold no special characters, else line by line."""
        if np.isin(text.data, SPECIAL).any():
            return self._line_by_line(text)
        found = grid(text, self.columns, [attribute.name for attribute in self.wanted], PLAIN)
        rows = np.arange(len(found.lines), dtype=np.uint64)
        columns = [self._column(a, rows, _typed(a, found.columns[a.name])) for a in self.wanted if len(rows)]
        return self.table.parsed(columns, found.lines, found.faults)

    def _column(self, attribute: Attribute, rows: Offsets, found: Cells) -> Column:
        """Return a column; a nominal label whose values are all numbers becomes numeric."""
        if attribute.name == self.options.target and isinstance(found, Texts) and attribute.kind == NOMINAL:
            meant = [number(value) for value in attribute.values]
            if None not in meant:
                known = np.array([number(text) for text in found.distinct] + [None], np.float64)
                written = np.array([*found.distinct, ""])[found.codes]
                found = Numbers(known[found.codes], found.wrong, written)
        return Column(attribute.name, rows, found)

    def _line_by_line(self, text: Text) -> Parsed:
        lines: list[int] = []
        faults = {record: undecodable(text, record) for record in not_utf8(text)}
        rows: list[list[int]] = [[] for _ in self.attributes]
        values: list[list[str]] = [[] for _ in self.attributes]
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
                if value is not None:
                    rows[k].append(len(lines))
                    values[k].append(value)
            lines.append(text.line_of(record))
        columns = [
            self._column(a, np.array(rows[k], np.uint64), _listed(a, values[k]))
            for k, a in enumerate(self.attributes)
            if a.name not in self.options.drop
        ]
        return self.table.parsed(columns, np.array(lines, np.uint64), [faults[record] for record in sorted(faults)])

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


def _typed(attribute: Attribute, strings: Any) -> Cells:
    """Convert Arrow strings to the declared type of the attribute."""
    import pyarrow.compute as pc

    strings = pc.utf8_trim_whitespace(strings)
    strings = pc.if_else(pc.equal(strings, MISSING), None, strings)
    return numbers(strings) if attribute.kind == NUMERIC else _declared(attribute, texts(strings))


def _listed(attribute: Attribute, values: list[str]) -> Cells:
    """Convert Python strings to the declared type of the attribute."""
    return listed_numbers(values) if attribute.kind == NUMERIC else _declared(attribute, listed_texts(values))


def _declared(attribute: Attribute, found: Texts) -> Texts:
    """Return the texts; mark those that a nominal attribute does not declare as wrong."""
    if attribute.kind != NOMINAL:
        return found
    foreign = [code for code, text in enumerate(found.distinct) if text not in attribute.values]
    if not foreign:
        return found
    wrong = [
        Wrong(
            cell,
            f"a value must be one of the declared values, {', '.join(list(attribute.values)[:MOST_SHOWN])}",
            excerpt(found.distinct[found.codes[cell]]),
            "Correct it, or declare it in the header",
        )
        for cell in np.flatnonzero(np.isin(found.codes, foreign)).tolist()
    ]
    return replace(found, wrong=wrong)

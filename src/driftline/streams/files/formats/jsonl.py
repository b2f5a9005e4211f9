"""JSON: one object per line, or one array of objects; and lists of dicts in memory.

A number is a feature named by its key, a string is the feature ``key=value``. A null is missing.
Values of a name that occurs twice in a line are summed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from driftline.streams.files.column_kinds import ColumnKinds
from driftline.streams.files.column_roles import no_rows, settled
from driftline.streams.files.faults import Fault, ReadError, excerpt
from driftline.streams.files.formats.json_objects import DEEPEST, MalformedError, Objects, fault_of, leaves, sampled
from driftline.streams.files.formats.json_roles import Roles
from driftline.streams.files.formats.json_text import TextError, parsed
from driftline.streams.files.label_column import whole_if_all_are
from driftline.streams.files.memory_source import MemorySource
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Findings, Parsed
from driftline.streams.files.scan.feature_names import Names
from driftline.streams.files.scan.row_entries import added_up
from driftline.streams.files.source import CHUNK, Source, reading
from driftline.streams.schema.kinds import SAMPLE, ColumnSample
from driftline.streams.schema.record_values import plain_record

MOST_WAITING = 32
MOST_IN_MEMORY = 1 << 31
"""Maximum number of bytes of a file that is one array."""
ROWS = 1 << 12
"""Number of objects of an array, or dicts in memory, per block."""
REMEDY = "Write one object per line, in UTF-8"


class Record(NamedTuple):
    """An object, or the fault in its place, and its line or record number."""

    number: int
    example: dict[str, Any] | MalformedError | Fault
    line: bytes | None
    """The text of the object, if it is known."""


def read_json(source: Source, options: ReadOptions) -> Iterator[Parsed]:
    """Yield the objects of a file of JSON lines, or of one array."""
    with reading(source.name):
        is_array = source.peek().removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    blocks = _array(source) if is_array else lines_of(source)
    yield from JsonReader(source.name, options).blocks(blocks)


def read_records(source: MemorySource, options: ReadOptions) -> Iterator[Parsed]:
    """Yield dicts in memory; line numbers are record numbers, from 1."""
    given = source.records
    blocks = (
        [_record(start + k + 1, one) for k, one in enumerate(given[start : start + ROWS])]
        for start in range(0, len(given), ROWS)
    )
    yield from JsonReader(source.name, options).blocks(blocks)


def _record(number: int, given: Any) -> Record:
    if not isinstance(given, dict):
        return Record(number, MalformedError(None, "a record must be a dict", excerpt(repr(given)), "Convert it"), None)
    try:
        return Record(number, plain_record(given), None)
    except RecursionError:
        must = f"dicts must be nested at most {DEEPEST} deep"
        return Record(number, MalformedError(None, must, "a deeper one", "Convert it"), None)


class JsonReader:
    """Converts blocks of objects to rows. The first objects decide the kinds of their keys."""

    def __init__(self, source: str, options: ReadOptions) -> None:
        self.source = source
        self.options = options
        self.names = Names()

    def blocks(self, blocks: Iterable[Iterable[Record]]) -> Iterator[Parsed]:
        """Convert all blocks. Objects are made one at a time, once the kinds are known."""
        coming = iter(blocks)
        waiting: list[list[Record]] = []
        objects = 0
        for block in coming:
            waiting.append(list(block))
            objects += sum(isinstance(record.example, dict) for record in waiting[-1])
            if objects >= SAMPLE or len(waiting) == MOST_WAITING:
                break
        if not waiting:
            raise no_rows(self.source)
        self._begin([record.example for block in waiting for record in block if isinstance(record.example, dict)])
        for block in chain(waiting, coming):
            yield self._parsed(block)

    def _begin(self, examples: Sequence[dict[str, Any]]) -> None:
        """Decide the kinds of the keys in the first objects, and check the keys in the options."""
        samples: dict[str, ColumnSample] = {}
        for example in examples[:SAMPLE]:
            sampled(samples, example)
        options = self.options
        for example in examples[SAMPLE:]:  # of the same block: a key in the options may be rare
            if options.named <= samples.keys():
                break
            samples.update((path, ColumnSample(False)) for path, _ in leaves("", example) if path not in samples)
        if examples:
            absent = () if options.labelled else set(options.drop) - samples.keys()
            kept = replace(options, drop=tuple(path for path in options.drop if path not in absent))
            options = settled(self.source, list(samples), kept)
        self.kinds = ColumnKinds(self.source, options)
        self.kinds.compare_columns(path for path, sample in samples.items() if sample.present)
        for path, sample in samples.items():
            if path != options.weight:
                self.kinds.decide(path, sample, None)
        self.roles = Roles(options, self.kinds)

    def _parsed(self, block: Iterable[Record]) -> Parsed:
        """Convert a block. A line with a fault is skipped and adds no feature names."""
        self.names.next_block()
        known = len(self.names.list)
        objects = Objects(self.names, self.kinds, self.options.ngrams, self.options.lenient)
        roles, findings = self.roles, Findings(target=self.kinds.options.target)
        roles.next_block()
        indices, names = objects.indices, self.names.list
        faults: list[Fault] = []
        numbers: list[int] = []
        kept: dict[str, list[Any]] = {path: [] for path in self.options.keep}
        ends = [0]
        for number, example, line in block:
            if isinstance(example, Fault):
                faults.append(example)
                continue
            size, listed, bad = len(indices), len(names), len(objects.bad_cells)
            try:
                if isinstance(example, MalformedError):
                    raise example
                taken = roles.take(objects.take(example), line)
            except MalformedError as error:
                objects.cut(size, listed)
                faults.append(fault_of(self.source, number, error))
                continue
            if not taken:
                objects.cut(size, listed)
                findings.unlabelled += 1
                continue
            if len(objects.bad_cells) > bad:
                findings.bad_cells += [fault_of(self.source, number, error) for error in objects.bad_cells[bad:]]
            numbers.append(number)
            if kept:
                cells = dict(leaves("", example))
                for path, values in kept.items():
                    values.append(cells.get(path))
            ends.append(len(indices))
        offsets, places = np.array(ends, np.uint64), np.array(numbers, np.uint64)
        rows = replace(
            added_up(offsets, *objects.arrays(), self.names, self.source, places),
            kept=kept if kept else None,
            times=roles.times(),
        )
        findings.missing.update(objects.missing)
        findings.kinds, findings.notes = self.kinds.take_news()
        y = roles.labels()
        return Parsed(
            self.names.in_order_of_rows(known, rows),
            None if y is None else whole_if_all_are(y),
            roles.weights(),
            faults,
            findings=findings,
        )


# files ------------------------------------------------------------------------------------------------------
def lines_of(source: Source, size: int = CHUNK) -> Iterator[Iterable[Record]]:
    """Yield the objects of JSON lines, about ``size`` bytes at a time."""
    offset = 0
    for chunk in source.chunks(size, reused=1):
        if isinstance(chunk, Fault):
            offset += 1
            yield [Record(offset, replace(chunk, line=offset), None)]
            continue
        texts = chunk.data.tobytes().split(b"\n")
        yield _loaded(texts, offset)
        offset += len(texts) - 1


def _loaded(lines: Sequence[bytes], offset: int) -> Iterator[Record]:
    """Yield the objects of lines; the first line has the number ``offset`` + 1."""
    for number, line in enumerate(lines, offset + 1):
        if line and not line.isspace():
            try:
                yield Record(number, _loaded_line(line), line)
            except MalformedError as error:
                yield Record(number, error, line)


def _array(source: Source) -> Iterator[list[Record]]:
    """Yield the objects of one array. The whole file is read into memory."""
    stream = source.open()
    data = bytearray()
    try:
        with reading(source.name):
            while part := stream.read(CHUNK):
                data += part
                if len(data) > MOST_IN_MEMORY:
                    raise ReadError(
                        f"{source.name}: a JSON array must have at most {MOST_IN_MEMORY:,} bytes, got more. {REMEDY}"
                    )
    finally:
        if source.repeatable:
            stream.close()
    try:
        items = parsed(bytes(data).removeprefix(b"\xef\xbb\xbf"))
    except TextError as error:
        _, line, column, reason = error.args
        raise ReadError(
            f"{source.name}, line {line}, column {column}: a file that begins with [ must be one array "
            f"of JSON objects, got {reason}. Correct it, or write one object per line"
        ) from None
    for start in range(0, len(items), ROWS):
        yield [_item(start + k + 1, item) for k, item in enumerate(items[start : start + ROWS])]


def _item(number: int, item: Any) -> Record:
    if type(item) is not dict:
        return Record(number, _not_an_object("an item of the array", json.dumps(item)), None)
    return Record(number, item, None)


def _not_an_object(what: str, got: bytes | str) -> MalformedError:
    return MalformedError(None, f"{what} must be a JSON object", excerpt(got), REMEDY)


def _loaded_line(line: bytes) -> dict[str, Any]:
    """Parse a line to an object, or raise MalformedError."""
    try:
        found = parsed(line)
    except TextError as error:
        at, _, _, message = error.args
        text, at, reason = _place(line, at, message)
        got = f"{reason} at {excerpt(text)}"
        raise MalformedError(at + 1, "a line must be a JSON object", got, REMEDY) from None
    if type(found) is not dict:
        raise _not_an_object("a line", line)
    return found


def _place(line: bytes, at: int, reason: str) -> tuple[bytes | str, int, str]:
    """Return the text, position and reason of the first JSON error in a line."""
    try:
        return line.decode()[at:], at, reason
    except UnicodeDecodeError as error:
        return line[error.start :], error.start, "invalid UTF-8"

"""Parquet files, and Arrow IPC files and streams: record batches with typed columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Any

import numpy as np

from driftline.streams.files.column_roles import check_names, no_rows, settled
from driftline.streams.files.faults import ReadError
from driftline.streams.files.memory_source import MemorySource
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.raw_columns import RawBlock, RawColumn
from driftline.streams.files.scan.arrow_cells import decoded, is_text, natural_kind
from driftline.streams.files.source import CHUNK, Source, reading
from driftline.streams.files.table_features import Table
from driftline.streams.schema.kinds import TEXT

MOST_IN_MEMORY = 1 << 31
"""Maximum number of bytes of a file that is read into memory as a whole."""
MOST_ROWS, MOST_CELLS = 1 << 14, 1 << 19
PARQUET, FILE = b"PAR1", b"ARROW1"


def read_parquet(source: Source, options: ReadOptions) -> Iterator[Parsed]:
    """Yield the rows of a Parquet file. Line numbers are record numbers, from 1."""
    import pyarrow.parquet as pq

    with _opened(source, PARQUET) as file, _damage_named(source.name):
        parquet = pq.ParquetFile(file, pre_buffer=False, page_checksum_verification=True)
        batches = Batches(source, parquet.schema_arrow, options, parquet.metadata.num_rows)
        yield from batches.parsed(parquet.iter_batches(batches.most_rows, columns=batches.used))


def read_arrow(source: Source, options: ReadOptions) -> Iterator[Parsed]:
    """Yield the rows of an Arrow IPC file or stream. Line numbers are record numbers, from 1."""
    import pyarrow as pa

    with reading(source.name):
        is_file = source.peek().startswith(FILE)
    if is_file:
        with _opened(source, FILE) as file, _damage_named(source.name):
            arrow = pa.ipc.open_file(file)
            batches = Batches(source, arrow.schema, options, None)
            yield from batches.parsed(arrow.get_batch(k) for k in range(arrow.num_record_batches))
        return
    stream = source.open()
    try:
        with _damage_named(source.name):
            arrow = pa.ipc.open_stream(pa.PythonFile(stream, "r"))
            yield from Batches(source, arrow.schema, options, None).parsed(arrow)
    finally:
        if source.repeatable:
            stream.close()


def read_frame(source: MemorySource, options: ReadOptions) -> Iterator[Parsed]:
    """Yield the rows of a frame or Arrow table. Line numbers are record numbers, from 1."""
    table = source.table()
    yield from Batches(source, table.schema, options, None).parsed(table.to_batches(MOST_ROWS))


class Batches:
    """Converts record batches to rows. ``total`` is the number of rows, None if unknown."""

    def __init__(self, source: Source | MemorySource, schema: Any, options: ReadOptions, total: int | None) -> None:
        names = list(schema.names)
        check_names(source.name, names)
        self.source = source
        self.total = total
        self.options = settled(source.name, names, options)
        self.table = Table(source.name, self.options)
        self.used = self.table.wanted(names)
        self.most_rows = max(1, min(MOST_ROWS, MOST_CELLS // max(1, len(names))))
        self.natural = {name: self._natural(name, schema.field(name).type) for name in self.used}

    def _natural(self, name: str, kind: Any) -> str | None:
        """Return the kind that the type of a column stands for."""
        from pyarrow import types

        if name not in self.options.roles and not self.table.kinds.wants(name):
            return None  # the column is only passed through
        place, declared = f"{self.source.name}, column {name}", self.table.kinds.known.get(name)
        if declared == TEXT and not is_text(kind) and not types.is_null(kind):
            raise ReadError(f"{place}: text must be strings, got {kind}. Declare another kind")
        try:
            return natural_kind(kind)
        except TypeError:
            raise ReadError(
                f"{place}: a feature must be a number, boolean, string or time, got {kind}. "
                f"Pass --drop {name}, or write its parts as separate columns"
            ) from None

    def parsed(self, batches: Iterable[Any]) -> Iterator[Parsed]:
        """Yield blocks of bounded size."""
        return self.table.blocks(self._blocks(batches))

    def _blocks(self, batches: Iterable[Any]) -> Iterator[RawBlock]:
        record = 1
        for batch in batches:
            batch.validate(full=True)
            for start in range(0, batch.num_rows, self.most_rows):
                part = batch.slice(start, self.most_rows)
                lines = np.arange(record, record + part.num_rows, dtype=np.uint64)
                rows = np.arange(part.num_rows, dtype=np.uint64)
                columns = [
                    RawColumn(name, rows, decoded(part.column(name)), self.natural[name], (), False)
                    for name in self.used
                ]
                yield RawBlock(columns, lines, [])
                record += part.num_rows
            if self.total and self.source.size is not None:
                self.source.read = self.source.size * (record - 1) // self.total
        if record == 1:
            raise no_rows(self.source.name)


@contextmanager
def _opened(source: Source, magic: bytes) -> Iterator[Any]:
    """Open the file for random access; a compressed file or a pipe is first read into memory."""
    import pyarrow as pa

    if source.path is not None and source.repeatable:
        with reading(source.name), source.path.open("rb") as file:
            plain = file.read(len(magic)) == magic
        if plain:
            with pa.OSFile(str(source.path)) as file:
                yield file
            return
    stream = source.open()
    try:
        with reading(source.name):
            data = _in_memory(source.name, stream, magic)
        yield pa.BufferReader(data)
    finally:
        if source.repeatable:
            stream.close()


def _in_memory(file: str, stream: BufferedReader, magic: bytes) -> bytearray:
    """Return the content of a file; raise ReadError if it is of another format or too large."""
    head = stream.read(len(magic))
    if head != magic:
        raise ReadError(
            f"{file}: must be an intact file of its format, which begins with {magic!r}, got {head!r}. Write it again"
        )
    data = bytearray(head)
    while part := stream.read(CHUNK):
        data += part
        if len(data) > MOST_IN_MEMORY:
            raise ReadError(
                f"{file}: a Parquet or Arrow file that is compressed or comes from a pipe must have at most "
                f"{MOST_IN_MEMORY:,} bytes, got more. Write it to a file on disk, decompressed"
            )
    return data


@contextmanager
def _damage_named(file: str) -> Iterator[None]:
    """Turn an error of Arrow into a ReadError that names the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        reason = " ".join(str(error).split()).rstrip(".") or "invalid sizes"
        raise ReadError(f"{file}: must be an intact file of its format, got {reason}. Write it again") from None

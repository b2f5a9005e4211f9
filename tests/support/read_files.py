"""The result of a file reader as plain dicts, for comparison with slow readers."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from driftline.internals.rows import FileRows
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.source import Source

Reader = Callable[[Source, ReadOptions], Iterator[Parsed]]


class Read(NamedTuple):
    """Every row as a dict, its label (None: no labels) and its line; and all faults."""

    rows: list[dict[str, float]]
    y: list[Any] | None
    lines: list[int]
    faults: list[str]
    blocks: int
    unlabelled: int = 0
    missing: Counter[str] = Counter()
    notes: tuple[str, ...] = ()


def as_dicts(rows: FileRows) -> list[dict[str, float]]:
    """The rows as dicts, without missing values, after a check of all properties that rows have."""
    assert rows.indptr.dtype == np.uint64 and rows.indices.dtype == np.uint32 and rows.lines.dtype == np.uint64
    assert rows.values.dtype == np.float64
    assert rows.names is not None and rows.width <= len(rows.names) == len(set(rows.names))
    assert rows.indptr[0] == 0 and rows.indptr[-1] == len(rows.indices) == len(rows.values)
    assert len(rows.indptr) == len(rows.lines) + 1
    dicts = []
    for start, stop in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        indices = rows.indices[start:stop].tolist()
        assert len(set(indices)) == len(indices) and all(index < rows.width for index in indices)
        pairs = zip(indices, rows.values[start:stop].tolist(), strict=True)
        dicts.append({rows.names[k]: v for k, v in pairs if v == v})
    return dicts


def collected(pieces: Iterator[Parsed]) -> Read:
    """All pieces of a file together."""
    rows, labels, lines, faults, blocks = [], [], [], [], 0
    without = False
    unlabelled, missing, notes = 0, Counter[str](), []
    for piece in pieces:
        blocks += 1
        faults += map(str, piece.faults)
        if piece.findings is not None:
            unlabelled += piece.findings.unlabelled
            missing.update(piece.findings.missing)
            notes += piece.findings.notes
        if not len(piece.rows):
            continue
        rows += as_dicts(piece.rows)
        lines += piece.rows.lines.tolist()
        if piece.y is None:
            without = True
        else:
            assert len(piece.y) == len(piece.rows) and piece.y.dtype.kind in "ifUuO"
            labels += piece.y.tolist()
    return Read(rows, None if without else labels, lines, faults, blocks, unlabelled, missing, tuple(notes))


def read(reader: Reader, data: bytes, name: str = "file", **options: Any) -> Read:
    """What the reader returns for these bytes."""
    file = io.BytesIO(data)
    file.name = name  # type: ignore[attr-defined]
    return collected(reader(Source(file), ReadOptions(**options)))


def zstd(data: bytes) -> bytes:
    """The bytes as a zstd file."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(data)
    return bytes(sink.getvalue())

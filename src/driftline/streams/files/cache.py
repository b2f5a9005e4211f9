"""Cache of a parsed text file, stored next to it as ``FILE.dlcache``.

The cache stores the parsed pieces as arrays, each piece with a checksum. The cache key is the size
and modification time of the file, its format and the options. If the key does not match, or a
single byte is damaged, the file is parsed again. The examples are the same with and without a
cache.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from driftline.internals.file_targets import regular_target, replacing
from driftline.internals.rows import FileRows
from driftline.streams.files.cache_checks import (
    DamagedError,
    check_numbers,
    check_rows,
    fault_of,
    findings_of,
    is_count,
    labels,
    listed_labels,
    listed_numbers,
    require,
    strings,
)
from driftline.streams.files.faults import Fault, ReadError
from driftline.streams.files.label_column import exact_array, has_large
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.fingerprint import fingerprint
from driftline.streams.files.source import Source

ALIGNED = 64
MAGIC = b"driftline cache 1\n".ljust(ALIGNED)
KINDS = ("uint8", "uint32", "uint64", "int64", "float64")
KEYS = {
    "svmlight": "svmlight 2",
    "vw": "vw 3",
    "jsonl": "jsonl 2",
    "csv": "csv 2",
    "tsv": "tsv 2",
    "parquet": "parquet 2",
    "arrow": "arrow 2",
    "arff": "arff 2",
}
"""The names of formats in cache keys. A format gets a new name when its text gets a new meaning."""
HEAD = {"arrays", "faults", "findings", "table", "width"}
ROWS = {"indptr", "indices", "values", "lines"}


def cached(source: Source, kind: str, options: ReadOptions, fresh: Callable[[], Iterator[Parsed]]) -> Iterator[Parsed]:
    """Yield the pieces of a file from its cache; if it is invalid, parse and cache them."""
    if source.path is None or not source.repeatable:
        raise ReadError(f"{source.name}: must be a file on disk to have a cache, got a pipe. Leave out --cache")
    path = source.path.with_name(source.path.name + ".dlcache")
    with _writing(path):
        regular_target(path)
    there = source.path.stat()
    key = {
        "size": there.st_size,
        "changed": there.st_mtime_ns,
        "format": KEYS.get(kind, kind),
        "options": repr(options),
    }
    if options.time is not None:
        key["times"] = True  # caches of earlier versions have none
    given = 0
    with suppress(DamagedError):
        for parsed in _read(path, key, source):
            given += 1
            yield parsed
        return
    for place, parsed in enumerate(_written(path, key, fresh())):
        if place >= given:
            yield parsed


# writing ----------------------------------------------------------------------------------------------------
def _written(path: Path, key: dict[str, Any], pieces: Iterator[Parsed]) -> Iterator[Parsed]:
    """Write each piece, then yield it. The cache is renamed into place after the last piece."""
    with _writing(path), replacing(path, f".{path.name}.{secrets.token_hex(4)}.part") as file:
        file.write(MAGIC)
        _put(file, {"key": key}, {})
        tables: list[list[Any]] = []
        count = 0
        for parsed in pieces:
            _put(file, *_packed(parsed, tables))
            count += 1
            yield parsed
        _put(file, {"pieces": count}, {})


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an error while writing into a ReadError that names the cache."""
    try:
        yield
    except OSError as error:
        raise ReadError(
            f"{path}: a cache must be written next to its file, got {error.strerror}. Leave out --cache"
        ) from None


def _packed(parsed: Parsed, tables: list[list[Any]]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return a piece as JSON and arrays. Only names that are new to their table are stored."""
    rows, y, w, faults, _, findings = parsed
    arrays: dict[str, np.ndarray] = {"indptr": rows.indptr, "indices": rows.indices, "values": rows.values}
    arrays["lines"] = rows.lines
    head: dict[str, Any] = {"width": rows.width, "table": None, "faults": _plain(faults)}
    head["findings"] = None if findings is None else {**vars(findings), "bad_cells": _plain(findings.bad_cells)}
    if rows.names is not None:
        number = next((k for k, (names, _) in enumerate(tables) if names is rows.names), len(tables))
        if number == len(tables):
            tables.append([rows.names, 0])
        known = tables[number][1]
        new = rows.names[known : rows.width]
        tables[number][1] = max(known, rows.width)
        head["table"] = number
        arrays |= _texts("names", new)
    if y is not None and y.dtype.kind == "U":
        different, codes = np.unique(y, return_inverse=True)
        arrays |= _texts("labels", different.tolist()) | {"codes": codes.astype(np.int64)}
    elif y is not None and y.dtype.kind == "O" and None in y.tolist():
        head["labels"] = y.tolist()
    elif y is not None and has_large(y):
        head["numbers"] = y.tolist()
    elif y is not None:
        arrays["y"] = y
    if w is not None:
        arrays["w"] = w
    if rows.times is not None:
        arrays["times"] = rows.times
    return head, arrays


def _plain(faults: list[Fault]) -> list[dict[str, Any]]:
    """Return faults as JSON values."""
    return [asdict(fault) for fault in faults]


def _texts(name: str, texts: list[str]) -> dict[str, np.ndarray]:
    """Return strings as an array of bytes and an array of end offsets."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(one) for one in encoded], dtype=np.uint64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name} end": ends}


def _put(file: BinaryIO, head: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a record: lengths and checksums, JSON head, arrays; each padded to a cache line."""
    body = b"".join(_padded(np.ascontiguousarray(array).tobytes()) for array in arrays.values())
    kinds = {name: (array.dtype.name, int(array.size)) for name, array in arrays.items()}
    text = _padded(json.dumps({**head, "arrays": kinds}).encode(), b" ")
    sums = [fingerprint(np.frombuffer(part, np.uint8)) for part in (text, body)]
    file.write(_padded(np.array([len(text), len(body), *sums], np.uint64).tobytes()))
    file.write(text)
    file.write(body)


def _padded(data: bytes, by: bytes = b"\0") -> bytes:
    return data + by * (-len(data) % ALIGNED)


# reading ----------------------------------------------------------------------------------------------------
def _read(path: Path, key: dict[str, Any], source: Source) -> Iterator[Parsed]:
    """Yield the pieces of a cache; raise ``DamagedError`` at the first mismatch."""
    try:
        # copy-on-write mapping: compiled code takes writeable arrays, but does not write to them
        data: np.ndarray = np.memmap(path, np.uint8, "c")
    except (OSError, ValueError):
        raise DamagedError from None
    data = data.view(np.ndarray)
    if data[: len(MAGIC)].tobytes() != MAGIC:
        raise DamagedError
    head, _, at = _record(data, len(MAGIC))
    if head.get("key") != key:
        raise DamagedError
    tables: list[list[str]] = []
    known: list[set[str]] = []
    count = 0
    while True:
        head, arrays, at = _record(data, at)
        if "pieces" in head:
            break
        parsed = _unpacked(head, arrays, tables, known, source.name)
        source.read = int(at / data.size * (source.size or 0))
        count += 1
        yield parsed
    if head["pieces"] != count or at != data.size:
        raise DamagedError


def _record(data: np.ndarray, at: int) -> tuple[dict[str, Any], dict[str, np.ndarray], int]:
    """Return the record that starts at ``at``, and the offset of the next one."""
    lengths = data[at : at + ALIGNED]
    if lengths.size < ALIGNED:
        raise DamagedError
    text_size, body_size, text_sum, body_sum = (int(one) for one in lengths[:32].view(np.uint64))
    start = at + ALIGNED
    text, body = data[start : start + text_size], data[start + text_size : start + text_size + body_size]
    whole = text_size % ALIGNED == body_size % ALIGNED == 0 and text.size == text_size and body.size == body_size
    if not whole or lengths[32:].any() or fingerprint(text) != text_sum or fingerprint(body) != body_sum:
        raise DamagedError
    head = _head(text)
    arrays: dict[str, np.ndarray] = {}
    offset = 0
    for name, described in head["arrays"].items():
        require(isinstance(described, list) and len(described) == 2)
        kind, size = described
        require(isinstance(kind, str) and kind in KINDS and is_count(size, body_size))
        length = size * np.dtype(kind).itemsize
        require(offset + length <= body_size)
        arrays[name] = body[offset : offset + length].view(kind)
        offset += length + -length % ALIGNED
    return head, arrays, start + text_size + body_size


def _head(text: np.ndarray) -> dict[str, Any]:
    """The JSON head of a record."""
    try:
        head = json.loads(text.tobytes())
    except (ValueError, RecursionError):
        raise DamagedError from None
    require(isinstance(head, dict) and isinstance(head.get("arrays"), dict))
    return dict(head)


def _unpacked(
    head: dict[str, Any], arrays: dict[str, np.ndarray], tables: list[list[str]], known: list[set[str]], source: str
) -> Parsed:
    """Return the piece that ``_packed`` stored; ``known`` has the names of each table."""
    require(head.keys() - {"numbers", "labels"} == HEAD and arrays.keys() >= ROWS and isinstance(head["faults"], list))
    names, table = None, head["table"]
    if table is not None:
        require(is_count(table, len(tables)))
        if table == len(tables):
            tables.append([])
            known.append(set())
        new = strings(arrays, "names")
        names = tables[table]
        known[table].update(new)
        require(len(known[table]) == len(names) + len(new))
        names += new
    rows = FileRows(
        indptr=arrays["indptr"],
        indices=arrays["indices"],
        values=arrays["values"],
        names=names,
        width=head["width"],
        source=source,
        lines=arrays["lines"],
        times=arrays.get("times"),
    )
    check_rows(rows, head["findings"] is None)
    y, w = arrays.get("y"), arrays.get("w")
    check_numbers(y, ("int64", "float64"), len(rows))
    check_numbers(w, ("float64",), len(rows), 0.0)
    check_numbers(rows.times, ("float64",), len(rows))
    require(y is None or not has_large(y))  # a cache written when such labels were rounded
    require(sum((y is not None, "codes" in arrays, "numbers" in head, "labels" in head)) <= 1)
    if "codes" in arrays:
        y = labels(arrays, len(rows))
    elif "numbers" in head:
        y = exact_array(listed_numbers(head["numbers"], len(rows)))
    elif "labels" in head:
        y = listed_labels(head["labels"], len(rows))
    faults = [fault_of(fault) for fault in head["faults"]]
    return Parsed(rows, y, w, faults, findings=findings_of(head["findings"]))

"""Reference counts of the examples in a file; a reader must return each as a row or a fault."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

BOM = b"\xef\xbb\xbf"
QUOTE, LINE_ENDS = ord('"'), (None, 10, 13)
"""None stands for the end of the file."""


def examples(kind: str, data: bytes) -> int:
    """Return the number of examples in a file that can be read."""
    return COUNTS[kind](_plain(data))


def _plain(data: bytes) -> bytes:
    """Return the decompressed data."""
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"\xfd7zXZ\0"):
        return lzma.decompress(data)
    if data.startswith(b"BZh"):
        return bz2.decompress(data)
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(archive.namelist()[0])
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return pa.CompressedInputStream(io.BytesIO(data), "zstd").read()
    return data


def _svmlight(data: bytes) -> int:
    lines = [line.strip(b" \t\r") for line in data.removeprefix(BOM).split(b"\n")]
    return sum(bool(line) and not line.startswith(b"#") for line in lines)


def _vw(data: bytes) -> int:
    return sum(bool(line.strip(b" \t\r")) for line in data.removeprefix(BOM).split(b"\n"))


def _jsonl(data: bytes) -> int:
    if data.removeprefix(BOM).lstrip().startswith(b"["):
        return len(json.loads(data.removeprefix(BOM)))
    return sum(bool(line) and not line.isspace() for line in data.removeprefix(BOM).split(b"\n"))


def _records(data: bytes, delimiter: int) -> list[tuple[bytes, int]]:
    """Return the non-empty records and their numbers of cells; 0 cells for an open quote."""
    found, start, cells, quoted, begins, k = [], 0, 1, False, True, 0
    while k <= len(data):
        byte = data[k] if k < len(data) else None
        if quoted and byte is not None:
            doubled = byte == QUOTE and data[k + 1 : k + 2] == b'"'
            quoted = doubled or byte != QUOTE
            k += doubled
        elif byte in LINE_ENDS:
            if k > start:
                found.append((data[start:k], 0 if quoted else cells))
            start, cells, begins = k + 1, 1, True
        elif begins and byte == QUOTE:
            quoted, begins = True, False
        else:
            begins = byte == delimiter
            cells += begins
        k += 1
    return found


def _delimited(data: bytes, delimiters: bytes) -> int:
    """Count the records below the header, except blank ones with a wrong number of cells."""
    data = data.removeprefix(BOM)
    widest = max((_records(data, delimiter) for delimiter in delimiters), key=lambda records: records[0][1])
    header, *rows = widest
    return sum(cells == header[1] or bool(text.strip()) for text, cells in rows)


def _arff(data: bytes) -> int:
    """Count the rows below @data; a comment that is not valid UTF-8 counts too, as a fault."""
    lines = [_decoded(line) for line in re.split(rb"\r\n|\r|\n", data.removeprefix(BOM))]
    start = next(k for k, line in enumerate(lines) if line.lower().startswith("@data"))
    return sum(bool(line) and not (line.startswith("%") and "\ufffd" not in line) for line in lines[start + 1 :])


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()


def _parquet(data: bytes) -> int:
    return int(pq.ParquetFile(pa.BufferReader(data)).read().num_rows)


def _arrow(data: bytes) -> int:
    opened = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    return int(opened(pa.BufferReader(data)).read_all().num_rows)


COUNTS = {
    "svmlight": _svmlight,
    "vw": _vw,
    "jsonl": _jsonl,
    "csv": lambda data: _delimited(data, b",\t;|"),
    "tsv": lambda data: _delimited(data, b"\t"),
    "parquet": _parquet,
    "arrow": _arrow,
    "arff": _arff,
}

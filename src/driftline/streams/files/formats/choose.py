"""Detect the format of a file by its name or its first bytes, and choose the parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from driftline.streams.files.faults import ReadError
from driftline.streams.files.memory_source import FRAME, RECORDS, MemorySource
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.pieces import chunks_in_memory, parsed_lines
from driftline.streams.files.source import Source

SUFFIXES = {
    "svmlight": (".svm", ".svmlight", ".libsvm", ".svml"),
    "vw": (".vw",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc", ".arrows"),
    "arff": (".arff",),
}
FORMATS = tuple(SUFFIXES)
COMPRESSED = (".gz", ".xz", ".zst", ".zstd", ".bz2", ".zip")
SVMLIGHT = re.compile(rb"[-+.\w]+([ \t]+(qid|\d+):\S+)*[ \t]*(#.*)?\r?$")


def format_of(source: Source | MemorySource) -> str:
    """Return the format of a file, by its suffix or else by its first line."""
    if isinstance(source, MemorySource):
        return source.kind
    suffixes = [suffix.lower() for suffix in PurePath(source.name).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    for name, known in SUFFIXES.items():
        if suffixes and suffixes[-1] in known:
            return name
    found = sniffed(source.peek())
    if found is None:
        raise ReadError(
            f"{source.name}: the format must be known, got an unknown suffix and first line. "
            f"Pass --format, one of {', '.join(SUFFIXES)}"
        )
    return found


def sniffed(head: bytes) -> str | None:
    """Guess the format from the first bytes; None if it is unknown."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    if not lines:
        return "csv"
    first = lines[0].lstrip()
    if first.startswith((b"{", b"[")):
        return "jsonl"
    if first.startswith(b"%") or first.lower().startswith(b"@relation"):
        return "arff"
    content = [line for line in lines if not line.startswith(b"#")] or lines
    if b":" in content[0] and SVMLIGHT.match(content[0]):
        return "svmlight"
    if b"|" in first:
        return "vw"
    if b"\t" in first:
        return "tsv"
    return "csv" if b"," in first else None


def pieces_of(source: Source | MemorySource, kind: str, options: ReadOptions, threads: int) -> Iterator[Parsed]:
    """Parse a file piece by piece. A parser is imported only when its format is read."""
    if isinstance(source, MemorySource):
        return _in_memory(source, options)
    if kind == "svmlight":
        from driftline.streams.files.formats.svmlight import SvmlightParser

        return parsed_lines(source.chunks(reused=chunks_in_memory(threads)), lambda: SvmlightParser(options), threads)
    if kind == "vw":
        from driftline.streams.files.formats.vw import VwParser

        return parsed_lines(source.chunks(reused=chunks_in_memory(threads)), lambda: VwParser(options), threads)
    if kind == "jsonl":
        from driftline.streams.files.formats.jsonl import read_json

        return read_json(source, options)
    if kind in ("csv", "tsv"):
        from driftline.streams.files.formats.delimited import read_delimited

        return read_delimited(source, options)
    if kind == "arff":
        from driftline.streams.files.formats.arff import read_arff

        return read_arff(source, options)
    from driftline.streams.files.formats.arrow import read_arrow, read_parquet

    return read_parquet(source, options) if kind == "parquet" else read_arrow(source, options)


def _in_memory(source: MemorySource, options: ReadOptions) -> Iterator[Parsed]:
    """Read a frame or a list of dicts."""
    if source.kind == RECORDS:
        from driftline.streams.files.formats.jsonl import read_records

        return read_records(source, options)
    assert source.kind == FRAME
    from driftline.streams.files.formats.arrow import read_frame

    return read_frame(source, options)

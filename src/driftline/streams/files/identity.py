"""The identity of a stream of files in a checkpoint.

Text may grow between two runs, so its content is not part of the identity. The run compares the
rows that it has consumed (``scan/row_digest.py``). Parquet and Arrow files do not grow: their end
describes the whole file, so their size and their last bytes must be the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from driftline.streams.files.faults import ReadError
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.source import Source, reading

WHOLE = ("parquet", "arrow")
"""Formats of files that must be the same as a whole."""
TAIL = 1 << 16
HEAD = 1 << 16
"""Number of bytes that version 0.1.0 compared."""


def identity_of(
    sources: Sequence[Source], formats: Sequence[str], options: ReadOptions, positive: str | None, on_error: str
) -> dict[str, Any]:
    """Return the facts that must be the same when a run is resumed, as plain values."""
    for source in sources:
        if not source.repeatable:
            got = "standard input" if source.name == "stdin" else "a pipe, a device or an open file"
            raise ReadError(
                f"{source.name}: a run with checkpoints must read files on disk, which can be read again, got {got}. "
                "Write it to a file"
            )
    return {
        "files": [Path(source.name).name for source in sources],
        "ends": [_end(one) if kind in WHOLE else None for one, kind in zip(sources, formats, strict=True)],
        "formats": list(formats),
        "options": repr(options),
        "positive": positive,
        "on_error": on_error,
    }


def identity_as_saved(saved: Any, now: dict[str, Any], sources: Sequence[Source]) -> dict[str, Any]:
    """Return the identity ``now``, in the form of version 0.1.0 if ``saved`` has that form."""
    if not isinstance(saved, dict) or "heads" not in saved:
        return now
    return {name: fact for name, fact in now.items() if name != "ends"} | {"heads": [_head(one) for one in sources]}


def _end(source: Source) -> dict[str, Any]:
    """Return the size of a file, and a hash of its last bytes."""
    assert source.path is not None
    with reading(source.name), source.path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        return {"size": size, "tail": hashlib.sha256(file.read()).hexdigest()}


def _head(source: Source) -> str:
    """Return a hash of the first bytes of a file."""
    assert source.path is not None
    with reading(source.name), source.path.open("rb") as file:
        return hashlib.sha256(file.read(HEAD)).hexdigest()

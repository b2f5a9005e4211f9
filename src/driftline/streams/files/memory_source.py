"""Frames, Arrow tables and lists of dicts as sources of a stream."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from driftline.streams.files.faults import ReadError

FRAME, RECORDS = "frame", "records"
FORMATS_IN_MEMORY = (FRAME, RECORDS)


class MemorySource:
    """A frame or a list of dicts. It has no file, but the other attributes of a ``Source``."""

    path: Path | None = None
    size: int | None = None
    repeatable = False

    def __init__(self, given: Any, kind: str) -> None:
        self.kind = kind
        self.name = kind
        self.records = given
        self.read = 0

    def table(self) -> Any:
        """Return a frame as an Arrow table."""
        import pyarrow as pa

        given = self.records
        if hasattr(type(given), "to_batches"):
            return pa.Table.from_batches([given]) if isinstance(given, pa.RecordBatch) else given
        try:
            if hasattr(type(given), "to_arrow"):
                return given.to_arrow()
            return pa.Table.from_pandas(given, preserve_index=False)
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())[:300]
            raise ReadError(
                f"{self.name}: every column of a frame must hold values of one type, got {reason}. Convert it"
            ) from None


def memory_source(given: Any) -> MemorySource | None:
    """Return a frame, an Arrow table or a list of dicts as a source; None for anything else."""
    kind = type(given)
    if hasattr(kind, "to_batches") or (hasattr(kind, "columns") and hasattr(kind, "shape")):
        return MemorySource(given, FRAME)
    if isinstance(given, Sequence) and not isinstance(given, str | bytes) and all(isinstance(x, dict) for x in given):
        return MemorySource(given, RECORDS)
    return None

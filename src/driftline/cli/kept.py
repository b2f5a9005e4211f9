"""A stream that is read once and iterated many times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from driftline.cli.forwarded_stream import ForwardedStream

if TYPE_CHECKING:
    from driftline.internals.record_stream import RecordStream
    from driftline.internals.rows import FileRows


class Kept(ForwardedStream):
    """A wrapper of a file stream that keeps all its blocks in memory.

    A row that several runs refuse is counted once.
    """

    def __init__(self, stream: RecordStream) -> None:
        super().__init__(stream)
        self.blocks = list(stream)
        self.left_out: set[str] = set()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.blocks)

    def leave_out(self, rows: FileRows, row: int, what: str) -> None:
        """Count a row that a learner refuses, the first time."""
        place = rows.place(row)
        if place not in self.left_out:
            super().leave_out(rows, row, what)
            self.left_out.add(place)

"""A stream that is read once and iterated many times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from driftline.cli.forwarded_stream import ForwardedStream

if TYPE_CHECKING:
    from driftline.internals.record_stream import RecordStream


class Kept(ForwardedStream):
    """A wrapper of a file stream that keeps all its blocks in memory.

    The wrapped stream forgets which rows were left out only when it reads on. A row that several
    runs refuse is therefore counted once.
    """

    def __init__(self, stream: RecordStream) -> None:
        super().__init__(stream)
        self.blocks = list(stream)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.blocks)

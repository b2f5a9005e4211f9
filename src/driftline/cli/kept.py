"""A stream that is read once and iterated many times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from driftline.cli.tally import Tally

if TYPE_CHECKING:
    from driftline.internals.rows import FileRows


class Kept:
    """A wrapper of a file stream that keeps all its blocks in memory."""

    def __init__(self, stream: Tally) -> None:
        self.stream = stream
        self.blocks = list(stream)
        self.left_out: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.blocks)

    def refused(self, X: FileRows, row: int, what: str) -> None:
        """Count a refused row, once however many learners refuse it."""
        place = X.place(row)
        if place not in self.left_out:
            self.stream.refused(X, row, what)
            self.left_out.add(place)

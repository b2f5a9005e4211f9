"""Files that are read once and run over many times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from driftline.cli.tally import Tally

if TYPE_CHECKING:
    from driftline.internals.rows import FileRows


class Kept:
    """A stream of files with all its blocks in memory; otherwise it is that stream."""

    def __init__(self, stream: Tally) -> None:
        self.stream = stream
        self.blocks = list(stream)
        self.left_out: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.blocks)

    def refused(self, X: FileRows, row: int, what: str) -> None:
        """Count a row that a learner does not take, the first time."""
        place = X.place(row)
        if place not in self.left_out:
            self.stream.refused(X, row, what)
            self.left_out.add(place)

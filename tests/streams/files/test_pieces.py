"""Pieces of a file parsed by several threads: names are numbered in the order of the file."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future

import numpy as np

from driftline.streams.files.formats.vw import VwParser
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.pieces import _first, _Piece, only_faults, parsed_lines
from driftline.streams.files.source import Chunk
from tests.support.line_parsers import OPTIONS

LONG = 60.0  # seconds until a thread that waits for another gives up


class Watched(VwParser):
    """Counts what was parsed, and waits before the second piece of the second parser."""

    made: list[Watched]
    changed: threading.Condition

    def __init__(self) -> None:
        super().__init__(OPTIONS)
        self.done = 0
        self.made.append(self)

    def copy_after(self, after: Parsed) -> VwParser:
        other = Watched()
        other._table = super().copy_after(after)._table
        return other

    def parse(self, chunk: Chunk) -> Parsed:
        if self is self.made[1] and self.done == 1:
            self.wait_for(2, 1)
        parsed = super().parse(chunk)
        with self.changed:
            self.done += 1
            self.changed.notify_all()
        return parsed

    def wait_for(self, parser: int, pieces: int) -> None:
        """Until that parser, by the order in which they were made, has parsed so many pieces."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.made) > parser and self.made[parser].done >= pieces, LONG)


def test_a_thread_that_helps_out_knows_no_names_of_later_pieces() -> None:
    """The first of two parsers is ahead of the second when the thread that reads takes over a piece in between."""
    Watched.made, Watched.changed = [], threading.Condition()
    names = " ".join(f"common{k}" for k in range(100))
    lines = [f"1 | {names}\n", f"1 | {names}\n", *(f"1 | new{k}\n" for k in range(2, 12))]

    def chunks() -> Iterator[Chunk]:
        for line in lines:
            yield Chunk(np.frombuffer(line.encode(), np.uint8), "s")

    found = []
    for parsed in parsed_lines(chunks(), Watched, 3):
        found.append(parsed)
        if len(found) == 2:
            Watched.made[0].wait_for(0, 4)  # pieces 0, 2, 4 and 6
    assert len(Watched.made) == 3 and Watched.made[2].done > 0
    assert found[-1].rows.names == [*names.split(), *(f"new{k}" for k in range(2, 12))]
    assert [parsed.rows.indices.tolist() for parsed in found[2:]] == [[98 + k] for k in range(2, 12)]


class Slow(Future[Parsed]):
    """What a thread has begun; it is done when somebody waits for it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.set_running_or_notify_cancel()

    def result(self, timeout: float | None = None) -> Parsed:
        self.set_result(only_faults(self.name, []))
        return super().result(timeout)


def test_what_was_parsed_here_is_not_parsed_again_while_another_piece_is_waited_for() -> None:
    """Its names would come after those of later pieces."""
    done = []

    class Counting(VwParser):
        def parse(self, chunk: Chunk) -> Parsed:
            done.append(chunk.source)
            return only_faults(chunk.source, [])

    nothing = np.zeros(0, np.uint8)
    running = deque(
        _Piece(Chunk(nothing, name), Slow(name) if name in "abc" else Future()) for name in ("a", "b", "c", "d", "e")
    )
    parser = Counting(OPTIONS)
    assert [_first(running, parser).rows.source for _ in range(5)] == ["a", "b", "c", "d", "e"]
    assert done == ["d", "e"]

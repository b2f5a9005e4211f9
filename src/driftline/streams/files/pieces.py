"""A file as parsed pieces, in order: parsed when asked for, or ahead of that by threads of their own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol

import numpy as np

from driftline.lookup import Lookup
from driftline.rows import FileRows
from driftline.streams.files.faults import Fault
from driftline.streams.files.names import Names
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.source import Chunk

WAITING = 2
"""Pieces that a thread may be ahead."""


class LineParser(Protocol):
    """Makes rows of whole lines. It may remember names from one piece to the next."""

    def parse(self, chunk: Chunk) -> Parsed:
        """The rows of these lines; the chunk is not needed afterwards."""


def ahead(threads: int) -> int:
    """After how many more chunks one has surely been parsed, so that its memory may be used again."""
    return WAITING * threads + 1


def parsed_lines(
    chunks: Iterator[Chunk | Fault], make_parser: Callable[[], LineParser], threads: int
) -> Iterator[Parsed]:
    """What is in the chunks, in their order.

    One of the threads reads, and does what is done with the pieces; it parses only if it is alone. Every other one has
    a parser of its own, every chunk its turn.
    """
    parsers = [make_parser() for _ in range(max(1, threads - 1))]
    if threads == 1:
        for chunk in chunks:
            yield _parsed(parsers[0], chunk)
        return
    one = OneTable(len(parsers))
    pools = [ThreadPoolExecutor(1, "driftline-parse") for _ in parsers]
    running: deque[Future[Parsed]] = deque()
    try:
        for place, chunk in enumerate(chunks):
            k = place % len(parsers)
            running.append(pools[k].submit(_parsed, parsers[k], chunk))
            if len(running) >= WAITING * threads:
                yield one.named(running.popleft().result())
        while running:
            yield one.named(running.popleft().result())
    finally:
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)


class OneTable:
    """One list of names for all parsers, numbered as one of them would."""

    def __init__(self, parsers: int) -> None:
        self._alone = parsers == 1
        self._names = Names()
        self._lookup = Lookup(parsers)

    def named(self, parsed: Parsed) -> Parsed:
        """The same rows, with the one list."""
        rows = parsed.rows
        if rows.names is None or self._alone:
            return parsed
        if self._names.full:
            self._names.next_block()
            self._lookup.forget()
        numbers, alike = self._lookup.of(rows.names, rows.width, -1, self._names.numbers)
        indices = rows.indices if alike else numbers[rows.indices]
        names = self._names.list
        return parsed._replace(rows=replace(rows, indices=indices, names=names, width=len(names)))


def _parsed(parser: LineParser, chunk: Chunk | Fault) -> Parsed:
    return only_faults(chunk.source, [chunk]) if isinstance(chunk, Fault) else parser.parse(chunk)


def only_faults(source: str, faults: list[Fault]) -> Parsed:
    """A piece in which nothing could be read."""
    nothing = np.zeros(0, np.uint64)
    rows = FileRows(np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), None, 0, source, nothing)
    return Parsed(rows, None, None, faults)

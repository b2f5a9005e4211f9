"""A file as parsed pieces, in order: parsed one by one, or several at once in threads of their own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import numpy as np

from driftline.rows import FileRows
from driftline.streams.files.faults import Fault
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
    """What is in the chunks, in their order. Every thread has a parser of its own, every chunk its turn."""
    if threads == 1:
        parser = make_parser()
        for chunk in chunks:
            yield _parsed(parser, chunk)
        return
    parsers = [make_parser() for _ in range(threads)]
    pools = [ThreadPoolExecutor(1, "driftline-parse") for _ in parsers]
    running: deque[Future[Parsed]] = deque()
    try:
        for place, chunk in enumerate(chunks):
            k = place % threads
            running.append(pools[k].submit(_parsed, parsers[k], chunk))
            if len(running) >= WAITING * threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)


def _parsed(parser: LineParser, chunk: Chunk | Fault) -> Parsed:
    return only_faults(chunk.source, [chunk]) if isinstance(chunk, Fault) else parser.parse(chunk)


def only_faults(source: str, faults: list[Fault]) -> Parsed:
    """A piece in which nothing could be read."""
    nothing = np.zeros(0, np.uint64)
    rows = FileRows(np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), None, 0, source, nothing)
    return Parsed(rows, None, None, faults)

"""Parse the chunks of a file in order: on demand, or ahead of time in other threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Protocol

import numpy as np

from driftline.internals.compiled import Indices, jit
from driftline.internals.name_lookup import Lookup
from driftline.internals.rows import FileRows
from driftline.streams.files.faults import Fault
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.feature_names import Names
from driftline.streams.files.source import Chunk

QUEUED_PER_THREAD = 2
"""Maximum number of queued chunks per thread."""


class LineParser(Protocol):
    """Parses whole lines to rows. It may keep names from one chunk to the next."""

    def parse(self, chunk: Chunk) -> Parsed:
        """Parse a chunk; its memory may be reused afterwards."""

    def copy_after(self, after: Parsed) -> LineParser:
        """Return a copy of the parser in its state after the piece ``after``; thread-safe."""


def chunks_in_memory(threads: int) -> int:
    """Return how many chunks may be in memory at once; older ones have been parsed."""
    return QUEUED_PER_THREAD * threads + 1


def parsed_lines(
    chunks: Iterator[Chunk | Fault], make_parser: Callable[[], LineParser], threads: int
) -> Iterator[Parsed]:
    """Yield the parsed chunks in order. The result does not depend on ``threads``."""
    found = _parsed_on_demand(chunks, make_parser()) if threads == 1 else _parsed_ahead(chunks, make_parser, threads)
    line = 0
    for parsed in found:
        yield _numbered(parsed, line) if line else parsed
        line += parsed.lines


def _parsed_on_demand(chunks: Iterator[Chunk | Fault], parser: LineParser) -> Iterator[Parsed]:
    """Parse each chunk on demand."""
    for chunk in chunks:
        yield _parsed(parser, chunk)


@dataclass
class _Piece:
    """A chunk queued for a worker thread, or taken back and parsed by the main thread."""

    chunk: Chunk | Fault
    future: Future[Parsed]
    result: Parsed | None = None


def _parsed_ahead(
    chunks: Iterator[Chunk | Fault], make_parser: Callable[[], LineParser], threads: int
) -> Iterator[Parsed]:
    """Parse chunks in worker threads, assigned round-robin.

    The main thread reads the file and consumes the pieces. Instead of waiting for a worker it
    parses chunks itself. It starts doing so after a piece with few new names, because a name that
    two threads add to their tables costs twice the work. Every thread has its own parser. The main
    thread's parser starts with the names of pieces that were already yielded, and of no later
    ones: names are numbered in the order of the file.
    """
    workers = [make_parser() for _ in range(threads - 1)]
    own_parser: LineParser | None = None
    shared = SharedNames(threads)
    pools = [ThreadPoolExecutor(1, "driftline-parse") for _ in workers]
    running: deque[_Piece] = deque()
    given = 0
    try:
        for place, chunk in enumerate(chain(chunks, repeat(None, QUEUED_PER_THREAD * threads))):
            if chunk is not None:
                k = place % len(workers)
                running.append(_Piece(chunk, pools[k].submit(_parsed, workers[k], chunk)))
            if running and (chunk is None or len(running) >= QUEUED_PER_THREAD * threads):
                known = len(shared)
                parsed = _first(running, own_parser)
                if given % len(workers) == 0:
                    latest = parsed
                given += 1
                yield shared.named(parsed)
                if own_parser is None and 64 * (len(shared) - known) <= len(shared):
                    own_parser = workers[0].copy_after(latest)
    finally:
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)


def _first(running: deque[_Piece], parser: LineParser | None) -> Parsed:
    """Return the first piece. Until it is ready, parse chunks that no worker has begun."""
    first = running[0]
    for piece in running:
        if parser is None or first.future.done():
            break
        if piece.result is None and piece.future.cancel():
            piece.result = _parsed(parser, piece.chunk)
    running.popleft()
    return first.future.result() if first.result is None else first.result


def _numbered(parsed: Parsed, line: int) -> Parsed:
    """Return the piece with ``line`` added to its line numbers."""
    rows = replace(parsed.rows, lines=parsed.rows.lines + np.uint64(line))
    faults = [replace(fault, line=line + (fault.line or 0)) for fault in parsed.faults]
    return parsed._replace(rows=rows, faults=faults)


class SharedNames:
    """One list of names for all parsers, numbered as a single parser would number them.

    A full list is replaced by a new one.
    """

    def __init__(self, parsers: int) -> None:
        self._names = Names()
        self._lookup = Lookup(parsers)

    def __len__(self) -> int:
        return len(self._names.list)

    def named(self, parsed: Parsed) -> Parsed:
        """Return the same rows with indices into the shared list."""
        rows = parsed.rows
        if rows.names is None:
            return parsed
        if self._names.full:
            self._names.next_block()
            self._lookup.forget()
        numbers, alike = self._lookup.of(rows.names, rows.width, -1, self._names.numbers)
        if not alike:
            renumber(rows.indices, numbers)
        names = self._names.list
        return parsed._replace(rows=replace(rows, names=names, width=len(names)))


@jit
def renumber(indices: Indices, numbers: Indices) -> None:
    """Replace each index k by numbers[k], in place: allocating memory would take longer."""
    for k in range(len(indices)):
        indices[k] = numbers[indices[k]]


def _parsed(parser: LineParser, chunk: Chunk | Fault) -> Parsed:
    if isinstance(chunk, Fault):
        return only_faults(chunk.source, [chunk])._replace(lines=1)
    return parser.parse(chunk)


def only_faults(source: str, faults: list[Fault]) -> Parsed:
    """Return a piece without rows."""
    nothing = np.zeros(0, np.uint64)
    rows = FileRows(np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), None, 0, source, nothing)
    return Parsed(rows, None, None, faults)

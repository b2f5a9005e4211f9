"""A file as parsed pieces, in order: parsed when asked for, or ahead of that by threads of their own."""

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

WAITING = 2
"""Pieces that a thread may be ahead."""


class LineParser(Protocol):
    """Makes rows of whole lines. It may remember names from one piece to the next."""

    def parse(self, chunk: Chunk) -> Parsed:
        """The rows of these lines; the chunk is not needed afterwards."""

    def twin(self, after: Parsed) -> LineParser:
        """Another one that remembers what this one did after that piece of its; any thread may ask for it."""


def ahead(threads: int) -> int:
    """After how many more chunks one has surely been parsed, so that its memory may be used again."""
    return WAITING * threads + 1


def parsed_lines(
    chunks: Iterator[Chunk | Fault], make_parser: Callable[[], LineParser], threads: int
) -> Iterator[Parsed]:
    """What is in the chunks, in their order, whatever the threads."""
    found = _alone(chunks, make_parser()) if threads == 1 else _ahead(chunks, make_parser, threads)
    line = 0
    for parsed in found:
        yield _numbered(parsed, line) if line else parsed
        line += parsed.lines


def _alone(chunks: Iterator[Chunk | Fault], parser: LineParser) -> Iterator[Parsed]:
    """Each chunk parsed when it is asked for."""
    for chunk in chunks:
        yield _parsed(parser, chunk)


@dataclass
class _Piece:
    """A chunk that another thread parses, unless it was taken from it and parsed here."""

    chunk: Chunk | Fault
    theirs: Future[Parsed]
    ours: Parsed | None = None


def _ahead(chunks: Iterator[Chunk | Fault], make_parser: Callable[[], LineParser], threads: int) -> Iterator[Parsed]:
    """One of the threads reads, and does what is done with the pieces; the others parse, every chunk its turn.

    When it would have to wait, the one parses too: from the first piece on that brings no new names, since a table
    that two threads fill has to be made twice. Every thread has a parser of its own. The one's begins with names of
    pieces that were given out, and none of later ones: names are numbered in the order of the file.
    """
    others = [make_parser() for _ in range(threads - 1)]
    mine: LineParser | None = None
    one = OneTable(threads)
    pools = [ThreadPoolExecutor(1, "driftline-parse") for _ in others]
    running: deque[_Piece] = deque()
    given = 0
    try:
        for place, chunk in enumerate(chain(chunks, repeat(None, WAITING * threads))):
            if chunk is not None:
                k = place % len(others)
                running.append(_Piece(chunk, pools[k].submit(_parsed, others[k], chunk)))
            if running and (chunk is None or len(running) >= WAITING * threads):
                known = len(one)
                parsed = _first(running, mine)
                if given % len(others) == 0:
                    latest = parsed
                given += 1
                yield one.named(parsed)
                if mine is None and 64 * (len(one) - known) <= len(one):
                    mine = others[0].twin(latest)
    finally:
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)


def _first(running: deque[_Piece], parser: LineParser | None) -> Parsed:
    """The first of the pieces; while it is not parsed, do here what no thread has begun."""
    first = running[0]
    for piece in running:
        if parser is None or first.theirs.done():
            break
        if piece.ours is None and piece.theirs.cancel():
            piece.ours = _parsed(parser, piece.chunk)
    running.popleft()
    return first.theirs.result() if first.ours is None else first.ours


def _numbered(parsed: Parsed, line: int) -> Parsed:
    """With lines that go on from this one."""
    rows = replace(parsed.rows, lines=parsed.rows.lines + np.uint64(line))
    faults = [replace(fault, line=line + (fault.line or 0)) for fault in parsed.faults]
    return parsed._replace(rows=rows, faults=faults)


class OneTable:
    """One list of names for all parsers, numbered as one of them would until it is full and a new one begins."""

    def __init__(self, parsers: int) -> None:
        self._names = Names()
        self._lookup = Lookup(parsers)

    def __len__(self) -> int:
        return len(self._names.list)

    def named(self, parsed: Parsed) -> Parsed:
        """The same rows, with the one list."""
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
    """Put in place of every index its number; in place, since fresh memory costs more than the work."""
    for k in range(len(indices)):
        indices[k] = numbers[indices[k]]


def _parsed(parser: LineParser, chunk: Chunk | Fault) -> Parsed:
    if isinstance(chunk, Fault):
        return only_faults(chunk.source, [chunk])._replace(lines=1)
    return parser.parse(chunk)


def only_faults(source: str, faults: list[Fault]) -> Parsed:
    """A piece in which nothing could be read."""
    nothing = np.zeros(0, np.uint64)
    rows = FileRows(np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0), None, 0, source, nothing)
    return Parsed(rows, None, None, faults)

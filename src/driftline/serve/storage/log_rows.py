"""Pages and ids as rows: reading a log piece by piece, and appending to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from driftline.serve.chain import START, follows
from driftline.serve.storage.storage import Batch, DamagedError, Page, StorageError
from driftline.serve.storage.transactions import Database, Run

PIECE = 4_000_000
"""Bytes of pages to read with one statement, approximately."""
MOST_ROWS = 1024
LAST = 2**63 - 1
"""The largest position."""

_events = msgspec.msgpack.Decoder(list[bytes | None])
encode_events = msgspec.msgpack.Encoder().encode
encode_json = msgspec.json.Encoder().encode


def head(run: Run, model: int) -> tuple[int, bytes]:
    """Return the last position of a log and its chain."""
    rows = run("SELECT last, chain FROM pages WHERE model = ? ORDER BY first DESC LIMIT 1", (model,))
    return rows[0] if rows else (0, START)


def chain_before(run: Run, model: int, position: int) -> tuple[int, bytes]:
    """Return the last position of the page before that of a position, and its chain."""
    sql = "SELECT last, chain FROM pages WHERE model = ? AND first <= ? ORDER BY first DESC LIMIT 2"
    before = [row for row in run(sql, (model, position)) if row[0] < position]
    return before[0] if before else (0, START)


def append(run: Run, database: Database, batch: Batch) -> None:
    """Insert the pages and ids of a batch; ``StorageError`` if a page does not follow its log."""
    heads: dict[int, tuple[int, bytes]] = {}
    for page in batch.pages:
        last = heads.get(page.model) or head(run, page.model)
        if not follows(page, last):
            raise StorageError(
                f"{database.where}: a page of model {page.model} must follow event {last[0]} and its chain, "
                f"got events {page.first} to {page.last}. Read the log again"
            )
        row = (page.model, page.first, page.last, page.chain, page.digests, encode_events(page.events))
        run("INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?)", row)
        heads[page.model] = page.last, page.chain
    if batch.ids:
        run(f"INSERT INTO ids {database.id_rows}", (encode_json(batch.ids).decode(),))


def decoded(model: int, first: int, last: int, events: bytes | None) -> Sequence[bytes | None]:
    """Return the events of a page, all None if they were forgotten."""
    if events is None:
        return [None] * (last - first + 1)
    try:
        return _events.decode(events)
    except msgspec.DecodeError as error:
        raise DamagedError(
            f"log of model {model}: page must hold encoded events, got {error}. "
            f"Restore a backup, or keep the events before: driftline replay DB --until {first - 1}",
            first,
        ) from error


def pages(run: Run, model: int, after: int, until: int | None) -> Iterator[Page]:
    """Yield the pages with events after a position; each statement reads about ``PIECE`` bytes."""
    sql = "SELECT first FROM pages WHERE model = ? AND first <= ? ORDER BY first DESC LIMIT 1"
    rows = run(sql, (model, after + 1))
    start, limit = rows[0][0] if rows else 0, 16
    sql = """SELECT first, last, chain, digests, events FROM pages
        WHERE model = ? AND first >= ? AND last > ? AND first <= ? ORDER BY first LIMIT ?"""
    while rows := run(sql, (model, start, after, LAST if until is None else until, limit)):
        size = 1
        for first, last, chain, digests, events in rows:
            size += len(digests) + len(events or b"")
            yield Page(model, first, last, decoded(model, first, last, events), digests, chain, events)
        start = rows[-1][0] + 1
        limit = max(1, min(MOST_ROWS, 4 * limit, PIECE * len(rows) // size))

"""The hash chain of a log: damage becomes visible, and single events can be removed.

    digest(e) = SHA-256(e)
    digests(page) = digests of its events [|| SHA-256(the events as one msgpack array)]
    chain(page) = SHA-256(chain of the page before || model || first || last || digests)

The digest of all events is there if a page has many small events: to verify it takes a third of the
time of many digests. It holds as long as no event was removed.

The numbers are unsigned 64-bit, big-endian. 32 zero bytes stand for the chain before the first
page. Every link covers the digests but not the events, so a log still verifies after events were
removed.

>>> one = next_page(1, (0, START), [b"a", b"b"])
>>> two = next_page(1, (one.last, one.chain), [b"c"])
>>> [page.last for page in checked([one, two], 1)]
[2, 3]
>>> [page.last for page in checked([two], 1)]
Traceback (most recent call last):
driftline.serve.storage.storage.DamagedError: log of model 1: must be complete after event 0, got ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from struct import pack
from typing import Any

from msgspec.msgpack import Encoder

from driftline.serve.storage.storage import DamagedError, Page, Storage

START = bytes(32)
"""The chain before the first page."""
SIZE = 32
"""Length of a digest and of a chain in bytes."""
PIECE = 2047
"""The most bytes that are hashed with one call."""
MANY, SMALL = 8, 1024
"""A page of at least so many events has a digest of all, if they have fewer bytes on average."""
_encode = Encoder().encode
REMEDY = "Restore a backup, or keep the events before: driftline replay DB --until {}"


def digests_of(events: Sequence[bytes]) -> bytes:
    """Return the digests of events, concatenated."""
    return b"".join([digest_of(event) for event in events])


def digest_of(event: bytes) -> bytes:
    """Return the digest of an event.

    hashlib releases the lock of the interpreter for pieces from 2,048 bytes on. To get it back takes
    the writer of a busy server much longer than to hash the piece.
    """
    if len(event) <= PIECE:
        return sha256(event).digest()
    whole, view = sha256(), memoryview(event)
    for start in range(0, len(event), PIECE):
        whole.update(view[start : start + PIECE])
    return whole.digest()


def digest_of_all(events: Sequence[bytes], packed: bytes | None = None) -> bytes:
    """Return the digest of all events of a page; ``packed`` are the events as one msgpack array."""
    return sha256(_encode(events) if packed is None else packed).digest()


def chain_of(before: bytes, model: int, first: int, last: int, digests: bytes) -> bytes:
    """Return the chain of a page after a page with the chain ``before``."""
    link = sha256(before)
    link.update(pack(">QQQ", model, first, last))
    link.update(digests)
    return link.digest()


def next_page(model: int, head: tuple[int, bytes], events: Sequence[bytes]) -> Page:
    """Return the page of new events of a model.

    Parameters
    ----------
    model : int
        Number of the model.
    head : (int, bytes)
        Last position and chain of the page before; ``(0, START)`` at first.
    events : sequence of bytes
        The encoded events, at least one.
    """
    position, before = head
    first, last = position + 1, position + len(events)
    digests = digests_of(events)
    if len(events) >= MANY and sum(map(len, events)) < SMALL * len(events):
        digests += digest_of_all(events)
    return Page(model, first, last, events, digests, chain_of(before, model, first, last, digests))


def follows(page: Page, head: tuple[int, bytes]) -> bool:
    """Whether a page is the next one after a head: positions, number of digests and chain."""
    position, before = head
    return (
        page.first == position + 1
        and page.last >= page.first
        and len(page.digests) in (SIZE * (page.last - position), SIZE * (page.last - position + 1))
        and page.chain == chain_of(before, page.model, page.first, page.last, page.digests)
    )


def checked(pages: Iterable[Page], model: int, head: tuple[int, bytes] = (0, START)) -> Iterator[Page]:
    """Yield the pages as long as the chain and every event agree with what was written.

    Parameters
    ----------
    pages : iterable of Page
        Pages of one model, in order.
    model : int
        Number of the model.
    head : (int, bytes)
        Last position and chain of the page before the first one.

    Raises
    ------
    DamagedError
        At the first event that cannot be trusted; its ``position`` says which.
    """
    position = head[0]
    try:
        for page in pages:
            if page.first != position + 1:
                raise _damaged(model, position + 1, f"be complete after event {position}", f"event {page.first}")
            if page.model != model or len(page.events) != page.last - position or not follows(page, head):
                raise _damaged(
                    model, page.first, "agree with its hash chain", f"a damaged page from event {page.first}"
                )
            _check_events(page)
            position, head = page.last, (page.last, page.chain)
            yield page
    except DamagedError as error:
        if error.position is not None:
            raise
        raise DamagedError(f"{error}. Events before {position + 1} can be read", position + 1) from error


def checked_log(storage: Storage, model: int, after: int = 0) -> Iterator[Page]:
    """Yield the pages of a stored log with events after a position, checked as ``checked`` does."""
    try:
        head = storage.chain_before(model, after + 1)
    except DamagedError as error:
        raise DamagedError(str(error), after + 1) from error
    yield from checked(storage.pages(model, after), model, head)


def _check_events(page: Page) -> None:
    """Compare every event that is left with its digest."""
    size = SIZE * len(page.events)
    own, of_all = page.digests[:size], page.digests[size:]
    events: Any = page.events
    whole = all(events) or None not in events
    if whole and ((digest_of_all(events, page.packed) == of_all) if of_all else (digests_of(events) == own)):
        return
    for offset, event in enumerate(page.events):
        if event is not None and digest_of(event) != own[SIZE * offset : SIZE * (offset + 1)]:
            position = page.first + offset
            raise _damaged(page.model, position, "agree with its digests", f"a changed event {position}")
    if whole:
        raise _damaged(page.model, page.first, "agree with its digests", f"another digest of the page {page.first}")


def _damaged(model: int, position: int, what: str, got: str) -> DamagedError:
    remedy = REMEDY.format(position - 1)
    return DamagedError(f"log of model {model}: must {what}, got {got}. {remedy}", position)

"""Open tickets in memory: the event of a single one, or an item of a batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from driftline.serve.hosted.asking import worth_of
from driftline.serve.log.events import (
    NUMBER,
    AnyEvent,
    Asked,
    AskedMany,
    TicketId,
    TwoLabelAnswers,
    decode,
    decode_example,
    encode,
)

ITEM_BYTES = 200
"""Roughly what an item of a batch takes, besides its example."""


class OpenBatch(msgspec.Struct, frozen=True, gc=False):
    """What the items of a batch share. It stays in memory until the last of them is closed."""

    at: float
    answers: list[TwoLabelAnswers]


class OpenItem(msgspec.Struct, frozen=True, gc=False):
    """An open ticket of a batch: its place in the batch, and its encoded example."""

    batch: OpenBatch
    place: int
    x: bytes


Opened = bytes | OpenItem
"""An open ticket: its event as in the log, or an item of a batch."""


def size_of(opened: Opened) -> int:
    """Roughly the bytes that an open ticket takes; the same before and after a restart."""
    return len(opened) if isinstance(opened, bytes) else len(opened.x) + ITEM_BYTES


def asked_of(ticket: TicketId, opened: Opened) -> Asked:
    """The event of an open ticket, as if its example had come alone."""
    if isinstance(opened, bytes):
        asked: AnyEvent = decode(opened)
        assert isinstance(asked, Asked)
        return asked
    answers = [one.answer(opened.place) for one in opened.batch.answers]
    return Asked(opened.batch.at, ticket, decode_example(opened.x), answers, True, worth_of(answers[0]))


def items_of(event: AskedMany) -> tuple[list[OpenItem], int]:
    """The items of a batch, in the order of its tickets, and the sum of their sizes."""
    batch, xs = OpenBatch(event.at, event.answers), [*map(bytes, event.xs)]
    items = [OpenItem(batch, place, x) for place, x in enumerate(xs)]
    return items, sum(map(len, xs)) + ITEM_BYTES * len(xs)


def events_of(tickets: Iterable[tuple[TicketId, Opened]]) -> Iterator[bytes]:
    """Events that open the same tickets in the same order, for a snapshot."""
    run: list[tuple[TicketId, OpenItem]] = []
    batch: OpenBatch | None = None
    for ticket, opened in tickets:
        one = None if isinstance(opened, bytes) else opened.batch
        if one is not batch and run:
            yield _event_of(run)
            run = []
        batch = one
        if isinstance(opened, bytes):
            yield opened
        else:
            run.append((ticket, opened))
    if run:
        yield _event_of(run)


def _event_of(run: list[tuple[TicketId, OpenItem]]) -> bytes:
    """One event with the open tickets of a batch."""
    batch, places = run[0][1].batch, [one.place for _, one in run]
    xs = [msgspec.Raw(one.x) for _, one in run]
    answers = batch.answers
    if places != list(range(len(answers[0].scores) // NUMBER.size)):  # some are closed
        answers = [one.at(places) for one in answers]
    return encode(AskedMany(batch.at, [ticket for ticket, _ in run], xs, answers))

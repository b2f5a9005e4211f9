"""The tickets of a model: open ones with their events, closed ones, and labels that came too early."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import IntEnum
from hashlib import blake2b
from itertools import islice, repeat
from typing import NamedTuple

import msgspec

from driftline.serve.hosted.open_items import Opened, asked_of, items_of, size_of
from driftline.serve.log.events import Asked, AskedMany, TicketId, decode
from driftline.serve.spec import Example, Label

_sorted = msgspec.msgpack.Encoder(order="deterministic")


class How(IntEnum):
    """Why a ticket is closed."""

    ANSWERED = 0
    EXPIRED = 1
    UNWANTED = 2
    DISMISSED = 3


class Closed(NamedTuple):
    """A closed ticket: why, its label, and the digest of its example if the caller chose the id."""

    how: How
    y: Label | None
    digest: str


class Unmatched(NamedTuple):
    """A label whose ticket is unknown."""

    at: float
    y: Label
    who: str


def digest_of(x: Example) -> str:
    """The digest of an example. The order of its features does not matter.

    >>> digest_of({"a": 1.0, "b": 2.0}) == digest_of({"b": 2.0, "a": 1.0})
    True
    """
    return blake2b(_sorted.encode(x), digest_size=16).hexdigest()


class Tickets:
    """The tickets of a model.

    Parameters
    ----------
    max_open
        The most open tickets.
    remember
        The most closed tickets, and the most unmatched labels.
    max_bytes
        The most bytes of the events of open tickets.
    """

    def __init__(self, max_open: int, remember: int, max_bytes: int) -> None:
        self.max_open = max_open
        self.max_bytes = max_bytes
        self.open_bytes = 0
        self.remember = remember
        self.open: dict[TicketId, Opened] = {}
        """The open tickets, oldest first."""
        self.closed: dict[TicketId, Closed] = {}
        self.unmatched: dict[TicketId, Unmatched] = {}
        self.forgotten = 0
        """The number of closed tickets and unmatched labels that are no longer in memory."""
        self._line: deque[tuple[float, TicketId]] = deque()
        """The open tickets, oldest first, among closed ones."""
        self._closed_line: deque[TicketId] = deque()

    def add(self, ticket: TicketId, at: float, event: bytes) -> None:
        """Add an open ticket; the oldest of too many expire."""
        self.open[ticket] = event
        self.open_bytes += len(event)
        self._line.append((at, ticket))
        self._close_oldest()

    def add_many(self, event: AskedMany) -> None:
        """Add the tickets of a batch; the oldest of too many expire."""
        self._add_items(event)
        self._close_oldest()

    def _add_items(self, event: AskedMany) -> None:
        items, size = items_of(event)
        self.open.update(zip(event.tickets, items, strict=True))
        self.open_bytes += size
        self._line.extend(zip(repeat(event.at), event.tickets))

    def _close_oldest(self) -> None:
        while len(self.open) > self.max_open or (self.open_bytes > self.max_bytes and len(self.open) > 1):
            self.close(self.oldest()[1], How.EXPIRED, None)

    def oldest(self) -> tuple[float, TicketId]:
        """The time and id of the oldest open ticket; there must be one."""
        while self._line[0][1] not in self.open:
            self._line.popleft()
        return self._line[0]

    def close(self, ticket: TicketId, how: How, y: Label | None, x: Example | None = None) -> None:
        """Close a ticket, open or not, and remember how.

        Parameters
        ----------
        ticket
            The ticket.
        how, y
            Why it is closed, and its label.
        x
            Its example, if it is not open.
        """
        event = self.open.pop(ticket, None)
        if event is not None:
            self.open_bytes -= size_of(event)
        digest = ""
        if isinstance(ticket, str):
            digest = digest_of(x if event is None and x is not None else asked_of(ticket, event or b"").x)
        self.remember_closed(ticket, Closed(how, y, digest))
        if len(self._line) > 2 * len(self.open) + 1024:
            self._line = deque(one for one in self._line if one[1] in self.open)

    def remember_closed(self, ticket: TicketId, closed: Closed) -> None:
        """Remember a closed ticket; forget the oldest of too many."""
        if ticket not in self.closed:
            self._closed_line.append(ticket)
        self.closed[ticket] = closed
        if len(self.closed) > self.remember:
            del self.closed[self._closed_line.popleft()]
            self.forgotten += 1

    def keep(self, ticket: TicketId, label: Unmatched) -> None:
        """Keep a label until its example comes; forget the oldest of too many."""
        self.unmatched[ticket] = label
        if len(self.unmatched) > self.remember:
            del self.unmatched[next(iter(self.unmatched))]
            self.forgotten += 1

    def know(self, ticket: TicketId) -> bool:
        """Whether the memory tells all about a ticket, so that the storage need not be asked."""
        return not self.forgotten or ticket in self.open or ticket in self.closed

    def has_older(self, before: float, unmatched_before: float) -> bool:
        """Whether a ticket or an unmatched label is older."""
        if self.open and self.oldest()[0] < before:
            return True
        return bool(self.unmatched) and next(iter(self.unmatched.values())).at < unmatched_before

    def expire(self, before: float, unmatched_before: float) -> int:
        """Close older tickets, and drop older labels; return how many."""
        n = 0
        while self.open and self.oldest()[0] < before:
            self.close(self.oldest()[1], How.EXPIRED, None)
            n += 1
        old = []
        for ticket, label in self.unmatched.items():
            if label.at >= unmatched_before:
                break
            old.append(ticket)
        for ticket in old:
            del self.unmatched[ticket]
        self.forgotten += len(old)
        return n + len(old)

    def newest(self, limit: int) -> Iterator[Asked]:
        """The events of the newest open tickets, newest first."""
        for ticket, event in islice(reversed(self.open.items()), limit):
            yield asked_of(ticket, event)

    def restore(self, events: list[bytes]) -> None:
        """Add the open tickets of a snapshot."""
        for data in events:
            event = decode(data)
            if isinstance(event, AskedMany):
                self._add_items(event)
            else:
                assert isinstance(event, Asked)
                self.open[event.ticket] = data
                self.open_bytes += len(data)
                self._line.append((event.at, event.ticket))

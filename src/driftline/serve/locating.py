"""Finding the event that gave a ticket of the server.

A batch is one event with several tickets, so a ticket does not tell the position of its event. But
tickets rise with the positions, also after rollbacks and restarts.
"""

from __future__ import annotations

from driftline.serve.log.events import Asked, AskedMany, TicketId, decode
from driftline.serve.storage.storage import Storage

ASKED = frozenset({1, 14})
"""The tags of events that give tickets, in the second byte of an event."""


def tickets_of(data: bytes | None) -> list[TicketId]:
    """The tickets that an event gave; none for other events and removed ones."""
    if data is None or data[1] not in ASKED:
        return []
    event = decode(data)
    if isinstance(event, AskedMany):
        return event.tickets
    return [event.ticket] if isinstance(event, Asked) else []


def position_of(storage: Storage, model: int, ticket: int) -> tuple[int, bool]:
    """The position of the event that gave a ticket, and whether it is in the log.

    If it was removed, or there never was one, the position is the first that it may have had.

    Parameters
    ----------
    storage
        Where the log is.
    model
        The number of the model.
    ticket
        A ticket of the server.
    """
    low, high = 1, storage.head(model)[0]
    while low <= high:
        middle = (low + high) // 2
        position, numbers = _next(storage, model, middle, high)
        if not numbers or ticket < min(numbers):
            high = middle - 1
        elif ticket in numbers:
            return position, True
        else:
            low = position + 1
    return low, False


def _next(storage: Storage, model: int, position: int, last: int) -> tuple[int, list[int]]:
    """The first event from a position on that gave tickets of the server, and these."""
    for page in storage.pages(model, position - 1, last):
        for at, data in enumerate(page.events, page.first):
            if position <= at <= last:
                numbers = [one for one in tickets_of(data) if isinstance(one, int)]
                if numbers:
                    return at, numbers
    return last, []

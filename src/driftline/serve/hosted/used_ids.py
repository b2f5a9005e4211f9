"""The ids that a model has used, beyond its memory: their keys in the storage, and which still count."""

from __future__ import annotations

from driftline.serve.hosted.checks import Earlier, key_of
from driftline.serve.log.events import TicketId


class UsedIds:
    """The keys of ids in the storage.

    The storage takes a key once. After a rollback the ids of events that no longer count may be used
    again: they get another key.

    Attributes
    ----------
    rolled_back
        The positions that no longer count, as pairs: those after the first, up to the second. After
        a rollback to a position that did not count, the positions before it count again.
    rollbacks
        The number of rollbacks so far. Every rollback begins new keys.
    new
        The ids that the calls so far have used: key, kind and content. The caller takes and clears
        them.
    """

    def __init__(self) -> None:
        self.rolled_back: list[tuple[int, int]] = []
        self.rollbacks = 0
        self.new: list[tuple[str, str, str]] = []

    def add(self, ticket: TicketId, kind: str, content: str) -> None:
        """Note that a ticket got an example (kind "x") or a label (kind "y")."""
        key = key_of(ticket)
        self.new.append((f"{self.rollbacks}{key}" if self.rollbacks else key, kind, content))

    def keys_of(self, ticket: TicketId) -> list[str]:
        """All keys that a ticket may have in the storage."""
        key = key_of(ticket)
        return [key, *(f"{k}{key}" for k in range(1, self.rollbacks + 1))]

    def earlier(self, ticket: TicketId, rows: dict[str, dict[str, tuple[int, str]]]) -> Earlier:
        """What the storage knows of a ticket.

        Parameters
        ----------
        ticket
            The ticket.
        rows
            For each kind ("x" and "y"), key to position and content, as found for ``keys_of``.
        """
        found: dict[str, str] = {}
        for kind, known in rows.items():
            for key in self.keys_of(ticket):
                if key in known and self.counts(known[key][0]):
                    found[kind] = known[key][1]
        return Earlier(found.get("x"), found.get("y"))

    def counts(self, position: int) -> bool:
        """Whether an event still counts, after all rollbacks."""
        return not any(first < position <= last for first, last in self.rolled_back)

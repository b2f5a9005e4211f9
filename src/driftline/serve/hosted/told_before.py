"""Labels for tickets that are not open: repeated, unwanted, in conflict, or still to be learned."""

from __future__ import annotations

import msgspec

from driftline.encode.faults import shortened
from driftline.serve.errors import Conflict, UnknownTicket
from driftline.serve.hosted.checks import Earlier, label_text
from driftline.serve.hosted.tickets import How, Tickets, digest_of
from driftline.serve.log.events import TicketId
from driftline.serve.results import OutcomeKind
from driftline.serve.spec import Example, Label


def outcome_before(
    tickets: Tickets, ticket: TicketId, y: Label, x: Example | None, earlier: Earlier
) -> OutcomeKind | None:
    """What becomes of the label of a ticket that is not open; None if it is learned with x, or kept.

    Parameters
    ----------
    tickets
        The tickets in memory.
    ticket, y, x
        The ticket, its label, and its example if the request has it.
    earlier
        What the storage knows of the ticket, if it is not in memory.

    Raises
    ------
    Conflict
        If the ticket has another label or another example, or was dismissed.
    UnknownTicket
        If the ticket was closed long ago or lost, and x is None.
    """
    closed, kept = tickets.closed.get(ticket), tickets.unmatched.get(ticket)
    _check_example(ticket, x, earlier.example if closed is None else closed.digest)
    answer = earlier.answer
    if closed is not None:
        answer = label_text(closed.y) if closed.how is How.ANSWERED else None
    elif kept is not None:
        answer = label_text(kept.y)
    if answer is not None and answer != label_text(y):
        before = shortened(msgspec.json.decode(answer))
        raise Conflict(
            f"label: a ticket must have one label, got {shortened(y)} for {shortened(ticket)} after {before}. "
            "Correct the first label before you send it"
        )
    if closed is None and kept is not None:
        return None if x is not None else "repeated"
    if answer is not None:
        return "repeated"
    if closed is not None and closed.how is How.UNWANTED:
        return "unwanted"
    if closed is not None and closed.how is How.DISMISSED:
        raise Conflict(
            f"label: ticket must be open, got {shortened(ticket)}, which was dismissed. Learn x without its id"
        )
    if x is None and (closed is not None or isinstance(ticket, int) or earlier.example is not None):
        what = "has expired" if closed is not None else "was lost or closed long ago"
        raise UnknownTicket(
            f"label: ticket must be open, got {shortened(ticket)}, which {what}. Send the example with the label"
        )
    return None


def _check_example(ticket: TicketId, x: Example | None, before: str | None) -> None:
    """Raise Conflict if an id had another example before."""
    if x is not None and isinstance(ticket, str) and before and before != digest_of(x):
        raise Conflict(f"label: id must have the same example as before, got {shortened(ticket)} with another one")

"""What ``Pending.ask`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TicketId = int | str


@dataclass(frozen=True, slots=True)
class Ticket:
    """The prediction of an example, and the id under which its label is told later.

    Attributes
    ----------
    id
        The id. ``pending.tell(ticket.id, y)`` is the same as ``pending.tell(ticket, y)``, also
        after saving and loading, and in another process.
    label
        The predicted label; None if no label is known yet.
    probability
        The probability of each known label.
    score
        The score, as ``Learner.score_one`` returns it.
    wanted
        Whether the label is worth its price. Always True, except for ``LabelEfficient``.
    """

    id: TicketId
    label: Any
    probability: dict[Any, float]
    score: float
    wanted: bool = True

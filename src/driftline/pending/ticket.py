"""What ``Pending.ask`` returns, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from driftline.internals.require import require

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


class Closed(Enum):
    """Why a ticket is closed."""

    ANSWERED = 0
    EXPIRED = 1
    UNWANTED = 2


def checked_id(key: Any) -> TicketId:
    """An id as a plain int or str."""
    if isinstance(key, np.integer):
        return int(key)
    good = isinstance(key, int | str) and not isinstance(key, bool)
    require(good, "Pending", "an id must be an int or str", key)
    return str(key) if isinstance(key, str) else int(key)


def plain_label(y: Any) -> Any:
    """A label as a plain value: numpy and Arrow scalars are converted."""
    if isinstance(y, np.generic | np.ndarray):
        return y.item() if y.ndim == 0 else y.tolist()
    return y.as_py() if hasattr(y, "as_py") else y

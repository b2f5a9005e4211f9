"""Late labels in a user's own loop: tickets for examples that wait for their labels."""

from driftline.pending.pending import Pending
from driftline.pending.ticket import Ticket

__all__ = ["Pending", "Ticket"]

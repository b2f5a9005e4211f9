"""Counts of everything so far, and of the recent past, in which older counts weigh less.

The recent counts are discounted at fixed places of the stream only. In between, whole numbers are
added, which is exact. So the split of a stream into blocks does not change a bit.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import Arrays, counters, of_shape, within

MOST = 2.0**52


class DiscountedCounts:
    """An array of counts.

    Parameters
    ----------
    shape
        The shape of the array.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.total = np.zeros(shape, np.int64)
        """All counts so far."""
        self.pending = np.zeros(shape, np.int64)
        """The counts since the last discount."""
        self.past = np.zeros(shape)
        """The discounted counts before them."""

    def add(self, counts: np.ndarray) -> None:
        """Add counts."""
        self.total += counts
        self.pending += counts

    def discount(self, kept: float) -> None:
        """Multiply the past by ``kept``, and add the pending counts to it."""
        self.past = self.past * kept + self.pending
        self.pending[:] = 0

    @property
    def recent(self) -> np.ndarray:
        """The discounted counts, with those since the last discount."""
        return self.past + self.pending

    def arrays(self, name: str) -> Arrays:
        """Copies of the arrays, for a file."""
        return {f"{name} {part}": getattr(self, part).copy() for part in ("total", "pending", "past")}

    def restore(self, name: str, arrays: Arrays) -> None:
        """Take over the arrays of a file; raise ValueError if no counts can be like that."""
        total, pending = (
            of_shape(arrays, f"{name} {part}", "int64", self.total.shape) for part in ("total", "pending")
        )
        past = within(name, of_shape(arrays, f"{name} past", "float64", self.past.shape), 0.0, MOST)
        for counts in (total, pending):
            counters(name, counts)
        if (pending > total).any() or (past > (total - pending) * (1.0 + 1e-9)).any():
            raise ValueError(f"{name} that do not add up")
        self.total, self.pending, self.past = total.copy(), pending.copy(), past.copy()

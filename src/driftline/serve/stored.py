"""Waiting for the storage: which entries are stored, and who waits for them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from driftline.serve.errors import Busy, Unready


class Waiting:
    """Counts the entries that wait to be stored, and wakes those who wait for them.

    Parameters
    ----------
    most_entries, most_bytes
        The most that may wait.
    hurry
        Called when somebody begins to wait.
    """

    def __init__(self, most_entries: int, most_bytes: int, hurry: Callable[[], None]) -> None:
        self._hurry = hurry
        self.most_entries = most_entries
        self.most_bytes = most_bytes
        self.put = 0
        """The number of entries so far."""
        self.done = 0
        """The number of entries that were stored, or dropped after a failure."""
        self.bytes = 0
        """The bytes that wait."""
        self._waiters: deque[tuple[int, asyncio.Future[None]]] = deque()

    def check(self) -> None:
        """Raise Busy if too much waits."""
        if self.put - self.done >= self.most_entries or self.bytes >= self.most_bytes:
            raise Busy(
                f"server: at most {self.most_entries:,} events and {self.most_bytes:,} bytes may wait for the storage, "
                f"got {self.put - self.done:,} and {self.bytes:,}. Send the request again later",
                retry_after=1.0,
            )

    def add(self, size: int) -> None:
        """Count one more entry."""
        self.put += 1
        self.bytes += size

    def stored(self) -> asyncio.Future[None]:
        """A future that is done when all entries so far are stored; it fails if they cannot be."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.done >= self.put:
            future.set_result(None)
        else:
            self._waiters.append((self.put, future))
            self._hurry()
        return future

    def finish(self, upto: int, size: int) -> None:
        """Count entries as stored, and wake who waited for them."""
        self.done = upto
        self.bytes -= size
        waiters = self._waiters
        while waiters and waiters[0][0] <= upto:
            future = waiters.popleft()[1]
            if not future.done():
                future.set_result(None)

    def fail(self, upto: int, why: str) -> None:
        """Count all entries as dropped, and let all who wait fail."""
        self.done, self.bytes = upto, 0
        waiters, self._waiters = self._waiters, deque()
        for _, future in waiters:
            if not future.done():
                future.set_exception(Unready(why))

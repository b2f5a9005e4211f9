"""Updates for subscribers: each has a queue, and a slow one loses the oldest."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from weakref import WeakSet

from driftline.serve.results import Update

KEPT = 1000


class Subscription(AsyncIterator[Update]):
    """The updates for one subscriber. It ends when the hub is closed."""

    def __init__(self) -> None:
        self._waiting: deque[Update] = deque(maxlen=KEPT)
        self._more = asyncio.Event()
        self._closed = False

    def push(self, update: Update) -> None:
        """Add an update."""
        self._waiting.append(update)
        self._more.set()

    def close(self) -> None:
        """End after the updates that wait."""
        self._closed = True
        self._more.set()

    async def __anext__(self) -> Update:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._more.clear()
            await self._more.wait()
        return self._waiting.popleft()


class Updates:
    """All subscribers. One that is no longer referenced leaves."""

    def __init__(self) -> None:
        self._all: WeakSet[Subscription] = WeakSet()

    def subscribe(self) -> Subscription:
        """A new subscription."""
        new = Subscription()
        self._all.add(new)
        return new

    def push(self, update: Update) -> None:
        """Send an update to all."""
        for one in list(self._all):
            one.push(update)

    def close(self) -> None:
        """End all subscriptions."""
        for one in list(self._all):
            one.close()

"""Write the replies of one iteration of the event loop together, at the beginning of the next one.

A write wakes the client if it sleeps, which costs the server more than the write itself. A client
with many connections that is woken by the first of many writes is awake for the others.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

logger = logging.getLogger(__name__)
MOST_BYTES = 65_536
"""More bytes than this on one connection are written at once."""


class Outbox:
    """The connections of an event loop that have something to write."""

    def __init__(self) -> None:
        self._waiting: list[GatheringTransport] = []

    def add(self, transport: GatheringTransport) -> None:
        """Write what is pending on a connection in the next iteration."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting.append(transport)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            try:
                one.flush()
            except Exception:  # the others are waiting too
                logger.exception("a reply could not be written")
                one.abort()


class GatheringTransport:
    """A transport that writes in the next iteration of the event loop, or before it is closed.

    Parameters
    ----------
    transport : asyncio.Transport
        The transport of the connection. It does all but `write` and `close`.
    outbox : Outbox
        The connections of the event loop that have something to write.
    """

    def __init__(self, transport: asyncio.Transport, outbox: Outbox) -> None:
        self._transport = transport
        self._outbox = outbox
        self._pending: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write in the next iteration."""
        if not self._pending:
            self._outbox.add(self)
        self._pending.append(data)
        self._size += len(data)
        if self._size > MOST_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write now what is pending."""
        pending = self._pending
        if not pending:
            return
        self._pending, self._size = [], 0
        if not self._transport.is_closing():
            self._transport.write(pending[0] if len(pending) == 1 else b"".join(pending))

    def is_closing(self) -> bool:
        """Whether the connection is closed or being closed."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Write what is pending, and close the connection."""
        self.flush()
        self._transport.close()

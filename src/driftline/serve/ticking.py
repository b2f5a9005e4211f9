"""What the hub does from time to time: expiry, snapshots, retention, alarms, and updates for subscribers."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from driftline.serve.errors import ServeError
from driftline.serve.results import Update
from driftline.serve.retention import first_since
from driftline.serve.storage.storage import NewSnapshot, StorageError

if TYPE_CHECKING:
    from driftline.serve.hub import Hub
    from driftline.serve.served import ServedModel

RETENTION_SECONDS = 600.0
logger = logging.getLogger(__name__)


class Ticker:
    """The regular work of a hub.

    Parameters
    ----------
    hub
        The hub.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._stopped = False
        self._renewed = self._looked = hub.now()

    def stop(self) -> None:
        """Stop after the current work."""
        self._stopped = True

    async def run(self) -> None:
        """Work until stopped. An error is logged; the work goes on at the next tick."""
        while not self._stopped:
            await asyncio.sleep(self._hub.settings.tick_seconds)
            try:
                await self.tick()
            except (StorageError, ServeError, ValueError) as error:
                logger.warning("the regular work of the server failed: %s", error)
            except Exception:  # without the next tick the lease would expire
                logger.exception("the regular work of the server failed")

    async def tick(self) -> None:
        """Do all regular work once."""
        hub = self._hub
        now = hub.now()
        every = hub.storage.renew_every
        if every is not None and abs(now - self._renewed) >= every:  # the clock may go backwards
            self._renewed = now
            await asyncio.to_thread(hub.storage.renew)
        due = abs(now - self._looked) >= RETENTION_SECONDS
        if due:
            self._looked = now
        for one in hub.served():
            if not hub.ready or one.deleted or one.held:
                continue
            one.expire()
            self._tell(one)
            if one.wants_snapshot(now):
                await self._snapshot(one)
            if due and one.spec.retention is not None:
                await self._forget(one, now - one.spec.retention)
            await asyncio.sleep(0)

    def _tell(self, one: ServedModel) -> None:
        """Send alarms and counts to the subscribers."""
        updates = self._hub.updates
        for alarm in one.look_for_alarms():
            updates.push(Update(one.name, "alarm", {"alarm": alarm}))
        if one.position != one.told_position:
            one.told_position = one.position
            updates.push(Update(one.name, "counts", {"info": one.info()}))

    async def _snapshot(self, one: ServedModel) -> None:
        """Store an automatic snapshot, and drop the oldest of too many."""
        hub, generation = self._hub, self._hub.generation
        frozen = one.freeze()
        content = await hub.run(frozen.to_bytes)
        if hub.generation != generation or one.deleted or not hub.ready:
            return  # the frozen state is not in the log
        hub.put_snapshot(one, NewSnapshot(one.number, frozen.position, hub.now(), "auto", content))
        await hub.waiting.stored()
        rows = await asyncio.to_thread(hub.storage.snapshots, one.number)
        automatic = [row for row in rows if row.kind == "auto"]
        for row in automatic[: -hub.settings.keep_snapshots]:
            try:
                await asyncio.to_thread(hub.storage.drop_snapshot, row.id)
            except ValueError:
                break  # removed events make it necessary

    async def _forget(self, one: ServedModel, since: float) -> None:
        """Remove the events before a time, as far as the last snapshot allows."""
        storage = self._hub.storage
        rows = await asyncio.to_thread(storage.snapshots, one.number)
        if not rows:
            return
        position = await asyncio.to_thread(first_since, storage, one.number, since)
        await asyncio.to_thread(storage.forget_before, one.number, min(position, rows[-1].position + 1))

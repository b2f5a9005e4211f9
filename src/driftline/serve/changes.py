"""Changes of a model that people ask for: challengers, snapshots, rollback, import, redaction."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from driftline.saved.container import to_bytes
from driftline.saved.model import KIND, state_of
from driftline.serve import recovery
from driftline.serve.chain import SIZE
from driftline.serve.errors import Conflict, Refused, TooLarge, UnknownModel, UnknownTicket, Unready
from driftline.serve.hosted.checks import Earlier, checked_keys
from driftline.serve.hosted.state import freeze
from driftline.serve.locating import position_of
from driftline.serve.log.events import (
    AnyEvent,
    Asked,
    AskedMany,
    ContenderAdded,
    ContenderRemoved,
    Imported,
    Learned,
    Promoted,
    RolledBack,
    TicketId,
    Told,
    decode,
    described,
    encode,
)
from driftline.serve.results import LogEntry, ModelInfo, Redacted, SnapshotInfo, Update
from driftline.serve.spec import Spec
from driftline.serve.storage.storage import NewSnapshot, StorageError
from driftline.serve.warming import warm
from driftline.serve.writer import Entry

if TYPE_CHECKING:
    from driftline.serve.served import ServedModel


def earlier_of(served: ServedModel, tickets: Sequence[TicketId]) -> dict[TicketId, Earlier]:
    """What the storage knows of tickets that the memory has forgotten."""
    hosted = served.hosted
    unknown = [ticket for ticket in tickets if not hosted.tickets.know(ticket)]
    if not unknown:
        return {}
    keys = [key for ticket in unknown for key in hosted.ids.keys_of(ticket)]
    try:
        rows = {kind: served.hub.storage.find_ids(served.number, keys, kind) for kind in ("x", "y")}
    except StorageError as error:
        raise Unready(str(error)) from error
    plain = {kind: {key: (row.position, row.content) for key, row in found.items()} for kind, found in rows.items()}
    return {ticket: hosted.ids.earlier(ticket, plain) for ticket in unknown}


def interrupted(served: ServedModel) -> Unready:
    """The error of a batch during which the storage failed."""
    return Unready(
        f"model {served.name!r}: the storage must take the whole batch, got a failure. Send it again with the same ids"
    )


@contextmanager
def held(served: ServedModel, why: str) -> Iterator[None]:
    """Let the model take no changes within this context."""
    served.check()
    served.held = why
    try:
        yield
    finally:
        served.held = ""


def begin_repair(served: ServedModel) -> None:
    """Read a model from the storage again, because an unexpected error may have left it half changed."""
    served.held = "it is read from the storage again"
    served.hub.spawn(_repair(served))


async def _repair(served: ServedModel) -> None:
    hub = served.hub
    generation = hub.generation
    try:
        await hub.waiting.stored()
        found = await asyncio.to_thread(recovery.state_at, hub.storage, served.number, name=served.name)
        if hub.generation == generation:  # else the hub rebuilds all models
            served.replace(found)
        served.held = ""
    except Unready:
        served.held = ""
    except (StorageError, ValueError) as error:
        served.held = f"its log cannot be read ({error})"


async def _changed(served: ServedModel, event: AnyEvent, what: str, who: str, detail: str) -> ModelInfo:
    """Apply an event about contenders, store it with a note, and return the model."""
    served.check()
    served.put(served.guarded(lambda hosted, now: hosted.change(event, now)))
    return await _noted(served, what, who, detail)


async def _noted(served: ServedModel, what: str, who: str, detail: str) -> ModelInfo:
    hub = served.hub
    hub.put_note(who, what, served.name, detail)
    await hub.waiting.stored()
    hub.updates.push(Update(served.name, "model", {"what": what, "detail": detail}))
    return served.info()


async def add_challenger(served: ServedModel, name: str, spec: Spec, who: str, model: bytes | None) -> ModelInfo:
    """Add a challenger."""
    checked_keys("spec: labels", spec.labels or ())
    _check_room(served)
    await asyncio.to_thread(warm, spec)
    _check_room(served)  # others may have been added while this one was compiled
    return await _changed(served, ContenderAdded(0.0, name, spec, model, who), "add challenger", who, name)


def _check_room(served: ServedModel) -> None:
    """Raise unless the model takes one more challenger."""
    served.check()
    most = served.hub.settings.max_challengers
    if len(served.hosted.contenders) > most:
        raise TooLarge(f"model {served.name!r}: at most {most} challengers, got one more. Remove one")


async def remove_challenger(served: ServedModel, name: str, who: str) -> ModelInfo:
    """Remove a challenger."""
    return await _changed(served, ContenderRemoved(0.0, name, who), "remove challenger", who, name)


async def promote(served: ServedModel, name: str, who: str) -> ModelInfo:
    """Make a challenger the champion."""
    return await _changed(served, Promoted(0.0, name, who), "promote", who, name)


async def import_(served: ServedModel, data: bytes, who: str) -> ModelInfo:
    """Replace the champion's learner."""
    return await _changed(served, Imported(0.0, data, who), "import", who, f"{len(data):,} bytes")


async def export(served: ServedModel) -> bytes:
    """The champion's learner as a model file."""
    state = state_of(served.hosted.champion.learner)
    return await served.hub.run(partial(to_bytes, KIND, *state))


async def snapshot(served: ServedModel, who: str, kind: str = "manual") -> SnapshotInfo:
    """Store a snapshot now."""
    served.check()
    hub, generation, frozen = served.hub, served.hub.generation, served.freeze()
    content = await hub.run(frozen.to_bytes)
    served.check()
    if hub.generation != generation:
        raise interrupted(served)
    hub.put_snapshot(served, NewSnapshot(served.number, frozen.position, hub.now(), kind, content))
    hub.put_note(who, "snapshot", served.name, f"position {frozen.position}")
    await hub.waiting.stored()
    stored = [one for one in served.snapshots() if one.position == frozen.position]
    if not stored:
        raise UnknownModel(f"snapshot: model must exist, got {served.name!r}, which was deleted meanwhile")
    return stored[-1]


async def rollback(served: ServedModel, to: int | None, snapshot_id: int | None, who: str) -> ModelInfo:
    """Go back to a position of the log, or to a snapshot."""
    hub = served.hub
    with held(served, "it is rolled back"):
        await hub.waiting.stored()
        generation = hub.generation
        if snapshot_id is not None:
            rows = {one.id: one.position for one in served.snapshots()}
            if snapshot_id not in rows:
                raise Refused(f"rollback: snapshot must be one of {list(rows)}, got {snapshot_id}. List the snapshots")
            to = rows[snapshot_id]
        before = served.hosted
        if to is None or not 1 <= to < before.position:
            raise Refused(f"rollback: position must be from 1 to {before.position - 1}, got {to}. Look at the log")
        try:
            found = await asyncio.to_thread(recovery.state_at, hub.storage, served.number, to, name=served.name)
        except StorageError as error:
            raise Unready(str(error)) from error
        except ValueError as error:
            raise Refused(str(error)) from None
        event = RolledBack(max(hub.now(), before.last_at), to, who)
        state = recovery.rolled_back(found.model, before, event)
        content = await hub.run(freeze(state).to_bytes)
        if hub.generation != generation or not hub.ready:
            raise interrupted(served)
        if served.deleted:
            raise UnknownModel(f"rollback: model must exist, got {served.name!r}, which was deleted meanwhile")
        new = NewSnapshot(served.number, state.position, event.at, "rollback", content)
        served.replace(recovery.Recovered(state, state.position))
        served.snapshot_at = event.at
        hub.put(Entry(served.number, encode(event), snapshot=new))
        return await _noted(served, "rollback", who, f"to position {to}")


def log_of(served: ServedModel, after: int, limit: int) -> list[LogEntry]:
    """Events of the log after a position, for people."""
    found: list[LogEntry] = []
    after = min(after, served.position)
    for page in served.hub.storage.pages(served.number, after, after + limit):
        for k, event in enumerate(page.events):
            position = page.first + k
            if after < position <= after + limit:
                shown = None if event is None else described(decode(event))
                found.append(LogEntry(position, shown, page.digests[SIZE * k : SIZE * (k + 1)].hex()))
    return found


async def redact(served: ServedModel, ticket: TicketId, who: str) -> Redacted:
    """Remove the events of a ticket from the log, and the snapshots that hold its example.

    A batch is one event: the other examples of the batch leave the log too. The model keeps what it
    learned. Rollback to a position before the new snapshot is refused.
    """
    hub = served.hub
    served.check()
    was_open = ticket in served.hosted.tickets.open
    if was_open:
        await served.dismiss(ticket, who)
    await hub.waiting.stored()
    keys = served.hosted.ids.keys_of(ticket)
    rows = [row for kind in "xy" for row in hub.storage.find_ids(served.number, keys, kind).values()]
    positions = {row.position for row in rows}
    since = served.position
    if isinstance(ticket, int):
        since, found = await asyncio.to_thread(position_of, hub.storage, served.number, ticket)
        positions |= {since} if found else set()
    sizes = {position: size for position in positions if (size := _examples(served, position, ticket))}
    if not sizes and not was_open:  # an open one may have left the log with its batch
        raise UnknownTicket(f"redact: ticket must be in the log, got {ticket!r}, which is not. Look at the log")
    kept = await snapshot(served, who)
    for one in served.snapshots():
        if min([since, *sizes]) <= one.position < kept.position:
            await asyncio.to_thread(_drop, served, one.id)
    try:
        await asyncio.to_thread(hub.storage.redact, served.number, sorted(sizes))
    except ValueError as error:
        raise Conflict(str(error)) from None
    done = Redacted(len(sizes), max(sizes.values(), default=0))
    await hub.note(who, "redact", served.name, f"{done.events} events, {done.examples} examples")
    return done


def _drop(served: ServedModel, snapshot_id: int) -> None:
    try:
        served.hub.storage.drop_snapshot(snapshot_id)
    except ValueError as error:
        raise Conflict(str(error)) from None


def _examples(served: ServedModel, position: int, ticket: TicketId) -> int:
    """The number of examples in the event at a position, if it is about a ticket and still there."""
    for page in served.hub.storage.pages(served.number, position - 1, position):
        event = page.events[position - page.first]
        found = None if event is None else decode(event)
        if isinstance(found, AskedMany) and ticket in found.tickets:
            return len(found.tickets)
        return int(isinstance(found, Asked | Told | Learned) and found.ticket == ticket)
    return 0

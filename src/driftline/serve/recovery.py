"""Recovery: the state of a model from its last snapshot and the log after it.

The chain of the log is verified while it is read. The result has the bits of the live model.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass

from driftline.serve.chain import checked_log
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.replay import replay
from driftline.serve.hosted.state import model_of, state_bytes
from driftline.serve.log.events import AnyEvent, Created, LearnedRow, Noted, RolledBack, decode, decode_page
from driftline.serve.results import AuditEntry
from driftline.serve.storage.storage import SERVER_LOG, DamagedError, Page, Storage

AT_ONCE, BYTES_AT_ONCE = 1024, 1 << 20
"""The number of decoded events, and their bytes, after which they are applied."""
MOST_KNOWN = 32
"""States that are kept in memory for rollbacks. If there are more, every second one is forgotten."""
BEGINNINGS = {Created, RolledBack}


@dataclass(frozen=True)
class Recovered:
    """A recovered model, and the position of the snapshot that it started from."""

    model: HostedModel
    snapshot: int


def state_at(
    storage: Storage, model: int, position: int | None = None, *, use_snapshots: bool = True, name: str = ""
) -> Recovered:
    """The state of a model at a position of its log.

    Parameters
    ----------
    storage
        Where the log is.
    model
        The number of the model.
    position
        The position; None is the end of the log.
    use_snapshots
        Whether to begin with a snapshot. Without, the whole log is replayed.
    name
        The name of the model, for messages.

    Raises
    ------
    DamagedError
        If the log is damaged before that position. Its ``position`` is that of the first bad event.
    ValueError
        If events that are needed were removed.
    """
    collects = gc.isenabled()
    gc.disable()  # events have no cycles, and looking for them takes longer than decoding
    try:
        return _state_at(storage, model, position, use_snapshots, {})
    except DamagedError as error:
        if not name:
            raise
        raise DamagedError(f"model {name!r}: {error}", error.position) from error
    finally:
        if collects:
            gc.enable()


def _state_at(
    storage: Storage, model: int, until: int | None, use_snapshots: bool, known: dict[int, bytes]
) -> Recovered:
    """The state at a position. ``known`` has states of earlier positions: see ``_remember``."""
    found = storage.snapshot(model, until) if use_snapshots else None
    state = None if found is None else model_of(found[1])
    start = 0 if state is None else state.position
    nearest = max((at for at in known if until is not None and at <= until), default=0)
    if nearest > start:
        state, start = model_of(known[nearest]), nearest
    events: list[AnyEvent | LearnedRow] = []
    datas: list[bytes] = []
    at, size = start, 0
    for page in checked_log(storage, model, start) if until is None or until > start else ():
        new = _needed(page, at, until)
        decoded = decode_page(new)
        at += len(new)
        if BEGINNINGS.isdisjoint(map(type, decoded)):
            events += decoded
            datas += new
        else:
            for event, data in zip(decoded, new, strict=True):
                if isinstance(event, Created | RolledBack):
                    state = _replayed(state, events, datas, model)
                    state = _begun(storage, model, state, event, use_snapshots, known)
                else:
                    events.append(event)
                    datas.append(data)
        size += sum(map(len, new))
        if len(events) >= AT_ONCE or size >= BYTES_AT_ONCE:
            state, size = _replayed(state, events, datas, model), 0
        if until is not None and page.last >= until:
            break
    state = _replayed(state, events, datas, model)
    if state is None or state.position != at or (until is not None and at < until):
        last = 0 if state is None else state.position
        raise ValueError(f"log of model {model}: position must be from 1 to {last}, got {until}. Look at the log")
    return Recovered(state, start)


def _needed(page: Page, after: int, until: int | None) -> list[bytes]:
    """The events of a page after a position and up to another one; ValueError if one was removed."""
    stop = page.last if until is None else min(until, page.last)
    needed = page.events[after + 1 - page.first : stop + 1 - page.first]
    found = [*filter(None, needed)]
    if len(found) < len(needed):
        position = after + 1 + needed.index(None)
        raise ValueError(
            f"log of model {page.model}: events after {after} must be complete, got a removed event {position}. "
            "Choose a later position or a snapshot"
        )
    return found


def _replayed(
    state: HostedModel | None, events: list[AnyEvent | LearnedRow], datas: list[bytes], model: int
) -> HostedModel | None:
    """Apply the events that were gathered, and clear them."""
    if not events:
        return state
    if state is None:
        raise DamagedError(f"log of model {model}: the first event must create the model, got another one", 1)
    before = state.position
    try:
        replay(state, events, datas)
    except Exception as error:
        raise DamagedError(
            f"log of model {model}: events {before + 1} to {before + len(events)} must fit the model, got {error}. "
            f"Replay the log before: driftline replay DB --until {before}",
            before + 1,
        ) from error
    events.clear()
    datas.clear()
    return state


def _begun(
    storage: Storage,
    model: int,
    state: HostedModel | None,
    event: Created | RolledBack,
    use_snapshots: bool,
    known: dict[int, bytes],
) -> HostedModel:
    """The state after an event that makes a new state."""
    if isinstance(event, Created):
        return HostedModel.created(event)
    if state is None:
        raise DamagedError(f"log of model {model}: the first event must create the model, got another one", 1)
    earlier = _state_at(storage, model, event.to, use_snapshots, known).model
    _remember(known, earlier)
    found = rolled_back(earlier, state, event)
    _remember(known, found)
    return found


def _remember(known: dict[int, bytes], state: HostedModel) -> None:
    """Keep a state for later rollbacks. Without, each would replay all rollbacks before it once more."""
    known[state.position] = state_bytes(state)
    if len(known) > MOST_KNOWN:
        for position in sorted(known)[:-1:2]:
            del known[position]


def rolled_back(earlier: HostedModel, state: HostedModel, event: RolledBack) -> HostedModel:
    """The state after a rollback.

    Parameters
    ----------
    earlier
        The state at the position to go back to. It is changed.
    state
        The state before the event.
    event
        The event.
    """
    earlier.rolled_back_to(state, event)
    return earlier


def rebuilt(storage: Storage, known: dict[int, tuple[str, int]]) -> dict[int, Recovered | None]:
    """The models whose state in memory is not that of their log, as the log has them.

    Parameters
    ----------
    storage
        Where the logs are.
    known
        For each model its name and its position in memory; -1 if that state cannot be trusted.

    Returns
    -------
    dict
        The number of a model to its state, or to None if the storage has no such model.
    """
    stored = {row.model for row in storage.models()}
    found: dict[int, Recovered | None] = {}
    for number in stored - known.keys():
        if storage.head(number)[0] == 0:  # the storage failed while the model was created
            storage.delete_model(number, 0.0)
    for number, (name, position) in known.items():
        head = storage.head(number)[0] if number in stored else 0
        if head == 0:
            found[number] = None
        elif head != position:
            found[number] = state_at(storage, number, name=name)
    return found


def audit_trail(storage: Storage, limit: int) -> list[AuditEntry]:
    """The last entries of the log of the server, oldest first.

    Parameters
    ----------
    storage
        Where the log is.
    limit
        The most entries.
    """
    found = []
    first = max(0, storage.head(SERVER_LOG)[0] - limit)
    for page in checked_log(storage, SERVER_LOG, first):
        for position, data in enumerate(page.events, page.first):
            event = None if data is None or position <= first else decode(data)
            if isinstance(event, Noted):
                found.append(AuditEntry(position, event.at, event.who, event.what, event.model, event.detail))
    return found

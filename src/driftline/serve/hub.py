"""The hub: all models of a server, on one event loop, and the writer that stores their events."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import msgspec

from driftline.encode.faults import shortened
from driftline.serve import recovery
from driftline.serve.chain import START
from driftline.serve.errors import BadRequest, Conflict, TooLarge, UnknownModel, Unready
from driftline.serve.hosted.checks import checked_keys
from driftline.serve.hosted.model import HostedModel
from driftline.serve.log.events import Created, Limits, Noted, encode
from driftline.serve.opening import opened
from driftline.serve.results import AuditEntry, ModelInfo, Update
from driftline.serve.served import ServedModel
from driftline.serve.settings import Settings
from driftline.serve.sharing import Sharing
from driftline.serve.spec import Spec
from driftline.serve.storage.storage import SERVER_LOG, DamagedError, IdRow, NewSnapshot, Storage, StorageError
from driftline.serve.stored import Waiting
from driftline.serve.ticking import Ticker
from driftline.serve.updates import Updates
from driftline.serve.warming import warm
from driftline.serve.writer import Commit, Entry, Writer

NAME = re.compile("[a-z][a-z0-9_-]{0,63}")
AUDIT_KEPT = 1000
logger = logging.getLogger(__name__)


class Hub:
    """All models of a server. Every method is called on the event loop, except ``open``.

    Parameters
    ----------
    storage
        Where the logs and snapshots are.
    settings
        Limits and times.
    clock
        Returns the time in seconds since 1970.
    """

    def __init__(self, storage: Storage, settings: Settings, clock: Callable[[], float]) -> None:
        self.storage = storage
        self.settings = settings
        self.now = clock
        self.updates = Updates()
        self.pool = ThreadPoolExecutor(1, "driftline-snapshots")
        """The thread that makes the bytes of snapshots."""
        self.generation = 0
        """The number of failures of the storage. What was begun before a failure is void."""
        self._models: dict[str, ServedModel] = {}
        self._by_number: dict[int, ServedModel] = {}
        self.broken: dict[str, tuple[int, str]] = {}
        """The numbers of the models whose logs cannot be read, and why."""
        self._creating: set[str] = set()
        self._audit: deque[AuditEntry] = deque(maxlen=AUDIT_KEPT)
        self._audit_position = 0
        self._why = "the server has not started"
        self._closing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer = Writer(
            storage, settings.commit_bytes, settings.gather_seconds, self._on_commit, self._on_failure
        )
        self.waiting = Waiting(settings.queue_events, settings.queue_bytes, self._writer.hurry)
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker = Ticker(self)
        self.sharing = None if storage.sharing is None else Sharing(self, storage.sharing)
        """Takes and gives models; None if this server holds all of them."""
        self._deleting: set[int] = set()
        self._stats = {"commits": 0.0, "events": 0.0, "bytes": 0.0, "failures": 0.0, "commit_seconds": 0.0}

    # start and end -----------------------------------------------------------------------------
    @classmethod
    def open(cls, storage: Storage, settings: Settings | None = None, clock: Callable[[], float] = time.time) -> Self:
        """Recover all models, and return a hub that is started with ``await hub.start()``.

        Parameters
        ----------
        storage
            Where the logs and snapshots are.
        settings
            Limits and times.
        clock
            Returns the time in seconds since 1970.

        A model whose log cannot be read is refused, with the reason, and the others are served.

        Raises
        ------
        DamagedError
            If no log can be read. The message names the model, the position and a remedy.
        """
        hub = cls(storage, settings or Settings(), clock)
        first: DamagedError | ValueError | None = None
        for row in storage.models():
            if storage.head(row.model)[0] == 0:  # the server died while it created the model
                storage.delete_model(row.model, clock())
                continue
            try:
                found = recovery.state_at(storage, row.model, name=row.name)
            except (DamagedError, ValueError) as error:
                first = first or error
                hub.broken[row.name] = row.model, str(error)
                logger.error("the log of a model cannot be read: %s", error)
                continue
            for contender in found.model.contenders:
                warm(contender.spec)
            hub._add(ServedModel(hub, row.model, row.name, row.created_at, found))
        if first is not None and not hub._models:
            raise first
        hub._audit.extend(recovery.audit_trail(storage, AUDIT_KEPT))
        hub._audit_position = storage.head(SERVER_LOG)[0]
        return hub

    async def start(self) -> None:
        """Start the writer thread and the timer on the running event loop."""
        self._loop = asyncio.get_running_loop()
        models = list(self._models.values())
        heads = await asyncio.to_thread(opened, self.storage, models, self.now())
        self._writer.start(heads)
        self._why = ""
        if self.sharing is not None:
            await self.sharing.round()
            self.spawn(self.sharing.run())
            await self.sharing.loaded()
        self.spawn(self._ticker.run())

    async def close(self) -> None:
        """Write everything that waits and a last snapshot of each model, and stop the writer."""
        if self._closing:
            return
        self._closing = True
        self._ticker.stop()
        if self.sharing is not None:
            self.sharing.stop()
        if not self._why:
            self._why = "the server is closing"
            for one in self._models.values():
                if one.position > one.snapshot_position:
                    frozen = one.freeze()
                    content = await self.run(frozen.to_bytes)
                    self.put_snapshot(one, NewSnapshot(one.number, frozen.position, self.now(), "auto", content))
        await asyncio.to_thread(self._writer.close)
        await asyncio.sleep(0)  # the last acknowledgements
        self.updates.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.pool.shutdown()

    def spawn(self, work: Any) -> None:
        """Run a coroutine until it ends or the hub is closed. An error of it is logged."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a task of the server failed", exc_info=error)

    async def run(self, function: Callable[[], bytes]) -> bytes:
        """Call a function in the thread for snapshots."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, function)

    @property
    def ready(self) -> bool:
        """Whether requests can be answered."""
        return not self.why_not_ready

    @property
    def why_not_ready(self) -> str:
        """The reason why requests cannot be answered; empty if they can."""
        if not self._why and self.sharing is not None and self.sharing.lease.lapsed():
            return "the leases of this server may have ended, and the database has not renewed them"
        return self._why

    def check(self) -> None:
        """Raise Unready or Busy if nothing can be stored now."""
        if self._why or self.sharing is not None:
            self._check_ready()
        self.waiting.check()

    def _check_ready(self) -> None:
        if why := self.why_not_ready:
            raise Unready(f"server: must be ready, got: {why}. Send the request again later")

    # models ------------------------------------------------------------------------------------
    async def create(self, name: str, spec: Spec, who: str = "", model: bytes | None = None) -> ModelInfo:
        """Create a model. Conflict if the name is taken, Refused if the library refuses the spec.

        Parameters
        ----------
        name
            A lower-case letter, then up to 63 of a-z, 0-9, ``_`` and ``-``.
        spec
            The specification of the model.
        who
            The name of the caller, for the audit trail.
        model
            A saved learner to begin with.
        """
        self.check()
        if not NAME.fullmatch(name):
            raise BadRequest(
                f"model: name must be a lower-case letter, then up to 63 of a-z, 0-9, _ and -, got {shortened(name)}. "
                "Rename it"
            )
        if name in self._models or name in self._creating or name in self.broken:
            raise Conflict(f"model: name must be new, got {name!r}. Choose another name")
        if len(self._models) + len(self._creating) + len(self.broken) >= self.settings.max_models:
            raise TooLarge(f"server: at most {self.settings.max_models} models, got one more. Delete some")
        checked_keys("spec: labels", spec.labels or ())
        settings = self.settings
        limits = Limits(settings.max_open, settings.remember, settings.window, settings.max_open_bytes)
        created = Created(self.now(), spec, who, model, limits)
        self._creating.add(name)
        try:
            hosted = HostedModel.created(created)
            await asyncio.to_thread(warm, spec)
            text = msgspec.json.encode(spec).decode()
            try:
                number = await asyncio.to_thread(self.storage.create_model, name, text, created.at)
            except StorageError as error:
                raise Unready(str(error)) from error
            except ValueError as error:
                raise Conflict(str(error)) from None
            if self._why:  # the model without a first event is dropped when the storage works again
                self.check()
            self._writer.add_head(number, (0, START))
            served = ServedModel(self, number, name, created.at, recovery.Recovered(hosted, 0))
            self._add(served)
        finally:
            self._creating.discard(name)
        self.put(Entry(number, encode(created)))
        self.put_note(who, "create", name, spec.learner)
        await self.waiting.stored()
        self.updates.push(Update(name, "model", {"what": "create"}))
        return served.info()

    async def delete(self, name: str, who: str = "") -> None:
        """Delete a model, with its log and snapshots."""
        self.check()
        if name in self.broken:
            number = self.broken.pop(name)[0]
        else:
            served = self.model(name)
            served.deleted, number = True, served.number
            del self._models[name], self._by_number[number]
        self._deleting.add(number)
        self.put(Entry(number, deleted_at=self.now()))
        self.put_note(who, "delete", name, "")
        try:
            await self.waiting.stored()
        finally:
            self._deleting.discard(number)
        self.updates.push(Update(name, "model", {"what": "delete"}))

    def models(self) -> list[ModelInfo]:
        """All models by name."""
        return [self._models[name].info() for name in sorted(self._models)]

    def served(self) -> list[ServedModel]:
        """All models."""
        return list(self._models.values())

    def model(self, name: str) -> ServedModel:
        """A model; UnknownModel if there is none of this name, Unready if its log cannot be read."""
        if self.sharing is not None:
            self._check_ready()  # another server may hold the model by now
        try:
            return self._models[name]
        except KeyError:
            if self.sharing is not None:
                raise self.sharing.refusal(name) from None
            if name in self.broken:
                raise Unready(self.broken[name][1]) from None
            raise UnknownModel(
                f"model: name must be that of a model, got {shortened(name)}. GET /v1/models lists them"
            ) from None

    @property
    def creating(self) -> bool:
        """Whether a model is being created."""
        return bool(self._creating)

    def known(self) -> set[int]:
        """The numbers of the models that this server serves, or is deleting."""
        return self._by_number.keys() | self._deleting

    def known_as(self, number: int) -> ServedModel | None:
        """The model of a number; None if this server does not serve it."""
        return self._by_number.get(number)

    def join(self, served: ServedModel, head: tuple[int, bytes]) -> None:
        """Answer for a model that this server took."""
        self._writer.add_head(served.number, head)
        self._add(served)

    def leave(self, served: ServedModel, why: str) -> None:
        """Do not answer for a model any more. Requests in progress are refused."""
        served.held = why
        del self._models[served.name], self._by_number[served.number]

    def _add(self, served: ServedModel) -> None:
        self._models[served.name] = self._by_number[served.number] = served

    # storing -----------------------------------------------------------------------------------
    def put(self, entry: Entry) -> None:
        """Queue an entry."""
        self.waiting.add(entry.size)
        self._writer.put(entry)

    def put_event(self, number: int, event: bytes, ids: list[IdRow]) -> None:
        """Queue an event of a model."""
        self.put(Entry(number, event, ids))

    def put_snapshot(self, served: ServedModel, snapshot: NewSnapshot) -> None:
        """Queue a snapshot, after the events that it includes."""
        served.snapshot_position = snapshot.position
        served.snapshot_at = snapshot.at
        served.unsaved = 0
        self.put(Entry(served.number, snapshot=snapshot))

    def put_note(self, who: str, what: str, model: str, detail: str) -> None:
        """Queue an entry of the audit trail."""
        self._audit_position += 1
        at = self.now()
        self.put(Entry(SERVER_LOG, encode(Noted(at, who, what, model, detail))))
        self._audit.append(AuditEntry(self._audit_position, at, who, what, model, detail))

    async def durable(self, model: ServedModel) -> None:
        """Wait until all events of a model so far are stored."""
        await self.waiting.stored()

    async def note(self, who: str, what: str, model: str = "", detail: str = "") -> None:
        """Store an entry of the audit trail, for example about tokens."""
        self.check()
        self.put_note(who, what, model, detail)
        await self.waiting.stored()

    def audit(self, limit: int = 100) -> list[AuditEntry]:
        """The last entries of the audit trail, newest first."""
        return list(self._audit)[::-1][:limit]

    async def whole_audit(self, limit: int = 100) -> list[AuditEntry]:
        """The last entries of the audit trail, newest first, also those of other servers."""
        if self.sharing is None:
            return self.audit(limit)
        return (await asyncio.to_thread(recovery.audit_trail, self.storage, limit))[::-1]

    def subscribe(self) -> AsyncIterator[Update]:
        """Updates of all models from now on. A slow reader loses the oldest ones."""
        return self.updates.subscribe()

    def stats(self) -> dict[str, float]:
        """Figures for monitoring: waiting events and bytes, commits, events stored, failures, seconds."""
        waiting = self.waiting
        return {
            **self._stats,
            "waiting_events": float(waiting.put - waiting.done),
            "waiting_bytes": float(waiting.bytes),
        }

    # in the writer thread ----------------------------------------------------------------------
    def _on_commit(self, commit: Commit) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._committed, commit)

    def _on_failure(self, error: BaseException) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._failed, error)

    # on the event loop again -------------------------------------------------------------------
    def _committed(self, commit: Commit) -> None:
        for number, position in commit.heads.items():
            if number in self._by_number:
                self._by_number[number].durable_position = position
        stats = self._stats
        stats["commits"] += 1
        stats["events"] += commit.entries
        stats["bytes"] += commit.size
        stats["commit_seconds"] += commit.seconds
        self.waiting.finish(commit.upto, commit.size)

    def _failed(self, error: BaseException) -> None:
        """Stop answering, let all who wait fail, and rebuild the models from the storage."""
        self._stats["failures"] += 1
        self.generation += 1
        self._why = f"the storage failed ({error})"
        self.waiting.fail(self._writer.drop(), f"server: the storage must take the change, got: {error}. Send it again")
        if not self._closing:
            self.spawn(self._rebuild())

    async def _rebuild(self) -> None:
        """Take all models that differ from the storage from there, as soon as it works again."""
        while True:
            try:
                if self.sharing is not None:
                    await self.sharing.renew()
            except StorageError as error:
                self._why = f"the storage failed ({error})"
                await asyncio.sleep(self.settings.retry_seconds)
                continue
            known = {one.number: (one.name, -1 if one.held else one.position) for one in self.served()}
            try:
                found = await asyncio.to_thread(recovery.rebuilt, self.storage, known)
                for number, state in found.items():
                    self._take(self._by_number[number], state)
                heads = await asyncio.to_thread(opened, self.storage, self.served(), self.now())
                trail = await asyncio.to_thread(recovery.audit_trail, self.storage, AUDIT_KEPT)
            except Exception as error:  # the server stays unready, and tries until it works
                if not isinstance(error, StorageError | ValueError):
                    logger.exception("the models could not be read again")
                self._why = f"the storage failed ({error})"
                await asyncio.sleep(self.settings.retry_seconds)
            else:
                break
        self._audit.clear()
        self._audit.extend(trail)
        self._audit_position = heads[SERVER_LOG][0]
        self._writer.resume(heads)
        self._why = ""

    def _take(self, served: ServedModel, found: recovery.Recovered | None) -> None:
        """Take the state of a model from the storage; None drops the model."""
        if found is None:
            served.deleted = True
            del self._models[served.name], self._by_number[served.number]
        else:
            served.replace(found)

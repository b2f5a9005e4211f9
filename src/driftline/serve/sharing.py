"""Which models this server holds, when several servers share a database.

A round renews the leases, gives up what another server took, claims free models up to a fair share,
reads their logs, and gives one model back if this server has more than its share. The next round
comes as soon as the lease of another server may have ended. Between rounds, ``Hub.check`` refuses
requests as soon as the leases of this server may have ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from driftline.encode.faults import shortened
from driftline.serve import recovery
from driftline.serve.errors import Elsewhere, ServeError, UnknownModel, Unready
from driftline.serve.opening import opened
from driftline.serve.served import ServedModel
from driftline.serve.spec import Spec
from driftline.serve.storage.shared_lease import Holding, Look, SharedLease, clock
from driftline.serve.storage.storage import DamagedError, ModelRow, NewSnapshot, StorageError
from driftline.serve.warming import warm

if TYPE_CHECKING:
    from driftline.serve.hub import Hub

AFTER_END = 0.01
"""Seconds after the end of a lease: then that of its server has ended too."""
logger = logging.getLogger(__name__)


class Sharing:
    """The part of a hub that takes and gives models.

    Parameters
    ----------
    hub
        The hub.
    lease
        The leases of its storage.
    """

    def __init__(self, hub: Hub, lease: SharedLease) -> None:
        self._hub = hub
        self.lease = lease
        self.look = Look({}, [])
        """Which servers run and which models they hold, as far as this server knows."""
        self._renewed = float("-inf")
        self._free_before: set[int] = set()
        self._loading: set[int] = set()
        self._giving: set[int] = set()
        self._warmed: set[int] = set()
        """Models of other servers whose learners are compiled here."""
        self._warming = False
        self._broken: dict[int, str] = {}
        """Models of this server whose log cannot be read, and why."""
        self._renewing = asyncio.Lock()
        self._stopped = False

    def stop(self) -> None:
        """Take no more models."""
        self._stopped = True

    async def run(self) -> None:
        """Do a round several times in each lease, until stopped. An error is logged."""
        while not self._stopped:
            await asyncio.sleep(self.pause())
            try:
                await self.round()
            except (StorageError, ServeError) as error:
                logger.warning("the leases could not be renewed: %s", error)
            except Exception:
                logger.exception("a round of the leases failed")

    def pause(self) -> float:
        """Seconds until the next round."""
        usual = min(self._hub.settings.tick_seconds, self.lease.granted / 6)
        if any(not one.owner for one in self.look.models):
            return usual / 4  # a server with fewer models may claim them first
        return min(usual, self.look.next_end + AFTER_END)

    async def round(self) -> None:
        """Renew, give up, claim and give back."""
        hub = self._hub
        if clock() - self._renewed >= self.lease.granted / 3:
            await self.renew()
        self.look = await asyncio.to_thread(self.lease.look)
        if self._stopped or not hub.ready:
            return
        await self._claim()
        due = self.lease.held() - hub.known() - self._loading - self._broken.keys()
        if due and not hub.creating:  # a model that is being created is known in a moment
            self._loading |= due
            hub.spawn(self._load_all(sorted(due)))
        unknown = {one.model for one in self.look.models} - hub.known() - self._warmed
        if unknown and not self._warming:
            self._warming = True
            hub.spawn(self._warm(sorted(unknown)))
        self._give_one()

    async def renew(self) -> None:
        """Renew the leases, and give up the models that another server took."""
        async with self._renewing:
            began = clock()
            await asyncio.to_thread(self._hub.storage.renew)
            self._renewed = began
            held = self.lease.held()
            for one in self._hub.served():
                if one.number not in held:
                    logger.warning("another server took the model %s", one.name)
                    self._hub.leave(one, "another server took it")

    async def loaded(self) -> None:
        """Wait until the models that were claimed can be asked."""
        while self._loading:
            await asyncio.sleep(0.01)

    # requests about models of other servers ----------------------------------------------------
    def refusal(self, name: str) -> ServeError:
        """The answer to a request for a model that this server does not serve."""
        found = self._refusal(name)
        if not isinstance(found, Elsewhere):  # it may have been created or taken a moment ago
            try:
                self.look = self.lease.look()
            except StorageError as error:
                return Unready(str(error))
            found = self._refusal(name)
        return found

    def _refusal(self, name: str) -> ServeError:
        found = next((one for one in self.look.models if one.name == name), None)
        if found is None:
            return UnknownModel(
                f"model: name must be that of a model, got {shortened(name)}. GET /v1/models lists them"
            )
        if found.model in self._broken:
            return Unready(self._broken[found.model])
        address = self._address(found)
        if not address:
            return Unready(f"model {name!r}: a server must hold it, got none at the moment. Send the request again")
        return Elsewhere(f"model {name!r}: the server at {address} holds it. Send the request there", address)

    def _address(self, found: Holding) -> str:
        """Where a model is; empty if no other server holds it."""
        return "" if found.owner == self.lease.owner else self.look.servers.get(found.owner, "")

    def elsewhere(self) -> dict[str, str]:
        """The models of other servers by name, with the address; empty if no server has one at this moment."""
        known = self._hub.known()
        return {one.name: self._address(one) for one in self.look.models if one.model not in known}

    # the models --------------------------------------------------------------------------------
    def _counts(self) -> tuple[int, list[int], int, int]:
        """The number of models here and of each other server, and the fair share, rounded down and up."""
        counts = Counter(one.owner for one in self.look.models)
        others = [counts[owner] for owner in self.look.servers if owner != self.lease.owner]
        servers = len(others) + 1
        total = len(self.look.models)
        return len(self.lease.held()), others, total // servers, -(-total // servers)

    async def _claim(self) -> None:
        """Claim free models. A server with more models than another one lets it claim first."""
        held = self.lease.held()
        free = {one.model for one in self.look.models if one.owner in ("", self.lease.owner)} - held
        if self._hub.creating:
            free -= {one.model for one in self.look.models if one.owner == self.lease.owner}
        mine, others, _, high = self._counts()
        due = free if mine <= min(others, default=mine) else free & self._free_before
        self._free_before = free
        if due and mine < high:
            await asyncio.to_thread(self.lease.claim, sorted(due)[: high - mine])

    async def _load_all(self, numbers: list[int]) -> None:
        """Read the logs of models that were claimed."""
        try:
            rows = {row.model: row for row in await asyncio.to_thread(self._hub.storage.models)}
        except BaseException as error:
            self._loading.difference_update(numbers)
            if not isinstance(error, StorageError):
                raise
            logger.warning("%d models could not be taken: %s", len(numbers), error)
            return
        for number in numbers:
            if number in rows:
                self._hub.spawn(self._load(rows[number]))
            else:
                self._loading.discard(number)

    async def _load(self, row: ModelRow) -> None:
        """Read the log of a model that was claimed, and answer for it."""
        hub, number = self._hub, row.model
        generation = hub.generation
        try:
            if (await asyncio.to_thread(hub.storage.head, number))[0] == 0:
                await asyncio.to_thread(
                    hub.storage.delete_model, number, hub.now()
                )  # its server died while creating it
                return
            found = await asyncio.to_thread(recovery.state_at, hub.storage, number, name=row.name)
            for contender in found.model.contenders:
                await asyncio.to_thread(warm, contender.spec)
            if self._stopped or hub.generation != generation or number not in self.lease.held():
                return
            served = ServedModel(hub, number, row.name, row.created_at, found)
            heads = await asyncio.to_thread(opened, hub.storage, [served], hub.now())
            if hub.generation == generation:
                hub.join(served, heads[number])
        except (DamagedError, ValueError) as error:  # no other server could read it either
            self._broken[number] = str(error)
            logger.error("the log of a model cannot be read: %s", error)
        except StorageError as error:
            logger.warning("model %d could not be taken: %s", number, error)
        finally:
            self._loading.discard(number)

    async def _warm(self, numbers: list[int]) -> None:
        """Compile the learners of models that this server may have to take over."""
        try:
            for text in sorted(set(await asyncio.to_thread(self.lease.specs, numbers))):
                if self._stopped:
                    return
                with suppress(ValueError):  # an unfinished creation, or a learner of a later version
                    await asyncio.to_thread(warm, msgspec.json.decode(text, type=Spec))
            self._warmed.update(numbers)
        except StorageError as error:
            logger.warning("the learners of other servers could not be compiled: %s", error)
        finally:
            self._warming = False

    def _give_one(self) -> None:
        """Give one model back if this server has more than its share and no model is free."""
        mine, others, low, high = self._counts()
        free = any(not one.owner for one in self.look.models)
        if not others or free or self._giving or self._loading:
            return
        if mine > high or (mine > low and min(others) < low):
            ready = [one for one in self._hub.served() if not one.held and not one.deleted]
            if ready:
                one = max(ready, key=lambda one: one.number)
                self._giving.add(one.number)
                self._hub.spawn(self._give(one))

    async def _give(self, one: ServedModel) -> None:
        """Store everything about a model, then let another server take it."""
        hub, generation = self._hub, self._hub.generation
        one.held = "it moves to another server"
        try:
            await hub.waiting.stored()
            frozen = one.freeze()
            if frozen.position > one.snapshot_position:
                content = await hub.run(frozen.to_bytes)
                if hub.generation != generation or hub.known_as(one.number) is not one:
                    return
                hub.put_snapshot(one, NewSnapshot(one.number, frozen.position, hub.now(), "auto", content))
                await hub.waiting.stored()
            if hub.known_as(one.number) is one and hub.generation == generation:
                hub.leave(one, "it moved to another server")
                await asyncio.to_thread(self.lease.give, one.number)
        except (StorageError, Unready) as error:
            logger.warning("the model %s could not be given to another server: %s", one.name, error)
        finally:
            self._giving.discard(one.number)
            if hub.known_as(one.number) is one:
                one.held = ""

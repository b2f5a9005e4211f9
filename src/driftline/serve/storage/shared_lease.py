"""Leases of single models, for several servers on one PostgreSQL database.

Each server has a row in ``servers`` with its address, and owns the models whose ``owner`` is its
name. One transaction renews the row and all its models. A model whose lease has ended may be
claimed by any server, which increases the fence: from then on every commit of the former owner is
refused. The log of the server, model 0, has no owner. Each commit appends to it after the last
page that any server wrote, while it holds the lock of its row.

A lease in the database ends after two thirds of the time that was asked for. The last third is for
the server that takes over: it must notice the end and read the logs before that time has passed.

A server that shares a database and a server that wants it for itself refuse each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from driftline.serve.chain import next_page
from driftline.serve.storage.lease import Lease
from driftline.serve.storage.log_rows import head
from driftline.serve.storage.storage import SERVER_LOG, ModelRow, Page, StorageError
from driftline.serve.storage.transactions import Database, Run

CREATE_SERVERS = """CREATE TABLE IF NOT EXISTS servers (
    owner TEXT PRIMARY KEY, address TEXT NOT NULL, lease_until DOUBLE PRECISION NOT NULL
)"""
GRANTED = 2.0 / 3.0
"""The part of the lease that the database grants."""
FORGET_SECONDS = 3600.0
"""A server that ended without a word stays in the table for this long."""
clock = time.monotonic if not hasattr(time, "CLOCK_BOOTTIME") else lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
"""Seconds that also pass while the process or the machine is suspended."""


@dataclass(frozen=True)
class Holding:
    """A model, and the server that holds it; ``owner`` is empty if its lease has ended or nobody has one."""

    model: int
    name: str
    owner: str


@dataclass(frozen=True)
class Look:
    """Which servers run and which models they hold, at one moment.

    Attributes
    ----------
    servers
        The address of each server whose lease has not ended, by its name.
    models
        All models, by number.
    next_end
        Seconds until the first lease of another server ends, unless it is renewed. Infinity if no
        other server has one.
    """

    servers: dict[str, str]
    models: list[Holding]
    next_end: float = float("inf")


class SharedLease(Lease):
    """The models that this server holds, on a database that it shares.

    Parameters
    ----------
    database : Database
        Where the models are.
    seconds : float
        Time from the last renewal of a server until another one answers for its models.
    address : str
        Where clients reach this server.

    Attributes
    ----------
    granted
        Seconds from a renewal to the end of the leases.
    """

    def __init__(self, database: Database, seconds: float, address: str) -> None:
        super().__init__(database, seconds)
        self.address = address
        self.granted = GRANTED * seconds
        self._until = float("-inf")

    def lapsed(self) -> bool:
        """Whether the leases may have ended, by the clock of this machine."""
        return clock() >= self._until

    def held(self) -> set[int]:
        """The numbers of the models that this server holds."""
        return set(self._fences)

    def take(self) -> None:
        """Join the servers of this database; ``StorageError`` if one server has it for itself."""
        began, now = clock(), self._database.now
        with self._database.transaction() as run:
            run(f"SELECT model FROM models WHERE model = {SERVER_LOG}{self._database.for_update}", ())
            run(CREATE_SERVERS, ())  # after the lock: two servers cannot create it at once
            for (owner,) in run(f"SELECT owner FROM models WHERE model = {SERVER_LOG} AND lease_until > {now}", ()):
                raise StorageError(
                    f"{self._database.where}: all servers must share this database, got {owner}, which has it for "
                    "itself. Start that server with --advertise too"
                )
            sql = f"UPDATE models SET owner = NULL, lease_until = NULL, fence = fence + 1 WHERE model = {SERVER_LOG}"
            run(f"{sql} AND owner IS NOT NULL", ())
            self._register(run)
        self._until, self._taken = began + self.granted, True

    def check(self, run: Run, models: Iterable[int]) -> None:
        """Lock the rows of models until the end of the transaction; ``StorageError`` if one was lost."""
        given = set(models)
        if SERVER_LOG in given:
            sql = f"SELECT owner FROM models WHERE model = {SERVER_LOG}{self._database.for_update}"
            (owner,) = run(sql, ())[0]
            if owner is not None:
                raise StorageError(
                    f"{self._database.where}: all servers must share this database, got {owner}, which took it for "
                    "itself. Stop one of them"
                )
        super().check(run, given - {SERVER_LOG})

    def renew(self) -> None:
        """Extend the leases. Models that another server took are not in ``held`` any more."""
        began, before = clock(), dict(self._fences)
        with self._database.transaction() as run:
            self._register(run)
            sql = f"UPDATE models SET lease_until = {self._database.now} + ? WHERE owner = ? RETURNING model, fence"
            kept = dict(run(sql, (self.granted, self.owner)))
        self.removed(model for model, fence in before.items() if kept.get(model) != fence)
        self._until = began + self.granted

    def look(self) -> Look:
        """Return which servers run and which models they hold."""
        database = self._database
        servers = database.read(f"SELECT owner, address FROM servers WHERE lease_until > {database.now}", ())
        sql = f"""SELECT model, name, owner, lease_until - {database.now} FROM models
            WHERE deleted_at IS NULL AND model > {SERVER_LOG} ORDER BY model"""
        models, ends = [], [float("inf")]
        for model, name, owner, left in database.read(sql, ()):
            held = owner is not None and left is not None and left > 0.0
            models.append(Holding(model, name, owner if held else ""))
            if held and owner != self.owner:
                ends.append(left)
        return Look(dict(servers), models, min(ends))

    def specs(self, models: Sequence[int]) -> list[str]:
        """Return the specifications of models, whoever holds them."""
        sql = "SELECT spec FROM models WHERE model = ANY(?) AND deleted_at IS NULL"
        return [spec for (spec,) in self._database.read(sql, (list(models),))]

    def claim(self, models: Sequence[int]) -> None:
        """Take those models that no other server holds or is about to write."""
        sql = f"""SELECT model FROM models WHERE model = ANY(?) AND deleted_at IS NULL
            AND (owner IS NULL OR lease_until <= {self._database.now} OR owner = ?)
            ORDER BY model FOR UPDATE SKIP LOCKED"""
        with self._database.transaction() as run:
            free = [model for (model,) in run(sql, (list(models), self.owner))]
            sql = f"""UPDATE models SET owner = ?, fence = fence + 1, lease_until = {self._database.now} + ?
                WHERE model = ANY(?) RETURNING model, fence"""
            taken = run(sql, (self.owner, self.granted, free)) if free else []
        self._fences.update(taken)

    def give(self, model: int) -> None:
        """Let another server take a model at once."""
        fence = self._fences.pop(model, None)
        with self._database.transaction() as run:
            sql = "UPDATE models SET owner = NULL, lease_until = NULL WHERE model = ? AND owner = ? AND fence = ?"
            run(sql, (model, self.owner, -1 if fence is None else fence))

    def release(self) -> None:
        """Leave: other servers may take all models at once."""
        if not self._taken:
            return
        self._fences, self._taken, self._until = {}, False, float("-inf")
        with self._database.transaction() as run:
            run("UPDATE models SET owner = NULL, lease_until = NULL WHERE owner = ?", (self.owner,))
            run("DELETE FROM servers WHERE owner = ?", (self.owner,))

    def own(self, rows: list[ModelRow]) -> list[ModelRow]:
        """Return the models that this server holds."""
        return [row for row in rows if row.model in self._fences]

    def fitted(self, run: Run, pages: list[Page]) -> list[Page]:
        """Return the pages to write: those of the server log follow the last one of any server."""
        found, last = [], None
        for page in pages:
            if page.model == SERVER_LOG:
                events = [event for event in page.events if event is not None]
                page = next_page(SERVER_LOG, last or head(run, SERVER_LOG), events)
                last = page.last, page.chain
            found.append(page)
        return found

    def _row_of_new_model(self) -> tuple[str, tuple[object, ...]]:
        return f"?, 1, {self._database.now} + ?", (self.owner, self.granted)

    def _register(self, run: Run) -> None:
        now = self._database.now
        run(f"DELETE FROM servers WHERE lease_until < {now} - ?", (FORGET_SECONDS,))
        sql = f"""INSERT INTO servers VALUES (?, ?, {now} + ?)
            ON CONFLICT (owner) DO UPDATE SET lease_until = excluded.lease_until"""
        run(sql, (self.owner, self.address, self.granted))

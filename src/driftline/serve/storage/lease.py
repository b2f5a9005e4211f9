"""The lease: which server may write.

Each model has an owner and a fence in its row. A server that opens the database takes all models:
it writes its own name and increases each fence. Every transaction compares both before it writes,
so a server that was suspended and lost the lease meanwhile cannot write any more. In PostgreSQL,
the rows stay locked until the end of the transaction, and the lease ends at a time of the
database's clock unless it is renewed. In SQLite, a lock on a file takes the place of the time.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import uuid4

from driftline.serve.storage.storage import SERVER_LOG, ModelRow, Page, StorageError
from driftline.serve.storage.transactions import Database, Run


class Lease:
    """The models that this process owns.

    Parameters
    ----------
    database : Database
        Where the models are.
    seconds : float
        Time from a renewal to the end of the lease.
    """

    def __init__(self, database: Database, seconds: float) -> None:
        self.owner = f"process {os.getpid()} on {socket.gethostname()}, {uuid4()}"
        self._database = database
        self._seconds = seconds
        self._fences: dict[int, int] = {}
        self._taken = False

    def take(self) -> None:
        """Take all models; ``StorageError`` if another server has a lease that has not ended."""
        now = self._database.now
        with self._database.transaction() as run:
            sql = "SELECT model FROM models ORDER BY model"
            run(sql + self._database.for_update, ())
            sql = f"SELECT owner, lease_until FROM models WHERE owner IS NOT NULL AND lease_until > {now}"
            for owner, until in [*run(f"{sql} ORDER BY lease_until DESC LIMIT 1", ()), *self._sharing(run)]:
                time = datetime.fromtimestamp(until, UTC).isoformat(" ", "seconds")
                raise StorageError(
                    f"{self._database.where}: no other server may use this database, got {owner} with a lease until "
                    f"{time}. Stop that server, or wait for the end of its lease"
                )
            sql = f"UPDATE models SET owner = ?, fence = fence + 1, lease_until = {now} + ? WHERE deleted_at IS NULL"
            run(sql, (self.owner, self._seconds))
            fences = run("SELECT model, fence FROM models WHERE owner = ? AND deleted_at IS NULL", (self.owner,))
        self._fences = dict(fences)
        self._taken = True

    def check(self, run: Run, models: Iterable[int]) -> None:
        """Lock the rows of models until the end of the transaction; ``StorageError`` if one was lost."""
        sql = "SELECT fence FROM models WHERE model = ? AND owner = ? AND deleted_at IS NULL"
        for model in sorted(models):
            rows = run(sql + self._database.for_update, (model, self.owner))
            if not rows or rows[0][0] != self._fences.get(model):
                raise self._lost(run, model)

    def renew(self) -> None:
        """Extend the lease; ``StorageError`` if another server took it."""
        with self._database.transaction() as run:
            self.check(run, [SERVER_LOG])  # a server takes all models at once
            sql = f"UPDATE models SET lease_until = {self._database.now} + ? WHERE owner = ?"
            run(sql, (self._seconds, self.owner))

    def add(self, run: Run, name: str, spec: str, at: float) -> int:
        """Add a model that this process owns; return its number. Call ``check`` for the server log before."""
        columns, values = self._row_of_new_model()
        sql = f"""INSERT INTO models (name, created_at, spec, complete_from, owner, fence, lease_until)
            SELECT CAST(? AS TEXT), CAST(? AS DOUBLE PRECISION), CAST(? AS TEXT), 1, {columns}
            FROM models WHERE model = 0 RETURNING model"""
        model: int = run(sql, (name, at, spec, *values))[0][0]
        return model

    def added(self, model: int) -> None:
        """Note a model of ``add`` after the end of its transaction."""
        self._fences[model] = 1

    def removed(self, models: Iterable[int]) -> None:
        """Note deleted models."""
        for model in models:
            self._fences.pop(model, None)

    def release(self) -> None:
        """Let the next server take the models at once."""
        if self._taken:
            self._fences, self._taken = {}, False
            with self._database.transaction() as run:
                run("UPDATE models SET owner = NULL, lease_until = NULL WHERE owner = ?", (self.owner,))

    def own(self, rows: list[ModelRow]) -> list[ModelRow]:
        """Return the models that this server may own: all of them."""
        return rows

    def fitted(self, run: Run, pages: list[Page]) -> list[Page]:
        """Return the pages to write: as they are, because nobody else writes."""
        return pages

    def _row_of_new_model(self) -> tuple[str, tuple[object, ...]]:
        """Owner, fence and lease of a new model as SQL, and the parameters in it."""
        return "owner, 1, lease_until", ()

    def _sharing(self, run: Run) -> list[tuple[str, float]]:
        """A server that shares the database and runs, and the end of its lease."""
        if not run(self._database.has_servers, ())[0][0]:
            return []
        sql = f"SELECT owner, lease_until FROM servers WHERE lease_until > {self._database.now} LIMIT 1"
        return run(sql, ())

    def _lost(self, run: Run, model: int) -> StorageError:
        where = self._database.where
        if not self._taken:
            return StorageError(f"{where}: must be opened as a server to write logs, got no lease. Use open_storage")
        rows = run("SELECT owner, deleted_at FROM models WHERE model = ?", (model,))
        if not rows or rows[0][1] is not None:
            return StorageError(f"{where}: must hold model {model}, got none. Restart the server")
        return StorageError(
            f"{where}: this server must own model {model}, got owner {rows[0][0] or 'none'}. "
            "Another server took over: stop this one"
        )

"""The storage interface on tables: the part that SQLite and PostgreSQL share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import Any

from driftline.serve.storage import log_rows, removal
from driftline.serve.storage.lease import Lease
from driftline.serve.storage.shared_lease import SharedLease
from driftline.serve.storage.storage import (
    SERVER_LOG,
    Batch,
    DamagedError,
    IdRow,
    ModelRow,
    Page,
    SnapshotRow,
    TokenRow,
)
from driftline.serve.storage.transactions import Database, Run

SNAPSHOT = "SELECT id, model, position, at, kind, size, digest, content FROM snapshots"
ROW = "SELECT id, model, position, at, kind, size FROM snapshots"


class SqlStorage(Database):
    """Logs, snapshots, ids and tokens in tables; see ``Storage`` for the methods.

    Parameters
    ----------
    lease_seconds : float
        Time from a renewal to the end of the lease, if leases end by time.
    """

    def __init__(self, lease_seconds: float) -> None:
        self._lease: Lease = Lease(self, lease_seconds)

    @property
    def sharing(self) -> SharedLease | None:
        """The leases of single models; None if this server has the database for itself."""
        return None

    @property
    @abstractmethod
    def renew_every(self) -> float | None:
        """Seconds after which ``renew`` must be called; None if never."""

    @abstractmethod
    def backup(self, path: str) -> None:
        """Copy the database into a new file while it is in use."""

    def commit(self, batch: Batch) -> None:
        """Write a batch in one transaction. It is on disk when the call returns."""
        models = {page.model for page in batch.pages} | {row.model for row in batch.ids}
        models |= {snapshot.model for snapshot in batch.snapshots} | set(batch.specs) | set(batch.deleted)
        with self.transaction() as run:
            self._lease.check(run, models or {SERVER_LOG})
            batch = replace(batch, pages=self._lease.fitted(run, batch.pages))
            log_rows.append(run, self, batch)
            for new in batch.snapshots:
                values = (new.model, new.position, new.at, new.kind, len(new.content))
                columns = "model, position, at, kind, size, digest, content"
                sql = f"INSERT INTO snapshots ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)"
                run(sql, (*values, sha256(new.content).digest(), new.content))
            for model, spec in batch.specs.items():
                run("UPDATE models SET spec = ? WHERE model = ?", (spec, model))
            for model, at in batch.deleted.items():
                removal.delete_model(run, model, at)
        self._lease.removed(batch.deleted)

    def renew(self) -> None:
        """Extend the lease; ``StorageError`` if another server took it."""
        self._lease.renew()

    def models(self) -> list[ModelRow]:
        """Return the models that are not deleted, oldest first; if servers share them, those of this one."""
        sql = "SELECT model, name, created_at, spec FROM models WHERE deleted_at IS NULL AND model > 0 ORDER BY model"
        return self._lease.own([ModelRow(*row) for row in self.read(sql, ())])

    def create_model(self, name: str, spec: str, at: float) -> int:
        """Add a model and return its number; ``ValueError`` if the name is in use."""
        with self.transaction() as run:
            self._lease.check(run, [SERVER_LOG])
            if not name or run("SELECT 1 FROM models WHERE name = ? AND deleted_at IS NULL", (name,)):
                raise ValueError(f"model: name must be new and not empty, got {name!r}. Choose another name")
            model = self._lease.add(run, name, spec, at)
        self._lease.added(model)
        return model

    def delete_model(self, model: int, at: float) -> None:
        """Delete a model, with its log, ids and snapshots."""
        self.commit(Batch(deleted={model: at}))

    def head(self, model: int) -> tuple[int, bytes]:
        """Return the position of the last event and the chain there."""
        return log_rows.head(self.read, model)

    def chain_before(self, model: int, position: int) -> tuple[int, bytes]:
        """Return the last position of the page before that of ``position``, and its chain."""
        return log_rows.chain_before(self.read, model, position)

    def pages(self, model: int, after: int = 0, until: int | None = None) -> Iterator[Page]:
        """Yield the pages with events after a position (and not after ``until``), in order."""
        return log_rows.pages(self.read, model, after, until)

    def snapshot(self, model: int, at_most: int | None = None) -> tuple[SnapshotRow, bytes] | None:
        """Return the last snapshot (with a position up to ``at_most``) and its content."""
        sql = f"{SNAPSHOT} WHERE model = ? AND position <= ? ORDER BY position DESC, id DESC LIMIT 1"
        return _checked(self.read(sql, (model, log_rows.LAST if at_most is None else at_most)))

    def snapshot_by_id(self, model: int, snapshot: int) -> tuple[SnapshotRow, bytes] | None:
        """Return a snapshot and its content; None if the model has no such snapshot."""
        return _checked(self.read(f"{SNAPSHOT} WHERE model = ? AND id = ?", (model, snapshot)))

    def snapshots(self, model: int) -> list[SnapshotRow]:
        """Return the snapshots of a model, by position."""
        rows = self.read(f"{ROW} WHERE model = ? ORDER BY position, id", (model,))
        return [SnapshotRow(*row) for row in rows]

    def drop_snapshot(self, snapshot: int) -> None:
        """Delete a snapshot; ``ValueError`` if removed events make it necessary."""
        with self.transaction() as run:
            rows = run("SELECT model FROM snapshots WHERE id = ?", (snapshot,))
            if not rows:
                raise ValueError(f"snapshot: id must be that of a snapshot, got {snapshot}. List the snapshots")
            self._lease.check(run, [rows[0][0]])
            removal.drop_snapshot(run, snapshot)

    def find_ids(self, model: int, ids: Sequence[str], kind: str) -> dict[str, IdRow]:
        """Return the rows of those ids that were used."""
        columns, texts = "model, id, kind, position, content", log_rows.encode_json(list(ids)).decode()
        sql = f"SELECT {columns} FROM ids WHERE model = ? AND kind = ? AND id IN ({self.texts})"
        rows = self.read(sql, (model, kind, texts))
        return {row[1]: IdRow(*row) for row in rows}

    def redact(self, model: int, positions: Sequence[int]) -> None:
        """Remove single events, with their ids. Their digests stay."""
        with self._removing(model) as run:
            removal.redact(run, model, positions)

    def forget_before(self, model: int, position: int) -> int:
        """Remove the events of whole pages before a position, with their ids; return the last one."""
        with self._removing(model) as run:
            return removal.forget_before(run, model, position)

    def complete_from(self, model: int) -> int:
        """Return the first position from which no event was removed; 1 if the log is complete."""
        rows = self.read("SELECT complete_from FROM models WHERE model = ?", (model,))
        return int(rows[0][0]) if rows else 1

    def tokens(self) -> list[TokenRow]:
        """Return all tokens by name, also those that expired or were revoked."""
        sql = "SELECT name, digest, scopes, created_at, expires_at, revoked_at, per_second FROM tokens ORDER BY name"
        return [TokenRow(*row) for row in self.read(sql, ())]

    def put_token(self, token: TokenRow) -> None:
        """Add a token, or replace the one of the same name."""
        values = (token.name, token.digest, token.scopes, token.created_at)
        with self.transaction() as run:
            run("DELETE FROM tokens WHERE name = ?", (token.name,))
            sql = "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?)"
            run(sql, (*values, token.expires_at, token.revoked_at, token.per_second))

    def revoke_token(self, name: str, at: float) -> None:
        """Refuse a token from now on; ``ValueError`` if there is none of that name."""
        with self.transaction() as run:
            if not run("UPDATE tokens SET revoked_at = ? WHERE name = ? RETURNING name", (at, name)):
                raise ValueError(f"token: name must be that of a token, got {name!r}. driftline token list shows them")

    @abstractmethod
    def close(self) -> None:
        """Release the database."""

    @contextmanager
    def _removing(self, model: int) -> Iterator[Run]:
        """Begin a transaction that removes events of a model, then overwrite what was removed."""
        with self.transaction() as run:
            self._lease.check(run, [model])
            yield run
        self.overwrite_removed()

    def overwrite_removed(self) -> None:
        """Overwrite removed content in the files, as far as the database can."""


def _checked(rows: list[Any]) -> tuple[SnapshotRow, bytes] | None:
    """Return the snapshot of a row and its content, compared with its digest."""
    if not rows:
        return None
    row, (digest, content) = SnapshotRow(*rows[0][:6]), rows[0][6:]
    if sha256(content).digest() != digest:
        raise DamagedError(
            f"snapshot {row.id} of model {row.model}: must agree with its digest, got other content. "
            f"Use a snapshot before event {row.position}, or restore a backup"
        )
    return row, content

"""The storage in one SQLite file, for one server.

The file is in WAL mode with ``synchronous=FULL``: every commit appends to the file ``-wal`` and
waits for one fsync. So a commit that returned survives kill -9, and also a loss of power if the
disk keeps what it has confirmed. Commits that were waiting for the fsync at that moment are lost
whole or kept whole. About every 1,000 database pages (4 MB), a commit also copies the WAL into the
database file, which takes two more fsyncs.

Removed events are overwritten with zeros (``secure_delete``), and the WAL is emptied after a
removal, or after the next commit if a backup reads it at that moment. Copies and file system
snapshots made before are not reached.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from driftline.serve.storage import schema
from driftline.serve.storage.file_lock import FileLock
from driftline.serve.storage.sql_storage import SqlStorage
from driftline.serve.storage.sqlite_errors import explained
from driftline.serve.storage.storage import DamagedError, StorageError
from driftline.serve.storage.transactions import Run

HEADER = b"SQLite format 3\0"
SETTINGS = {
    "synchronous": "FULL",
    "fullfsync": "ON",  # macOS: fsync alone leaves data in the cache of the disk
    "checkpoint_fullfsync": "ON",
    "secure_delete": "ON",
    "trusted_schema": "OFF",
    "journal_size_limit": "67108864",
    "cache_size": "-32000",
}
WAIT = 10.0
"""Seconds to wait for another process that writes, such as ``driftline token``."""


class SqliteStorage(SqlStorage):
    """A database file. Use ``open_storage`` or ``attach_storage``.

    Parameters
    ----------
    path : Path
        The file. A new one is created if ``create`` is true.
    lock : FileLock or None
        The lock of a server; None for a process that may run at the same time as a server.
    create : bool
        Whether to create the file if it does not exist.
    """

    for_update: ClassVar[str] = ""
    now: ClassVar[str] = "NULL"
    has_servers: ClassVar[str] = "SELECT 0"
    id_rows: ClassVar[str] = (
        "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), "
        "json_extract(value, '$[3]'), json_extract(value, '$[4]') FROM json_each(?)"
    )
    texts: ClassVar[str] = "SELECT value FROM json_each(?)"

    def __init__(self, path: Path, lock: FileLock | None, *, create: bool) -> None:
        super().__init__(lease_seconds=0.0)
        self.where = str(path)
        self._path = path
        self._lock = lock
        self._write_lock, self._read_lock = Lock(), Lock()
        self._wal_has_removed = False
        """Whether the WAL may still hold content that was removed."""
        if not check_kind(path):
            _create_file(path, create=create)
        with explained(self.where):
            self._writer = _connect(path)
            try:
                self._check_tables()
                self._reader = _connect(path)
                self._reader.execute("PRAGMA query_only = ON")
            except BaseException:
                self._writer.close()
                raise

    @property
    def renew_every(self) -> float | None:
        """None: the lock on the file does not end by time."""
        return None

    def take(self) -> None:
        """Become the server of this database."""
        self._lease.take()
        with self.transaction() as run:
            run(schema.RAISE_FORMAT, ())

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        """Begin a transaction that writes; commit at the end, roll back after an exception."""
        with self._write_lock, explained(self.where):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._run
                self._writer.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk has ended the transaction already
                    self._writer.execute("ROLLBACK")
                raise
            if self._wal_has_removed:
                with suppress(sqlite3.Error):  # the transaction is on disk: the next one tries again
                    self._empty_wal()

    def read(self, sql: str, parameters: Sequence[object]) -> list[Any]:
        """Return the rows of one statement, as of the last commit."""
        with self._read_lock, explained(self.where):
            return self._reader.execute(sql, parameters).fetchall()

    def overwrite_removed(self) -> None:
        """Copy the WAL into the database file and empty it; if a reader needs it, after a later commit."""
        with self._write_lock, explained(self.where):
            self._empty_wal()

    def _empty_wal(self) -> None:
        """Empty the WAL now, without waiting for readers such as a backup."""
        self._writer.execute("PRAGMA busy_timeout = 0")
        try:
            busy, *_ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self._writer.execute(f"PRAGMA busy_timeout = {WAIT * 1000:.0f}")
        self._wal_has_removed = bool(busy)

    def backup(self, path: str) -> None:
        """Copy the database into a new file while it is in use.

        The copy has the state of one commit: a prefix of every log. Writers do not wait; the WAL
        grows until the copy is complete. The file gets its name once it is complete and checked.
        """
        target = Path(path)
        partial = target.with_name(f"{target.name}.partial")
        if target.exists():
            raise ValueError(f"{path}: backup must be a new file, got one that exists. Give another name")
        try:
            partial.unlink(missing_ok=True)
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            raise StorageError(f"{path}: must be a file that can be written, got {error.strerror}") from error
        try:
            with explained(self.where):
                self._copy(partial)
            partial.replace(target)
            _sync_folder(target.parent)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Release the database."""
        with suppress(StorageError):
            self._lease.release()
        with self._read_lock:
            self._reader.close()
        with self._write_lock:
            self._writer.close()
        if self._lock is not None:
            self._lock.release()

    def _run(self, sql: str, parameters: Sequence[object]) -> list[Any]:
        return self._writer.execute(sql, parameters).fetchall()

    def _check_tables(self) -> None:
        """Create the tables in a new file, or check their version."""
        with self.transaction() as run:
            if not run("SELECT name FROM sqlite_master WHERE type = 'table'", ()):
                for statement in (*schema.statements(schema.SQLITE), schema.ADD_SERVER_LOG):
                    run(statement, ())
                run(schema.ADD_FORMAT, (str(schema.FORMAT),))
            schema.check_format(self.where, run(schema.READ_FORMAT, ()))

    def _copy(self, target: Path) -> None:
        source, copy = _connect(self._path), sqlite3.connect(target)
        try:
            source.backup(copy)
            copy.execute("PRAGMA synchronous = FULL")
            copy.execute("PRAGMA journal_mode = DELETE")
            fault = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
            if fault != "ok":
                raise DamagedError(f"{self.where}: must be intact, got {fault}. Restore an earlier backup")
        finally:
            copy.close()
            source.close()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"meta", "models", "pages"} <= tables:
            raise StorageError(
                f"{path}: must be a database of driftline, got one with the table {min(tables)}. Give another file"
            )
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StorageError(f"{path}: must be on a local disk for WAL mode, got mode {mode}. Choose another folder")
        for name, value in SETTINGS.items():
            connection.execute(f"PRAGMA {name} = {value}")
    except BaseException:
        connection.close()
        raise
    return connection


def check_kind(path: Path) -> bool:
    """Refuse a file of another kind before anything touches it; return whether the file exists."""
    try:
        if not path.exists():
            return False
        with path.open("rb") as file:
            header = file.read(len(HEADER))
    except OSError as error:
        raise _unusable(path, error) from error
    if header not in (b"", HEADER):
        raise StorageError(f"{path}: must be a SQLite database, got a file of another kind. Give another file")
    return True


def _create_file(path: Path, *, create: bool) -> None:
    """Create an empty file for the owner only."""
    if not create:
        raise StorageError(f"{path}: must be a database, got no such file. Check the path")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"{path}: must be a file that can be read and written, got {error.strerror}. Check the folder")


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a loss of power, where folders can be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

"""Opening a storage by its address: a path, ``sqlite:///path`` or ``postgresql://...``."""

from __future__ import annotations

from pathlib import Path

from driftline.serve.storage.file_lock import FileLock
from driftline.serve.storage.sqlite import SqliteStorage, check_kind
from driftline.serve.storage.storage import Storage

POSTGRES = ("postgresql://", "postgres://")


def open_storage(address: str, *, lease_seconds: float = 30.0, advertise: str = "") -> Storage:
    """Open a storage as its only server, or as one of several; create it if it is new.

    Parameters
    ----------
    address : str
        Path of a SQLite file, ``sqlite:///`` and a path, or the URL of a PostgreSQL database.
    lease_seconds : float, default=30.0
        PostgreSQL: the time after which another server may take over from one that does not call
        ``renew``. SQLite has a lock on the file instead.
    advertise : str, default=""
        PostgreSQL: where clients reach this server, to share the database with other servers. If
        empty, this server wants the database for itself.

    Raises
    ------
    StorageError
        If another server uses the storage, a later version wrote it, or it cannot be read.
    """
    if address.startswith(POSTGRES):
        from driftline.serve.storage.postgres import PostgresStorage

        storage = PostgresStorage(address, lease_seconds, advertise)
        try:
            storage.take()
        except BaseException:
            storage.close()
            raise
        return storage
    if advertise:
        raise ValueError(
            f"storage: servers that share a database must use PostgreSQL, got {address}. "
            "Give postgresql://..., or leave --advertise out"
        )
    path = _file(address)
    check_kind(path)  # before a lock file appears next to it
    lock = FileLock(path)
    try:
        file = SqliteStorage(path, lock, create=True)
    except BaseException:
        lock.release()
        raise
    try:
        file.take()
    except BaseException:
        file.close()
        raise
    return file


def attach_storage(address: str, *, create: bool = False) -> Storage:
    """Open a storage that a server may be using: to read, to change tokens, to make a backup.

    Methods that write logs, models or snapshots raise a ``StorageError``.

    Parameters
    ----------
    address : str
        As for ``open_storage``.
    create : bool, default=False
        Whether to create a SQLite file that does not exist.
    """
    if address.startswith(POSTGRES):
        from driftline.serve.storage.postgres import PostgresStorage

        return PostgresStorage(address)
    return SqliteStorage(_file(address), None, create=create)


def _file(address: str) -> Path:
    """Return the path of a SQLite file; links are followed, so that every name has the same lock."""
    kind, separator, rest = address.partition("://")
    if separator and (kind != "sqlite" or not rest.startswith("/")):
        raise ValueError(
            f"storage: address must be a path, sqlite:///path or postgresql://..., got {kind}://... "
            "Write sqlite:// and three slashes before a path"
        )
    return Path(rest[1:] if separator else address).resolve()

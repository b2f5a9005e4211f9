"""Errors of SQLite as ``StorageError``, with what must hold and a remedy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from driftline.serve.storage.storage import DamagedError, StorageError

MEANINGS = {
    "SQLITE_FULL": ("the disk must have free space", "Free some space"),
    "SQLITE_IOERR": ("the disk must accept reads and writes", "Check the disk and its free space"),
    "SQLITE_READONLY": ("the file and its folder must be writable", "Check the permissions"),
    "SQLITE_CANTOPEN": ("the file and its folder must be writable", "Check the permissions"),
    "SQLITE_PERM": ("the file and its folder must be writable", "Check the permissions"),
    "SQLITE_BUSY": ("no other process may write for long", "Stop the other process"),
    "SQLITE_LOCKED": ("no other process may write for long", "Stop the other process"),
    "SQLITE_CONSTRAINT": ("every id and page must be written once", "Read the log again"),
    "SQLITE_NOMEM": ("memory must suffice", "Give the process more memory"),
}
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn errors of SQLite into ``StorageError``; a damaged file is a ``DamagedError``."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(DAMAGED):
            raise DamagedError(f"{where}: must be intact, got {error}. Restore a backup") from error
        for prefix, (what, remedy) in MEANINGS.items():
            if name.startswith(prefix):
                raise StorageError(f"{where}: {what}, got {error}. {remedy}") from error
        raise StorageError(f"{where}: must accept the statement, got {error}. Check the file") from error

"""The records of keys that are not in memory: a temporary SQLite file."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp

from driftline.keyed.keys import Key, decoded, encoded

ASKED_AT_ONCE = 500


class Spill:
    """Records by key in a file that is deleted when it is no longer used.

    Parameters
    ----------
    folder
        The folder of the file; it is created if it does not exist.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            handle, path = mkstemp(".spill", "driftline-", folder)
            os.close(handle)
        except OSError as error:
            raise ValueError(
                f"Keyed: spill must be a folder that can be written, got {os.fspath(folder)!r} ({error.strerror}). "
                "Choose another one"
            ) from None
        self.path = Path(path)
        self._process = os.getpid()
        self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._close = weakref.finalize(self, _close, self._file, path, self._process)
        for setting in ("journal_mode=MEMORY", "synchronous=OFF", "locking_mode=EXCLUSIVE", "cache_size=-16384"):
            self._file.execute(f"PRAGMA {setting}").close()
        self._file.execute("CREATE TABLE keys (key BLOB PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID")

    def close(self) -> None:
        """Delete the file."""
        self._close()

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        if os.getpid() != self._process:
            raise RuntimeError(
                "Keyed: an object with a spill folder must be used in the process that created it, "
                "got a forked process. Save it, and load the file in the child"
            )
        try:
            yield self._file
        except sqlite3.Error as error:
            raise OSError(f"Keyed: the spill file {self.path} must be readable and writable, got {error}") from error

    def put(self, records: Iterable[tuple[Key, bytes]]) -> None:
        """Write records, all or none."""
        with self._used() as file:
            file.execute("BEGIN")
            try:
                file.executemany(
                    "INSERT OR REPLACE INTO keys VALUES (?, ?)", ((encoded(key), record) for key, record in records)
                )
                file.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    file.execute("ROLLBACK")
                raise

    def get(self, key: Key) -> bytes | None:
        """The record of a key, or None."""
        with self._used() as file:
            found = file.execute("SELECT state FROM keys WHERE key = ?", (encoded(key),)).fetchone()
        return None if found is None else found[0]

    def get_many(self, keys: Sequence[Key]) -> Iterator[tuple[Key, bytes]]:
        """The records of those keys that have one."""
        names = {encoded(key): key for key in keys}
        asked = sorted(names)
        with self._used() as file:
            for start in range(0, len(asked), ASKED_AT_ONCE):
                part = asked[start : start + ASKED_AT_ONCE]
                marks = ",".join("?" * len(part))
                for name, record in file.execute(f"SELECT key, state FROM keys WHERE key IN ({marks})", part):
                    yield names[name], record

    def remove(self, key: Key) -> None:
        """Remove a key, if it is there."""
        with self._used() as file:
            file.execute("DELETE FROM keys WHERE key = ?", (encoded(key),))

    def items(self) -> Iterator[tuple[Key, bytes]]:
        """All keys and records, in the order of the keys as bytes. Keys may be written meanwhile."""
        last = b""
        while True:
            with self._used() as file:
                found = file.execute(
                    "SELECT key, state FROM keys WHERE key > ? ORDER BY key LIMIT ?", (last, ASKED_AT_ONCE)
                ).fetchall()
            if not found:
                return
            for name, record in found:
                yield decoded(name), record
            last = found[-1][0]


def _close(file: sqlite3.Connection, path: str, process: int) -> None:
    if os.getpid() == process:
        with suppress(sqlite3.Error):
            file.close()
        Path(path).unlink(missing_ok=True)

"""The file of a ``Keyed``: an SQLite database, written at once or key by key in one transaction.

    about      a text with the options, and the model file of the template
    layouts    the layouts by number
    keys       key, record, and a checksum over both

A record is never executed: it is checked like the arrays of a model file when its key is used.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from zlib import crc32

from driftline.internals.file_targets import regular_target
from driftline.keyed.keys import Key, decoded, encoded
from driftline.saved.fault import ModelError, Place, UnfitError, loading
from driftline.saved.plain import parsed, written

APPLICATION = 0x646C6B79  # "dlky"
VERSION = 1
KIND = "file of dl.Keyed"
TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE layouts (number INTEGER PRIMARY KEY, value BLOB NOT NULL)",
    "CREATE TABLE keys (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
)
ABOUT = {"version", "byteorder", "key", "prior", "keys", "next", "stamp", "totals"}


def sealed(name: bytes, value: bytes) -> bytes:
    """Return a value with a checksum over its name and itself."""
    return value + crc32(value, crc32(name)).to_bytes(4, "little")


def opened(name: bytes, value: Any) -> bytes:
    """Return the value that was sealed; raise UnfitError if it has changed."""
    if type(value) is not bytes or len(value) < 4 or sealed(name, value[:-4]) != value:
        raise UnfitError("a file that is damaged or cut short", "Restore it from a copy")
    return value[:-4]


def is_blank(path: Place) -> bool:
    """Whether there is no file, or one whose process was killed before its first checkpoint was complete."""
    if not Path(path).is_file():
        return True
    with closing(sqlite3.connect(os.fspath(path), timeout=60.0)) as file:
        try:
            if not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return not file.execute("PRAGMA application_id").fetchone()[0]
            return not file.execute("SELECT count(*) FROM about").fetchone()[0]
        except sqlite3.DatabaseError:
            return False  # Keyed.load says what is wrong


class KeyedFile:
    """An open file.

    Parameters
    ----------
    path
        The file.
    new
        Whether it is created if it does not exist.
    """

    def __init__(self, path: Place, new: bool = False) -> None:
        self.path = os.fspath(path)
        self.is_new = False
        """Whether the file had no content."""
        if not new and not Path(path).is_file():
            found = "a folder" if Path(path).is_dir() else "no such file"
            raise UnfitError(found, "Check the path")
        self._file = sqlite3.connect(self.path, isolation_level=None, timeout=60.0)
        try:
            self._prepare(new)
        except BaseException:
            self._file.close()
            raise

    def _prepare(self, new: bool) -> None:
        file = self._file
        try:
            application = file.execute("PRAGMA application_id").fetchone()[0]
            empty = not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            raise UnfitError("a file of another format", "Load a file written by a Keyed's save(path)") from None
        if empty and application == 0 and new:
            self.is_new = True
            with self.writing():
                for table in TABLES:
                    file.execute(table)
                file.execute(f"PRAGMA application_id={APPLICATION}")
        elif application != APPLICATION:
            raise UnfitError("an SQLite file of another application", "Choose another file")
        elif new:  # a process may have been killed between the tables and their first content
            self.is_new = not file.execute("SELECT count(*) FROM about").fetchone()[0]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all or nothing is written."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._file.execute("ROLLBACK")
            raise

    # writing -------------------------------------------------------------------------------------
    def set_about(self, about: dict[str, Any], parts: dict[str, bytes]) -> None:
        """Write the options, and further parts by name."""
        values = {"about": written({"version": VERSION, "byteorder": sys.byteorder, **about}).encode(), **parts}
        self._file.execute("DELETE FROM about")
        self._file.executemany(
            "INSERT INTO about VALUES (?, ?)",
            [(name, sealed(name.encode(), value)) for name, value in values.items()],
        )

    def clear(self) -> None:
        """Remove all keys and layouts."""
        self._file.execute("DELETE FROM keys")
        self._file.execute("DELETE FROM layouts")

    def put_layouts(self, layouts: list[bytes]) -> None:
        """Write the layouts that are not in the file."""
        first = self._file.execute("SELECT count(*) FROM layouts").fetchone()[0]
        self._file.executemany(
            "INSERT INTO layouts VALUES (?, ?)",
            [(number, sealed(b"%d" % number, layouts[number])) for number in range(first, len(layouts))],
        )

    def put_keys(self, records: Iterable[tuple[Key, bytes]]) -> None:
        """Write records."""
        self._file.executemany(
            "INSERT OR REPLACE INTO keys VALUES (?, ?)",
            ((name, sealed(name, record)) for name, record in ((encoded(key), record) for key, record in records)),
        )

    def remove_keys(self, keys: Iterable[Key]) -> None:
        """Remove keys."""
        self._file.executemany("DELETE FROM keys WHERE key = ?", ((encoded(key),) for key in keys))

    # reading -------------------------------------------------------------------------------------
    def about(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The options, and further parts by name; raise UnfitError if they are invalid."""
        parts = {
            name: opened(str(name).encode(), value)
            for name, value in self._file.execute("SELECT name, value FROM about")
        }
        about = parsed(parts.pop("about", b"null").decode("ascii", "replace"))
        if not isinstance(about, dict) or type(about.get("version")) is not int:
            raise UnfitError("a file without options")
        if about["version"] > VERSION:
            raise UnfitError(f"a file written by a newer driftline (format {about['version']})", "Upgrade driftline")
        if about.keys() != ABOUT or not {"template", "start"} <= parts.keys():
            raise UnfitError(f"options {sorted(about)}")
        if about["byteorder"] != sys.byteorder:
            raise UnfitError("a file of a machine with another byte order", "Move keys with states() and put_state()")
        return about, parts

    def layouts(self) -> list[bytes]:
        """The layouts in the order of their numbers."""
        rows = self._file.execute("SELECT number, value FROM layouts ORDER BY number").fetchall()
        if [number for number, _ in rows] != list(range(len(rows))):
            raise UnfitError("layouts with gaps")
        return [opened(b"%d" % number, value) for number, value in rows]

    def keys(self) -> Iterator[tuple[Key, bytes]]:
        """All keys and records."""
        for name, value in self._file.execute("SELECT key, value FROM keys"):
            record = opened(name, value)
            try:
                yield decoded(name), record
            except ValueError as error:
                raise UnfitError(str(error)) from None


@contextmanager
def reading(path: Place) -> Iterator[KeyedFile]:
    """Open a file to read it; raise ModelError for anything that is wrong with it."""
    with loading(path, KIND):
        try:
            with closing(KeyedFile(path)) as file:
                yield file
        except sqlite3.OperationalError as error:
            raise OSError(0, str(error)) from error
        except sqlite3.DatabaseError:
            raise UnfitError("a file that is damaged or cut short", "Restore it from a copy") from None


@contextmanager
def updating(path: Place) -> Iterator[KeyedFile]:
    """Open a file to change it, or create it."""
    with loading(path, KIND), _as_os_error(path), closing(KeyedFile(path, new=True)) as file:
        yield file


@contextmanager
def replacing(path: Place) -> Iterator[KeyedFile]:
    """Write a new file, which then takes the place of ``path``."""
    with _as_os_error(path):
        target = regular_target(path)
        half = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with closing(KeyedFile(half, new=True)) as file:
                yield file
            if target.exists():
                shutil.copymode(target, half)
            half.replace(target)
        except BaseException:
            half.unlink(missing_ok=True)
            raise
        with suppress(OSError):
            handle = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


@contextmanager
def _as_os_error(path: Place) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise ModelError(
            f"save: {os.fspath(path)} must be a file that can be written, got {why}. "
            "Check the path, its permissions and the free disk space"
        ) from error

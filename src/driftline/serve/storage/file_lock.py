"""A lock file next to a database file, so that one server at a time writes it.

The system releases the lock when the process ends, also after kill -9. The file remains, and says
which process had the lock last.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

from driftline.serve.storage.storage import StorageError

if sys.platform == "win32":
    import msvcrt

    def _claim(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # beyond the text, which others must be able to read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _claim(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """The lock of a database file, from the constructor until ``release``.

    Parameters
    ----------
    database : Path
        The database file; the lock is a file with ``.lock`` added to its name.
    """

    def __init__(self, database: Path) -> None:
        path = database.with_name(f"{database.name}.lock")
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StorageError(
                f"{database}: must be in a folder that can be written, got {error.strerror} for {path.name}. "
                "Choose another folder"
            ) from error
        try:
            _claim(self._descriptor)
        except OSError as error:
            owner = os.read(self._descriptor, 200).decode("utf-8", "replace").strip()
            os.close(self._descriptor)
            raise StorageError(
                f"{database}: no other server may use this database, got {owner or 'another process'}. "
                "Stop it, or give this server another database"
            ) from error
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())

    def release(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)

"""Atomic replacement of a file: readers see the old or the new content, even after a crash."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from driftline.saved.fault import ModelError, Place


def replace(path: Place, parts: Iterable[Any]) -> None:
    """Write the parts to a temporary file in the same folder, then rename it to ``path``."""
    target = Path(os.path.realpath(path))  # follow symbolic links
    temporary = target.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        if target.is_dir():
            raise IsADirectoryError(None, "a folder")
        try:
            _write(temporary, parts)
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ModelError(
            f"save: {os.fspath(path)} must be a file that can be written, got {error.strerror}. "
            "Check the path, its permissions and the free disk space"
        ) from error
    _sync_folder(target.parent)


def _write(path: Path, parts: Iterable[Any]) -> None:
    with path.open("xb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Flush the folder, so that the new name survives a crash, where the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

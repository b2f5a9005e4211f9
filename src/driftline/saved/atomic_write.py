"""Replace a file as a whole: whoever looks sees the old one or the new one, also after a crash."""

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
    """Write the parts, one after the other, into a file beside it, then give that its name."""
    target = Path(os.path.realpath(path))  # of a link the file that it points to
    beside = target.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        if target.is_dir():
            raise IsADirectoryError(None, "a folder")
        try:
            _write(beside, parts)
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ModelError(
            f"save: {os.fspath(path)} must be a file that can be written, got {error.strerror}. "
            "Check the path, your rights to it and the room on the disk"
        ) from error
    _sync_folder(target.parent)


def _write(path: Path, parts: Iterable[Any]) -> None:
    with path.open("xb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the new name last, on systems and drives that can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

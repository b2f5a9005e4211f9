"""Atomic replacement of a file: readers see the old or the new content, even after a crash."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from driftline.internals.file_targets import is_sink, regular_target, replacing, write_to_sink
from driftline.saved.fault import ModelError, Place


def replace(path: Place, parts: Iterable[Any]) -> None:
    """Write the parts to a temporary file in the same folder, then rename it to ``path``.

    A pipe or the null device cannot be replaced; the parts are written straight to it.
    """
    try:
        if is_sink(path):
            write_to_sink(path, parts)
            return
        target = regular_target(path)
        with replacing(target, f".{secrets.token_hex(8)}.tmp") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ModelError(
            f"save: {os.fspath(path)} must be a file that can be written, got {error.strerror}. "
            "Check the path, its permissions and the free disk space"
        ) from error
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Flush the folder, so that the new name survives a crash, where the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

"""Where output may be written: to a regular file, which is replaced atomically, or to a sink.

A rename over a device, a pipe or a socket would remove it, so only a regular file is ever replaced.
A sink is a pipe or the null device. Content that is written once may go straight to a sink.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

Place = str | os.PathLike[str]

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
OPEN_FILES = re.compile(r"/proc/\d+(/task/\d+)?/fd")
MOST_LINKS = 40


def regular_target(path: Place) -> Path:
    """Return the file that a rename may replace, after following symbolic links.

    Raise OSError, with the kind of the target as ``strerror``, unless the target is a regular
    file or does not exist yet. An open file such as /dev/stdout is refused too: its reader would
    not see the new file.
    """
    if _is_open_file(os.fspath(path)):
        raise OSError(None, "an open file of this process")
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(mode):
        raise OSError(None, KINDS.get(stat.S_IFMT(mode), "something that is not a file"))
    return target


def is_sink(path: Place) -> bool:
    """Return whether the path is a pipe or the null device."""
    try:
        found = Path(path).stat()
    except OSError:
        return False
    return stat.S_ISFIFO(found.st_mode) or _is_null(found)


def is_stdout(path: Place) -> bool:
    """Return whether the path is the standard output of this process, other than the null device.

    Text that is printed there would be mixed with the content, or lost.
    """
    try:
        found, printed = Path(path).stat(), os.fstat(1)
    except OSError:
        return False
    return os.path.samestat(found, printed) and not _is_null(found)


def _is_null(found: os.stat_result) -> bool:
    null = Path(os.devnull)
    return stat.S_ISCHR(found.st_mode) and null.exists() and found.st_rdev == null.stat().st_rdev


def write_to_sink(path: Place, parts: Iterable[Any]) -> None:
    """Write the parts straight to a pipe or to the null device."""
    with Path(path).open("wb") as file:
        for part in parts:
            file.write(part)


@contextmanager
def replacing(path: Place, temporary_name: str) -> Iterator[BinaryIO]:
    """Yield a temporary file in the same folder; at the end, rename it to ``path``.

    A symbolic link stays a link, and the file that it points to is replaced. An existing file
    keeps its permissions. After an error the temporary file is removed and the old file is left
    unchanged.
    """
    target = regular_target(path)
    temporary = target.parent / temporary_name
    try:
        with temporary.open("wb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_open_file(path: str) -> bool:
    """Return whether the path leads to an open file of a process, as /dev/stdout does."""
    for _ in range(MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))  # noqa: PTH100, PTH120
        if OPEN_FILES.fullmatch(folder):
            return True
        if not os.path.islink(path):  # noqa: PTH114
            return False
        path = os.path.join(folder, os.readlink(path))  # noqa: PTH115, PTH118
    return False

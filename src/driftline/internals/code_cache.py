"""The cache of compiled code on disk: which folder it is in, and what happens if it cannot be used.

Code that came with the installed package is used first (``packaged_code``). For all other code, the
first folder that can be written is used:

1. the folder named by the environment variable NUMBA_CACHE_DIR;
2. ``__pycache__`` next to the source file;
3. numba's folder in the user's cache directory;
4. a private folder in the temporary directory, as in a container with read-only sources and home;
5. none: every process compiles again.

In cases 4 and 5, code that is stored in folder 1 or 2 is still read: an image may contain it.
These cases and a failed write give one warning per process, after something was compiled. An
unreadable or unwritable cache never makes a call fail.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
    NullCache,
    UserProvidedCacheLocator,
)

from driftline.internals.packaged_code import PackagedCache, packaged

REMEDY = "Set NUMBA_CACHE_DIR to a folder that can be written and that is kept"


class SignedFile(IndexDataCacheFile):  # type: ignore[misc]
    """Stores the cache key with each compiled function and treats a mismatch as a miss.

    numba writes the index before the machine code and locks neither file. When two processes save
    at once, the index of one can point to the code of the other. Until new code is written, the
    index points to old code. After a miss the function is compiled and saved again.
    """

    def __init__(self, file: IndexDataCacheFile, filename_base: str, stamp: object) -> None:
        super().__init__(file._cache_path, filename_base, file._source_stamp)
        self._version: tuple[object, ...] = (file._version, stamp)  # numba compares it before it unpickles the index

    def _owner(self, key: object) -> tuple[object, ...]:
        return self._version, self._source_stamp, key

    def save(self, key: object, data: object) -> None:
        """Save compiled code together with its key."""
        super().save(key, (*self._owner(key), data))

    def load(self, key: object) -> object:
        """Return the code of this key; None if there is none or if it belongs to another key."""
        kept = super().load(key)
        return kept[-1] if kept is not None and kept[:-1] == self._owner(key) else None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # a damaged index can raise any error; it is then written anew
            return {}


class CodeCache(FunctionCache):  # type: ignore[misc]
    """The cache of one function in a folder that numba chooses (1 to 3)."""

    def __init__(self, function: Callable[..., Any], stamp: object) -> None:
        super().__init__(function)
        self._cache_file: SignedFile = SignedFile(vars(self)["_cache_file"], self._impl.filename_base, stamp)

    def load_overload(self, sig: object, target_context: object) -> Any:
        """Return the compiled function; None if it is not stored or cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged code can raise any error; it is then compiled and saved again
            return None

    def save_overload(self, sig: object, data: object) -> None:
        """Store a compiled function; warn if it cannot be written."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            why = error.strerror or type(error).__name__
            warn_once(f"driftline: compiled code must be stored on disk, got {why!r} in {self.cache_path}. {REMEDY}")
        else:
            self.saved()

    def saved(self) -> None:
        """Called after each save."""


class ReadOnlyLocator(InTreeCacheLocator):  # type: ignore[misc]
    """Locates code that was stored before NUMBA_CACHE_DIR or ``__pycache__`` became read-only."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        if config.CACHE_DIR:
            self._cache_path = UserProvidedCacheLocator(function, file).get_cache_path()

    def ensure_cache_path(self) -> None:
        """Nothing to do: the folder is only read."""


class ReadOnlyCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """Reads code from the read-only folder."""

    _locator_classes = (ReadOnlyLocator,)


class ReadOnlyCache(CodeCache):
    """The code of one function in a folder that cannot be written (5)."""

    _impl_class = ReadOnlyCacheImpl

    def save_overload(self, sig: object, data: object) -> None:
        """Store nothing, and warn."""
        warn_not_stored()


class TemporaryLocator(InTreeCacheLocator):  # type: ignore[misc]
    """Locates the cache in the private temporary folder."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = str(private_folder() / self.get_suitable_cache_subpath(file))


class TemporaryCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """Stores code only in the private temporary folder."""

    _locator_classes = (TemporaryLocator,)


class TemporaryCache(CodeCache):
    """The cache of one function in the private temporary folder (4)."""

    _impl_class = TemporaryCacheImpl

    def __init__(self, function: Callable[..., Any], stamp: object) -> None:
        super().__init__(function, stamp)
        self._read_only = ReadOnlyCache(function, stamp)

    def load_overload(self, sig: object, target_context: object) -> Any:
        """Return the compiled function from the read-only or the private folder; None for a miss."""
        found = self._read_only.load_overload(sig, target_context)
        return super().load_overload(sig, target_context) if found is None else found

    def saved(self) -> None:
        """Warn that the folder may be temporary."""
        warn_once(
            "driftline: a folder for compiled code must be writable, got none next to the sources or in the home "
            f"directory. Compiled code is stored in {private_folder()}. {REMEDY}"
        )


class NoCache(NullCache):  # type: ignore[misc]
    """Reads and stores nothing: NUMBA_CACHE_LOCATOR_CLASSES allows no folder."""

    def save_overload(self, sig: object, data: object) -> None:
        """Warn that every process compiles again."""
        warn_not_stored()


def cache_of(function: Callable[..., Any], stamp: object) -> PackagedCache | CodeCache | NoCache:
    """Choose the cache of a function.

    Parameters
    ----------
    function
        The Python function.
    stamp
        Everything that its compiled code depends on. Code with another stamp is a miss.
    """
    archive = packaged(function)
    if archive is not None:
        return PackagedCache(archive, function, stamp, partial(folder_cache, function, stamp))
    return folder_cache(function, stamp)


def folder_cache(function: Callable[..., Any], stamp: object) -> CodeCache | NoCache:
    """Choose the cache of a function in a folder, 1 to 5."""
    for kind in (CodeCache, TemporaryCache, ReadOnlyCache):
        try:
            return kind(function, stamp)
        except (OSError, RuntimeError):  # numba raises RuntimeError if no folder can be written
            continue
    return NoCache()


@cache
def _private_folder() -> Path | str:
    """The private folder, or why there is none."""
    try:
        folder = Path(tempfile.gettempdir()).resolve() / f"driftline-{_user()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        fault = _fault_of(folder)
    except OSError as error:
        return str(error)
    return fault or folder


def private_folder() -> Path:
    """A folder in the temporary directory that no other user can write; OSError if there is none.

    numba unpickles the files of a cache, so another user who could write them could run code here.
    """
    found = _private_folder()
    if isinstance(found, str):
        raise OSError(found)
    return found


def _user() -> int:
    """The number of the effective user; 0 on Windows, where every user has a temporary directory."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _fault_of(folder: Path) -> str:
    """Why other users could write to the folder or replace it; empty if they cannot."""
    if not hasattr(os, "geteuid"):
        return ""
    own, above = folder.lstat(), folder.parent.stat()
    if not stat.S_ISDIR(own.st_mode) or own.st_uid != _user() or own.st_mode & 0o077:
        return f"{folder} is not a folder that only this user can read and write"
    if above.st_uid not in (0, _user()) or (above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX):
        return f"other users can replace folders in {folder.parent}"
    return ""


def warn_not_stored() -> None:
    """Warn that compiled code is not stored."""
    warn_once(
        "driftline: a folder for compiled code must be writable, got none next to the sources, in the home "
        f"directory or in the temporary directory. Every process compiles again. {REMEDY}"
    )


def warn_once(message: str) -> None:
    """Warn, the first time that this process has a reason to.

    Warnings that are turned into errors are printed instead: compiled code that cannot be stored
    must not make a call fail.
    """
    if warned:
        return
    warned.append(message)
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    except RuntimeWarning:
        print(message, file=sys.stderr)


warned: list[str] = []
"""The warning that was given, if any."""

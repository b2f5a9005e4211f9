"""How driftline compiles its loops: numba, once, cached on disk.

``jit`` is for functions that decide, ``inlined`` for those that an engine calls on every row, ``brief`` for those that
Python calls on every row. ``fused`` is for inner loops whose sums keep their order, so that a row gives the same bits
wherever it is compiled into; ``leaf`` for those whose order is no matter: they may be reordered, but never assume that
NaN and infinity are absent, so that checks stay true. Functions live at module level: numba caches nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba.core.event import Event, Listener, install_listener

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float64] | npt.NDArray[np.float32]
Indices = npt.NDArray[np.uint32]
Offsets = npt.NDArray[np.uint64]
Params = tuple[float, ...]

F = TypeVar("F", bound=Callable[..., Any])

_LOOSE = {"reassoc", "nsz", "contract", "arcp"}
_FUSED = {"contract"}


HOME = Path(__file__).parents[1]
STAMPED = {
    "internals": ("internals",),
    "rules": ("internals", "rules"),
    "engines": ("internals", "rules", "engines"),
    "encode": ("internals", "encode"),
    "streams": ("internals", "streams"),
    "certify": ("internals", "rules", "engines", "certify"),
}
"""Package folder to the folders whose compiled functions its own may call."""


@cache
def _source_stamp(folders: tuple[str, ...]) -> str:
    """One hash over every source file below these folders, with its name."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((HOME / folder).rglob("*.py")):
            digest.update(str(path.relative_to(HOME)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def _stamp_of(file: str) -> str:
    """The hash over all sources that may be compiled into the functions of this file."""
    path = Path(file)
    room = path.relative_to(HOME).parts[0] if path.is_relative_to(HOME) else "internals"
    return _source_stamp(STAMPED[room])


def _sign(file: Any) -> None:
    """Let a cache file keep with each code whose it is, and find it for nobody else.

    numba writes the index first and the code after it, and locks neither. Of two processes that save at once, the
    index of one may so name the code of the other; and until new code is written, the index names the old one.
    What is not found is compiled and saved again.
    """
    save, load = file.save, file.load

    def owner(key: object) -> tuple[object, ...]:
        return file._version, file._source_stamp, key

    def load_own(key: object) -> object:
        kept = load(key)
        return kept[-1] if kept is not None and kept[:-1] == owner(key) else None

    file.save = lambda key, data: save(key, (*owner(key), data))
    file.load = load_own


def _compile(function: F, loose: set[str] | bool = False, inline: bool = False, nogil: bool = True) -> F:
    options = {"cache": True, "nogil": nogil, "error_model": "numpy", "forceinline": inline}
    dispatcher = numba.njit(**options, fastmath=loose)(function)
    # numba compares only the file of the function itself with its cache; a rule that is compiled into an engine
    # lives in another file. The stamp of all files together makes the cache notice that change too, and as a version it
    # is looked at before anything that may name a class which is there no more.
    file = getattr(dispatcher._cache, "_cache_file", None)
    if file is not None:
        file._version = (file._version, _stamp_of(function.__code__.co_filename))
        _sign(file)
    return cast(F, dispatcher)


def jit(function: F) -> F:
    """Compile a function that decides: strict arithmetic."""
    return _compile(function)


def brief(function: F) -> F:
    """``jit``, for what Python calls for one row: over too soon to let other threads run."""
    return _compile(function, nogil=False)


def inlined(function: F) -> F:
    """``jit``, for what an engine does on every row: compiled into its loop."""
    return _compile(function, inline=True)


def leaf(function: F) -> F:
    """Compile an inner loop that only adds and multiplies: sums may be reordered."""
    return _compile(function, _LOOSE)


def fused(function: F) -> F:
    """Compile an inner loop whose sums keep their order; a multiplication and an addition may become one."""
    return _compile(function, _FUSED, inline=True)


class _Heard(Listener):  # type: ignore[misc]
    """Is told by numba of whatever is not found on disk, and so is compiled."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self.tell = tell

    def on_start(self, event: Event) -> None:
        """Something begins to be compiled."""
        self.tell()

    def on_end(self, event: Event) -> None:
        """It is compiled."""


@contextmanager
def compiling(tell: Callable[[], None]) -> Iterator[None]:
    """As long as this lasts, ``tell`` is called before anything is compiled, and not where it is found on disk."""
    with install_listener("numba:compile", _Heard(tell)):
        yield


@lru_cache(maxsize=None, typed=True)
def direct(function: Callable[..., Any], *args: object) -> Callable[..., Any]:
    """The compiled function for arguments of these very types, without looking at types on each call."""
    dispatcher: Any = function
    types = tuple(numba.typeof(value) for value in args)
    dispatcher.compile(types)
    return cast(Callable[..., Any], dispatcher.get_overload(types))

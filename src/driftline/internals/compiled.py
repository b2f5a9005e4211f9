"""Compilation with numba: once per source version, cached on disk.

* ``jit``: strict arithmetic, for functions with branches.
* ``inlined``: ``jit`` for what an engine does on every row; compiled into the caller's loop.
* ``brief``: ``jit`` for what Python calls once per row; keeps the interpreter's lock.
* ``fused``: inner loops with a fixed order of summation. A row gives the same bits in every caller.
* ``leaf``: inner loops whose sums may be reordered. NaN and infinity are still respected, so checks hold.
* ``native``: code for LLVM, with the same function in Python.

Compiled functions live at module level, because numba caches nothing else on disk. ``code_cache`` chooses the folder.
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
from numba.extending import intrinsic

from driftline.internals.linking import Entry

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float64] | npt.NDArray[np.float32]
Indices = npt.NDArray[np.uint32]
Offsets = npt.NDArray[np.uint64]
Params = tuple[float, ...]

F = TypeVar("F", bound=Callable[..., Any])

_LOOSE = {"reassoc", "nsz", "contract", "arcp"}
_FUSED = {"contract"}


INTERPRETED = bool(numba.config.DISABLE_JIT)
"""NUMBA_DISABLE_JIT=1: nothing is compiled, so that a debugger can step through every function."""
BOUNDS_CHECKED = bool(numba.config.BOUNDSCHECK)
"""NUMBA_BOUNDSCHECK=1: compiled code raises IndexError for an index out of range."""
PLAIN_LOOPS = INTERPRETED or BOUNDS_CHECKED
"""Whether plain loops replace code for LLVM, which cannot be interpreted and does not check bounds."""

HOME = Path(__file__).parents[1]
STAMPED = {
    "internals": ("internals",),
    "rules": ("internals", "rules"),
    "engines": ("internals", "rules", "engines"),
    "encode": ("internals", "encode"),
    "streams": ("internals", "streams"),
    "drift": ("internals", "drift"),
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
def stamp_of(file: str) -> str:
    """The hash over all sources that may be compiled into the functions of this file."""
    path = Path(file)
    room = path.relative_to(HOME).parts[0] if path.is_relative_to(HOME) else "internals"
    return _source_stamp(STAMPED[room])


def source_stamps() -> dict[str, str]:
    """The hash over the sources of the functions of each package folder."""
    return {folder: _source_stamp(below) for folder, below in STAMPED.items()}


def _compile(function: F, loose: set[str] | bool = False, inline: bool = False, nogil: bool = True) -> F:
    if INTERPRETED:
        # compiled code follows IEEE 754 and wraps integers without a warning
        return np.errstate(all="ignore")(function)
    options = {
        "nopython": True,
        "nogil": nogil,
        "error_model": "numpy",
        "forceinline": inline,
        "fastmath": loose,
        "boundscheck": None,
    }
    # numba checks only the function's own source file. A rule that is inlined into an engine lives in another file, so
    # the stamp covers all of them. numba's cache key also ignores whether indices are checked.
    return cast(F, Entry(function, options, (stamp_of(function.__code__.co_filename), BOUNDS_CHECKED)))


def jit(function: F) -> F:
    """Compile with strict arithmetic."""
    return _compile(function)


def brief(function: F) -> F:
    """``jit`` for a call on one row, which is too short to release the interpreter's lock."""
    return _compile(function, nogil=False)


def inlined(function: F) -> F:
    """``jit`` for what an engine does on every row: compiled into the caller's loop."""
    return _compile(function, inline=True)


def leaf(function: F) -> F:
    """Compile an inner loop of additions and multiplications whose sums may be reordered.

    It is always inlined. Otherwise the loaded code of a caller holds a second copy, which may sum in
    another order than the copy used by the process that compiled it.
    """
    return _compile(function, _LOOSE, inline=True)


def fused(function: F) -> F:
    """Compile an inner loop with a fixed order of summation; fused multiply-add is allowed."""
    return _compile(function, _FUSED, inline=True)


def native(plain: F) -> Callable[[Callable[..., Any]], F]:
    """Compile code for LLVM, as ``numba.extending.intrinsic`` does.

    Parameters
    ----------
    plain
        The same function in Python, which runs if nothing is compiled. A plain loop that is itself
        compiled (``fused``) also replaces the code for LLVM if bounds are checked.
    """

    def choose(generator: Callable[..., Any]) -> F:
        if INTERPRETED or (PLAIN_LOOPS and hasattr(plain, "py_func")):
            return plain
        return cast(F, intrinsic(generator))

    return choose


class _Heard(Listener):  # type: ignore[misc]
    """Calls a function whenever numba starts to compile something that is not in the cache."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self.tell = tell

    def on_start(self, event: Event) -> None:
        """A compilation starts."""
        self.tell()

    def on_end(self, event: Event) -> None:
        """A compilation ends."""


@contextmanager
def compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Within this context, call ``tell`` before each compilation. Loading from the cache does not count."""
    with install_listener("numba:compile", _Heard(tell)):
        yield


@lru_cache(maxsize=None, typed=True)
def direct(function: Callable[..., Any], *args: object) -> Callable[..., Any]:
    """The compiled function for arguments of these types, without type dispatch on each call."""
    if INTERPRETED:
        return function
    entry = cast(Entry, function)
    return entry.entry(tuple(numba.typeof(value) for value in args))

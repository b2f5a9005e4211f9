"""Compiled code that a wheel carries: an archive of numba's compiled functions, and when it is used.

The archive was written for a baseline: a processor that has a list of features and no others. It is
used if Python, numba and llvmlite have the versions of the index, and if this processor has all
features of the baseline. A function is found if its signature, its bytecode and the hash over all
sources that it may contain are those of the archive. Otherwise ``code_cache`` goes on as if there were
no archive. numba's configuration is not changed.

Two files in ``driftline/compiled``:

* ``index.json``: the format, the versions, the baseline, the hash of the sources of each folder, and
  for each function the place, length and SHA-256 of its code.
* ``code.bin``: the code of each function, a pickle compressed by zlib. Its hash is compared before
  it is unpickled. Nothing else is unpickled.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from pickle import loads
from typing import Any, NamedTuple

import llvmlite
import numba
from llvmlite import binding
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult

HOME = Path(__file__).parents[1]
FOLDER = HOME / "compiled"
FORMAT = 1


def versions() -> dict[str, str]:
    """All that compiled code depends on beside the sources and the processor."""
    return {
        "python": f"{sys.implementation.cache_tag} {MAGIC_NUMBER.hex()}",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "platform": f"{sys.platform} {platform.machine()}",
    }


def features_of_processor() -> frozenset[str]:
    """The features of this processor, by LLVM's names."""
    return frozenset(name for name, present in binding.get_host_cpu_features().items() if present)


def code_key(function: Callable[..., Any], stamp: object, sig: object) -> str:
    """The key of one compiled function in the index.

    Parameters
    ----------
    function
        The Python function.
    stamp
        Everything that its compiled code depends on.
    sig
        The types of its arguments.
    """
    code = function.__code__
    where = Path(code.co_filename).relative_to(HOME).as_posix()
    return key_of(where, function.__qualname__, hashlib.sha256(code.co_code).hexdigest(), stamp, sig)


def key_of(where: str, qualname: str, bytecode: str, stamp: object, sig: object) -> str:
    """``code_key`` of a function that need not be imported: ``where`` is its file below ``driftline``."""
    return hashlib.sha256(repr((where, qualname, bytecode, stamp, str(sig))).encode()).hexdigest()


class Place(NamedTuple):
    """Where the code of a function is in ``code.bin``, and its SHA-256."""

    start: int
    length: int
    sha256: str


class Archive:
    """The compiled code of a wheel.

    Parameters
    ----------
    index
        The content of ``index.json``.
    file
        ``code.bin``.
    """

    def __init__(self, index: Mapping[str, Any], file: Path) -> None:
        self.baseline: Mapping[str, Any] = index["baseline"]
        self.stamps: Mapping[str, str] = index["stamps"]
        self._places: Mapping[str, Any] = index["functions"]
        self._file = file

    def __len__(self) -> int:
        return len(self._places)

    def read(self, key: str, sig: object) -> Any:
        """The stored form of a compiled function; None if it is not in the archive or damaged."""
        if key not in self._places:
            return None
        place = Place(*self._places[key])
        with self._file.open("rb") as file:
            file.seek(place.start)
            packed = file.read(place.length)
        if hashlib.sha256(packed).hexdigest() != place.sha256:
            return None
        kept, code = loads(zlib.decompress(packed))
        return code if kept == sig else None  # the names of two types may be equal


class PackagedCache(NullCache):  # type: ignore[misc]
    """The cache of one function: the archive first, then a folder of the user.

    Parameters
    ----------
    archive
        The archive.
    function, stamp
        See ``code_cache.cache_of``.
    folder
        Chooses the cache in a folder, when the archive does not contain what is asked for.
    """

    def __init__(
        self, archive: Archive, function: Callable[..., Any], stamp: object, folder: Callable[[], Any]
    ) -> None:
        self._archive, self._function, self._stamp = archive, function, stamp
        self._folder = cache(folder)

    @property
    def cache_path(self) -> str | None:
        """The folder of the user, for numba's statistics."""
        path: str | None = self._folder().cache_path
        return path

    def load_overload(self, sig: object, target_context: Any) -> Any:
        """Return the compiled function from the archive or the folder; None for a miss."""
        found = self._packaged(sig, target_context)
        return self._folder().load_overload(sig, target_context) if found is None else found

    def save_overload(self, sig: object, data: object) -> None:
        """Store a compiled function in the folder."""
        self._folder().save_overload(sig, data)

    def _packaged(self, sig: object, target_context: Any) -> Any:
        try:
            code = self._archive.read(code_key(self._function, self._stamp, sig), sig)
            if code is None:
                return None
            target_context.refresh()
            return CompileResult._rebuild(target_context, *code)
        except Exception:  # a damaged file can raise any error; the function is then compiled
            return None


def packaged(function: Callable[..., Any]) -> Archive | None:
    """The archive, if it may contain this function."""
    found = archive_or_reason()
    own = function.__closure__ is None and Path(function.__code__.co_filename).is_relative_to(HOME)
    return found if own and isinstance(found, Archive) else None


@cache
def archive_or_reason() -> Archive | str:
    """The archive, or why none is used."""
    try:
        index = json.loads((FOLDER / "index.json").read_bytes())
        return _reason(index) or Archive(index, FOLDER / "code.bin")
    except FileNotFoundError:
        return "this installation has no compiled code"
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        return f"{FOLDER / 'index.json'} cannot be read: {error}"


def _reason(index: Mapping[str, Any]) -> str:
    """Why the archive of this index cannot be used; empty if it can."""
    if index["format"] != FORMAT:
        return f"the compiled code has format {index['format']}, this version reads format {FORMAT}"
    present = versions()
    for name, needed in index["versions"].items():
        if present[name] != needed:
            return f"the compiled code is for {name} {needed}, this is {name} {present[name]}"
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return "NUMBA_CPU_NAME or NUMBA_CPU_FEATURES chooses another processor"
    missing = sorted(set(index["baseline"]["features"]) - features_of_processor())
    if missing:
        return f"the compiled code needs a processor with {', '.join(missing)}"
    return ""


def changed_folders(stamps: Mapping[str, str]) -> list[str]:
    """The package folders whose sources are not those of the archive: their functions are compiled.

    Parameters
    ----------
    stamps
        The hash over the sources of each folder, as they are now.
    """
    found = archive_or_reason()
    if not isinstance(found, Archive):
        return []
    return [name for name, stamp in stamps.items() if found.stamps.get(name) != stamp]

"""Errors for files and bytes that cannot be read or written: one line with place, finding and remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

Place = str | os.PathLike[str]
AGAIN = "Save it again"


class Origin(NamedTuple):
    """How error messages name the source of a container, and the remedy for one that is not expected there."""

    noun: str
    check: str
    own: str


FILE = Origin("file", "Check the path", "Load a file written by a learner's save(path)")
BUFFER = Origin("buffer", "Check its source", "Pass the bytes that to_bytes() returned")


class ModelError(ValueError):
    """Raised if a file or bytes cannot be loaded, or a learner cannot be saved."""


class UnfitError(ValueError):
    """Raised for invalid content; ``loading`` or ``loading_bytes`` adds its place to the message."""

    def __init__(self, found: str, remedy: str = AGAIN) -> None:
        super().__init__(found)
        self.found = found
        self.remedy = remedy


def damaged(origin: Origin) -> UnfitError:
    """Return the error for a container whose bytes have changed."""
    return UnfitError(f"a {origin.noun} that is damaged or cut short", "Restore it from a copy")


def loading(path: Place, kind: str) -> AbstractContextManager[None]:
    """Turn any error while loading a file into a ModelError that names the file."""
    return _loading(f"load: {os.fspath(path)}", kind)


def loading_bytes(kind: str) -> AbstractContextManager[None]:
    """Turn any error while reading bytes into a ModelError of ``from_bytes``."""
    return _loading("from_bytes: data", kind)


@contextmanager
def _loading(what: str, kind: str) -> Iterator[None]:
    try:
        yield
        return
    except UnfitError as unfit:
        found, remedy = unfit.found, unfit.remedy
    except FileNotFoundError:
        found, remedy = "no such file", "Check the path"
    except OSError as error:
        found, remedy = f"a file that cannot be read ({error.strerror})", "Check the path and its permissions"
    except MemoryError:
        found, remedy = "more than fits into memory", "Load it on a larger machine"
    raise ModelError(f"{what} must be a driftline {kind}, got {found}. {remedy}")

"""Errors for files that cannot be read or written: one line with path, finding and remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

Place = str | os.PathLike[str]
AGAIN = "Save it again"


class ModelError(ValueError):
    """Raised if a file cannot be loaded or a learner cannot be saved."""


class UnfitError(ValueError):
    """Raised for invalid content of a file; ``loading`` adds the path to the message."""

    def __init__(self, found: str, remedy: str = AGAIN) -> None:
        super().__init__(found)
        self.found = found
        self.remedy = remedy


def damaged() -> UnfitError:
    """Return the error for a file whose bytes have changed."""
    return UnfitError("a file that is damaged or cut short", "Restore it from a copy")


@contextmanager
def loading(path: Place, kind: str) -> Iterator[None]:
    """Turn any error while loading a file into a ModelError that names the file."""
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
    raise ModelError(f"load: {os.fspath(path)} must be a driftline {kind}, got {found}. {remedy}")

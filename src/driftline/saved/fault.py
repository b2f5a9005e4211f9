"""What is said of a file that cannot be read or written: one line, with the file, what was found, and the remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

Place = str | os.PathLike[str]
AGAIN = "Save it again"


class ModelError(ValueError):
    """A file that cannot be loaded, or a learner that cannot be saved."""


class UnfitError(ValueError):
    """What was found instead of something fit; ``loading`` adds the file that it was found in."""

    def __init__(self, found: str, remedy: str = AGAIN) -> None:
        super().__init__(found)
        self.found = found
        self.remedy = remedy


def damaged() -> UnfitError:
    """The bytes are not those that were written."""
    return UnfitError("a file that is damaged or cut short", "Restore it from a copy")


@contextmanager
def loading(path: Place, kind: str) -> Iterator[None]:
    """Make a ModelError, which names the file, of whatever keeps it from being loaded."""
    try:
        yield
        return
    except UnfitError as unfit:
        found, remedy = unfit.found, unfit.remedy
    except FileNotFoundError:
        found, remedy = "no such file", "Check the path"
    except OSError as error:
        found, remedy = f"a file that cannot be read ({error.strerror})", "Check the path and your rights to it"
    except MemoryError:
        found, remedy = "more than fits into memory", "Load it on a larger machine"
    raise ModelError(f"load: {os.fspath(path)} must be a driftline {kind}, got {found}. {remedy}")

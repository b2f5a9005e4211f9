"""Record which data an experiment used and where each file came from.

The origins are stored with the answers. An answer is reused only for the same data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from driftline.reproduce.sources import FETCHED, USPS, VARIABLE, Sources

FOLDER, PUBLIC, DIGITS, NONE = "the user's folder", "its public source", "the digits of scikit-learn", "nowhere"


@dataclass(frozen=True)
class RecordingSources(Sources):
    """Sources that record which files were requested."""

    requested: set[str] = field(default_factory=set, compare=False)

    @staticmethod
    def over(sources: Sources) -> RecordingSources:
        """Return a recording copy of the sources, with no requests yet."""
        return RecordingSources(sources.folder, sources.fetch)

    def has(self, file: Path) -> bool:
        """Return whether the folder has this file. Every access to data calls this method."""
        self.requested.add(file.as_posix())
        return super().has(file)

    def used(self) -> dict[str, str]:
        """Return the requested files, each with its origin."""
        return origins(self, self.requested)


def origins(sources: Sources, files: Iterable[str]) -> dict[str, str]:
    """Return the origin of each file.

    A file of the user is identified by its checksum, not by its path.

    >>> origins(Sources(), ["usps/usps.h5", "sraa/sraa.tar.gz"])
    {'sraa/sraa.tar.gz': 'nowhere', 'usps/usps.h5': 'the digits of scikit-learn'}
    """
    return {name: _origin(sources, Path(name)) for name in sorted(files)}


def _origin(sources: Sources, file: Path) -> str:
    if Sources.has(sources, file):
        return f"{FOLDER}, sha256 {_digest(Path(sources.folder or '') / file)}"
    if sources.fetch and file in FETCHED:
        return PUBLIC
    return DIGITS if file == USPS else NONE


def missing_data_text(data: Mapping[str, str]) -> str:
    """Return a sentence on which data were missing and how to get them, or an empty string.

    >>> missing_data_text({"sraa/sraa.tar.gz": NONE})
    'Missing data: sraa/sraa.tar.gz. Set DRIFTLINE_DATA or pass --data to name a folder that has them.'
    """
    files = sorted(name for name, origin in data.items() if origin in (DIGITS, NONE))
    if not files:
        return ""
    named = [f"{name} (replaced by {DIGITS})" if data[name] == DIGITS else name for name in files]
    public = [FETCHED[Path(name)] for name in files if Path(name) in FETCHED]
    fetch = f"; --fetch downloads {' and '.join(public)} from their public source" if public else ""
    return f"Missing data: {', '.join(named)}. Set {VARIABLE} or pass --data to name a folder that has them{fetch}."


@cache
def _digest(path: Path) -> str:
    """Return the first 16 hex digits of the SHA-256 of a file.

    Each process reads a file only once.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]

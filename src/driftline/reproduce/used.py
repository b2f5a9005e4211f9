"""Which data an experiment asked for, and where each came from: what the folder's answers depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from driftline.reproduce.sources import FETCHED, USPS, VARIABLE, Sources

FOLDER, PUBLIC, DIGITS, NONE = "the user's folder", "its public source", "the digits of scikit-learn", "nowhere"


@dataclass(frozen=True)
class Watched(Sources):
    """Sources that remember which files they were asked for."""

    asked: set[str] = field(default_factory=set, compare=False)

    @staticmethod
    def over(sources: Sources) -> Watched:
        """The same sources, nothing asked for yet."""
        return Watched(sources.folder, sources.fetch)

    def has(self, file: Path) -> bool:
        """Whether the folder has this file; every way to data begins here."""
        self.asked.add(file.as_posix())
        return super().has(file)

    def used(self) -> dict[str, str]:
        """The files asked for, and where the data come from."""
        return origins(self, self.asked)


def origins(sources: Sources, files: Iterable[str]) -> dict[str, str]:
    """Where the data of these files come from; a file of the user's is told by its content, not by its place.

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


def lacking(data: Mapping[str, str]) -> str:
    """What was not at hand of the data asked for, given where each came from, and how to have it; empty: nothing.

    >>> lacking({"sraa/sraa.tar.gz": NONE})
    'Not at hand: sraa/sraa.tar.gz. Set DRIFTLINE_DATA or pass --data to name a folder that has them.'
    """
    files = sorted(name for name, origin in data.items() if origin in (DIGITS, NONE))
    if not files:
        return ""
    named = [f"{name} ({DIGITS} stand in)" if data[name] == DIGITS else name for name in files]
    public = [FETCHED[Path(name)] for name in files if Path(name) in FETCHED]
    fetch = f"; --fetch loads {' and '.join(public)} from their public source" if public else ""
    return f"Not at hand: {', '.join(named)}. Set {VARIABLE} or pass --data to name a folder that has them{fetch}."


@cache
def _digest(path: Path) -> str:
    """The beginning of the checksum of a file; a process reads it once, as it does the data in it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]

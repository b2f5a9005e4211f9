"""Which data an experiment asked for, and where each came from: what the folder's answers depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from driftline.reproduce.sources import NEWS, SRAA, USPS, Sources

NAMES = {USPS: "USPS", NEWS: "20 Newsgroups", SRAA: "SRAA"}
FOLDER, PUBLIC, DIGITS, NONE = "the user's folder", "its public source", "the digits of scikit-learn", "nowhere"


@dataclass(frozen=True)
class Watched(Sources):
    """Sources that remember which data they were asked for."""

    asked: set[str] = field(default_factory=set, compare=False)

    @staticmethod
    def over(sources: Sources) -> Watched:
        """The same sources, nothing asked for yet."""
        return Watched(sources.folder, sources.fetch)

    def has(self, file: Path) -> bool:
        """Whether the folder has this file; every way to data begins here."""
        self.asked.add(NAMES[file])
        return super().has(file)

    def used(self) -> dict[str, str]:
        """The data asked for, and where they come from."""
        return origins(self, self.asked)


def origins(sources: Sources, names: Iterable[str]) -> dict[str, str]:
    """Where these data come from, without a look into them.

    >>> origins(Sources(), ["USPS", "SRAA"])
    {'SRAA': 'nowhere', 'USPS': 'the digits of scikit-learn'}
    """
    files = {name: file for file, name in NAMES.items()}
    return {name: _origin(sources, files[name]) for name in sorted(names) if name in files}


def _origin(sources: Sources, file: Path) -> str:
    if Sources.has(sources, file):
        return FOLDER
    if sources.fetch and file != SRAA:
        return PUBLIC
    return DIGITS if file == USPS else NONE

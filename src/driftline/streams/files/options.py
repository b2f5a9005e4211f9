"""How a file is to be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadOptions:
    """Which columns are what. Formats without columns have no use for most of it."""

    target: str | None = None
    """The column of the label."""
    drop: tuple[str, ...] = ()
    """Columns to leave out."""
    time: str | None = None
    """A column that must not go backwards; it is no feature."""
    text: tuple[str, ...] = ()
    """Columns whose text becomes words."""
    ngrams: int = 1
    """Words that stand together, up to so many, are features too."""
    labelled: bool = True
    """Whether every example must have a label; without it labels may be absent."""

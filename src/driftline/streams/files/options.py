"""Options for reading files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadOptions:
    """The roles of columns, and whether labels are required.

    Formats without columns ignore most of these options.
    """

    target: str | None = None
    """The label column."""
    drop: tuple[str, ...] = ()
    """Columns to ignore."""
    time: str | None = None
    """A column whose values must not decrease; it is not a feature."""
    text: tuple[str, ...] = ()
    """Columns of text, which is split into words."""
    ngrams: int = 1
    """The maximum number of consecutive words that form a feature."""
    labelled: bool = True
    """Whether every example must have a label. If False, labels are optional."""

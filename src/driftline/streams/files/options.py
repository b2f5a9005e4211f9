"""Options for reading files."""

from __future__ import annotations

from dataclasses import dataclass, fields

ALWAYS_SHOWN = ("target", "drop", "time", "text", "ngrams", "labelled")
"""The options of version 0.1.0, in their order."""


@dataclass(frozen=True, repr=False)
class ReadOptions:
    """The roles of columns, and whether labels are required.

    Formats without columns ignore most of these options.

    Caches and checkpoints store the ``repr``. It shows the options of version 0.1.0, and newer
    ones only if they differ from their defaults. So a new option with its default value leaves
    caches and checkpoints of earlier versions valid.
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

    def __repr__(self) -> str:
        newer = [one.name for one in fields(self) if getattr(self, one.name) != one.default]
        shown = dict.fromkeys((*ALWAYS_SHOWN, *newer))
        return f"ReadOptions({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

"""Options for reading files."""

from __future__ import annotations

from dataclasses import dataclass, fields

from driftline.streams.schema.kinds import IGNORE, TEXT
from driftline.streams.schema.missing import NA_VALUES

ALWAYS_SHOWN = ("target", "drop", "time", "text", "ngrams", "labelled")
"""The options of version 0.1.0, in their order."""


@dataclass(frozen=True, repr=False)
class ReadOptions:
    """The roles and kinds of columns, and what is missing or malformed.

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
    """The column that orders the rows; its values must not decrease, and it is not a feature."""
    text: tuple[str, ...] = ()
    """Columns of text, which is split into words."""
    ngrams: int = 1
    """The maximum number of consecutive words that form a feature."""
    labelled: bool = True
    """Whether only rows with a label are wanted. If False, labels are optional."""
    weight: str | None = None
    """The column of sample weights."""
    kinds: tuple[tuple[str, str], ...] = ()
    """Columns and their declared kinds. The columns must exist."""
    held: tuple[tuple[str, str], ...] = ()
    """Columns and their kinds in the files before this one, or in the recipe of a model."""
    closed: bool = False
    """Whether columns that are not in ``held`` are left out: the recipe of a model lists all."""
    na: tuple[str, ...] = NA_VALUES
    """Texts that mean a missing cell in delimited text and ARFF."""
    header: bool = True
    """Whether delimited text begins with the names of its columns."""
    keep: tuple[str, ...] = ()
    """Columns of which the cells are passed through with the rows."""
    keep_flag: str = "column"
    """The option of the command line that named the columns ``keep``, for error messages."""
    lenient: bool = False
    """Whether a cell that does not have its column's kind is missing. If False, it is a fault."""

    def __repr__(self) -> str:
        newer = [one.name for one in fields(self) if getattr(self, one.name) != one.default]
        shown = dict.fromkeys((*ALWAYS_SHOWN, *newer))
        return f"ReadOptions({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    @property
    def declared(self) -> dict[str, str]:
        """Column to kind, for all columns with a declared kind."""
        given = dict(self.kinds)
        return given | dict.fromkeys(self.text, TEXT) | dict.fromkeys(self.drop, IGNORE)

    @property
    def named(self) -> set[str]:
        """All columns that the options name."""
        return {*self.roles, *self.declared, *self.keep}

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns that are no features because they have a role."""
        return tuple(name for name in (self.target, self.time, self.weight) if name is not None)

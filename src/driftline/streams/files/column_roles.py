"""The roles of the columns of a table: label, time, text, dropped, or feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from driftline.streams.files.faults import ReadError
from driftline.streams.files.options import ReadOptions

MOST_SHOWN = 20


def settled(source: str, columns: Sequence[str], options: ReadOptions) -> ReadOptions:
    """Check the options against the columns of a table and return them.

    Every column named in the options must exist and have one role. If labels are optional, a
    missing target column is accepted.
    """
    if options.labelled and options.target is None:
        raise ReadError(
            f"{source}: the label column must be named, got no target. Pass --target, one of {_shown(columns)}"
        )
    if options.target not in columns and not options.labelled:
        options = replace(options, target=None)
    for column, flag in purposes(source, options).items():
        if column not in columns:
            raise _unknown(source, flag, column, columns)
    return options


def purposes(source: str, options: ReadOptions) -> dict[str, str]:
    """Return a dict from each column named in the options to its role.

    A role is "target", "time", "drop" or "text".
    """
    single = [(column, flag) for column, flag in ((options.target, "target"), (options.time, "time")) if column]
    several = [(column, "drop") for column in options.drop] + [(column, "text") for column in options.text]
    found: dict[str, str] = {}
    for column, flag in single + several:
        if found.setdefault(column, flag) != flag:
            raise ReadError(
                f"{source}: a column must have one purpose, got --{found[column]} and --{flag} for {column!r}. "
                "Name it once"
            )
    return found


def _unknown(source: str, flag: str, column: str, columns: Sequence[str]) -> ReadError:
    """Return the error for a column that the file does not have."""
    close = get_close_matches(column, columns, n=1, cutoff=0.5)
    remedy = f"Did you mean --{flag} {close[0]}?" if close else "Check its spelling"
    return ReadError(f"{source}: --{flag} must be one of the columns {_shown(columns)}, got {column!r}. {remedy}")


def _shown(columns: Sequence[str]) -> str:
    """Return a list of the columns for a message, shortened if it is long."""
    shown = ", ".join(map(repr, columns[:MOST_SHOWN]))
    return shown if len(columns) <= MOST_SHOWN else f"{shown} and {len(columns) - MOST_SHOWN} more"


def check_names(source: str, columns: Sequence[str]) -> None:
    """Raise if a column has no name, or two columns have the same name."""
    seen: set[str] = set()
    for number, column in enumerate(columns, 1):
        if not column:
            raise ReadError(f"{source}: every column must have a name, got none for column {number}. Name it")
        if column in seen:
            raise ReadError(f"{source}: columns must have different names, got {column!r} twice. Rename one of them")
        seen.add(column)


def no_rows(source: str) -> ReadError:
    """Return the error for a file without rows."""
    return ReadError(f"{source}: a file must have at least one row, got none. Check that it is complete")

"""The roles of the columns of a table: label, time, weight, text, dropped, or feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from driftline.streams.files.column_kinds import listed
from driftline.streams.files.faults import ReadError
from driftline.streams.files.options import ReadOptions

MODEL_ROLES = {"target": "label", "time": "time", "weight": "weight"}
"""Options that the recipe of a model sets, and what each column holds."""


def settled(source: str, columns: Sequence[str], options: ReadOptions) -> ReadOptions:
    """Check the options against the columns of a table and return them.

    Every column named in the options must exist and have one role. If labels are optional, a
    missing target column is accepted; with the recipe of a model, missing time and weight too.
    """
    if options.labelled and options.target is None:
        raise ReadError(
            f"{source}: the label column must be named, got no target. Pass --target, one of {listed(list(columns))}"
        )
    if not options.labelled:
        roles = ("target", "time", "weight") if options.closed else ("target",)
        absent = {role: getattr(options, role) for role in roles if getattr(options, role) not in columns}
        held = tuple((name, kind) for name, kind in options.held if name not in absent.values())
        options = replace(options, held=held, **dict.fromkeys(absent))
    named = {**purposes(source, options)}
    for column in options.keep:
        if named.get(column, "drop") == "drop":  # a kept column may be dropped from the features too
            named[column] = options.keep_flag
    for column, flag in named.items():
        if column not in columns and options.closed and flag in MODEL_ROLES:
            raise _absent(source, flag, column, columns)
        if column not in columns:
            raise _unknown(source, flag, column, columns)
    return options


def purposes(source: str, options: ReadOptions) -> dict[str, str]:
    """Return a dict from each column named in the options to its role.

    A role is "target", "time", "weight", "drop", "text" or "kind". A column with another role may
    have a declared kind too.
    """
    roles = (("target", options.target), ("time", options.time), ("weight", options.weight))
    single = [(column, flag) for flag, column in roles if column]
    several = [(column, "drop") for column in options.drop] + [(column, "text") for column in options.text]
    found: dict[str, str] = {}
    for column, flag in single + several:
        if found.setdefault(column, flag) != flag:
            raise ReadError(
                f"{source}: a column must have one purpose, got --{found[column]} and --{flag} for {column!r}. "
                "Name it once"
            )
    for column, kind in options.kinds:
        flag = found.setdefault(column, "kind")
        if flag in ("drop", "text") and options.declared[column] != kind:
            raise ReadError(
                f"{source}: a column must have one purpose, got --{flag} and --kind {column}={kind}. Name it once"
            )
    return found


def _absent(source: str, flag: str, column: str, columns: Sequence[str]) -> ReadError:
    """Return the error for a column that the recipe of a model names and the file does not have."""
    remedy = " Rename a column of the file to it, or add it" + (", or use driftline predict" * (flag == "target"))
    return ReadError(
        f"{source}: a file must have the {MODEL_ROLES[flag]} column of the model, {column!r}, "
        f"got only {listed(list(columns))}.{remedy}"
    )


def _unknown(source: str, flag: str, column: str, columns: Sequence[str]) -> ReadError:
    """Return the error for a column that the file does not have."""
    close = get_close_matches(column, columns, n=1, cutoff=0.5)
    remedy = f"Did you mean --{flag} {close[0]}?" if close else "Check its spelling"
    return ReadError(f"{source}: --{flag} must be one of the columns {listed(list(columns))}, got {column!r}. {remedy}")


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

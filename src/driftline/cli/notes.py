"""What the user should know about the files: missing cells, rows without a label, ignored columns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from driftline.internals.visible_text import visible
from driftline.streams.schema.recipe import REGRESSION

if TYPE_CHECKING:
    from driftline.evaluate import Run
    from driftline.streams import FileStream

COLUMNS = 5
"""Number of columns with missing cells that are listed."""


def reading_facts(stream: FileStream, run: Run | None = None, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return what was left out of the files, and the notes, as JSON values."""
    return {
        "skipped": stream.skipped,
        "reasons": stream.reasons,
        "unlabelled": stream.unlabelled,
        "missing": dict(stream.missing),
        "bad_cells": stream.bad_cells.count,
        "notes": [*notes, *stream.notes, *_order_of_labels(stream, run), *_unmet_weights(run)],
    }


def print_notes(stream: FileStream, run: Run | None = None, notes: Sequence[str] = ()) -> None:
    """Print the notes, the rows without a label and the missing cells to stderr."""
    facts = reading_facts(stream, run, notes)
    lines = list(facts["notes"])
    if stream.bad_cells.count:
        lines.append(f"cells taken as missing: {stream.bad_cells.count:,}. The first: {stream.bad_cells.listed[0]}")
    if facts["unlabelled"]:
        noun = "target" if stream.task == REGRESSION else "label"
        lines.append(f"rows without a {noun}: {facts['unlabelled']:,}")
    if any(facts["missing"].values()):
        lines.append(f"missing cells: {_most(facts['missing'])}")
    for line in lines:
        print(f"note: {visible(line)}", file=sys.stderr)


def _most(missing: dict[str, int]) -> str:
    """Return the columns with the most missing cells as text."""
    ranked = sorted(((count, column) for column, count in missing.items() if count), key=lambda one: -one[0])
    shown = ", ".join(f"{count:,} in {column!r}" for count, column in ranked[:COLUMNS])
    return shown if len(ranked) <= COLUMNS else f"{shown} and more in {len(ranked) - COLUMNS:,} other columns"


def _unmet_weights(run: Run | None) -> list[str]:
    """Return a note for each class weight of a label that never appeared."""
    given = None if run is None else run.learner.options.get("class_weight")
    if run is None or not isinstance(given, dict):
        return []
    unmet = [label for label in given if label not in run.learner.labels]
    return [f"class_weight has a weight of {label!r}, a label that never appeared" for label in unmet]


def _order_of_labels(stream: FileStream, run: Run | None) -> list[str]:
    """Return a note if the files decided by their order which label is positive."""
    if run is None or run.learner.n_seen != run.examples or run.learner.options["labels"] is not None:
        return []
    labels = run.learner.labels
    if len(stream.first_labels) != 1 or len(labels) != 2 or run.learner.rule.several or 1 in labels:
        return []
    negative, positive = labels
    return [
        f"the first rows have only the label {negative!r}, so {positive!r} is positive. "
        "Set the order with --labels NEGATIVE,POSITIVE"
    ]

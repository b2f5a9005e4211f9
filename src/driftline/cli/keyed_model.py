"""Files of keyed learners as models: ``driftline predict`` and ``driftline inspect``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftline.cli.options import FileOptions

if TYPE_CHECKING:
    import numpy as np

    from driftline.internals.compiled import Floats
    from driftline.internals.rows import FileRows

WORST = 10
"""The number of keys that are listed."""
SQLITE, APPLICATION_AT, APPLICATION = b"SQLite format 3\0", 68, b"dlky"


def is_keyed(path: str) -> bool:
    """Whether a file is one of ``dl.Keyed``."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(APPLICATION_AT + 4)
    except OSError:
        return False
    return head.startswith(SQLITE) and head[APPLICATION_AT:] == APPLICATION


def predict_keyed(
    model: str, files: tuple[str, ...], truth: bool, column: tuple[str, ...], reading: FileOptions
) -> Iterator[tuple[dict[str, list[Any]], bool]]:
    """Columns of the output by name, and whether they are the first.

    Parameters
    ----------
    model
        The file of keyed learners.
    files, truth, column, reading
        The options of ``driftline predict``.
    """
    import driftline as dl
    from driftline.cli.notes import print_notes
    from driftline.cli.output import check_learned, skipped_count
    from driftline.cli.predict import OWN_COLUMNS
    from driftline.cli.scored import answered
    from driftline.internals.visible_text import visible

    keyed = dl.Keyed.load(model)
    if keyed.key is None:
        raise ValueError(f"{model} must name the column of its keys, got a dl.Keyed without key=. Use dl.Keyed.load")
    key, several = str(keyed.key), keyed.template.rule.several
    for name in (key, *column):
        if name in OWN_COLUMNS:
            raise ValueError(f"the key and --column must not be one of {', '.join(OWN_COLUMNS)}, got {name}")
    dropped = reading if key in reading.drop else replace(reading, drop=(*reading.drop, key))
    stream = dropped.stream(files, labelled=False, keep=tuple(dict.fromkeys((key, *column))))
    if keyed.recipe is not None:
        stream.use(keyed.recipe)

    def answer(rows: FileRows) -> tuple[np.ndarray, Floats]:
        return keyed.predict_many(rows), keyed.score_many(rows)

    count = 0
    for some in answered(stream, answer):
        found: dict[str, list[Any]] = {"line": some.rows.lines.tolist()}
        if keyed.template.rule.regresses:
            found["prediction"] = some.scores.tolist()
        else:
            found["label"] = some.labels.tolist()
            if not several:
                found["score"] = some.scores.tolist()
        if truth:
            found["truth"] = [None] * len(some.rows) if some.truth is None else some.truth.tolist()
        yield found | dict(some.rows.kept or {}), count == 0
        count += len(some.rows)
    check_learned(stream, count)
    print_notes(stream, notes=[])
    if stream.skipped:
        print(f"{skipped_count(stream)}, the first: {visible(stream.reasons[0])}", file=sys.stderr)


def inspect_keyed(model: str) -> dict[str, Any]:
    """What ``driftline inspect`` prints of a file of keyed learners.

    Parameters
    ----------
    model
        The file.
    """
    import driftline as dl
    from driftline.cli.output import parameters, task_of

    keyed = dl.Keyed.load(model)
    template, totals = keyed.template, keyed.totals
    counted = "loss" if template.rule.regresses else "errors"
    return {
        "learner": template.kind,
        "task": task_of(template),
        "parameters": parameters(template),
        "key": keyed.key,
        "keys": len(keyed),
        "examples": totals.rows,
        counted: getattr(totals, counted),
        "worst": [
            {"key": str(key), "rows": one.rows, counted: getattr(one, counted)} for key, one in keyed.worst(WORST)
        ],
        "recipe": None if keyed.recipe is None else keyed.recipe.to_dict(),
    }


def text_of(facts: dict[str, Any]) -> str:
    """The facts of ``inspect_keyed`` as text."""
    from driftline.internals.visible_text import visible

    counted = "errors" if "errors" in facts else "loss"
    settings = ", ".join(f"{name}={value}" for name, value in facts["parameters"].items())
    lines = [f"{facts['learner']}({settings}) for each of {facts['keys']:,} keys"]
    lines += [f"key: {facts['key']}", f"examples: {facts['examples']:,}", f"{counted}: {facts[counted]:,}"]
    lines += [f"  {visible(one['key'])}: {one[counted]:,} of {one['rows']:,}" for one in facts["worst"]]
    return "\n".join(lines)

"""``driftline predict``: print the labels and scores that a saved model gives to the examples of
files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from driftline.cli.options import FileOptions

if TYPE_CHECKING:
    from driftline import Learner
    from driftline.cli.scored import Scored

Columns = dict[str, list[Any]]
"""The columns of the output by name."""
OWN_COLUMNS = ("line", "label", "score", "prediction", "truth", "probabilities")


def predict(
    model: str,
    *files: str,
    output: Literal["csv", "jsonl"] = "csv",
    truth: bool = False,
    proba: bool = False,
    explain: int = 0,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    reading: FileOptions = FileOptions(),  # noqa: B008
) -> int:
    """Print the line number, predicted label and score of every example.

    The recipe in the model says how to read the files, so the options for reading can be left out.
    Labels in the files are not used. With two labels, a positive score predicts the positive label.
    With more, the score of the predicted label is printed. A regressor has no labels: the number that
    it predicts is printed.

    For a file of keyed learners, the key of every example is printed too. Its learner predicts; a new key
    has no label if its learner knows none.

    Parameters
    ----------
    model
        A saved model (.dl file), or a file of keyed learners.
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    output
        csv prints CSV with a header, jsonl prints JSON lines.
    truth
        Also print the label in the file, as truth. It is empty if a row has none.
    proba
        Also print the calibrated probability of each label.
    explain
        Also print the N features with the largest contributions to the score, as explanation.
        For a Tracker they add up to a smooth counterpart of the vote. 0 prints none.
    column
        Also print this column of the files, such as an id. Repeat the option for several columns.
    """
    from driftline.cli.keyed_model import is_keyed, predict_keyed
    from driftline.cli.model import opened
    from driftline.cli.notes import print_notes
    from driftline.cli.output import check_learned, skipped_count
    from driftline.cli.scored import scored
    from driftline.internals.visible_text import visible

    if not files:
        raise ValueError("predict must be given a file, got none. Give a path, or - for stdin")
    write = _csv if output == "csv" else _json
    if is_keyed(model):
        if proba or explain:
            raise ValueError(
                f"{model} must be a model for --proba and --explain, got a file of keyed learners. Leave them out"
            )
        for columns, first in predict_keyed(model, files, truth, column, reading):
            if first and output == "csv":
                _write_rows([[_shown(name) for name in columns]])
            write(columns, None)
            sys.stdout.flush()
        return 0
    learner, stream, notes = opened(model, files, reading, labelled=False, keep=column)
    if explain < 0:
        raise ValueError(f"--explain must be >= 0, got {explain}")
    if proba and learner.rule.regresses:
        raise ValueError(f"--proba must come with a classifier, got {learner.kind} in {model}. Leave it out")
    if proba and not learner.labels:
        raise ValueError(f"--proba must come with a model that knows its labels, got none in {model}. Train it first")
    names = [f"probability_{label}" for label in learner.labels] if proba else []
    own = [*OWN_COLUMNS, *["explanation"] * (explain > 0), *names]
    taken = [name for name in column if name in own]
    if taken:
        raise ValueError(f"--column must not be one of {', '.join(own)}, got {taken[0]}. Rename the column")
    header = (
        ["line", *(["prediction"] if learner.rule.regresses else ["label", "score"])]
        + ["truth"] * truth
        + ["explanation"] * bool(explain)
        + list(dict.fromkeys(column))
        + names
    )
    count = 0
    for some in scored(learner, stream):
        if not count and output == "csv":
            _write_rows([[_shown(name) for name in header]])
        write(_columns(learner, some, truth, explain), _probabilities(learner, some) if proba else None)
        count += len(some.rows)
        sys.stdout.flush()
    check_learned(stream, count)
    print_notes(stream, notes=notes)
    if stream.skipped:
        print(f"{skipped_count(stream)}, the first: {visible(stream.reasons[0])}", file=sys.stderr)
    return 0


def _columns(learner: Learner, some: Scored, truth: bool, explain: int) -> Columns:
    from driftline.cli.explained import explained

    found: Columns = {"line": some.rows.lines.tolist()}
    if learner.rule.regresses:
        found["prediction"] = some.scores.tolist()
    else:
        found |= {"label": some.labels.tolist(), "score": some.shown.tolist()}
    if truth:
        found["truth"] = [None] * len(some.rows) if some.truth is None else some.truth.tolist()
    if explain:
        found["explanation"] = explained(learner, some.rows, explain)
    return found | dict(some.rows.kept or {})


def _probabilities(learner: Learner, some: Scored) -> Columns:
    """The probabilities, by label."""
    each = learner.predict_proba_many(some.rows)
    return {str(label): each[:, k].tolist() for k, label in enumerate(learner.labels)}


def _csv(columns: Columns, probabilities: Columns | None) -> None:
    from driftline.cli.explained import as_text

    form: dict[str, Callable[[Any], Any]] = {
        "line": str,
        "score": repr,
        "prediction": repr,
        "explanation": lambda value: _shown(as_text(value)),
    }
    cells = [[form.get(name, _shown)(value) for value in values] for name, values in columns.items()]
    cells += [[repr(value) for value in values] for values in (probabilities or {}).values()]
    _write_rows(zip(*cells, strict=True))


def _write_rows(rows: Any) -> None:
    import csv

    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)


def _shown(label: Any) -> Any:
    """A label as a cell: empty if there is none, without control characters on a terminal."""
    from driftline.internals.visible_text import visible

    return visible(label) if sys.stdout.isatty() and label is not None else label


def _json(columns: Columns, probabilities: Columns | None) -> None:
    import json

    for k, values in enumerate(zip(*columns.values(), strict=True)):
        row: dict[str, Any] = dict(zip(columns, values, strict=True))
        if probabilities is not None:
            row["probabilities"] = {label: each[k] for label, each in probabilities.items()}
        sys.stdout.write(json.dumps(row, default=str) + "\n")

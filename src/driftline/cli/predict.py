"""``driftline predict``: print the labels and scores that a saved model gives to the examples of
files.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

from driftline.cli.options import FileOptions

if TYPE_CHECKING:
    from driftline import Learner
    from driftline.streams import FileStream


def predict(
    model: str,
    *files: str,
    output: Literal["csv", "jsonl"] = "csv",
    reading: FileOptions = FileOptions(),  # noqa: B008
) -> int:
    """Print the line number, predicted label and score of every example.

    Labels in the files are ignored. With two labels, a positive score predicts the positive label.
    With more, the score is that of the predicted label.

    Parameters
    ----------
    model
        A saved model (.dl file).
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    output
        csv prints CSV with a header, jsonl prints JSON lines.
    """
    import driftline as dl
    from driftline.cli.output import check_learned
    from driftline.internals.visible_text import visible

    if not files:
        raise ValueError("predict must be given a file, got none. Give a path, or - for stdin")
    learner = dl.load(model)
    stream = reading.stream(files, labelled=False)
    write = _csv if output == "csv" else _json
    if output == "csv":
        sys.stdout.write("line,label,score\n")
    scored = 0
    for X, *_ in stream:
        scored += _score_block(learner, stream, X, write)
        sys.stdout.flush()
    check_learned(stream, scored)
    if stream.skipped:
        print(f"{stream.skipped:,} examples were skipped, the first: {visible(stream.reasons[0])}", file=sys.stderr)
    return 0


def _score_block(learner: Learner, stream: FileStream, X: Any, write: Any) -> int:
    """Score a block and write it; return the number of rows scored.

    If the learner refuses a row, stop or skip it as --on-error says.
    """
    from driftline.encode.faults import RowError
    from driftline.learners.state import labels_for

    at, most, several, scored = 0, len(X), learner.rule.several, 0
    while at < len(X):
        some = X[at : at + most]
        try:
            scores = learner.scores_many(some) if several else learner.score_many(some)
        except RowError as error:
            if error.row:  # next, score only the rows before it
                most = error.row
            else:
                stream.leave_out(some, 0, error.what)
                at += 1
        else:
            labels = labels_for(learner, scores)
            shown = scores.max(axis=1) if several else scores
            write(some.lines.tolist(), labels.tolist(), shown.tolist())
            at, most, scored = at + len(some), 2 * most, scored + len(some)
    return scored


def _csv(lines: list[int], labels: list[Any], scores: list[float]) -> None:
    import csv

    from driftline.internals.visible_text import visible

    if sys.stdout.isatty():
        labels = [visible(label) for label in labels]
    csv.writer(sys.stdout, lineterminator="\n").writerows(zip(lines, labels, map(repr, scores), strict=True))


def _json(lines: list[int], labels: list[Any], scores: list[float]) -> None:
    import json

    for line, label, score in zip(lines, labels, scores, strict=True):
        sys.stdout.write(json.dumps({"line": line, "label": label, "score": score}) + "\n")

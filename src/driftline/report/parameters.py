"""The table of all parameters: those of each rule, then the options that all learners share."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.evaluate import Run
from driftline.learners.assembled_learner import AssembledLearner
from driftline.report.charts.figure import swatch
from driftline.report.charts.palette import style_of
from driftline.report.html_table import MISSING, Row, table
from driftline.report.safe_text import escaped, named

OF_LABELS = ("labels", "class_weight")


def parameters(runs: Sequence[Run]) -> str:
    """Return a table with a row for each learner and a column for each parameter."""
    given = [written_parameters(run.learner) for run in runs]
    own = dict.fromkeys(name for run in runs for name in run.learner.parameters)
    columns = [*own, *(name for name in given[0] if name not in own)]
    rows = [
        Row(
            [
                f"{swatch(k)}{named(run.name)}",
                escaped(run.learner.kind),
                *(named(values[name]) if name in values else MISSING for name in columns),
            ],
            style_of(k),
        )
        for k, (run, values) in enumerate(zip(runs, given, strict=True))
    ]
    return table(
        "The parameters of each rule, then the options that all learners share", ["learner", "rule", *columns], rows
    )


def written_parameters(learner: AssembledLearner) -> dict[str, str]:
    """Return all parameters and options of a learner as text; those of labels only for classifiers."""
    values = learner.parameters | dict(learner.options)
    if learner.rule.regresses:
        values = {name: value for name, value in values.items() if name not in OF_LABELS}
    return {name: _text(value) for name, value in values.items()}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    return " / ".join(map(str, value)) if isinstance(value, tuple) else str(value)

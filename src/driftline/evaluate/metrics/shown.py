"""Metrics as text for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from driftline.encode.faults import shortened
from driftline.evaluate.metrics.figures import OF_PROBABILITIES, Figures
from driftline.evaluate.metrics.metrics import Metrics
from driftline.internals.text_table import aligned
from driftline.internals.visible_text import visible

SHOWN = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "kappa": "kappa",
    "kappa_temporal": "kappa-temporal",
    "auc": "AUC",
    "log_loss": "log loss",
    "brier": "Brier score",
    "calibration_error": "calibration error",
    "no_change_error": "error of no change",
    "majority_error": "error of majority",
}
"""Metrics that are shown, and their names for people."""
MOST_CLASSES = 10
"""The most labels for which the metrics of each label and the confusion matrix are shown."""
LONGEST = 12
"""The most characters of a label in a table."""
UNDEFINED = "-"


def shown(metrics: Metrics) -> str:
    """The metrics of a run in some short tables.

    Parameters
    ----------
    metrics
        The metrics.

    Returns
    -------
    str
        Lines of text, at most 80 characters wide unless labels are long.
    """
    parts = [_numbers(metrics)]
    if metrics.examples and len(metrics.labels) <= MOST_CLASSES:
        parts += [_per_class(metrics), _confusion(metrics)]
    if metrics.slices:
        parts.append(sliced(metrics))
    return "\n\n".join(parts)


def _numbers(metrics: Metrics) -> str:
    """Each metric of the run and of its last examples, and the reasons for undefined ones."""
    measured = metrics.calibration is not None
    columns: list[tuple[str, Figures]] = [("all", metrics)]
    if metrics.examples > metrics._window.size:
        window = metrics.window
        columns.append((f"last {window.examples:,}", window))
    rows = [("metric", *(head for head, _ in columns))]
    reasons = []
    for name, words in SHOWN.items():
        if name in OF_PROBABILITIES and not measured:
            continue
        rows.append((words, *(number(getattr(figures, name)) for _, figures in columns)))
        for head, figures in columns:
            if name in figures.why and (figures is metrics or figures.why[name] != metrics.why.get(name)):
                of = "" if figures is metrics else f" of the {head} examples"
                reasons.append(f"{words}{of} is undefined: {figures.why[name]}")
    return "\n".join([aligned(rows), *reasons])


def _per_class(figures: Figures) -> str:
    rows: list[Sequence[str]] = [("label", "examples", "predicted", "precision", "recall", "F1")]
    for one in figures.per_class:
        three = (number(value) for value in (one.precision, one.recall, one.f1))
        rows.append((label_text(one.label), f"{one.examples:,}", f"{one.predicted:,}", *three))
    return aligned(rows)


def _confusion(figures: Figures) -> str:
    """The confusion matrix, under its heading."""
    matrix = figures.confusion
    assert matrix is not None
    names = [label_text(label) for label in figures.labels]
    rows = [("label \\ predicted", *names)]
    rows += [(name, *(f"{count:,}" for count in line)) for name, line in zip(names, matrix.tolist(), strict=True)]
    return aligned(rows)


def sliced(metrics: Metrics) -> str:
    """The metrics of each slice in a table.

    Parameters
    ----------
    metrics
        The metrics of a run with slices.

    Returns
    -------
    str
        One line for each value, the most frequent first.
    """
    names = ["error", "balanced_accuracy", "auc"] + (["log_loss"] if metrics.calibration is not None else [])
    rows: list[Sequence[str]] = [("slice", "examples", "errors", "error", *(SHOWN[name] for name in names[1:]))]
    ranked = sorted(metrics.slices.items(), key=lambda one: -one[1].examples)
    for value, figures in ranked:
        numbers = (number(getattr(figures, name)) for name in names)
        rows.append((visible(value), f"{figures.examples:,}", f"{figures.errors:,}", *numbers))
    return aligned(rows)


def number(value: float) -> str:
    """A metric with four decimals; a dash if it is undefined."""
    return UNDEFINED if math.isnan(value) else f"{value:.4f}"


def label_text(label: Any) -> str:
    """A label as a short text."""
    text = visible(str(label))
    return text if len(text) <= LONGEST else shortened(text)[: LONGEST - 1] + "…"

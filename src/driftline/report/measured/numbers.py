"""Names, explanations and texts of the metrics that are one number."""

from __future__ import annotations

import math
from typing import NamedTuple

from driftline.evaluate.metrics import Figures
from driftline.report.html_table import MISSING


class Number(NamedTuple):
    """A metric: its attribute, its name in a report, its meaning, and whether it is written in percent."""

    attribute: str
    name: str
    meaning: str
    percent: bool = False


NUMBERS = (
    Number("accuracy", "accuracy", "share of right labels", True),
    Number("balanced_accuracy", "balanced accuracy", "mean recall of the labels", True),
    Number("kappa", "Cohen's kappa", "0 is chance, 1 is perfect"),
    Number("kappa_temporal", "kappa-temporal", "0 is the no-change baseline, 1 is perfect"),
    Number("f1", "F1", "mean over the labels"),
    Number("auc", "AUC", "how well it ranks: 0.5 is chance, 1 is perfect"),
    Number("log_loss", "log loss", "of the probabilities, lower is better"),
    Number("brier", "Brier score", "squared error of the probabilities, lower is better"),
    Number("calibration_error", "calibration error", "mean gap between probability and share"),
)


def written(figures: Figures, number: Number) -> str:
    """Return the value of a metric as text; a dash if it is undefined."""
    return text(float(getattr(figures, number.attribute)), number.percent)


def text(value: float, percent: bool = False) -> str:
    """Return a value as text: two decimals in percent, or four decimals; a dash for NaN.

    >>> text(0.12345), text(0.12345, percent=True)
    ('0.1235', '12.35%')
    """
    if math.isnan(value):
        return MISSING
    return f"{value:.2%}" if percent else f"{value:.4f}"

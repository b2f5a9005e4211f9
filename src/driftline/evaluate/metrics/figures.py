"""The metrics that follow from the tables of a group of rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from driftline.engines.metrics.class_counts import BAD, EXAMPLES, MAJORITY, NO_CHANGE, PREDICTED, RIGHT, TRUE, Counts
from driftline.engines.metrics.probability_sums import BRIER, HITS, LOG_LOSS, MEAN, OF_LIKELIEST, OF_POSITIVE, ROWS
from driftline.engines.metrics.score_bins import AUC_CLASSES, NOT_A_NUMBER, area
from driftline.evaluate.metrics.tables import MATRIX_CLASSES, Tables
from driftline.internals.compiled import Floats

NUMBERS = (
    "accuracy",
    "balanced_accuracy",
    "kappa",
    "kappa_temporal",
    "precision",
    "recall",
    "f1",
    "auc",
    "score_auc",
    "log_loss",
    "brier",
    "calibration_error",
    "no_change_error",
    "majority_error",
)
"""The metrics that are one number."""
OF_PROBABILITIES = ("log_loss", "brier", "calibration_error")


@dataclass(frozen=True)
class ClassFigures:
    """The metrics of one label. A metric is NaN if it is undefined.

    Attributes
    ----------
    label
        The label.
    examples, predicted, right
        Examples with this label, with this prediction, and with both.
    precision
        right / predicted; undefined if the label was never predicted.
    recall
        right / examples; undefined if there is no example with this label.
    f1
        2 right / (examples + predicted); undefined if both are 0.
    """

    label: Any
    examples: int
    predicted: int
    right: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Calibration:
    """The bins of a calibration curve.

    Attributes
    ----------
    low, high
        The limits of each bin of probabilities.
    examples
        Examples in each bin.
    probability
        The mean probability in each bin; NaN if it is empty.
    share
        The share of examples in each bin that have the label; NaN if it is empty.
    """

    low: Floats
    high: Floats
    examples: Counts
    probability: Floats
    share: Floats


class Figures:
    """The metrics of a group of rounds. A metric is NaN if it is undefined; ``why`` gives the reason.

    Sample weights are ignored: every example counts once.

    Parameters
    ----------
    tables
        The tables.
    group
        The number of the group in the tables.
    labels
        The label of each class number; with two labels the negative one first.
    """

    def __init__(self, tables: Tables, group: int, labels: Sequence[Any]) -> None:
        self._tables = tables
        self._group = group
        self.labels = list(labels)

    # labels ------------------------------------------------------------------------------------
    @property
    def _counts(self) -> Counts:
        counts: Counts = self._tables.counts[self._group]
        return counts

    def _tally(self, which: int) -> int:
        return int(self._tables.tallies[self._group, which])

    @property
    def examples(self) -> int:
        """The number of examples."""
        return self._tally(EXAMPLES)

    @property
    def errors(self) -> int:
        """The examples with a wrong predicted label."""
        return self.examples - int(self._counts[RIGHT].sum())

    @property
    def unpredicted(self) -> int:
        """The examples for which no label could be predicted; they count as errors."""
        return self.examples - int(self._counts[PREDICTED].sum())

    @property
    def accuracy(self) -> float:
        """The share of examples with the right predicted label."""
        return _ratio(self._counts[RIGHT].sum(), self.examples)

    @property
    def error(self) -> float:
        """``errors`` / ``examples`` = 1 - ``accuracy``."""
        return _ratio(self.errors, self.examples)

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the labels that have examples."""
        return _mean(self._each(RIGHT, TRUE))

    @property
    def precision(self) -> float:
        """The mean precision of the labels that were predicted."""
        return _mean(self._each(RIGHT, PREDICTED))

    @property
    def recall(self) -> float:
        """The mean recall of the labels that have examples, as ``balanced_accuracy``."""
        return self.balanced_accuracy

    @property
    def f1(self) -> float:
        """The mean F1 of the labels that have examples or were predicted."""
        return _mean(self._f1s())

    @property
    def kappa(self) -> float:
        """Cohen's kappa: (accuracy - chance) / (1 - chance).

        Chance is the accuracy of predictions that are drawn independently of the labels with the
        same shares.
        """
        n, (true, predicted, right) = self.examples, self._counts
        if not n:
            return math.nan
        chance = float((true * (predicted / n)).sum())
        return _ratio(right.sum() - chance, n - chance)

    @property
    def kappa_temporal(self) -> float:
        """(accuracy - a) / (1 - a), where a is the accuracy of the no-change baseline."""
        unchanged = self._tally(NO_CHANGE)
        return _ratio(self._counts[RIGHT].sum() - unchanged, self.examples - unchanged)

    @property
    def no_change_error(self) -> float:
        """The error of a baseline that predicts the label of the previous example of the stream."""
        return _ratio(self.examples - self._tally(NO_CHANGE), self.examples)

    @property
    def majority_error(self) -> float:
        """The error of a baseline that predicts the most frequent label of the stream so far."""
        return _ratio(self.examples - self._tally(MAJORITY), self.examples)

    @property
    def per_class(self) -> list[ClassFigures]:
        """The metrics of each label, in the order of ``labels``."""
        precision, recall, f1 = self._each(RIGHT, PREDICTED), self._each(RIGHT, TRUE), self._f1s()
        numbers = zip(*self._counts.tolist(), precision.tolist(), recall.tolist(), f1.tolist(), strict=True)
        return [ClassFigures(label, *one) for label, one in zip(self.labels, numbers, strict=False)]

    @property
    def confusion(self) -> Counts | None:
        """Examples by label (row) and predicted label (column); None with more than 100 labels."""
        size = min(len(self.labels), self._tables.classes)
        if self._tables.classes > MATRIX_CLASSES:
            return None
        return self._tables.matrix[self._group, :size, :size].copy()

    def _each(self, part: int, whole: int) -> Floats:
        return _ratios(self._counts[part], self._counts[whole])

    def _f1s(self) -> Floats:
        return _ratios(2 * self._counts[RIGHT], self._counts[TRUE] + self._counts[PREDICTED])

    # ranks -------------------------------------------------------------------------------------
    @property
    def auc(self) -> float:
        """The area under the ROC curve.

        With two labels, it is the share of pairs of a positive and a negative example in which the
        positive one has the higher probability, or score if probabilities are not measured; equal
        ones count one half. With several labels, it is the mean over the labels of the AUC of the
        probability of the label against all others.
        """
        return self._auc()[0]

    @property
    def auc_bound(self) -> float:
        """The most by which ``auc`` can differ from the value without bins."""
        return self._auc()[1]

    @property
    def score_auc(self) -> float:
        """With two labels, the area under the ROC curve of the score."""
        return self._score_auc()[0]

    def _score_auc(self) -> tuple[float, float]:
        if self._no_score_auc():
            return math.nan, math.nan
        return area(*self._tables.score_bins[self._group])

    def _auc(self) -> tuple[float, float]:
        if self._no_auc():
            return math.nan, math.nan
        if not self._tables.measured:
            return self._score_auc()
        bins = self._tables.probability_bins[self._group]
        found = np.array([area(*one) for one in (bins[1:2] if self._tables.two else bins)])
        return _mean(found[:, 0]), _mean(found[:, 1])

    # probabilities -----------------------------------------------------------------------------
    @property
    def log_loss(self) -> float:
        """The mean of -log p, where p is the probability of the label, at least 2^-52."""
        return self._mean_sum(LOG_LOSS)

    @property
    def brier(self) -> float:
        """The mean squared error of the probabilities.

        With two labels, of that of the positive label; with more, summed over all labels.
        """
        return self._mean_sum(BRIER) * (0.5 if self._tables.classes == 2 else 1.0)

    @property
    def calibration(self) -> Calibration | None:
        """The calibration bins: 15 of equal width; None if probabilities are not measured.

        With two labels, of the probability of the positive label; with more, of the highest
        probability of each example, and of the share of right predictions.
        """
        if not self._tables.measured:
            return None
        kind = OF_POSITIVE if self._tables.two else OF_LIKELIEST
        bins = self._tables.calibration[self._group, kind]
        limits = np.linspace(0.0, 1.0, bins.shape[1] + 1)
        rows = bins[ROWS].astype(np.int64)
        return Calibration(limits[:-1], limits[1:], rows, _ratios(bins[MEAN], rows), _ratios(bins[HITS], rows))

    @property
    def calibration_error(self) -> float:
        """The mean of |probability - share| over the bins of ``calibration``, weighted by examples."""
        bins = self.calibration
        if bins is None or self._no_probabilities():
            return math.nan
        gaps = np.abs(bins.probability - bins.share)[bins.examples > 0]
        return _ratio((gaps * bins.examples[bins.examples > 0]).sum(), bins.examples.sum())

    def _mean_sum(self, which: int) -> float:
        if self._no_probabilities():
            return math.nan
        return float(self._tables.sums[self._group, which : which + 2].sum()) / self.examples

    # what is undefined -------------------------------------------------------------------------
    @property
    def why(self) -> dict[str, str]:
        """The reason for each metric that is undefined, by its name."""
        if not self.examples:
            return dict.fromkeys(NUMBERS, "no examples")
        reasons: dict[str, Callable[[], str]] = {
            "kappa": lambda: "all labels and predictions are of one class",
            "kappa_temporal": lambda: "the no-change baseline makes no error",
            "precision": lambda: "no label was predicted",
            "auc": self._no_auc,
            "score_auc": self._no_score_auc,
            **dict.fromkeys(OF_PROBABILITIES, self._no_probabilities),
        }
        found = {name: reasons[name]() for name in reasons if math.isnan(getattr(self, name))}
        for one in self.per_class:
            if not one.predicted:
                found[f"precision of {one.label!r}"] = "the label was never predicted"
            if not one.examples:
                found[f"recall of {one.label!r}"] = "no example of this label"
        if self._tables.classes > MATRIX_CLASSES:
            found["confusion"] = f"more than {MATRIX_CLASSES} labels"
        return found

    def _no_probabilities(self) -> str:
        """Why metrics of probabilities are undefined; empty if they are defined."""
        if not self.examples:
            return "no examples"
        if not self._tables.measured:
            return "probabilities are not measured"
        bad = self._tally(BAD)
        return f"{bad:,} examples have a probability that is not a number from 0 to 1" if bad else ""

    def _one_label(self) -> str:
        """Why there are no pairs of examples with different labels; empty if there are."""
        there = self._counts[TRUE] > 0
        if not self.examples:
            return "no examples"
        if self._tables.two:
            absent = "negative" if not there[0] else "positive" if not there[1] else ""
            return absent and f"no example of the {absent} label"
        return "" if there.sum() > 1 else "all examples have the same label"

    def _no_score_auc(self) -> str:
        if not self._tables.two:
            return "" if not self.examples else "the score ranks examples only with two labels"
        bad = int(self._tables.score_bins[self._group, :, NOT_A_NUMBER].sum())
        return f"{bad:,} scores are not numbers" if bad else self._one_label()

    def _no_auc(self) -> str:
        if not self._tables.measured:
            return self._no_score_auc() if self._tables.two else "with several labels AUC needs probabilities"
        if self._tables.classes > AUC_CLASSES:
            return f"more than {AUC_CLASSES} labels"
        return self._no_probabilities() or self._one_label()

    # plain values ------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """All metrics as plain values for JSON; None where a metric is undefined.

        Returns
        -------
        dict
            The metrics by name; "per_class", "confusion" and "calibration"; and "undefined", the
            reason for each undefined metric.
        """
        matrix, bins = self.confusion, self.calibration
        return {
            "examples": self.examples,
            "errors": self.errors,
            "error": _known(self.error),
            **{name: _known(getattr(self, name)) for name in NUMBERS},
            "auc_bound": _known(self.auc_bound),
            "per_class": [{name: _known(value) for name, value in asdict(one).items()} for one in self.per_class],
            "confusion": None if matrix is None else matrix.tolist(),
            "calibration": None
            if bins is None
            else {name: [_known(value) for value in column.tolist()] for name, column in vars(bins).items()},
            "undefined": self.why,
        }


def _known(value: Any) -> Any:
    """The value, or None if it is a float that is not finite: JSON has no such numbers."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole > 0 else math.nan


def _ratios(part: np.ndarray, whole: np.ndarray) -> Floats:
    """Quotients; NaN where the divisor is 0."""
    found: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return found


def _mean(values: Floats) -> float:
    """The mean of the values that are not NaN; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan

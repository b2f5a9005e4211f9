"""Counts and sums of rounds by group: a group is the whole run, or the rows with one value of a column.

The memory depends on the number of groups and classes, not on the number of rounds.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.metrics.class_counts import (
    BAD,
    EXAMPLES,
    PREDICTED,
    RIGHT,
    TALLIES,
    TRUE,
    Counts,
    add_counts,
    add_to_matrix,
)
from driftline.engines.metrics.probability_sums import (
    CALIBRATION_BINS,
    HITS,
    MEAN,
    OF_POSITIVE,
    ROWS,
    SUMS,
    add_probabilities,
)
from driftline.engines.metrics.score_bins import (
    AUC_CLASSES,
    PROBABILITY_BINS,
    SCORE_BINS,
    add_probability_bins,
    add_scores,
)
from driftline.engines.metrics.two_labels import add_two_labels
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP, Rounds
from driftline.internals.compiled import Floats
from driftline.saved.description import MOST

MATRIX_CLASSES = 100
"""The most classes for which a confusion matrix is kept."""


class Tables:
    """The tables of some groups.

    Parameters
    ----------
    groups, classes
        The number of groups and of classes. Both may grow.
    two
        Whether there are two labels, so that the score ranks the rounds.
    measured
        Whether the rounds have probabilities.

    Attributes
    ----------
    counts
        Of shape (groups, 3, classes): rounds with this label, with this prediction, and with both.
    matrix
        Of shape (groups, classes, classes): rounds by label and prediction.
    tallies
        Of shape (groups, 4): rounds, hits of both baselines, and rounds with bad probabilities.
    score_bins
        Of shape (groups, 2, bins): scores by label. No bins unless there are two labels.
    sums, calibration, probability_bins
        Log loss and Brier score, calibration bins, and probabilities of each class by whether it
        was the label.
    """

    def __init__(self, groups: int, classes: int, two: bool, measured: bool) -> None:
        self.two = two
        self.measured = measured
        for name, (shape, dtype) in self._layout(groups, classes).items():
            setattr(self, name, np.zeros(shape, dtype))

    counts: Counts
    matrix: Counts
    tallies: Counts
    score_bins: Counts
    sums: Floats
    calibration: Floats
    probability_bins: Counts

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.counts.shape[0])

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.counts.shape[2])

    def _layout(self, groups: int, classes: int) -> dict[str, tuple[tuple[int, ...], type]]:
        """The shape and the type of each array."""
        square = classes if classes <= MATRIX_CLASSES else 0
        ranked = classes if self.measured and classes <= AUC_CLASSES else 0
        layout: dict[str, tuple[tuple[int, ...], type]] = {
            "counts": ((groups, 3, classes), np.int64),
            "matrix": ((groups, square, square), np.int64),
            "tallies": ((groups, TALLIES), np.int64),
            "score_bins": ((groups, 2, SCORE_BINS if self.two else 0), np.int64),
            "sums": ((groups, SUMS), np.float64),
            "calibration": ((groups, 2, 3, CALIBRATION_BINS), np.float64),
            "probability_bins": ((groups, ranked, 2, PROBABILITY_BINS), np.int64),
        }
        return layout

    def resize(self, groups: int, classes: int) -> None:
        """Make room for more groups and classes.

        In all rounds so far, a new class was neither label nor prediction and had probability 0.
        """
        if (groups, classes) == (self.groups, self.classes):
            return
        before = self.probability_bins.shape[1]
        for name, (shape, dtype) in self._layout(groups, classes).items():
            old: np.ndarray = getattr(self, name)
            new: np.ndarray = np.zeros(shape, dtype)
            if all(was <= now for was, now in zip(old.shape, shape, strict=True)):
                new[tuple(slice(0, size) for size in old.shape)] = old
            setattr(self, name, new)
        self.probability_bins[:, before:, 0, 0] = (self.tallies[:, EXAMPLES] - self.tallies[:, BAD])[:, None]

    def add(self, groups: Counts, rounds: Rounds) -> None:
        """Add rounds; ``groups`` gives the group of each, or is empty if all are of group 0."""
        labels = rounds.labels
        if len(groups) or not self.matrix.size:
            add_counts(groups, labels, rounds.predicted, rounds.hits, self.counts, self.matrix, self.tallies)
        else:
            counts, matrix, tallies = self.counts[0], self.matrix[0], self.tallies[0]
            add_to_matrix(labels, rounds.predicted, rounds.hits, counts, matrix, tallies)
        if self.two:
            add_scores(groups, labels, rounds.scores, self.score_bins)
        self._add_probabilities(groups, rounds)

    def add_two(self, y: Floats, rounds: Rounds, last_and_leader: Counts) -> None:
        """Add rounds with the labels ``y``, -1 or +1, to the only group, and fill in the rounds."""
        add_two_labels(
            y,
            rounds.scores,
            rounds.labels,
            rounds.predicted,
            rounds.hits,
            last_and_leader,
            self.counts[0],
            self.matrix[0],
            self.tallies[0],
            self.score_bins[0],
        )
        self._add_probabilities(EVERY_ROW_OF_ONE_GROUP, rounds)

    def _add_probabilities(self, groups: Counts, rounds: Rounds) -> None:
        if self.measured:
            labels, given = rounds.labels, rounds.probabilities
            add_probabilities(groups, labels, given, self.two, self.tallies, self.sums, self.calibration)
            add_probability_bins(groups, labels, given, self.probability_bins)

    def to_several(self, swap: bool) -> None:
        """Go on with several classes; ``swap`` exchanges the numbers of the first two."""
        self.two = False
        self.score_bins = np.zeros((self.groups, 2, 0), np.int64)
        self.calibration[:, OF_POSITIVE] = 0.0
        if swap:
            self.counts = self.counts[:, :, ::-1].copy()
            self.matrix = self.matrix[:, ::-1, ::-1].copy()
            self.probability_bins = self.probability_bins[:, ::-1].copy()

    # checkpoints -------------------------------------------------------------------------------
    def state(self, prefix: str) -> dict[str, np.ndarray]:
        """The arrays, by their names after ``prefix``."""
        return {prefix + name: getattr(self, name) for name in self._layout(0, 0)}

    @classmethod
    def from_state(cls, prefix: str, arrays: dict[str, np.ndarray], two: bool, measured: bool) -> Tables:
        """Rebuild tables; raise ValueError if no run can have them."""
        counts = arrays[f"{prefix}counts"]
        if counts.ndim != 3 or counts.shape[2] < 2 or (two and counts.shape[2] != 2):
            raise ValueError(f"{prefix}counts of shape {counts.shape}")
        tables = cls(0, 2, two, measured)
        for name, (shape, dtype) in tables._layout(counts.shape[0], counts.shape[2]).items():
            array = arrays[prefix + name]
            if array.shape != shape or array.dtype != dtype:
                raise ValueError(f"{prefix}{name} of shape {array.shape} and {array.dtype}")
            if not (np.all(array >= 0) or name == "sums") or not np.all(array <= MOST):
                raise ValueError(f"{prefix}{name} outside its range")
            setattr(tables, name, array.copy())
        tables._check(prefix)
        return tables

    def _check(self, prefix: str) -> None:
        """Raise ValueError unless the tables agree with each other."""
        counts, tallies, matrix = self.counts, self.tallies, self.matrix
        rows = tallies[:, EXAMPLES]
        measured = rows - tallies[:, BAD] if self.measured else np.zeros_like(rows)
        agree = [
            ("counts", counts[:, TRUE].sum(1) == rows),
            ("counts", counts[:, PREDICTED].sum(1) <= rows),
            ("counts", (counts[:, RIGHT] <= np.minimum(counts[:, TRUE], counts[:, PREDICTED])).all(1)),
            ("tallies", (tallies <= rows[:, None]).all(1)),
            ("sums", np.isfinite(self.sums).all(1) & (self.sums[:, ::2] >= 0.0).all(1)),
            ("calibration", (self.calibration[:, :, HITS] <= self.calibration[:, :, ROWS]).all((1, 2))),
            ("calibration", (self.calibration[:, :, MEAN] <= self.calibration[:, :, ROWS] * (1 + 1e-9)).all((1, 2))),
            ("calibration", (self.calibration[:, 1, ROWS].sum(1) == measured)),
        ]
        if matrix.shape[1]:
            agree.append(("matrix", (matrix.sum(1) == counts[:, PREDICTED]).all(1)))
            agree.append(("matrix", (matrix.sum(2) <= counts[:, TRUE]).all(1)))
            agree.append(("matrix", (np.diagonal(matrix, axis1=1, axis2=2) == counts[:, RIGHT]).all(1)))
        if self.two:
            agree.append(("score_bins", (self.score_bins.sum(2) == counts[:, TRUE]).all(1)))
        if self.probability_bins.shape[1]:
            agree.append(("probability_bins", (self.probability_bins.sum((2, 3)) == measured[:, None]).all(1)))
        for name, holds in agree:
            if not np.all(holds):
                raise ValueError(f"{prefix}{name} that do not agree with the other counts")

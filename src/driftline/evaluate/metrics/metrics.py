"""Metrics that are updated block by block, in constant memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.engines.metrics.class_counts import TRUE, Counts, baseline_hits
from driftline.evaluate.metrics.exact_auc import exact_auc
from driftline.evaluate.metrics.figures import Figures
from driftline.evaluate.metrics.given_rounds import GivenRounds
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP, Rounds
from driftline.evaluate.metrics.tables import Tables
from driftline.evaluate.metrics.window import Window
from driftline.internals.compiled import Floats
from driftline.internals.require import require


class Metrics(Figures):
    """Metrics of predictions, updated block by block in constant memory.

    The metrics of all examples are attributes: ``accuracy``, ``balanced_accuracy``, ``kappa``,
    ``kappa_temporal``, ``precision``, ``recall``, ``f1``, ``auc``, ``score_auc``, ``log_loss``,
    ``brier``, ``calibration_error``, ``no_change_error``, ``majority_error``, ``per_class``,
    ``confusion`` and ``calibration``. A metric is NaN if it is undefined, and ``why`` gives the
    reason. Sample weights are ignored.

    ``run.metrics`` is such an object. Create one to evaluate the predictions of another model.

    Parameters
    ----------
    labels : sequence, default=()
        The labels. Of two labels, the second is the positive one. Others are added as they appear,
        unless two are declared.
    window : int, default=1000
        The number of examples over which ``window`` and ``series`` are computed.
    probabilities : bool, default=False
        Whether every example has probabilities, for ``log_loss``, ``brier``, ``calibration`` and
        the AUC of several labels.

    Examples
    --------
    >>> import driftline as dl
    >>> metrics = dl.Metrics(labels=("ham", "spam"))
    >>> metrics.add(["spam", "ham", "ham", "spam"], score=[0.7, -0.2, 0.1, 1.3])
    >>> metrics.accuracy, metrics.auc
    (0.75, 1.0)
    >>> metrics.confusion.tolist()
    [[1, 1], [0, 2]]
    >>> metrics.log_loss, metrics.why["log_loss"]
    (nan, 'probabilities are not measured')
    """

    def __init__(self, labels: Sequence[Any] = (), *, window: int = 1000, probabilities: bool = False) -> None:
        whole = isinstance(window, int | np.integer) and not isinstance(window, bool) and window >= 1
        require(whole, "Metrics", "window must be a whole number >= 1", window)
        self._given = GivenRounds(labels)
        super().__init__(Tables(1, max(2, len(labels)), len(labels) == 2, probabilities), 0, labels)
        self._window = Window(int(window), probabilities)
        self._last_and_leader: Counts = np.array([-1, -1], np.int64)
        self._sliced = Tables(0, self._tables.classes, self._tables.two, probabilities)
        self._values: list[str] = []

    def add(self, y: Any, predicted: Any = None, score: Any = None, probability: Any = None) -> None:
        """Add examples: one, or a sequence of them.

        Parameters
        ----------
        y
            The label, or a sequence of labels.
        predicted
            The predicted label of each example, None where there is none. If it is not given, it
            follows from ``score`` (positive if >= 0), or else from ``probability`` (the most
            likely label).
        score
            With two labels, the score of each example.
        probability
            For each example, if ``probabilities=True``: a dict from labels to probabilities, a row
            with a column for each of ``labels``, or with two labels the probability of the
            positive one.
        """
        rounds = self._given.rounds(y, predicted, score, probability, self._tables.measured)
        self.labels = list(self._given.labels)
        self._take(rounds)

    def _take(self, rounds: Rounds, groups: Counts = EVERY_ROW_OF_ONE_GROUP, values: Sequence[str] = ()) -> None:
        """Add rounds; ``groups`` gives the slice of each, ``values`` the names of the slices."""
        if not len(rounds.labels):
            return
        tables, done = self._tables, self.examples
        highest = max(int(rounds.labels.max()), int(rounds.predicted.max())) + 1
        classes = 2 if tables.two else max(tables.classes, highest, rounds.probabilities.shape[1])
        tables.resize(1, classes)
        baseline_hits(rounds.labels, tables.counts[0, TRUE].copy(), self._last_and_leader, rounds.hits)
        tables.add(EVERY_ROW_OF_ONE_GROUP, rounds)
        self._follow(done, rounds, groups, values)

    def _take_two(self, y: Floats, rounds: Rounds, groups: Counts, values: Sequence[str]) -> None:
        """``_take`` for a learner of two labels; class numbers are filled in from the signs ``y``."""
        done = self.examples
        self._tables.add_two(y, rounds, self._last_and_leader)
        self._follow(done, rounds, groups, values)

    def _follow(self, done: int, rounds: Rounds, groups: Counts, values: Sequence[str]) -> None:
        """Add rounds that follow ``done`` others to the window and the slices."""
        tables = self._tables
        self._window.add(done, rounds, tables.two, tables.classes)
        if len(groups):
            self._values = list(values)
            self._sliced.resize(len(values), tables.classes)
            self._sliced.add(groups, rounds)

    def _to_several(self, swap: bool) -> None:
        """Go on with several classes; ``swap`` exchanges the numbers of the first two."""
        for part in (self._tables, self._sliced, self._window):
            part.to_several(swap)
        if swap:
            known = self._last_and_leader >= 0
            self._last_and_leader[known] = 1 - self._last_and_leader[known]

    # parts of the run --------------------------------------------------------------------------
    @property
    def window(self) -> Figures:
        """The metrics of the last examples, without bins."""
        rounds = self._window.rounds(self.examples)
        tables = Tables(1, self._tables.classes, self._tables.two, self._tables.measured)
        tables.add(EVERY_ROW_OF_ONE_GROUP, rounds)
        return WindowFigures(tables, rounds, self.labels)

    @property
    def series(self) -> dict[str, Floats]:
        """The metrics of the last examples along the run, at up to 64 positions.

        The columns are "examples" (the position), "error", "balanced_accuracy", "kappa",
        "kappa_temporal", "auc" (with bins), "log_loss" and "shares": the share of each label in the
        window, with a column for each of the first ten labels. Undefined values are NaN.
        """
        return self._window.series(min(len(self.labels), self._tables.classes))

    @property
    def slices(self) -> dict[str, Figures]:
        """The metrics by value of the column ``slice``; empty without one.

        The baselines are those of the whole stream.
        """
        return {value: Figures(self._sliced, k, self.labels) for k, value in enumerate(self._values)}

    def to_dict(self) -> dict[str, Any]:
        """All metrics as plain values for JSON; None where a metric is undefined.

        Returns
        -------
        dict
            The metrics by name; "per_class", "confusion" and "calibration"; "undefined", the reason
            for each undefined metric; the same of the "window"; and "slices" by value.
        """
        window = {"examples_in_window": self._window.size, **self.window.to_dict()}
        slices = {value: figures.to_dict() for value, figures in self.slices.items()}
        return {**super().to_dict(), "window": window, "slices": slices}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {getattr(self, name):.4f}" for name in ("accuracy", "balanced_accuracy", "auc"))
        return f"<Metrics: {self.examples:,} examples, {shown.replace('_', ' ')}>"


class WindowFigures(Figures):
    """The metrics of rounds that are all in memory: AUC is computed without bins."""

    def __init__(self, tables: Tables, rounds: Rounds, labels: Sequence[Any]) -> None:
        super().__init__(tables, 0, labels)
        self._rounds = rounds

    def _score_auc(self) -> tuple[float, float]:
        if self._no_score_auc():
            return math.nan, math.nan
        return exact_auc(self._rounds.labels == 1, self._rounds.scores), 0.0

    def _auc(self) -> tuple[float, float]:
        if self._no_auc():
            return math.nan, math.nan
        if not self._tables.measured:
            return self._score_auc()
        labels, shares = self._rounds.labels, self._rounds.probabilities
        classes = [1] if self._tables.two else range(shares.shape[1])
        found = np.array([exact_auc(labels == k, shares[:, k]) for k in classes])
        return float(np.nanmean(found)), 0.0

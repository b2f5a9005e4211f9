"""The metrics of a run, fed with its learned blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.engines.metrics.class_counts import EXAMPLES, MAJORITY, NO_CHANGE, NONE, TRUE
from driftline.evaluate.baselines import Baselines
from driftline.evaluate.metrics.metrics import Metrics
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP, RoundBuffer
from driftline.evaluate.metrics.slices import MOST_VALUES, Slices
from driftline.evaluate.metrics.tables import Tables
from driftline.learners import LearnedBlock, Learner

KEYS = ("two", "probabilities", "first_sign", "last", "leader", "window", "stride", "slice", "values")


class MetricsObserver:
    """Feeds the metrics of a run. Checkpoints save their state.

    Parameters
    ----------
    window
        The number of examples in the window.
    probabilities
        Whether probabilities are measured.
    column
        The column by whose values the run is sliced; None for no slices.

    Attributes
    ----------
    metrics
        The metrics.
    """

    name = "metrics"

    def __init__(self, window: int = 1000, probabilities: bool = False, column: str | int | None = None) -> None:
        self.wants_probabilities = probabilities
        self.metrics = Metrics(window=window, probabilities=probabilities)
        self._slices = None if column is None else Slices(column)
        self._buffer = RoundBuffer()
        self._first_sign = 0.0
        """The sign of the label that the learner met first; 0 if it had several classes from the start."""
        self._begun = False

    def add(self, learned: LearnedBlock, X: Any, learner: Learner) -> None:
        """See a learned block.

        Parameters
        ----------
        learned
            The record of the block.
        X
            The rows of the block, as the stream gave them.
        learner
            The learner, after the block.
        """
        if not len(learned):
            return
        groups = EVERY_ROW_OF_ONE_GROUP if self._slices is None else self._slices.groups(X)
        if not self._begun:
            self._begun = True
            self._set_two(not learned.several)
        if not learned.several:
            self._first_sign = learned.first_sign
        elif self.metrics._tables.two:
            self.metrics._to_several(swap=self._first_sign > 0.0)
        values = () if self._slices is None else tuple(self._slices.values)
        rounds = self._buffer.rounds(learned, self.wants_probabilities)
        if learned.several:
            self.metrics._take(rounds, groups, values)
        else:
            self.metrics._take_two(learned.y, rounds, groups, values)

    @property
    def examples(self) -> int:
        """The number of examples that were measured."""
        return self.metrics.examples

    def name_classes(self, learner: Learner) -> None:
        """Take the labels of the learner for the class numbers, at the end of the run.

        Parameters
        ----------
        learner
            The learner.
        """
        labels = list(learner.labels)
        if self.metrics._tables.two and len(labels) == 1:  # the other one has not appeared
            labels.insert(int(self._first_sign < 0.0), None)
        self.metrics.labels = labels

    def counts_baselines(self, learned: LearnedBlock, examples: int) -> bool:
        """Whether ``baselines`` will be those of a run of ``examples`` examples and this block.

        So it is for two labels, if the metrics began with the run. The labels then need not be
        counted twice.

        Parameters
        ----------
        learned
            The record of the block, which has not been added yet.
        examples
            The number of examples of the run before the block.
        """
        return not learned.several and self.metrics.examples == examples

    def baselines(self) -> Baselines:
        """The mistakes of the baselines of two labels, by class numbers in order of appearance."""
        tables, (last, leader) = self.metrics._tables, self.metrics._last_and_leader.tolist()
        tallies, first = tables.tallies[0], int(self._first_sign > 0.0)
        mistakes = tallies[EXAMPLES] - tallies[[NO_CHANGE, MAJORITY]]
        number = {NONE: NONE, first: 0, 1 - first: 1}
        totals = np.array([*mistakes.tolist(), number[last], number[leader]], np.int64)
        return Baselines(totals, tables.counts[0, TRUE, [first, 1 - first]].astype(np.int64))

    def _set_two(self, two: bool) -> None:
        """Say before the first block whether there are two labels."""
        metrics = self.metrics
        metrics._tables = Tables(1, 2, two, self.wants_probabilities)
        metrics._sliced = Tables(0, 2, two, self.wants_probabilities)

    # checkpoints -------------------------------------------------------------------------------
    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays."""
        metrics = self.metrics
        last, leader = metrics._last_and_leader.tolist()
        ring, arrays = metrics._window.state(metrics.examples)
        meta = {
            "two": metrics._tables.two,
            "probabilities": self.wants_probabilities,
            "first_sign": self._first_sign,
            "last": last,
            "leader": leader,
            **ring,
            "slice": None if self._slices is None else self._slices.column,
            "values": metrics._values,
        }
        return meta, {**metrics._tables.state("total "), **metrics._sliced.state("slice "), **arrays}

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state; raise ValueError if no run can have it.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned.
        """
        if meta.keys() != set(KEYS) or arrays.keys() != self.state()[1].keys():
            raise ValueError(f"entries {sorted(meta)} and arrays {sorted(arrays)}")
        two, column, values = meta["two"], meta["slice"], meta["values"]
        if type(two) is not bool or meta["first_sign"] not in (-1.0, 0.0, 1.0):
            raise ValueError(f"two {two!r} and first_sign {meta['first_sign']!r}")
        own = None if self._slices is None else self._slices.column
        if meta["probabilities"] is not self.wants_probabilities or column != own:
            raise ValueError(f"probabilities {meta['probabilities']!r} and slice {column!r}")
        texts = isinstance(values, list) and all(isinstance(value, str) for value in values)
        if not texts or len(set(values)) != len(values) or len(values) > MOST_VALUES + 1:
            raise ValueError(f"values {values!r}")
        metrics = Metrics(window=self.metrics._window.size, probabilities=self.wants_probabilities)
        metrics._tables = tables = Tables.from_state("total ", arrays, two, self.wants_probabilities)
        metrics._sliced = sliced = Tables.from_state("slice ", arrays, two, self.wants_probabilities)
        if tables.groups != 1 or sliced.groups != len(values):
            raise ValueError(f"{tables.groups} totals and {sliced.groups} slices")
        if values and not np.array_equal(sliced.counts.sum(0), tables.counts[0]):
            raise ValueError("slices that do not add up to the total")
        true = tables.counts[0, TRUE]
        for name, highest in (("last", 1), ("leader", int(true.max()))):
            number = meta[name]
            known = type(number) is int and (0 <= number < tables.classes if metrics.examples else number == -1)
            if not known or (metrics.examples and true[number] < highest):
                raise ValueError(f"{name} {number!r}")
        metrics._window.restore(meta, arrays, metrics.examples, tables.classes)
        metrics._last_and_leader[:] = meta["last"], meta["leader"]
        metrics._values = list(values)
        if self._slices is not None:
            self._slices.values = {value: k for k, value in enumerate(values)}
        self.metrics, self._first_sign, self._begun = metrics, float(meta["first_sign"]), metrics.examples > 0

"""The calibrated probabilities of a Tracker, in questions and in learned blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.rows import Rows, SparseRows
from driftline.learners.learned_block import RoundRecorder
from driftline.learners.probability_trace import both
from driftline.learners.several_classes import SeveralClasses


class CalibratedVote(SeveralClasses):
    """A learner whose engine has a calibrated probability of each label."""

    _engine: Any
    _estimate_row_call: Callable[[], float]
    _uncopied = (*SeveralClasses._uncopied, "_estimate_row_call")

    def _prepare_row_calls(self, rows: SparseRows) -> None:
        super()._prepare_row_calls(rows)
        if not self.rule.several:
            self._estimate_row_call = self._engine.estimator_of(rows)

    # questions ---------------------------------------------------------------------------------
    def _predict_proba_one(self, x: Any) -> dict[Any, float]:
        labels = self._labels.known()
        if len(labels) < 2:
            self._score_one(x)  # raises if x is no example
            return dict.fromkeys(labels, 1.0)
        if not self.rule.several:
            p, (negative, positive) = self._probability(x), labels
            return {positive: p, negative: 1.0 - p} if p >= 0.5 else {negative: 1.0 - p, positive: p}
        each = self._empty_scores(1)
        self._engine.probabilities(self._example(x), each)
        shares = each[0].tolist()
        return {labels[k]: shares[k] for k in np.argsort(-each[0], kind="stable").tolist()}

    def _probability(self, x: Any) -> float:
        """The probability of the positive label of one example."""
        if self._scores_first and type(x) is dict:
            rows = self._encoder.one_dict(x, False)
            if rows is not self._row_buffer:
                self._prepare_row_calls(rows)
            return self._estimate_row_call()
        self._engine.probabilities(self._example(x), self._score_buffer)
        return self._score_buffer.item()

    def _example(self, x: Any) -> Rows:
        """One example, encoded and scaled."""
        example = self._encoder.one(x, False)
        return example if self._scaler is None else self._scaler.scale(example, self._encoder.features, False)

    def _predict_proba_many(self, X: Any) -> Floats:
        labels = self._labels.known()
        if len(labels) < 2:
            return np.ones((len(self._score_many(X)), len(labels)))
        found = self._write_rows(X, self._engine.probabilities)
        return found if self.rule.several else both(found)

    def _probabilities_of_row(self, row: Rows, scores: Floats) -> Floats:
        labels = self._labels.known()
        if len(labels) < 2:
            return np.ones((1, len(labels)))
        found = self._empty_scores(1)
        self._engine.probabilities(row, found)
        return found if self.rule.several else both(found)

    # learned blocks ----------------------------------------------------------------------------
    def _learn_scaled(self, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Also record the probabilities before each round, if the recorder keeps them.

        The engine writes them to further rows of the trials.
        """
        if recorder is None or not recorder.keeps_probabilities:
            return super()._learn_scaled(rows, trials, recorder)
        several = self.rule.several
        longer = np.zeros((len(trials) + (len(self._labels.signs) if several else 1), trials.shape[1]))
        longer[: len(trials)] = trials
        done = super()._learn_scaled(rows, longer, recorder)
        trials[:] = longer[: len(trials)]
        found = longer[len(trials) :].T if several else both(longer[-1])
        before = recorder.probabilities
        recorder.probabilities = found if before is None else np.concatenate([before, found])
        return done

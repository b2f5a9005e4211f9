"""Scores and predictions of a learner, for one example or many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from driftline.encode.faults import LONGEST, RowError
from driftline.internals.compiled import Floats
from driftline.internals.one_call import claims, whole_call
from driftline.internals.rows import Rows, cut, length
from driftline.learners.assembled_learner import AssembledLearner
from driftline.learners.probability_trace import both
from driftline.rules.kernel.random_fourier import Waves


class ScoringLearner(AssembledLearner):
    """A learner that scores and predicts but cannot learn yet. See ``Learner``."""

    @claims
    def score_one(self, x: Any) -> float:
        """The score of one example; it is always a single float.

        With at most two known labels it is the score of the positive label, which is ``labels[1]``
        if both are known. At a score of exactly 0 the positive label is predicted. Learners of
        several classes return the lead of the predicted label instead: see ``SeveralClasses``.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        float
            The score. For a regressor it is the prediction.
        """
        busy = True
        try:
            busy, self._busy = self._busy, True  # see internals/one_call.py
            return self._wait_and_score(x) if busy else self._score_one(x)
        finally:
            if not busy:
                self._busy = False

    @whole_call
    def _wait_and_score(self, x: Any) -> float:
        """``score_one`` after the running call of another thread."""
        return self._score_one(x)

    def _score_one(self, x: Any) -> float:
        if self._scores_first and type(x) is dict:
            rows = self._encoder.one_dict(x, False)
            if rows is not self._row_buffer:
                self._prepare_row_calls(rows)
            score = self._score_row_call()
            if score != 0.0 and -LONGEST < score < LONGEST:
                return score
        return self._score_checked(x)

    def _score_checked(self, x: Any) -> float:
        """The score of one example of any kind, after all checks."""
        example = self._encoder.one(x, False)
        if self._scaler is not None:
            example = self._scaler.scale(example, self._encoder.features, False)
        self._engine.score(example, self._score_buffer)
        score = self._score_buffer.item()
        if not math.isfinite(score):
            raise self._overflow(None)
        return score

    @whole_call
    def score_many(self, X: Any) -> Floats:
        """The score of each row, as ``score_one`` returns it.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The scores.
        """
        return self._score_many(X)

    def _score_many(self, X: Any) -> Floats:
        return self._score_rows(X)

    @whole_call
    def scores_one(self, x: Any) -> dict[Any, float]:
        """The score of each known label.

        With two labels, the positive label has the score s of ``score_one``, and the negative one
        has -s. If only one label is known, the other is left out. The label with the highest
        score is predicted; at score 0 this is the positive label.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        dict
            Label to score, in the order of ``labels``.
        """
        self._require_labels("scores_one")
        return self._scores_one(x)

    def _scores_one(self, x: Any) -> dict[Any, float]:
        score, signs = self._score_one(x), self._labels.signs
        return {label: score if signs[label] > 0.0 else 0.0 - score for label in self._labels.known()}

    @whole_call
    def scores_many(self, X: Any) -> Floats:
        """The score of each known label for each row, as ``scores_one`` returns them.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows, labels)
            The scores, with a column for each label, in the order of ``labels``.
        """
        self._require_labels("scores_many")
        return self._scores_many(X)

    def _scores_many(self, X: Any) -> Floats:
        scores, signs, labels = self._score_many(X), self._labels.signs, self._labels.known()
        each = np.empty((len(scores), len(labels)))
        for k, label in enumerate(labels):
            each[:, k] = scores if signs[label] > 0.0 else 0.0 - scores
        return each

    def _score_rows(self, X: Any) -> Floats:
        """The scores of the engine: one for each row, with several classes one for each class."""
        scores = self._write_rows(X, self._engine.score)
        wrong = ~np.isfinite(scores)
        if wrong.any():
            raise self._overflow(int(np.argmax(wrong)) // scores[0].size)
        return scores

    def _write_rows(self, X: Any, write: Callable[[Rows, Floats], None]) -> Floats:
        """An array shaped like scores, filled by ``write`` from rows that are encoded and scaled."""
        return self._write_encoded(self._encoder.many(X, False), write)

    def _write_encoded(self, rows: Rows, write: Callable[[Rows, Floats], None]) -> Floats:
        """``_write_rows`` for rows that are encoded but not scaled."""
        encoder, scaler = self._encoder, self._scaler
        written = self._empty_scores(length(rows))
        if isinstance(scaler, Waves):
            for part in pieces(rows, scaler.step):
                write(scaler.scale(cut(rows, part), encoder.features, False), written[part])
        else:
            if scaler is not None:
                rows = scaler.scale(rows, encoder.features, False)
            write(rows, written)
        return written

    def _empty_scores(self, size: int) -> Floats:
        """An array for the scores of ``size`` rows."""
        return np.zeros(size)

    def _overflow(self, row: int | None) -> ValueError:
        """The error for a row whose score is not finite; ``row`` is None for ``score_one``."""
        what, where = self._engine.unscorable(), self._encoder.where
        if what:
            return ValueError(f"{where}: x {what}") if row is None else RowError(where, row, what, joined=" ")
        return ValueError(
            f"{where}: a score must be finite, got weights that have overflowed. "
            "Take smaller parameters, or set scale='unit'"
        )

    def _require_labels(self, method: str) -> None:
        """Raise ValueError if the learner predicts numbers."""
        if self.rule.regresses:
            raise ValueError(
                f"{self._encoder.where}: {method} must be called on a classifier, got a regressor. "
                "Its scores are its predictions: call predict_one or predict_many"
            )

    @claims
    def predict_one(self, x: Any) -> Any:
        """Predict the label of one example.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        label
            The positive label if the score is >= 0, else the negative label. If only one label is
            known, that label; None if no label is known. A regressor returns the predicted number.
        """
        busy = True
        try:
            busy, self._busy = self._busy, True  # see internals/one_call.py
            if busy:
                return self._wait_and_predict(x)
            score, labels = self._score_one(x), self._labels
            label = labels.positive if score >= 0.0 else labels.negative
            return labels.of(score) if label is None else label
        finally:
            if not busy:
                self._busy = False

    @whole_call
    def _wait_and_predict(self, x: Any) -> Any:
        """``predict_one`` after the running call of another thread."""
        return self._labels.of(self._score_one(x))

    @whole_call
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The calibrated probability of each known label.

        Probabilities are learned on line: the learner remembers the scores and labels of its
        recent rounds, and a mixture of logistic regressions and running shares of the labels turns
        a score into a probability. They follow drift, and ignore sample weights, except that
        examples with weight 0 are not counted.

        If only one label is known, it has probability 1. If both labels are declared but only one
        was learned, the probability of the other is small: it is that of the mixture. Before the
        first example, the positive label has probability 1 / (1 + exp(-s)) at score s, or (1 + s) /
        2 if the score is a vote between -1 and 1 (experts, committees). The same holds for models
        saved by versions without calibration, until they learn again. ``Tracker`` computes its
        probabilities from the scores of its experts.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        dict
            Label to probability, the most likely label first. It may differ from the label of
            ``predict_one``, which is that of the score.

        >>> import driftline as dl
        >>> dl.FixedShare(labels=("ham", "spam")).predict_proba_one([1.0, 1.0, 1.0, -1.0])
        {'spam': 0.75, 'ham': 0.25}
        """
        self._require_labels("predict_proba_one")
        return self._predict_proba_one(x)

    def _predict_proba_one(self, x: Any) -> dict[Any, float]:
        return self._shares_at(self._score_one(x))

    def _shares_at(self, score: float) -> dict[Any, float]:
        """The probability of each label of two, given the score."""
        labels, recent = self._labels, self._recent
        negative, positive = labels.negative, labels.positive
        if negative is None or positive is None:
            return dict.fromkeys(labels.known(), 1.0)
        p = math.nan if recent is None else recent.probability(score)
        if p == p:
            return {positive: p, negative: 1.0 - p} if p >= 0.5 else {negative: 1.0 - p, positive: p}
        odds = math.exp(-abs(score))
        less = (1.0 - min(1.0, abs(score))) / 2.0 if self.rule.voting else odds / (1.0 + odds)
        first, second = (positive, negative) if score >= 0.0 else (negative, positive)
        return {first: 1.0 - less, second: less}

    @whole_call
    def predict_proba_many(self, X: Any) -> Floats:
        """The probability of each known label for each row; see ``predict_proba_one``.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows, labels)
            The probabilities of ``predict_proba_one``, with a column for each label, in the order
            of ``labels``.
        """
        self._require_labels("predict_proba_many")
        return self._predict_proba_many(X)

    def _predict_proba_many(self, X: Any) -> Floats:
        return self._probabilities_of(self._score_many(X))

    def _probabilities_of(self, scores: Floats) -> Floats:
        """The probability of each known label; with several classes given the scores of all."""
        labels = self._labels.known()
        if len(labels) < 2:
            return np.ones((len(scores), len(labels)))
        if self._recent is None or not self._recent.rounds:
            return self._uncalibrated(scores)
        positive = self._recent.probabilities(np.ascontiguousarray(scores))
        return both(positive)

    def _probabilities_of_row(self, row: Rows, scores: Floats) -> Floats:
        """The probability of each known label of one encoded and scaled row, given its scores."""
        return self._probabilities_of(scores)

    def _uncalibrated(self, scores: Floats) -> Floats:
        """The probability of each label if no example was learned, given the scores."""
        size = np.abs(scores)
        less = (1.0 - np.minimum(1.0, size)) / 2.0 if self.rule.voting else np.exp(-size) / (1.0 + np.exp(-size))
        each = np.column_stack([less, 1.0 - less])
        swapped = scores < 0.0
        each[swapped] = each[swapped][:, ::-1]
        return each

    @whole_call
    def predict_many(self, X: Any) -> np.ndarray:
        """Predict the label of each row.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The labels, as ``predict_one`` returns them. At least one label must be known. A
            regressor returns the predicted numbers.
        """
        return self._predict_many(X)

    def _predict_many(self, X: Any) -> np.ndarray:
        return self._labels.of_many(self._score_many(X))


def pieces(rows: Rows, step: int) -> Iterator[slice]:
    """Slices of at most ``step`` rows."""
    size = length(rows)
    return (slice(start, min(size, start + step)) for start in range(0, size, step))

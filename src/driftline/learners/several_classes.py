"""Learners of any number of classes: scores and weights for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import whole
from driftline.learners.learner import Learner, Options
from driftline.rules import Rule

if TYPE_CHECKING:
    from driftline.engines.multiclass.class_engine import ClassesEngine

SMALLEST_SHARE = 1e-15  # share of a class whose vote is -1, before all shares are made to sum to 1


class SeveralClasses(Learner):
    """A learner of any number of classes; new ones may appear at any time.

    The class with the highest score is predicted. Declared ``labels`` are known from the
    start, in that order, which decides ties. A class that appears later, even with weight 0, knows
    nothing of the examples before, and the round in which it appears is a mistake.

    ``scores_one`` has the score of each class. ``score_one`` is always one number:

    * two labels: the score of the second less that of the first. If it is > 0 the second is
      predicted, else the first.
    * one label or none: the same, where a label that is not known counts as 0.
    * three labels or more: the lead of the predicted label, its score less the highest other one;
      this is >= 0.

    ``learn_one`` and ``learn_many`` return the margin: the score of the right class less the
    highest other (less 0 where there is no other). A new class is at most as high as the others.
    ``mistakes`` and ``label_errors`` are the rounds in which another label would have been shown,
    or none.
    """

    _engine: ClassesEngine

    def __init__(self, rule: Rule, **options: Unpack[Options]) -> None:
        super().__init__(rule, **options)
        if rule.several:
            self._engine.found(len(self._labels.signs))

    # scoring -----------------------------------------------------------------------------------
    # While its rule is of two labels (a Tracker before the third label) it scores as other learners.
    def score_one(self, x: Any) -> float:
        """The score of one example as one number, whatever labels have been seen.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        float
            With at most two labels the score of the second less that of the first, where a label
            that is not known counts as 0. With more labels the score of the predicted one less the
            highest other, which is >= 0.
        """
        if not self.rule.several:
            return super().score_one(x)
        lead: float = leads(self._class_scores(x)).item()
        if not np.isfinite(lead):
            raise self._overflow(None)
        return lead

    def score_many(self, X: Any) -> Floats:
        """The score of each row as one number, as ``score_one`` gives it.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The scores.
        """
        if not self.rule.several:
            return super().score_many(X)
        found = leads(self._score_rows(X))
        wrong = ~np.isfinite(found)
        if wrong.any():
            raise self._overflow(int(np.argmax(wrong)))
        return found

    def scores_one(self, x: Any) -> dict[Any, float]:
        """The score of each known label; the highest is predicted, of equal ones the earlier.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        dict
            Label to score, in the order of ``labels``.
        """
        if not self.rule.several:
            return super().scores_one(x)
        return dict(zip(self.labels, self._class_scores(x)[0].tolist(), strict=True))

    def scores_many(self, X: Any) -> Floats:
        """The score of each known label for each row, as ``scores_one`` gives them.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows, labels)
            The scores, with a column for each label, in the order of ``labels``.
        """
        return self._score_rows(X) if self.rule.several else super().scores_many(X)

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one example.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        label
            The label with the highest score, of equal ones the earlier; None if no label is known.
        """
        if not self.rule.several:
            return super().predict_one(x)
        scores = self._class_scores(x)[0].tolist()
        return self.labels[scores.index(max(scores))] if scores else None

    def predict_many(self, X: Any) -> np.ndarray:
        """Predict the label of each row.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The labels, as ``predict_one`` gives them. A label must be known.
        """
        return self._labels.of_many(self._score_rows(X)) if self.rule.several else super().predict_many(X)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each known label: the softmax of the scores, not calibrated.

        Where scores are votes between -1 and 1, it is the share (1 + score) / 2, divided by the
        sum of all shares.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        dict
            Label to probability, the most likely first.
        """
        if not self.rule.several:
            return super().predict_proba_one(x)
        scores = self._class_scores(x)[0]
        labels, shares = self.labels, self._probabilities(scores)
        return {labels[k]: float(shares[k]) for k in np.argsort(-scores, kind="stable")}

    def _probabilities(self, scores: Floats) -> Floats:
        """Those of the classes, given scores along the last axis."""
        if not self.rule.voting:
            return softmax(scores)
        shares: Floats = np.maximum(1.0 + scores, SMALLEST_SHARE)
        shares /= shares.sum(axis=-1, keepdims=True)
        return shares

    def _class_scores(self, x: Any) -> Floats:
        """The score of each class for one example, as a matrix of one row."""
        encoder, scores = self._encoder, self._empty_scores(1)
        example = encoder.one(x, False)
        if self._scaler is not None:
            example = self._scaler.scale(example, encoder.features, False)
        self._engine.score(example, scores)
        if not np.isfinite(scores).all():
            raise self._overflow(None)
        return scores

    def _empty_scores(self, size: int) -> Floats:
        """What the engine fills with the scores of ``size`` rows."""
        return np.zeros((size, len(self._labels.signs))) if self.rule.several else super()._empty_scores(size)

    # what it knows -----------------------------------------------------------------------------
    def weights(self) -> dict[Any, Any]:
        """The weights of each label that are not 0.

        Returns
        -------
        dict
            Label to its weights: name (or column, or hashed index) to weight; see ``PA1.weights``.
        """
        return {label: self._by_name(self._engine.weights_of(k)) for k, label in enumerate(self.labels)}

    def largest(self, k: int) -> list[tuple[Any, float]]:
        """The k weights furthest from 0.

        Parameters
        ----------
        k
            How many weights to give, at least 1.

        Returns
        -------
        list of (str, float)
            Each weight with its name, "label: name"; of equal ones those of the earlier class
            first.
        """
        whole(f"{type(self).__name__}.largest", "k", k, 1)
        known: list[tuple[Any, float]] = []
        for at, label in enumerate(self.labels):
            found = self._largest_of(self._engine.weights_of(at), k)
            known.extend((f"{label}: {name}", weight) for name, weight in found)
        return sorted(known, key=lambda one: -abs(one[1]))[:k]


def leads(scores: Floats) -> Floats:
    """One number for each row of scores.

    With at most two columns it is the second less the first, with more the lead. A column that is
    not there counts as 0. The lead is the highest score less the next, and so >= 0. It is infinite
    where the difference overflows.

    >>> leads(np.array([[1.0, 3.0, 2.0], [0.0, 0.0, -1.0]])).tolist()
    [1.0, 0.0]
    >>> leads(np.array([[1.0, 3.0]])).tolist(), leads(np.array([[1.0]])).tolist()
    ([2.0], [-1.0])
    """
    rows, labels = scores.shape
    if labels > 2:
        pair = np.partition(scores, labels - 2, axis=1)[:, -2:]
    else:
        pair = np.zeros((rows, 2))
        pair[:, :labels] = scores
    with np.errstate(over="ignore"):
        found: Floats = pair[:, 1] - pair[:, 0]
    return found


def softmax(scores: Floats) -> Floats:
    """exp(score), divided by the sum over the last axis."""
    shares: Floats = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares

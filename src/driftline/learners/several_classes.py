"""Learners of any number of classes, with scores and weights for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from driftline.engines.attribution import Attribution, occluded
from driftline.internals.compiled import Floats
from driftline.internals.one_call import claims, whole_call
from driftline.internals.rows import Rows
from driftline.learners.explanation import Explanation, explanation
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules import Rule
from driftline.rules.kernel.random_fourier import Waves

if TYPE_CHECKING:
    from driftline.engines.multiclass.class_engine import ClassesEngine

SMALLEST_SHARE = 1e-15  # of a class with vote -1, before normalisation


class SeveralClasses(Learner):
    """A learner of any number of classes; new ones may appear at any time.

    The class with the highest score is predicted. Declared ``labels`` are known from the start,
    and their order breaks ties. A class that appears later, even with weight 0, has not learned
    the examples before it. The round in which it appears is a mistake.

    ``scores_one`` returns the score of each class. ``score_one`` is always one number:

    * two labels: the score of the second less that of the first. If it is > 0 the second is
      predicted, else the first.
    * one label or none: the same, with 0 for an unknown label.
    * three labels or more: the lead of the predicted label, which is its score less the highest
      other score; it is >= 0.

    ``learn_one`` and ``learn_many`` return the margin: the score of the right class less the
    highest other score, or less 0 if there is no other class. The score of a new class is at most
    that of the others. ``mistakes`` and ``label_errors`` count the rounds in which the predicted
    label was wrong, or no label could be predicted.

    ``predict_one`` returns the first label with the highest score, or None if no label is known.
    ``predict_proba_one`` is calibrated on line: a mixture of softmax regressions on the scores and
    of running shares of the labels, learned from the recent rounds. The most likely label comes
    first. Before the first example it is the softmax of the scores; if scores are votes between -1
    and 1, it is the share (1 + score) / 2, divided by the sum of all shares.
    ``weights`` returns a dict for each label, and ``largest`` names a weight "label: feature".
    """

    _engine: ClassesEngine

    def __init__(self, rule: Rule, **options: Unpack[Options]) -> None:
        super().__init__(rule, **options)
        if rule.several:
            self._engine.declare_classes(len(self._labels.signs))

    # scoring -----------------------------------------------------------------------------------
    # before its third label, a Tracker scores like any learner of two labels
    def _score_one(self, x: Any) -> float:
        if not self.rule.several:
            return super()._score_one(x)
        lead: float = leads(self._class_scores(x)).item()
        if not np.isfinite(lead):
            raise self._overflow(None)
        return lead

    def _score_many(self, X: Any) -> Floats:
        if not self.rule.several:
            return super()._score_many(X)
        found = leads(self._score_rows(X))
        wrong = ~np.isfinite(found)
        if wrong.any():
            raise self._overflow(int(np.argmax(wrong)))
        return found

    def _scores_one(self, x: Any) -> dict[Any, float]:
        if not self.rule.several:
            return super()._scores_one(x)
        return dict(zip(self._labels.known(), self._class_scores(x)[0].tolist(), strict=True))

    def _scores_many(self, X: Any) -> Floats:
        return self._score_rows(X) if self.rule.several else super()._scores_many(X)

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
            The first label with the highest score; None if no label is known.
        """
        busy = True
        try:
            busy, self._busy = self._busy, True  # see internals/one_call.py
            return self._wait_and_predict(x) if busy else self._predicted(x)
        finally:
            if not busy:
                self._busy = False

    @whole_call
    def _wait_and_predict(self, x: Any) -> Any:
        """``predict_one`` after the running call of another thread."""
        return self._predicted(x)

    def _predicted(self, x: Any) -> Any:
        if not self.rule.several:
            return self._labels.of(super()._score_one(x))
        scores = self._class_scores(x)[0].tolist()
        return self._labels.known()[scores.index(max(scores))] if scores else None

    def _predict_many(self, X: Any) -> np.ndarray:
        return self._labels.of_many(self._score_rows(X)) if self.rule.several else super()._predict_many(X)

    def _predict_proba_one(self, x: Any) -> dict[Any, float]:
        if not self.rule.several:
            return super()._predict_proba_one(x)
        return self._shares_of(self._class_scores(x))

    def _shares_of(self, scores: Floats) -> dict[Any, float]:
        """The probability of each of several labels, given a matrix of one row of scores."""
        labels, shares = self._labels.known(), self._probabilities_of(scores)[0].tolist()
        return {labels[k]: shares[k] for k in sorted(range(len(labels)), key=lambda k: -shares[k])}

    def _predict_proba_many(self, X: Any) -> Floats:
        return self._probabilities_of(self._score_rows(X)) if self.rule.several else super()._predict_proba_many(X)

    def _probabilities_of(self, scores: Floats) -> Floats:
        if not self.rule.several:
            return super()._probabilities_of(scores)
        recent = self._engine.recent
        return recent.probabilities(scores) if recent.count[0] > 0.0 else self._uncalibrated(scores)

    def _uncalibrated(self, scores: Floats) -> Floats:
        """The probabilities of the classes if no example was learned, given their scores."""
        if not self.rule.several:
            return super()._uncalibrated(scores)
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
        """An array for the scores of ``size`` rows, with a column for each class."""
        return np.zeros((size, len(self._labels.signs))) if self.rule.several else super()._empty_scores(size)

    def _explain_one(self, x: Any, label: Any) -> Explanation:
        if not self.rule.several:
            return super()._explain_one(x, label)
        predicted = self._predicted(x)
        if label is None and predicted is None:
            return explanation((), None, None, None, "linear", self.kind)
        chosen = predicted if label is None else label
        found = self._attributed_class(self._encoder.one(x, False), int(self._sign_of_known(chosen)))
        return self._explained(x, found, chosen, predicted)

    def _attributed_class(self, row: Rows, k: int) -> Attribution:
        """The contributions of the entries of a row to the score of class k."""
        engine, scaler = self._engine, self._scaler
        if isinstance(scaler, Waves):
            return occluded(lambda rows: engine.scores_of(self._scaled(rows))[:, k], row, scaler.step)
        return engine.attribute_class(self._scaled(row), k)

    # learned state -----------------------------------------------------------------------------
    def _weights(self) -> dict[Any, Any]:
        return {label: self._by_name(self._engine.weights_of(k)) for k, label in enumerate(self._labels.known())}

    def _largest(self, k: int) -> list[tuple[Any, float]]:
        known: list[tuple[Any, float]] = []
        for at, label in enumerate(self._labels.known()):
            found = self._largest_of(self._engine.weights_of(at), k)
            known.extend((f"{label}: {name}", weight) for name, weight in found)
        return sorted(known, key=lambda one: -abs(one[1]))[:k]


def leads(scores: Floats) -> Floats:
    """One number for each row of scores.

    With at most two columns it is the second less the first; a missing column counts as 0. With
    more columns it is the lead: the highest score less the second highest, which is >= 0. The
    result is infinite if the difference overflows.

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

"""What learners of several classes do otherwise: labels of any number, a score and weights for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import whole
from driftline.learners.learner import Learner, Options
from driftline.rules import Rule

if TYPE_CHECKING:
    from driftline.engines.multiclass.class_engine import ClassesEngine

TINY = 1e-15  # share of a vote that is all against


class SeveralClasses(Learner):
    """A learner of any number of classes; new ones may appear at any time. The highest score is shown.

    Declared ``labels`` are known from the start, in that order, which decides ties. A class that appears later, be it
    with weight 0, knows nothing of the examples before, and the round in which it appears is a mistake.

    What ``learn_one`` and ``learn_many`` return is the margin: how far the score of the right class was above the
    highest other (where there is no other, above 0). A new class is at most as high as the others. ``mistakes`` and
    ``label_errors`` are the rounds in which another label would have been shown, or none.
    """

    _engine: ClassesEngine

    def __init__(self, rule: Rule, **options: Unpack[Options]) -> None:
        super().__init__(rule, **options)
        self._engine.found(len(self._labels.signs))

    # scoring ------------------------------------------------------------------------------------------------
    def score_one(self, x: Any) -> dict[Any, float]:  # type: ignore[override]
        """Label to score, in the order of ``labels``."""
        return dict(zip(self.labels, self._scores_one(x), strict=True))

    def score_many(self, X: Any) -> Floats:
        """The scores of each row of X: a matrix with a column for each of ``labels``."""
        return super().score_many(X)

    def predict_one(self, x: Any) -> Any:
        """The label with the highest score, of equal ones the earlier; None as long as no label is known."""
        scores = self._scores_one(x)
        return self.labels[scores.index(max(scores))] if scores else None

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Label to probability, the most likely first: exp(score), divided by the sum over all labels (softmax).

        Scores are no probabilities: these have not been calibrated. Where scores are votes between -1 and 1, their
        shares (1 + score) / 2 take the place of exp(score).
        """
        scores = np.array(self._scores_one(x))
        labels, shares = self.labels, self._probabilities(scores)
        return {labels[k]: float(shares[k]) for k in np.argsort(-scores, kind="stable")}

    def _probabilities(self, scores: Floats) -> Floats:
        """Those of the classes, given scores along the last axis."""
        if not self.rule.voting:
            return softmax(scores)
        shares: Floats = np.maximum(1.0 + scores, TINY)
        shares /= shares.sum(axis=-1, keepdims=True)
        return shares

    def _scores_one(self, x: Any) -> list[float]:
        """The score of each class."""
        encoder, scores = self._encoder, self._blank(1)
        example = encoder.one(x, False)
        if self._scaler is not None:
            example = self._scaler.scale(example, encoder.features, False)
        self._engine.score(example, scores)
        if not np.isfinite(scores).all():
            raise self._overflow(None)
        return scores[0].tolist()  # type: ignore[no-any-return]

    def _blank(self, size: int) -> Floats:
        """What the engine fills with the scores of so many rows."""
        return np.zeros((size, len(self._labels.signs)))

    # what it knows ------------------------------------------------------------------------------------------
    def weights(self) -> dict[Any, dict[Any, float]]:  # type: ignore[override]
        """Label to its weights: name (or column, or hashed index) to weight, where it is not 0; see ``PA1.weights``."""
        return {label: self._named(self._engine.weights_of(k)) for k, label in enumerate(self.labels)}

    def largest(self, k: int) -> list[tuple[Any, float]]:
        """The k weights furthest from 0, each called "label: name"; of equal ones those of the earlier class first."""
        whole(f"{type(self).__name__}.largest", "k", k, 1)
        known: list[tuple[Any, float]] = []
        for at, label in enumerate(self.labels):
            found = self._furthest(self._engine.weights_of(at), k)
            known.extend((f"{label}: {name}", weight) for name, weight in found)
        return sorted(known, key=lambda one: -abs(one[1]))[:k]

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels seen or declared so far, in order of appearance."""
        return tuple(self._labels.signs)


def softmax(scores: Floats) -> Floats:
    """exp(score), divided by the sum over the last axis."""
    shares: Floats = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares

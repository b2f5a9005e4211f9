"""Explanations of a learner's scores, for one example."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.encode.features import BIAS_NAME
from driftline.encode.sources import Sources, sources_of
from driftline.engines.attribution import Attribution, entries_of, occluded
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.rows import Rows
from driftline.learners.explanation import MISSING, REST_NAME, Explanation, explanation
from driftline.learners.scoring_learner import ScoringLearner
from driftline.rules.kernel.random_fourier import Waves


class ExplainingLearner(ScoringLearner):
    """A learner that explains its scores but cannot learn yet. See ``Learner``."""

    @whole_call
    def explain_one(self, x: Any, label: Any = None) -> Explanation:
        """Explain the score of one example by contributions of its features, which add up to it.

        * Linear learners: feature i contributes w_i x_i, exactly. With ``scale="unit"`` and
          "standard", x_i is the scaled value. If values are centred, the contribution compares x
          with the mean: it is 0 for a feature at its mean.
        * ``Winnow``, ``TrackingWinnow``, ``BalancedWinnow``, ``Committee``: the score is a function
          of such sums. It is distributed in proportion to their terms.
        * ``Tracker``: the contributions add up to a smooth counterpart of the vote, in which the
          signs of scores are replaced by numbers between -1 and 1; ``vote`` is the vote itself.
          Products of two features belong to both by halves. Trees count for the features that they
          split on. "(waves)" and "(neighbours)" are the parts of experts that mix all features.
        * Kernels that are not linear, ``RandomFourier``, ``GridHalving``,
          ``MultilinearPerceptron``, ``BatchOnline``: a feature contributes the score less the
          score without it (occlusion). What is left of the score is "(not additive)".

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.
        label
            The label whose score is explained, as ``scores_one`` returns it. None explains the
            score of the positive label, which is ``score_one``; with several classes, that of the
            predicted label.

        Returns
        -------
        Explanation
            The contributions. The learner does not change.

        >>> import driftline as dl
        >>> learner = dl.PA(bias=False)
        >>> _ = learner.learn_one({"a": 0.6, "b": -0.8}, True)
        >>> learner.explain_one({"a": 1.0, "b": 1.0}).contributions
        {'b': -0.8, 'a': 0.6}
        """
        return self._explain_one(x, label)

    def _explain_one(self, x: Any, label: Any) -> Explanation:
        score, labels = self._score_one(x), self._labels
        positive = labels.positive if label is None else label
        sign = 1.0 if label is None else self._sign_of_known(label)
        found = self._attributed(self._encoder.one(x, False)).times(sign)
        return self._explained(x, found, positive, labels.of(score))

    def _sign_of_known(self, label: Any) -> float:
        """The sign of a label that must be known."""
        self._require_labels("explain_one with a label")
        if not self._is_known(label):
            raise ValueError(
                f"{self._encoder.where}: label must be one of {self._labels.known()}, got {shortened(label)}. "
                "Pass a label that was learned or declared, or None"
            )
        return float(self._labels.signs[label])

    def _is_known(self, label: Any) -> bool:
        try:
            return label in self._labels.signs
        except TypeError:
            return False

    def _attributed(self, row: Rows) -> Attribution:
        """The contributions of the entries of a row to its score."""
        engine, scaler = self._engine, self._scaler
        if isinstance(scaler, Waves):
            return occluded(lambda rows: engine.score_of(self._scaled(rows)), row, scaler.step)
        return engine.attribute(self._scaled(row))

    def _scaled(self, rows: Rows) -> Rows:
        return rows if self._scaler is None else self._scaler.scale(rows, self._encoder.features, False)

    def _explained(self, x: Any, found: Attribution, label: Any, predicted: Any) -> Explanation:
        """The explanation by name, given the contributions of the entries of the row of x."""
        if not all(map(math.isfinite, found.all())):
            raise self._overflow(None)
        indices, values = entries_of(self._encoder.one(x, False))
        sources = sources_of(self._encoder, x, indices, values)
        terms = [*self._by_source(found, indices.tolist(), values, sources), *self._of_absent(found)]
        terms += [*found.named.items(), (BIAS_NAME, found.constant), (REST_NAME, found.rest)]
        return explanation(terms, label, predicted, found.vote, found.method, self.kind)

    def _by_source(
        self, found: Attribution, indices: list[int], values: Floats, sources: list[Sources]
    ) -> Iterator[tuple[Any, float]]:
        """Each feature of the example and its contribution."""
        each = zip(indices, values.tolist(), found.entries.tolist(), sources, strict=True)
        for index, value, contribution, behind in each:
            mark = MISSING if index in found.missing else ""
            for name, own in behind:
                even = len(behind) == 1 or not np.isfinite(value)
                share = 1.0 / len(behind) if even else own / value if value != 0.0 else 0.0
                yield (f"{name}{mark}" if mark else name), contribution * share

    def _of_absent(self, found: Attribution) -> Iterator[tuple[Any, float]]:
        """Each feature that the example does not have, and its contribution."""
        names = self._names() if found.absent else ()
        for index, contribution in found.absent.items():
            yield (f"{names[index]}{MISSING}" if index in found.missing else names[index]), contribution

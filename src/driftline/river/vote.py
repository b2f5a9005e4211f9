"""The base class of votes on any number of labels as river classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from river.utils import dataframe

from driftline.encode import Hashing
from driftline.learners import Tracker
from driftline.river.classifier import RiverMulticlass


class RiverVote(RiverMulticlass):
    """A vote on two or more labels; values that are None or NaN are missing."""

    learner: Tracker

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield {}
        yield {"bank": "recipe"}
        yield {"labels": (False, True)}
        yield {"hashing": Hashing(12)}
        yield {"class_weight": "balanced"}

    @property
    def _multiclass(self) -> bool:
        """Whether more than two labels are possible: not if exactly two are declared."""
        labels = self.learner.options["labels"]
        return labels is None or len(labels) > 2

    def predict_proba_one(self, x: Any) -> dict[Any, float]:  # type: ignore[override]
        """The share of each label in the vote, (1 + vote) / 2; it is not calibrated.

        With more than two labels the shares are normalised to sum to 1.

        Parameters
        ----------
        x
            The example: feature to value.

        Returns
        -------
        dict
            Label to share, the largest first.
        """
        return super().predict_proba_one(x)

    def _shares_of_many(self, X: Any) -> Any:
        learner = self.learner
        if learner.rule.several:
            return super()._shares_of_many(X)
        votes, labels = learner.score_many(self._frame(X)), learner.labels
        shares = np.ones((len(labels), len(votes)))
        if len(labels) == 2:
            less = (1.0 - np.minimum(np.abs(votes), 1.0)) / 2.0
            shares[:] = np.where(votes >= 0.0, [1.0 - less, less], [less, 1.0 - less])
        columns = dict(zip(reversed(labels), shares, strict=True))
        return dataframe.to_native_frame(columns, like=dataframe.into_frame(X))

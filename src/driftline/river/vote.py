"""The base class of votes on any number of labels as river classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
        """The calibrated probability of each label.

        Parameters
        ----------
        x
            The example: feature to value.

        Returns
        -------
        dict
            Label to probability, the largest first.
        """
        return super().predict_proba_one(x)

    def _shares_of_many(self, X: Any) -> Any:
        learner = self.learner
        shares = learner.predict_proba_many(self._frame(X)).T
        columns = dict(zip(learner.labels, shares, strict=True))
        if not learner.rule.several:
            columns = dict(reversed(columns.items()))
        return dataframe.to_native_frame(columns, like=dataframe.into_frame(X))

"""The base classes of the river classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base
from river.utils import dataframe

from driftline.encode import Hashing
from driftline.internals.one_call import whole_call
from driftline.learners import SeveralClasses
from driftline.learners.options import ClassWeight as ClassWeight
from driftline.river.learner_wrapper import RiverLearner, with_text_names

Pair = tuple[Any, Any] | None
Several = tuple[Any, ...] | None
BOOLS = (False, True)


class RiverClassifier(RiverLearner, base.MiniBatchClassifier):  # type: ignore[misc]  # predict_one: no options
    """Base class of the classifiers in ``driftline.river``.

    While no label is known the prediction is None, which river's metrics skip.

    Parameters
    ----------
    labels : tuple or None, default=(False, True)
        (negative, positive). None takes labels as they appear.
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels, which multiply the sample weights. A dict may name some labels;
        others have the weight 1. "balanced" gives recently rare labels larger weights.
    """

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield from super()._unit_test_params()
        yield {"class_weight": "balanced"}

    @whole_call
    def predict_proba_one(self, x: Any) -> dict[Any, float]:  # type: ignore[override]
        """The calibrated probability of each label, as the learner gives it.

        In doubtful cases the most likely label may differ from ``predict_one``, which is that of
        the score. If only one label is known, it has probability 1.

        Parameters
        ----------
        x
            The example: feature to value.

        Returns
        -------
        dict
            Label to probability, positive label first.
        """
        shares = with_text_names(self.learner.predict_proba_one, x)
        return {label: shares[label] for label in reversed(self.learner.labels)}

    @whole_call
    def predict_proba_many(self, X: Any) -> Any:
        """``predict_proba_one`` of each row.

        Parameters
        ----------
        X
            A pandas or polars frame, or an Arrow table.

        Returns
        -------
        frame
            The probabilities, with a column for each label.
        """
        return self._shares_of_many(X)

    def _shares_of_many(self, X: Any) -> Any:
        shares = self.learner.predict_proba_many(self._frame(X))
        columns = dict(zip(reversed(self.learner.labels), shares.T[::-1], strict=True))
        return dataframe.to_native_frame(columns, like=dataframe.into_frame(X))

    def _predictions(self, rows: Any) -> Any:
        return self.learner.predict_many(rows) if self.learner.labels else [None] * len(self.learner.score_many(rows))


class RiverMulticlass(RiverClassifier):
    """Base class of the multiclass classifiers in ``driftline.river``.

    Parameters
    ----------
    labels : tuple or None, default=None
        Labels that are known from the start, in the order in which ties are decided. Others are
        taken as they appear.
    """

    learner: SeveralClasses

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield {}
        yield {"scale": "standard"}
        yield {"hashing": Hashing(12)}
        yield {"class_weight": "balanced"}

    @property
    def _multiclass(self) -> bool:
        return True

    @whole_call
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
        shares: dict[Any, float] = with_text_names(self.learner.predict_proba_one, x)
        return shares

    def _shares_of_many(self, X: Any) -> Any:
        shares = self.learner.predict_proba_many(self._frame(X))
        columns = dict(zip(self.learner.labels, shares.T, strict=True))
        return dataframe.to_native_frame(columns, like=dataframe.into_frame(X))

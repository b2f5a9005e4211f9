"""Base classes of river estimators for learners with float64 weights only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from driftline.river.classifier import RiverClassifier
from driftline.river.learner_wrapper import RiverLearner
from driftline.river.regressor import RiverRegressor


class Float64Only(RiverLearner):
    """An estimator without float32 weights."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield from (params for params in super()._unit_test_params() if "dtype" not in params)


class SecondOrder(Float64Only):
    """An estimator with variances."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield from super()._unit_test_params()
        yield {"diagonal": True}


class RiverDouble(Float64Only, RiverClassifier):  # type: ignore[misc]  # predict_one: no options
    """Base class of classifiers without float32 weights."""


class RiverSecondOrder(SecondOrder, RiverDouble):  # type: ignore[misc]  # predict_one: no options
    """Base class of second-order classifiers."""


class RiverSecondOrderRegressor(SecondOrder, RiverRegressor):
    """Base class of second-order regressors."""


class RiverPositive(RiverDouble):
    """Base class of classifiers whose features must not be negative."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield from (params for params in super()._unit_test_params() if params.get("scale") != "standard")

    def _more_tags(self) -> set[str]:
        return {base.tags.POSITIVE_INPUT}

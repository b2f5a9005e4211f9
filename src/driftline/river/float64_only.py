"""Learners whose weights are float64 throughout as river's classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base

from driftline.river.classifier import RiverClassifier


class RiverDouble(RiverClassifier):
    """What those share that have no weights of float32."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """A setting for every way that examples take through a learner."""
        yield from (params for params in super()._unit_test_params() if "dtype" not in params)


class RiverSecondOrder(RiverDouble):
    """What the classifiers of second order share."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """A setting for every way that examples take through a learner."""
        yield from super()._unit_test_params()
        yield {"diagonal": True}


class RiverPositive(RiverDouble):
    """What those share whose features must not be negative."""

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """A setting for every way that examples take through a learner."""
        yield from (params for params in super()._unit_test_params() if params.get("scale") != "standard")

    def _more_tags(self) -> set[str]:
        return {base.tags.POSITIVE_INPUT}

"""The base class of the river regressors."""

from __future__ import annotations

from typing import Any

from river import base

from driftline.river.learner_wrapper import RiverLearner


class RiverRegressor(RiverLearner, base.MiniBatchRegressor):
    """Base class of the regressors in ``driftline.river``. The first prediction is 0."""

    def _predictions(self, rows: Any) -> Any:
        return self.learner.predict_many(rows)

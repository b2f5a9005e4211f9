"""The TrackerRegressor of ``driftline.river``: river's checks, and the bits of its learner."""

from __future__ import annotations

import random
from typing import Any

import pytest
from river import checks, datasets, metrics

import driftline as dl
import driftline.river as dr


@pytest.mark.parametrize("params", list(dr.TrackerRegressor._unit_test_params()), ids=str)
def test_rivers_own_checks(params: dict[str, Any]) -> None:
    model = dr.TrackerRegressor(**params)
    done = []
    for check in checks.yield_checks(model):
        # trees draw features by number, so their order matters; memory grows for 2,000 rows
        if check.__name__ not in ("check_shuffle_features_no_impact", "check_bounded_memory_growth"):
            random.seed(0)
            check(model.clone())
            done.append(check.__name__)
    assert {"check_learn_many_matches_learn_one", "check_predict_one_pure"} <= set(done)


def test_it_is_the_learner_on_dicts() -> None:
    model, learner, metric = dr.TrackerRegressor(), dl.TrackerRegressor(), metrics.MAE()
    for x, y in datasets.TrumpApproval().take(400):
        assert model.predict_one(x) == learner.predict_one(x)
        assert model.predict_interval_one(x, 0.8) == learner.predict_interval_one(x, 0.8)
        metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
        learner.learn_one(x, y)
    assert metric.get() < 1.0

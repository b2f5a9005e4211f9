"""The TrackerRegressor of ``driftline.sklearn``: the bits of its learner, intervals, missing values."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_regressor

import driftline as dl
import driftline.sklearn as ds

STATE = np.random.default_rng(7)
X = STATE.normal(size=(120, 4)) * (STATE.random((120, 4)) < 0.8)
Y = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 + 0.1 * STATE.normal(size=120)
W = np.arange(120) % 4 / 2.0


@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_its_learner_to_the_last_bit(sparse: bool) -> None:
    rows = csr_matrix(X) if sparse else X
    learner, used = dl.TrackerRegressor(), W > 0.0
    learner.learn_many(rows[used], Y[used], W[used])
    fitted = ds.TrackerRegressor().fit(rows, Y, W)
    grown = ds.TrackerRegressor()
    for part in (slice(0, 50), slice(50, 120)):
        assert grown.partial_fit(rows[part], Y[part], W[part]) is grown
    for one in (fitted, grown, pickle.loads(pickle.dumps(fitted))):
        assert one.predict(rows).tobytes() == learner.predict_many(rows).tobytes()
        assert one.predict_interval(rows, 0.8).tobytes() == learner.predict_interval_many(rows, 0.8).tobytes()
        assert (one.n_features_in_, one.n_iter_, one.t_) == (4, 1, 91)
    assert fitted.score(X, Y) > 0.8 and is_regressor(fitted)
    assert not hasattr(clone(fitted), "t_")


def test_missing_values_and_empty_blocks() -> None:
    holes = np.where(STATE.random(X.shape) < 0.1, np.nan, X)
    fitted = ds.TrackerRegressor().fit(holes, Y)
    assert np.isfinite(fitted.predict(holes)).all()
    before = fitted.predict(holes).tolist()
    assert fitted.partial_fit(X[:2], Y[:2], [0.0, 0.0]).predict(holes).tolist() == before
    with pytest.raises(ValueError, match="the first block must have rows of weight > 0"):
        ds.TrackerRegressor().partial_fit(X[:2], Y[:2], [0.0, 0.0])
    with pytest.raises(ValueError, match="row 1, a target must be finite"):
        fitted.partial_fit(X[:2], [1.0, 1e16])
    assert fitted.predict(holes).tolist() == before

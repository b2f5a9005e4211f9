"""TrackerRegressor: agreement with its oracle, intervals, drift, growing features, crafted models."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.tracker.regression.state import EXPERTS, STACKERS, experts_in
from driftline.engines.tracker.regression.trees import FEATURE, GROWN, LEAF, LEAVES, LEFT
from driftline.rules.tracker.tracker_regressor import BANK, STACKED
from tests.oracles import tracker_regressor as oracles
from tests.support.bitwise import assert_same, refused, snapshot


def curved(seed: int, rounds: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Features around 0, and steps plus a product plus a plane that jumps in the middle."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, d))
    late = np.arange(rounds) >= rounds // 2
    y = np.where(X[:, 0] > 0.3, 3.0, -2.0) + X[:, 1] * X[:, 2] + np.where(late, 2.0, -1.0) * X[:, 1]
    return X, y + 0.2 * rng.normal(size=rounds)


# the rule -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("weighted", [False, True])
def test_it_agrees_with_its_oracle(weighted: bool) -> None:
    X, y = curved(1, 500, 3)
    y[[150, 330, 331, 332]] = 500.0, -200.0, -210.0, -190.0  # an outlier, and a jump
    w = np.random.default_rng(2).choice([0.5, 1.0, 3.0], 500) if weighted else np.ones(500)
    learner, by_hand = dl.TrackerRegressor(), oracles.TrackerRegressor(3)
    predicted = learner.learn_many(X, 50.0 + 10.0 * y, w)
    due = [by_hand.learn(x, 50.0 + 10.0 * u, c) for x, u, c in zip(X, y.tolist(), w.tolist(), strict=True)]
    np.testing.assert_allclose(predicted, due, rtol=0.0, atol=1e-5)
    found = {one.name: one.weight for one in learner.experts()}
    names = [f"{view} {rule}" for view, rule in (*STACKED, *BANK)]
    np.testing.assert_allclose([found[name] for name in names], by_hand.G.sum(axis=0), rtol=0.0, atol=1e-7)
    assert max(tree.nodes for tree in by_hand.steady.trees) > 3
    assert sum(found.values()) == pytest.approx(1.0) and learner.n_guarded == 0
    for coverage, level in by_hand.levels.items():
        half = learner.predict_interval_one(X[0], coverage)[1] - learner.predict_one(X[0])
        assert half == pytest.approx(by_hand.error * by_hand.quantile(1.0 - level), rel=1e-5)


def test_trees_are_replaced_as_in_the_oracle() -> None:
    X, y = curved(3, 2100, 2 + 1)
    learner, forest = dl.TrackerRegressor(), oracles.Forest(3, True)
    learner.learn_many(X, y)
    by_hand, before = oracles.TrackerRegressor(3), []
    for t in range(2100):  # only the linear expert whose residuals the forest learns
        z = by_hand.views(X[t])["std"]
        expert = by_hand.squares["std"][3]
        u, p = y[t] - y[0], expert.predict(z)
        before.append(p + forest.predict(z, by_hand.target.variance))
        expert.learn(z, u, p, 1.0)
        forest.learn(z, u - p, 1.0, t)
        by_hand.target.add(u)
        for moments, value in zip(by_hand.moments, X[t], strict=True):
            moments.add(value)
    assert sorted(forest.votes) != list(range(5))
    grown = learner._engine.model.moving.trees[:, GROWN].tolist()
    assert grown == [tree.nodes for tree in forest.trees]
    low, high = (y - y[0]).min(), (y - y[0]).max()
    squares = np.mean((np.clip(before, 2 * low - high, 2 * high - low) - (y - y[0])) ** 2)
    found = next(one.mean_square for one in learner.experts() if one.rule == "residual trees")
    assert found == pytest.approx(squares, rel=0.05)  # the range of the first rounds is smaller


def test_targets_of_another_unit_give_the_same_predictions_in_it() -> None:
    X, y = curved(4, 400, 4)
    plain, other = dl.TrackerRegressor(), dl.TrackerRegressor()
    p, q = plain.learn_many(X, y), other.learn_many(X, 1e6 - 1024.0 * y)
    np.testing.assert_allclose(q[1:], 1e6 - 1024.0 * p[1:], rtol=0.0, atol=1e-3)
    low, high = plain.predict_interval_one(X[0])
    np.testing.assert_allclose(other.predict_interval_one(X[0]), (1e6 - 1024.0 * high, 1e6 - 1024.0 * low), atol=1e-3)


def test_it_is_below_single_regressors_on_steps_and_drift() -> None:
    X, y = curved(5, 3000, 6)
    error = np.abs(dl.TrackerRegressor().learn_many(X, y) - y).mean()
    for single in (dl.AROWRegressor(), dl.PA1Regressor(C=0.1)):
        assert error < 0.7 * np.abs(single.learn_many(X, y) - y).mean()


def test_outliers_and_missing_values_do_no_lasting_harm() -> None:
    X, y = curved(6, 1500, 4)
    clean = np.abs(dl.TrackerRegressor().learn_many(X, y) - y)[1000:].mean()
    broken, wild = X.copy(), y.copy()
    broken[np.random.default_rng(7).random(X.shape) < 0.02] = np.nan
    broken[100, 0], broken[200, 1], wild[300], wild[600] = np.inf, -1e70, 1e12, -1e9
    learner = dl.TrackerRegressor()
    found = np.abs(learner.learn_many(broken, wild) - wild)[1000:]
    assert found.mean() < 1.5 * clean
    assert learner.n_missing == int((~(np.abs(broken) < 1e60)).sum()) and learner.n_guarded == 0


def test_it_follows_a_jump_of_the_targets_by_many_deviations() -> None:
    X, y = curved(13, 2600, 2 + 1)
    y[2000:] += 1e4
    error = np.abs(dl.TrackerRegressor().learn_many(X, y) - y)
    assert error[2300:].mean() < 0.6 * y[2300:].std()


# intervals ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("drifts", [False, True])
def test_intervals_have_their_coverage(drifts: bool, coverage: float) -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(5000, 3))
    slopes = np.array([1.0, -2.0, 0.5]) + drifts * np.cumsum(0.03 * rng.normal(size=(5000, 3)), axis=0)
    scale = 1.0 + drifts * 4.0 * (np.arange(5000) > 2500)
    y = (X * slopes).sum(axis=1) + scale * rng.standard_t(4, size=5000)
    learner, inside = dl.TrackerRegressor(), 0
    engine: Any = learner._engine
    for x, target in zip(X, y.tolist(), strict=True):
        half = engine.half_width(coverage)
        inside += abs(learner.learn_one(x, target) - target) <= half
    assert inside / 5000 == pytest.approx(coverage, abs=0.02)


def test_intervals_are_centred_nested_and_checked() -> None:
    X, y = curved(9, 200, 3)
    learner = dl.TrackerRegressor()
    assert learner.predict_interval_one(X[0]) == (-math.inf, math.inf)
    learner.learn_many(X, y)
    many = {coverage: learner.predict_interval_many(X, coverage) for coverage in (0.5, 0.77, 0.9, 0.99)}
    for narrow, wide in zip(list(many.values()), list(many.values())[1:], strict=False):
        assert (narrow[:, 0] >= wide[:, 0]).all() and (narrow[:, 1] <= wide[:, 1]).all()
    assert np.allclose(many[0.9].mean(axis=1), learner.predict_many(X))
    assert learner.predict_interval_one(X[3], 0.77) == tuple(many[0.77][3].tolist())
    for wrong in (0.4, 1.0, math.nan, "0.9", True):
        with pytest.raises(ValueError, match=r"TrackerRegressor.predict_interval_one: coverage must be"):
            learner.predict_interval_one(X[0], wrong)


# features that appear -------------------------------------------------------------------------------------------------
def growing(rounds: int) -> tuple[list[dict[str, float]], list[float]]:
    """Dicts of five features, then of twelve, then with names that never end."""
    rng = np.random.default_rng(10)
    rows, y = [], []
    for t in range(rounds):
        names = [f"f{k}" for k in range(5 if 3 * t < rounds else 12)]
        if 3 * t >= 2 * rounds:
            names += [f"w{rng.integers(300)}" for _ in range(5)]
        row = {name: float(rng.normal()) for name in names}
        rows.append(row)
        y.append(row["f0"] - 2.0 * row["f1"] + 0.1 * float(rng.normal()))
    return rows, y


def test_experts_are_removed_as_features_appear(tmp_path: Path) -> None:
    rows, y = growing(240)
    one, many, loaded = dl.TrackerRegressor(), dl.TrackerRegressor(), dl.TrackerRegressor()
    members, predicted = [], []
    for t, (row, target) in enumerate(zip(rows, y, strict=True)):
        due = one.predict_one(row)
        predicted.append(one.learn_one(row, target))
        assert predicted[-1] == due
        members.append(len(one.experts()) - STACKERS)
        if t % 40 == 39:
            loaded.learn_many(rows[t - 39 : t + 1], y[t - 39 : t + 1])
            loaded.save(tmp_path / "m.dl")
            loaded = copy.deepcopy(dl.load(tmp_path / "m.dl"))
    assert many.learn_many(rows, y).tolist() == predicted
    assert_same(snapshot(one), snapshot(many))
    assert one.predict_many(rows).tolist() == loaded.predict_many(rows).tolist()
    assert list(dict.fromkeys(members)) == [EXPERTS, experts_in(22), experts_in(6)]
    assert sum(expert.weight for expert in one.experts()) == pytest.approx(1.0)


def test_wide_dense_rows_have_columns_only() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(60, 310))
    y = X[:, 0] + X[:, 5]
    dense, parts = dl.TrackerRegressor(), dl.TrackerRegressor()
    predicted = dense.learn_many(X, y)
    assert [parts.learn_one(x, target) for x, target in zip(X, y, strict=True)] == predicted.tolist()
    assert len(dense.experts()) == STACKERS + experts_in(18)
    sparse = dl.TrackerRegressor()
    sparse.learn_many(csr_matrix(X), y)
    assert len(sparse.experts()) == STACKERS + experts_in(6)


# crafted models -------------------------------------------------------------------------------------------------------
def spoilt(arrays: dict[str, np.ndarray], name: str, at: Any, value: float) -> dict[str, np.ndarray]:
    made = {key: array.copy() for key, array in arrays.items()}
    made[name][at] = value
    return made


def test_a_model_with_impossible_numbers_is_refused() -> None:
    X, y = curved(12, 300, 4)
    learner = dl.TrackerRegressor()
    learner.learn_many(X, y)
    engine: Any = learner._engine
    arrays = {name: array.copy() for name, array in engine.saved(4).items()}
    trees, nodes = arrays["steady_trees"], arrays["steady_nodes"]
    assert trees[0, GROWN] > 1.0
    leaf = int(np.flatnonzero(nodes[0, :, FEATURE] < 0)[0])
    wrong = [
        ("steady_nodes", (0, 0, FEATURE), 4),
        ("steady_nodes", (0, 0, FEATURE), -2),
        ("steady_nodes", (0, 0, LEFT), 0),
        ("steady_nodes", (0, 0, LEFT), int(trees[0, GROWN])),
        ("steady_nodes", (0, leaf, LEAF), int(trees[0, LEAVES])),
        ("steady_trees", (0, GROWN), 1e9),
        ("steady_trees", (0, LEAVES), 2.0 + trees[0, LEAVES]),
        ("moving_trees", (0, 3), 0.0),
        ("steady_tried", (0, 0, 0), 4),
        ("moving_ranges", (0, 0, 0, 1), 0.0),
        ("moving_bins", (0, 0, 0, 0, 0), np.nan),
        ("steady_leaves", (0, 0, 0), -1.0),
        ("near_ring", (0, 0), 6.0),
        ("near_weights", 0, 0.0),
        ("slots", 0, 3),
        ("ordered", 0, 1e8),
        ("shares", (0, 0), -0.1),
        ("levels", 0, 3.0),
        ("own", 1, 5.0),
        ("own", 2, 22.0),
        ("own", -1, 1.0),
    ]
    for name, at, value in wrong:
        fresh: Any = dl.TrackerRegressor()._engine
        fresh.reserve(4)
        with pytest.raises(ValueError):
            fresh.restore(4, spoilt(arrays, name, at, value))
    good: Any = dl.TrackerRegressor()._engine
    good.restore(4, arrays)
    assert_same({name: array for name, array in good.arrays().items() if name != "state"},
                {name: array for name, array in engine.arrays().items() if name != "state"})  # fmt: skip


def test_it_has_no_bias_labels_or_probabilities() -> None:
    learner = dl.TrackerRegressor()
    with refused(learner, "a regressor"):
        learner.predict_proba_one([1.0])
    with pytest.raises(ValueError, match="bias must be False"):
        dl.TrackerRegressor(bias=True)
    assert learner.predict_one([1.0, 2.0]) == 0.0

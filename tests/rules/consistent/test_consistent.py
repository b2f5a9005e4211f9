"""EllipsoidLearner against its oracle and an adversary; parameters and files of its family."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.consistent.ellipsoid import EllipsoidEngine
from driftline.engines.consistent.grid_halving import GridHalvingEngine
from driftline.engines.state import FIRST
from driftline.rules.consistent.ellipsoid_learner import extended
from tests.oracles.consistent import EllipsoidLearner
from tests.support.bitwise import refused, snapshot
from tests.support.hidden_targets import centre, hidden, unit
from tests.support.linear_cases import stream, with_constant

SEEDS = range(3)
every_seed = pytest.mark.parametrize("seed", SEEDS)


# the ellipsoid --------------------------------------------------------------------------------------------------------
def b_ellipsoid(d: int, ratio: float) -> float:
    return 2.0 * d * (d + 1) * math.log(1.0 + ratio)


def log_shrink(d: int) -> float:
    """ln of the factor by which a central cut reduces the volume."""
    return math.log(0.5) if d == 1 else math.log(d / (d + 1)) + (d - 1) / 2 * math.log(d * d / (d * d - 1.0))


def b_ellipsoid_exact(d: int, ratio: float) -> float:
    return d * math.log(1.0 + ratio) / -log_shrink(d)


@every_seed
@pytest.mark.parametrize("n, bias", [(5, False), (4, True), (1, True), (2, False)])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_ellipsoid_is_as_its_formula_says(n: int, bias: bool, noise: float, seed: int) -> None:
    data = stream(seed, rounds=150, n=n, drift=0.0, noise=noise)
    oracle = EllipsoidLearner(n + bias)
    learner = dl.EllipsoidLearner(bias=bias)
    for x, given, y in zip(with_constant(data.X) if bias else data.X, data.X, data.y, strict=True):
        assert learner.learn_one(given, y) == pytest.approx(oracle.learn(x, y), rel=1e-9, abs=1e-9)
        J = learner._engine.J
        assert pytest.approx(oracle.P, rel=1e-7, abs=1e-9) == J @ J.T
    assert (learner.updates, learner.infeasible) == (oracle.updates, oracle.infeasible)
    assert oracle.updates >= n


@every_seed
@pytest.mark.parametrize("d, gamma", [(2, 0.2), (3, 0.01), (8, 0.05)])
def test_the_ellipsoid_holds_a_hidden_target(d: int, gamma: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, learner = unit(rng, d), dl.EllipsoidLearner(bias=False)
    volume = 0.0
    for x, y in hidden(rng, u, gamma, 600, learner):
        before = learner.updates
        learner.learn_one(x, y)
        if learner.updates > before:
            J = learner._engine.J
            new = np.linalg.slogdet(J)[1]
            assert new <= volume + log_shrink(d) + 1e-9
            volume = new
            inside = u / (1.0 + gamma)  # the middle of a ball of radius gamma / (1 + gamma) that is never cut
            assert np.linalg.norm(np.linalg.solve(J, inside - centre(learner, d))) <= 1.0
    assert learner.infeasible == 0
    assert d <= learner.updates <= b_ellipsoid_exact(d, 1.0 / gamma) <= b_ellipsoid(d, 1.0 / gamma)


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_a_central_cut_shrinks_by_the_exact_ratio(d: int) -> None:
    learner = dl.EllipsoidLearner(bias=False)
    learner.learn_one(np.ones(d), 1)
    assert np.linalg.slogdet(learner._engine.J)[1] == pytest.approx(log_shrink(d), rel=1e-12)
    assert log_shrink(d) <= -1.0 / (2.0 * (d + 1.0))


@pytest.mark.parametrize("d, gamma", [(2, 0.1), (2, 0.001), (3, 0.05), (5, 0.05)])
def test_a_greedy_adversary_stays_within_the_bound(d: int, gamma: float) -> None:
    """Every row is a tie; of a few, the one after which the centre is furthest from the target."""
    rng = np.random.default_rng(41)
    u, learner = unit(rng, d), dl.EllipsoidLearner(bias=False)
    for _ in range(400):
        c = centre(learner, d)
        across = u - (u @ c) / (c @ c) * c if c.any() else u
        reach = float(np.linalg.norm(across))
        if reach < gamma * (1.0 + 1e-9):
            break
        across = across / reach
        best, chosen = -1.0, None
        for _ in range(6):
            z = rng.normal(size=d)
            for away in (across, c):
                z -= (z @ away) / (away @ away) * away if away.any() else 0.0
            size = np.linalg.norm(z)
            a = min(1.0, gamma / reach)
            x = a * across + (math.sqrt(1.0 - a * a) / size * z if size > 1e-9 else 0.0)
            y = 1.0 if u @ x > 0.0 else -1.0
            tried = deepcopy(learner)
            tried.learn_one(x - 1e-12 * y * c, y)  # so that rounding does not make it right
            after = centre(tried, d)
            angle = 1.0 - (after @ u) / np.linalg.norm(after)
            if angle > best and tried.updates > learner.updates:
                best, chosen = angle, tried
        if chosen is None:
            break
        learner = chosen
    assert learner.infeasible == 0
    assert d < learner.updates <= b_ellipsoid_exact(d, 1.0 / gamma) <= b_ellipsoid(d, 1.0 / gamma)


def test_one_dimension() -> None:
    """An interval that is halved: one feature of 1 and -1 needs one update, lg(1 + R / gamma) = 1."""
    learner = dl.EllipsoidLearner(bias=False)
    learner.learn_many([[1.0], [-1.0], [1.0]], [-1, 1, -1])
    assert learner.updates == 1 == b_ellipsoid_exact(1, 1.0)
    assert learner.weights() == {0: -0.5}
    assert learner._engine.J.tolist() == [[0.5]]
    learner.learn_one([1.0], 1)  # leaves the point 0: an example that no interval agrees with
    assert (learner.updates, learner.infeasible) == (1, 1)
    wide = dl.EllipsoidLearner(bias=True)
    wide.learn_one([0.0], 1)
    wide.learn_one([0.0], 1)
    assert wide.updates == 1 and wide.weights() == {"(bias)": 0.5}


@every_seed
def test_features_that_come_later_leave_the_target_inside(seed: int) -> None:
    """Of six features a new one every 40 rounds; the volume pays for each, and the bound holds with that."""
    d, gamma = 6, 0.05
    rng = np.random.default_rng(seed)
    u, learner, grown = unit(rng, d), dl.EllipsoidLearner(bias=False), 0.0
    for t in range(600):
        known = min(d, 1 + t // 40)
        x = rng.normal(size=d) * (np.arange(d) < known)
        x /= np.linalg.norm(x)
        if abs(x @ u) < gamma:
            continue
        before = learner._engine.J.shape[0]
        learner.learn_one(dict(zip("abcdef"[:known], x.tolist(), strict=False)), 1 if x @ u > 0.0 else -1)
        J, c = learner._engine.J, learner._engine.v[FIRST : FIRST + d]
        size = J.shape[0]
        if size > before > 0:
            new = size - before
            grown += 0.5 * (before * math.log(size / before) + new * math.log(size / new))
        assert np.linalg.norm(np.linalg.solve(J, u[:size] - c[:size])) <= 1.0
    assert learner._engine.J.shape == (d, d)
    assert learner.infeasible == 0 and grown > 1.0
    assert d < learner.updates <= 2.0 * (d + 1) * (d * math.log(1.0 + 1.0 / gamma) + grown)


def test_an_ellipsoid_grows_to_the_least_one_around_its_product_with_a_ball() -> None:
    rng = np.random.default_rng(0)
    learner = dl.EllipsoidLearner(bias=False)
    learner.learn_many(rng.normal(size=(20, 3)), rng.choice([-1, 1], 20))
    engine = learner._engine
    assert isinstance(engine, EllipsoidEngine)
    for new in (1, 4):
        J = extended(engine.J, 3 + new)
        for _ in range(20):  # points on the rim of both lie on the rim of the product
            point = np.concatenate([engine.J @ unit(rng, 3), unit(rng, new)])
            assert np.linalg.norm(np.linalg.solve(J, point)) == pytest.approx(1.0, rel=1e-9)
    late = dl.EllipsoidLearner(bias=False)  # {c + J z} is [0, 1] after this, in which 0.3 is no centre
    late.learn_one({"a": 1.0}, 1)
    late.learn_one({"b": 1.0}, 1)
    off = np.array([0.3, 0.954]) - late._engine.v[FIRST : FIRST + 2]
    assert np.linalg.norm(np.linalg.solve(late._engine.J, off)) < 1.0


def test_a_ball_that_was_not_cut_grows_to_a_ball() -> None:
    """Columns that are zero, and names that are not there, make no difference as long as nothing was learned."""
    whole, later = dl.EllipsoidLearner(bias=False), dl.EllipsoidLearner(bias=False)
    whole.learn_one({"a": 1.0, "b": 2.0}, 1)
    later.learn_one({"a": 1.0}, 1, 0.0)
    later.learn_one({"a": 1.0, "b": 2.0}, 1)
    assert whole.weights() == later.weights()
    assert later._engine.J.shape == (2, 2)
    later.learn_one({"c": 1.0, "a": 1.0}, 1)  # right already
    assert later._engine.J.shape == (2, 2)


def test_dense_sparse_and_named_rows_are_the_same_to_the_family() -> None:
    data = stream(5, rounds=80, n=4, density=0.6, noise=0.0, drift=0.0)
    for make in (dl.EllipsoidLearner, dl.VersionSpace):
        one, other = make(), make()
        assert one.learn_many(data.X, data.y) == pytest.approx(other.learn_many(data.csr, data.y), abs=1e-12)


def test_wrong_labels_flatten_the_ellipsoid_until_no_margin_is_possible() -> None:
    """After more updates than the bound for a margin of 1e-12 some example must have been infeasible."""
    rng = np.random.default_rng(6)
    d = 3
    X, y = rng.normal(size=(2000, d)), rng.choice([-1.0, 1.0], 2000)
    careful, anew = dl.EllipsoidLearner(bias=False), dl.EllipsoidLearner("restart", bias=False)
    trials = careful.test_then_train(X, y)
    assert careful.updates <= b_ellipsoid(d, 1e12)
    assert careful.infeasible > 50
    assert not (trials.infeasible & trials.updated).any()
    at = int(np.flatnonzero(trials.infeasible)[0])
    before = dl.EllipsoidLearner(bias=False)
    before.learn_many(X[:at], y[:at])
    kept = snapshot(before)
    before.learn_one(X[at], y[at])
    assert before.infeasible == 1
    assert np.array_equal(kept["v"], before._engine.v) and np.array_equal(kept["J"], before._engine.J)
    trials = anew.test_then_train(X, y)
    assert 0 < anew.infeasible < careful.infeasible
    last = int(np.flatnonzero(trials.infeasible)[-1]) + 1
    fresh = dl.EllipsoidLearner(bias=False)
    assert fresh.learn_many(X[last:], y[last:]).tolist() == trials.scores[last:].tolist()
    assert fresh.weights() == anew.weights()


def test_impossible_examples_leave_the_version_space_or_start_it_anew() -> None:
    """Once little is left around the target, the target itself cannot be negative."""
    for policy in ("ignore", "restart"):
        rng = np.random.default_rng(4)
        u, learner = unit(rng, 3), dl.VersionSpace(inconsistent=policy, bias=False)
        for x, y in hidden(rng, u, 0.01, 400, learner):
            learner.learn_one(x, y)
        assert learner.infeasible == 0
        before, updates = snapshot(learner), learner.updates
        trials = learner.test_then_train([u, x], [-1.0, y])
        assert trials.infeasible.tolist() == [True, False]
        assert learner.infeasible == 1
        if policy == "ignore":
            assert learner.updates == updates
            for name in ("v", "cuts", "samples"):
                assert np.array_equal(before[name], snapshot(learner)[name])
        else:
            assert trials.scores[1] == 0.0 and trials.updated.tolist() == [False, True]
            assert learner._engine.cuts == pytest.approx(y * x[None])


@pytest.mark.parametrize("make, size", [(dl.EllipsoidLearner, "0 MB"), (dl.VersionSpace, "0 MB")])
def test_too_many_dimensions_are_refused(make: Any, size: str) -> None:
    learner = make(most=4)
    learner.learn_one([1.0, 2.0, 0.0, 0.0, 0.0], 1)
    with refused(learner, "at most 4 dimensions", "got 6", size, "most=6", "PA1"):
        learner.learn_one([1.0, 2.0, 0.0, 0.0, 9.0], -1)
    rows = [[1.0, 2.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]]
    taller = deepcopy(learner)
    taller.learn_one(rows[0], -1)
    assert taller.updates == 2
    with refused(learner, "row 1", "got 5"):
        learner.learn_many(rows, [-1, -1 if taller.score_one(rows[1]) > 0.0 else 1])
    wide = make()
    row = csr_matrix(([1.0], ([0], [10**5])), (1, 10**5 + 1))
    with refused(wide, "got 100002", "MB"):
        wide.learn_one(row, 1)
    learner.learn_one([1.0, 2.0, 0.0, 0.0, 0.1], 1)  # right already: it takes no room


# parameters and files -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "make, given, words",
    [
        (dl.GridHalving, {"gamma": 0.0}, "gamma must be > 0, got 0.0"),
        (dl.GridHalving, {"gamma": 1e-10}, "gamma must be >= 1e-09 radius W, got 1e-10"),
        (dl.GridHalving, {"radius": -1.0}, "radius must be > 0, got -1.0"),
        (dl.GridHalving, {"W": math.inf}, "W must be finite, got inf"),
        (dl.GridHalving, {"grid": "cube"}, "grid must be 'sqrt' or 'lecture', got 'cube'"),
        (dl.GridHalving, {"features": 0}, "features must be a whole number >= 1, got 0"),
        (dl.GridHalving, {"features": 2.0}, "features must be a whole number >= 1, got 2.0"),
        (dl.GridHalving, {"empty": "stop"}, "empty must be 'reset' or 'raise', got 'stop'"),
        (dl.GridHalving, {"most": 2**32}, "most must be a whole number from 1 to 4294967295, got 4294967296"),
        (dl.EllipsoidLearner, {"inconsistent": "stop"}, "inconsistent must be 'ignore' or 'restart', got 'stop'"),
        (dl.EllipsoidLearner, {"most": True}, "most must be a whole number >= 1, got True"),
        (dl.VersionSpace, {"samples": 1}, "samples must be a whole number >= 2, got 1"),
        (dl.VersionSpace, {"seed": -1}, "seed must be a whole number from 0 to 9223372036854775807, got -1"),
        (dl.VersionSpace, {"inconsistent": None}, "inconsistent must be 'ignore' or 'restart', got None"),
        (dl.VersionSpace, {"dtype": "float32"}, "dtype must be 'float64', got 'float32'. Leave it out, or use .*"),
    ],
)
def test_wrong_parameters(make: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{make.__name__}: {words}$"):
        make(**given)


def taught(make: Any) -> dl.Learner:
    learner: dl.Learner = make()
    data = stream(4, rounds=30, n=2, noise=0.0, drift=0.0)
    learner.learn_many(data.X, data.y)
    return learner


@pytest.mark.parametrize(
    "make, name, array, words",
    [
        (dl.GridHalving, "points", np.array([3, 2], np.uint32), "not in order"),
        (dl.GridHalving, "points", np.array([3, 3], np.uint32), "not in order"),
        (dl.GridHalving, "points", np.array([2**31], np.uint32), "none of the grid"),
        (dl.GridHalving, "points", np.array([], np.uint32), "none of the grid"),
        (dl.GridHalving, "points", np.array([1], np.int64), "uint32"),
        (dl.GridHalving, "dimensions", np.array([9], np.uint64), "a grid of 9 dimensions"),
        (dl.GridHalving, "dimensions", np.array([1], np.uint64), "a grid of 1 dimensions"),
        (dl.GridHalving, "dimensions", np.array([0], np.uint64), "points without dimensions"),
        (dl.GridHalving, "state", np.zeros(3), "state of shape"),
        (dl.EllipsoidLearner, "J", np.eye(3)[:2], "a square matrix of float64"),
        (dl.EllipsoidLearner, "J", np.eye(3, dtype=np.float32), "a square matrix of float64"),
        (dl.EllipsoidLearner, "J", np.eye(4), "4 dimensions of 2 features"),
        (dl.EllipsoidLearner, "J", np.eye(0), "0 dimensions of 2 features"),
        (dl.EllipsoidLearner, "J", np.eye(2), "a centre outside"),
        (dl.VersionSpace, "cuts", np.zeros((2, 4)), "samples of shape"),
        (dl.VersionSpace, "cuts", np.zeros(3), "cuts of shape"),
        (dl.VersionSpace, "samples", np.zeros((3, 3)), "samples of shape"),
        (dl.VersionSpace, "samples", np.zeros((80, 3), np.float32), "samples of shape"),
    ],
)
def test_a_file_that_no_engine_wrote_is_refused(make: Any, name: str, array: np.ndarray, words: str) -> None:
    engine = taught(make)._engine
    arrays = {key: value.copy() for key, value in engine.saved(2).items()}
    fresh = make()._engine
    fresh.restore(2, dict(arrays))
    for key, value in fresh.saved(2).items():
        assert value.tobytes() == arrays[key].tobytes()
    with pytest.raises(ValueError, match=words):
        make()._engine.restore(2, arrays | {name: array})
    with pytest.raises(ValueError, match=", expected "):
        make()._engine.restore(2, arrays | {"other": array})


def test_each_has_an_engine_of_its_own() -> None:
    assert isinstance(dl.GridHalving()._engine, GridHalvingEngine)
    assert isinstance(dl.EllipsoidLearner()._engine, EllipsoidEngine)

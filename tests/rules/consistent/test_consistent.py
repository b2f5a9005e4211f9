"""Grid halving, the ellipsoid learner and the version space: slow versions, bounds, adversaries, what is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.consistent import grid_halving
from driftline.engines.consistent.ellipsoid import EllipsoidEngine
from driftline.engines.consistent.grid_halving import GridHalvingEngine
from driftline.engines.consistent.hit_and_run import hit_and_run, round_axes
from driftline.engines.consistent.version_space import VersionSpaceEngine, inner_point
from driftline.engines.state import FIRST, UPDATES
from tests.oracles.consistent import EllipsoidLearner, GridHalving, VersionSpace
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.linear_cases import separable, stream, with_constant

SEEDS = range(3)
every_seed = pytest.mark.parametrize("seed", SEEDS)


def unit(rng: np.random.Generator, d: int) -> np.ndarray:
    u = rng.normal(size=d)
    return u / np.linalg.norm(u)


# grid halving ---------------------------------------------------------------------------------------------------------
@every_seed
@pytest.mark.parametrize("grid", ["sqrt", "lecture"])
@pytest.mark.parametrize("n, gamma, bias", [(2, 0.3, False), (2, 0.9, True), (3, 0.9, False), (1, 0.01, False)])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_grid_halving_is_as_its_formula_says(
    n: int, gamma: float, bias: bool, grid: Any, noise: float, seed: int
) -> None:
    data = stream(seed, rounds=80, n=n, drift=0.0, noise=noise)
    oracle = GridHalving(n + bias, gamma, 1.5, 0.8, grid)
    inside = with_constant(data.X) if bias else data.X
    votes = [oracle.learn(x, y) for x, y in zip(inside, data.y, strict=True)]
    empty = oracle.emptied
    for rows in (data.X, data.csr):
        learner = dl.GridHalving(gamma, 1.5, 0.8, grid, features=n, bias=bias)
        trials = learner.test_then_train(rows, data.y)
        assert trials.scores == pytest.approx(votes, abs=1e-12)
        assert np.flatnonzero(trials.infeasible).tolist() == empty
        assert learner.infeasible == len(empty)
        w = learner._engine.weights()
        assert np.concatenate([w[: int(bias)], w[FIRST:]]) == pytest.approx(oracle.w, abs=1e-9)
        assert learner._engine.extent()[1] == len(oracle.alive)
    assert noise == 0.0 or empty


@every_seed
@pytest.mark.parametrize("grid", ["sqrt", "lecture"])
@pytest.mark.parametrize("n, margin", [(2, 0.1), (3, 0.35)])
def test_grid_halving_within_its_bound(n: int, margin: float, grid: Any, seed: int) -> None:
    data, u = separable(seed, 80, n, margin)
    gamma = float(np.min(data.y * (data.X @ u)))
    learner = dl.GridHalving(gamma * (1.0 - 1e-9), grid=grid, bias=False)
    learner.learn_many(data.X, data.y)
    oracle = GridHalving(n, gamma, grid=grid)
    points = oracle.points
    assert learner.label_errors <= oracle.bound
    assert learner.updates > 0 and learner.infeasible == 0
    near = points[np.argmin(np.abs(points - u).max(axis=1))]
    assert (data.y * (data.X @ near) > 0.0).all()


@pytest.mark.parametrize("n, gamma", [(2, 0.05), (2, 0.002), (3, 0.5)])
def test_an_adversary_makes_halving_err_until_one_candidate_is_left(n: int, gamma: float) -> None:
    """The label is always the minority's, so that each round halves; lg(points) rounds are the most there can be."""
    rng = np.random.default_rng(0)
    learner = dl.GridHalving(gamma, bias=False, features=n)
    for _ in range(300):
        before = learner._engine.extent()[1]
        x, mean = rng.normal(size=n), learner._engine.weights()[FIRST:]
        if mean.any():  # across the mean of those that are left
            x -= (x @ mean) / (mean @ mean) * mean
        score = learner.score_one(x)
        if abs(score) == 1.0:
            continue
        learner.learn_one(x, -1 if score >= 0.0 else 1)
        assert before == 0 or learner._engine.extent()[1] <= before / 2
    bound = GridHalving(n, gamma).bound
    assert 0.5 * bound < learner.label_errors <= bound
    assert learner.infeasible == 0


def test_an_axis_has_one_point_more_than_the_lecture_says() -> None:
    """2 ceil(N) + 1 where it counts ceil(2 N) + 1: N = 2 R W d / gamma = 2.4 gives 7, not 6."""
    learner = dl.GridHalving(gamma=2.0 / 2.4, grid="lecture", bias=False)
    learner.learn_one([1.0], 1, 0.0)
    assert learner._engine.extent()[1] == 0  # a weight of 0 makes no grid
    learner.learn_one([1.0], 1)
    assert learner._engine.points.size == 7
    assert learner._engine.extent()[1] == 4


def test_halving_starts_anew_where_nothing_is_left() -> None:
    learner, fresh = dl.GridHalving(0.3, bias=False), dl.GridHalving(0.3, bias=False)
    learner.learn_many([[1.0, 0.0], [1.0, 0.0]], [1, -1])
    assert (learner.infeasible, learner.updates) == (1, 1)
    assert learner._engine.extent()[1] == learner._engine.points.size
    assert learner.learn_one([0.3, 1.0], 1) == fresh.learn_one([0.3, 1.0], 1)
    strict = dl.GridHalving(0.3, empty="raise", bias=False)
    strict.learn_one([1.0, 0.0], 1)
    with refused(strict, "must leave a candidate", "empty='reset'"):
        strict.learn_one([1.0, 0.0], -1)
    with refused(strict, "row 2", "must leave a candidate"):
        strict.learn_many([[1.0, 0.5], [1.0, 1.0], [1.0, 0.0]], [1, 1, -1])
    new = dl.GridHalving(0.3, empty="raise", bias=False)
    with refused(new, "row 1", "must leave a candidate"):
        new.learn_many([[1.0, 0.0], [1.0, 0.0]], [1, -1])


def test_the_first_example_fixes_the_features() -> None:
    learner = dl.GridHalving(0.9)
    learner.learn_one({}, 1)
    assert learner.updates == 0
    learner.learn_one({"a": 1.0, "b": 0.5}, 1)
    with refused(learner, "at most the 2 features", "got 3", "features=3", "EllipsoidLearner"):
        learner.learn_one({"a": 1.0, "c": 1.0}, 1)
    with refused(learner, "row 1", "at most the 2 features"):
        learner.learn_many([{"a": 1.0}, {"a": 1.0, "c": 1.0}], [1, 1])
    assert learner.score_one({"a": 1.0, "c": 1.0}) == learner.score_one({"a": 1.0})
    roomy = dl.GridHalving(0.9, features=3)
    roomy.learn_one({"a": 1.0}, 1)
    roomy.learn_one({"b": 1.0, "c": 1.0}, 1)
    with refused(roomy, "at most the 3 features that it was made for"):
        roomy.learn_one({"d": 1.0}, 1)
    narrow = dl.GridHalving(0.9, features=1)
    with refused(narrow, "at most the 1 features", "got 2"):
        narrow.learn_one([1.0, 1.0], 1)


def test_unknown_features_vote_as_if_they_were_learned() -> None:
    for options in ({"features": 4}, {"features": 4, "bias": False}):
        learner = dl.GridHalving(0.9, **options)
        for x, y in (({"a": 1.0, "b": -0.5}, 1), ({"c": 0.3, "a": 0.1, "d": -2.0}, -1), ({"b": 0.2}, 1)):
            assert learner.score_one(x) == learner.learn_one(x, y)


def test_a_grid_that_is_too_large_is_refused() -> None:
    learner = dl.GridHalving(0.01)
    for call in (lambda: learner.learn_one(np.ones(5), 1), lambda: learner.score_one(np.ones(5))):
        with refused(learner, "at most 20,000,000 numbers", "x 6 dimensions", "10^16", "EllipsoidLearner"):
            call()
    with refused(learner, "row 0", "x 6 dimensions"):
        learner.learn_many(np.ones((3, 5)), [1, 1, 1])
    small = dl.GridHalving(0.5, most=24, bias=False)
    with refused(small, "at most 24 numbers, got 49 points x 2 dimensions"):
        small.learn_one([1.0, 1.0], 1)
    with refused(learner, "10^"):
        learner.learn_one(csr_matrix(([1.0], ([0], [10**6])), (1, 10**6 + 1)), 1)


def test_a_grid_that_does_not_fit_into_memory_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise MemoryError

    learner, rows = dl.GridHalving(0.9, bias=False), [{"a": 1.0, "b": 1.0}, {"a": 1.0, "b": -1.0}]
    with monkeypatch.context() as patched:
        patched.setattr(grid_halving.np, "arange", full)
        with refused(learner, "x must have a grid that fits into memory, got 25 points x 2 dimensions. Use Ellipsoid"):
            learner.learn_one(rows[0], 1)
        with refused(learner, "row 0 must have a grid that fits into memory"):
            learner.learn_many(rows, [1, 1])
        with refused(learner, "x must have a grid that fits into memory"):
            learner.score_one(rows[0])
    twin = dl.GridHalving(0.9, bias=False)
    assert learner.learn_many(rows, [1, -1]).tolist() == twin.learn_many(rows, [1, -1]).tolist()
    assert_same(snapshot(learner), snapshot(twin))


# the ellipsoid --------------------------------------------------------------------------------------------------------
def b_ellipsoid(d: int, ratio: float) -> float:
    return 2.0 * d * (d + 1) * math.log(1.0 + ratio)


def log_shrink(d: int) -> float:
    """ln of the factor by which a central cut reduces the volume."""
    return math.log(0.5) if d == 1 else math.log(d / (d + 1)) + (d - 1) / 2 * math.log(d * d / (d * d - 1.0))


def b_ellipsoid_exact(d: int, ratio: float) -> float:
    return d * math.log(1.0 + ratio) / -log_shrink(d)


def centre(learner: dl.Learner, d: int) -> np.ndarray:
    v = learner._engine.v[FIRST : FIRST + d]
    return np.concatenate([v, np.zeros(d - v.size)])


def hidden(rng: np.random.Generator, u: np.ndarray, gamma: float, rounds: int, learner: Any) -> Iterator[Any]:
    """Unit rows at margin gamma from the target, across the learner's centre, and on its wrong side where possible."""
    for _ in range(rounds):
        c, x = centre(learner, u.size), rng.normal(size=u.size)
        if rng.random() < 0.8 and c.any():
            x -= (x @ c) / (c @ c) * c
        x -= (x @ u) * u
        x *= math.sqrt(1.0 - gamma * gamma) / np.linalg.norm(x)
        y = rng.choice([-1.0, 1.0])
        if rng.random() < 0.5 and y * (c @ (x + y * gamma * u)) > 0.0:
            y = -y
        yield x + y * gamma * u, y


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
        J = engine.grown(3 + new)
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


# the version space ----------------------------------------------------------------------------------------------------
@every_seed
def test_the_walk_is_uniform(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = 3
    u = unit(rng, d)
    cuts = rng.normal(size=(4, d))
    cuts *= np.sign(cuts @ u)[:, None] / np.linalg.norm(cuts, axis=1, keepdims=True)
    oracle = VersionSpace(d, seed=seed)
    for cut in cuts:
        oracle.update(cut, 1.0)
    due = oracle.points
    size = 20_000
    axes, start = np.eye(d), 0.5 * u
    for _ in range(2):
        order = rng.integers(0, d, 6 * d * size, np.uint32)
        found = hit_and_run(cuts, axes, start, order, rng.random(order.size), size)
        start, axes = found[-1], round_axes(found)
    assert (found @ cuts.T >= -1e-12).all() and (np.linalg.norm(found, axis=1) <= 1.0 + 1e-12).all()
    assert found.mean(axis=0) == pytest.approx(due.mean(axis=0), abs=0.02)
    assert np.cov(found.T) == pytest.approx(np.cov(due.T), abs=0.01)
    assert np.mean(found @ u > 0.6) == pytest.approx(np.mean(due @ u > 0.6), abs=0.03)
    assert axes.T @ axes == pytest.approx(np.cov(found.T, ddof=0), abs=1e-9)


@every_seed
def test_the_version_space_is_right_on_all_its_mistakes(seed: int) -> None:
    data, _ = separable(seed, 100, 4, 0.05)
    learner = dl.VersionSpace(seed=seed, bias=False)
    trials = learner.test_then_train(data.X, data.y)
    wrong = (trials.y * trials.scores <= 0.0) & trials.updated
    engine = learner._engine
    assert isinstance(engine, VersionSpaceEngine)
    oracle = VersionSpace(4)
    for x, y in zip(data.X[wrong], data.y[wrong], strict=True):
        oracle.update(x, y)
    assert engine.cuts == pytest.approx(oracle.cuts, abs=1e-12)
    assert engine.samples.shape == (90, 4)
    assert (engine.samples @ engine.cuts.T >= -1e-12).all()
    assert centre(learner, 4) == pytest.approx(engine.samples.mean(axis=0))
    if len(oracle.points) > 500:
        spread = np.sqrt(oracle.variance / 25.0)
        assert (np.abs(centre(learner, 4) - oracle.centre) < 5.0 * spread).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_version_space_needs_no_more_than_the_exact_centre_would(seed: int) -> None:
    """2.18 d ln(1 + R / gamma) updates; sampling makes that a figure to expect, not a theorem."""
    d, gamma = 4, 0.05
    rng = np.random.default_rng(100 + seed)
    u, learner = unit(rng, d), dl.VersionSpace(seed=seed, bias=False)
    for x, y in hidden(rng, u, gamma, 500, learner):
        learner.learn_one(x, y)
    assert learner.infeasible == 0
    assert d <= learner.updates <= d * math.log(1.0 + 1.0 / gamma) / -math.log(1.0 - 1.0 / math.e)


def test_the_walk_depends_on_the_seed_and_the_updates_alone() -> None:
    data, _ = separable(0, 60, 3, 0.05)
    one, same, other = (dl.VersionSpace(seed=seed, bias=False) for seed in (7, 7, 8))
    one.learn_many(data.X, data.y)
    np.random.default_rng(0).random(5)
    for x, y in zip(data.X, data.y, strict=True):
        same.score_many(data.X[:3])
        same.learn_one(x, y)
    other.learn_many(data.X, data.y)
    assert_same(snapshot(one), snapshot(same))
    assert one.weights() != other.weights()
    first, later = dl.VersionSpace(bias=False), dl.VersionSpace(bias=False)
    later._engine.state[UPDATES] = 1.0
    for learner in (first, later):
        learner.learn_one([0.6, 0.8], 1)
    assert first.weights() != later.weights()


def test_a_programme_finds_a_start_where_no_sample_is_right() -> None:
    """A cut so near the border that none of the samples survives it."""
    learner = dl.VersionSpace(seed=1, bias=False)
    first, across = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    learner.learn_one(first, 1)
    samples = learner._engine.samples
    angles = np.arctan2(samples @ across, samples @ first)
    low = (angles.min() - np.pi / 2.0) / 2.0  # between the half-plane's border and the lowest sample
    x = math.sin(low) * first - math.cos(low) * across
    assert (samples @ x < 0.0).all()
    learner.learn_one(x, 1)
    assert (learner.updates, learner.infeasible) == (2, 0)
    assert (learner._engine.samples @ x > 0.0).all() and (learner._engine.samples @ first > 0.0).all()
    assert learner.score_one(x) > 0.0


def test_inner_points() -> None:
    for d in (1, 3, 10):
        rng = np.random.default_rng(d)
        u = unit(rng, d)
        cuts = rng.normal(size=(4 * d, d))
        cuts *= np.sign(cuts @ u)[:, None] / np.linalg.norm(cuts, axis=1, keepdims=True)
        w = inner_point(cuts)
        assert w is not None and (cuts @ w > 0.0).all() and np.linalg.norm(w) < 1.0
        assert inner_point(np.vstack([cuts, -cuts[:1]])) is None


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
        (dl.VersionSpace, {"dtype": "float32"}, "dtype must be 'float64', got 'float32'. Leave it out, or take .*"),
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
        (dl.EllipsoidLearner, "J", np.eye(3)[:2], "a square of float64"),
        (dl.EllipsoidLearner, "J", np.eye(3, dtype=np.float32), "a square of float64"),
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
    with pytest.raises(ValueError, match="are due"):
        make()._engine.restore(2, arrays | {"other": array})


def test_each_has_an_engine_of_its_own() -> None:
    assert isinstance(dl.GridHalving()._engine, GridHalvingEngine)
    assert isinstance(dl.EllipsoidLearner()._engine, EllipsoidEngine)

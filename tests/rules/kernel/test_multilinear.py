"""MultilinearPerceptron: agreement with its oracle, its bound, large numbers and refusals."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from itertools import combinations_with_replacement, pairwise
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.kernel import multilinear
from driftline.saved import ModelError, model
from tests.oracles.kernel import MultilinearByTriples, MultilinearPerceptron, products
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.linear_cases import stream
from tests.support.training import learn_until_separated


def made(most: int = 100, expanded: bool = False) -> dl.MultilinearPerceptron:
    """A learner; one that is expanded never keeps w itself."""
    learner = dl.MultilinearPerceptron(most)
    if expanded:
        learner._engine.widest = 0.0  # type: ignore[attr-defined]
    return learner


def data(seed: int, rounds: int, n: int, kind: str = "real") -> tuple[np.ndarray, np.ndarray]:
    """Rows within -1 and 1, and labels by a few products of features; some are wrong."""
    rng = np.random.default_rng(seed)
    if kind == "real":
        X = rng.uniform(-1.0, 1.0, (rounds, n))
    else:
        X = rng.integers(0, 2, (rounds, n)) * (2.0 if kind == "signs" else 1.0) - (1.0 if kind == "signs" else 0.0)
    sets = [rng.choice(n, size=min(n, size), replace=False) for size in (1, 2, 2, 3)]
    target = sum(c * np.prod(X[:, s], axis=1) for c, s in zip((0.5, 1.0, -1.0, 2.0), sets, strict=True))
    return X, np.where(target >= 0.2, 1.0, -1.0) * np.where(rng.random(rounds) < 0.03, -1.0, 1.0)


def agrees(learner: dl.Learner, X: np.ndarray, y: np.ndarray, oracle: Any) -> int:
    """Learn the rows; every score and every update is the oracle's. Return the updates."""
    for x, label in zip(X, y, strict=True):
        before, due = learner.updates, oracle.updates
        score, size = oracle.learn(x, label), oracle.size
        found = learner.learn_one(x, label)
        assert abs(found - score) <= 1e-12 * size
        if abs(score) > 1e-12 * size or size == 0.0:
            assert learner.updates - before == oracle.updates - due
        else:
            assert before == learner.updates or label * found <= 0.0
    return learner.updates


# the powers of w ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("expanded", [True, False], ids=["expanded", "by itself"])
@pytest.mark.parametrize("n, rounds", [(3, 60), (7, 60), (10, 50)])
def test_the_score_is_that_of_w(n: int, rounds: int, expanded: bool) -> None:
    for seed in range(3):
        X, y = data(seed, rounds, n)
        learner = made(expanded=expanded)
        assert 5 < agrees(learner, X, y, MultilinearPerceptron(n)) < 40
        assert learner._engine.kept is not expanded  # type: ignore[attr-defined]


def test_tables_have_as_many_rows_as_there_are_multisets() -> None:
    X, y = data(1, 60, 7)
    learner = made(expanded=True)
    engine: Any = learner._engine
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        m = learner.updates
        assert [int(table.size[0]) for table in (engine.examples, engine.pairs, engine.triples)] == [
            m,
            comb(m + 1, 2),
            comb(m + 2, 3),
        ]
    assert m > 5
    assert int(engine.triples.size[1]) == 7 * comb(m + 2, 3)
    coefficients = engine.triples.coefficients[: comb(m + 2, 3)]
    assert {1.0: m, 3.0: m * (m - 1), 6.0: comb(m, 3)} == {
        c: int(np.sum(np.abs(coefficients) == c)) for c in (1.0, 3.0, 6.0)
    }


@pytest.mark.parametrize("expanded", [True, False], ids=["expanded", "by itself"])
@pytest.mark.parametrize("kind", ["bits", "signs"])
def test_equal_rows_are_one(kind: str, expanded: bool) -> None:
    for seed in range(3):
        X, y = data(seed, 150, 6, kind)
        learner, oracle = made(expanded=expanded), MultilinearPerceptron(6)
        for x, label in zip(X, y, strict=True):
            assert learner.learn_one(x, label) == oracle.learn(x, label)  # whole numbers
        engine: Any = learner._engine
        m = learner.updates
        assert m > 10
        if expanded:
            rows = [int(table.size[0]) for table in (engine.pairs, engine.triples)]
            assert rows[0] <= 64 < comb(m + 1, 2) and rows[1] <= 64 < comb(m + 2, 3)


def test_equal_rows_are_one_only_if_they_are_equal() -> None:
    """Examples that differ in the last bit, or in whose feature a value is, stay apart."""
    one = np.nextafter(1.0, 0.0)
    X = np.array([[1.0, 0, 0], [one, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, one, one], [1.0, 1.0, 0]])
    y = np.array([1.0, -1.0] * 3)
    learner = made(expanded=True)
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
    engine: Any = learner._engine
    V = np.array([engine._example(i) for i in range(learner.updates)])
    members = range(len(V))
    assert int(engine.pairs.size[0]) == len(
        {(V[i] * V[j]).tobytes() for i, j in combinations_with_replacement(members, 2)}
    )
    assert int(engine.triples.size[0]) == len(
        {(V[i] * V[j] * V[k]).tobytes() for i, j, k in combinations_with_replacement(members, 3)}
    )


def test_w_is_kept_from_where_it_is_smaller() -> None:
    X, y = data(5, 200, 8)
    learner = made()
    seen = set()
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        m = learner.updates
        kept = learner._engine.kept  # type: ignore[attr-defined]
        seen.add(kept)
        assert kept == (8 * comb(m + 2, 3) > 2**8)
    assert seen == {False, True}


def test_with_few_features_there_is_no_end() -> None:
    X, y = data(6, 1500, 5)
    y *= np.where(np.random.default_rng(0).random(1500) < 0.2, -1.0, 1.0)
    learner = made(most=10)
    agrees(learner, X, y, MultilinearPerceptron(5))
    assert learner.updates > 200
    assert learner._engine.arrays()["example_coefficients"].size == 0


def test_many_features() -> None:
    X, y = data(7, 120, 30)
    X *= np.random.default_rng(1).random(X.shape) < 0.3
    learner = made()
    assert 10 < agrees(learner, X, y, MultilinearByTriples(30)) < 60
    assert not learner._engine.kept  # type: ignore[attr-defined]


def test_features_that_come_later_are_zeros_before() -> None:
    """Three features make w small enough to be kept; with thirty more it is not, and is expanded again."""
    X, y = data(8, 90, 33)
    X[:30, 3:] = 0.0
    X[30:, 3:] *= np.random.default_rng(1).random((60, 30)) < 0.3
    learner, columns, oracle = made(), made(), MultilinearByTriples(33)
    kept = []
    for x, label in zip(X, y, strict=True):
        score = oracle.learn(x, label)
        row = {f"n{k}": value for k, value in enumerate(x.tolist()) if value}
        found = learner.learn_one(row, label)
        assert abs(found - score) <= 1e-12 * oracle.size
        kept.append(learner._engine.kept)  # type: ignore[attr-defined]
    assert kept[29] and not kept[-1] and learner.updates > 15
    columns.learn_many(X, y)
    assert np.allclose(learner.score_many(named(X)), columns.score_many(X), rtol=1e-9)
    assert learner.score_one({"never": 5.0, "n1": 0.5}) == learner.score_one({"n1": 0.5})


@pytest.mark.parametrize("expanded", [True, False], ids=["expanded", "by itself"])
def test_a_sample_weight_multiplies_the_label(expanded: bool) -> None:
    X, y = data(9, 60, 5)
    w = np.random.default_rng(2).choice([0.0, 0.3, 1.0, 2.5], 60)
    learner, oracle = made(expanded=expanded), MultilinearPerceptron(5)
    for example in zip(X, y, w, strict=True):
        score = oracle.learn(*example)
        assert abs(learner.learn_one(*example) - score) <= 1e-12 * oracle.size
        assert learner.updates == oracle.updates
    assert learner.updates > 5


# the bound ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("expanded", [True, False], ids=["expanded", "by itself"])
def test_updates_stay_within_the_bound(seed: int, expanded: bool) -> None:
    """y u.Phi(x) >= gamma with |u|_(4/3) = 1: at most 3 R^2 / gamma^2 updates, R = prod (1 + |x_i|^4)^(1/4)."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (4000, 6))
    u = np.zeros(64)
    u[rng.choice(np.arange(1, 64), 4, replace=False)] = rng.choice([-1.0, 1.0], 4)
    u /= np.sum(np.abs(u) ** (4 / 3)) ** 0.75
    values = np.array([u @ products(x) for x in X])
    X, values = (part[np.abs(values) >= 0.15][:150] for part in (X, values))
    y, gamma = np.sign(values), float(np.abs(values).min())
    R = float(np.prod(1.0 + X**4, axis=1).max() ** 0.25)
    learner = made(expanded=expanded)
    learn_until_separated(learner, X, y)
    bound = 3.0 * R**2 / gamma**2
    assert 5 <= learner.updates <= bound


# large numbers --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [400, 1100, 2500])
def test_products_beyond_the_largest_float(n: int) -> None:
    """Of features -1 and +1 everything is whole: compared with Python's own integers."""
    rng = np.random.default_rng(n)
    X, y = rng.choice([-1.0, 1.0], (14, n)), np.array([1.0, -1.0] * 7)
    X[5:] = np.where(rng.random((9, n)) < 0.02, -X[0], X[0])  # near to the first: some products are about 2^n
    X[5:10] *= rng.random((5, n)) < 0.9
    learner = made()
    V: list[np.ndarray] = []
    labels: list[int] = []
    for x, label in zip(X, y, strict=True):
        due = 0
        for i, j, k in combinations_with_replacement(range(len(V)), 3):
            factors = 1 + (V[i] * V[j] * V[k] * x).astype(int)
            times = 1 if i == j == k else 6 if i != j != k else 3
            if factors.all():
                due += times * labels[i] * labels[j] * labels[k] * 2 ** int(np.sum(factors == 2))
        score = learner.learn_one(x, label)
        assert math.isfinite(score)
        if due and abs(due) < 1 << 1000:
            assert score == pytest.approx(float(due), rel=1e-12)
        else:
            assert (score > 0) == (due > 0) and (score < 0) == (due < 0)
        if label * due <= 0:
            V.append(x)
            labels.append(int(label))
    assert learner.updates == len(V) >= 5
    assert math.isfinite(learner._engine.extent()[0])


@pytest.mark.parametrize("size", [1e12, 1e20, 1e55])
def test_features_far_beyond_one(size: float) -> None:
    """Wide enough to keep w, too large to: it stays expanded, is finite, and then refuses."""
    X, y = data(3, 40, 4)
    X *= size
    learner = made(most=30)
    scores = learner.learn_many(X[:25], y[:25])
    assert np.isfinite(scores).all() and np.isfinite(learner.score_many(X)).all()
    kept = made(most=30)
    kept.learn_many(X[:25] / size, y[:25])
    assert kept._engine.kept  # type: ignore[attr-defined]
    assert np.isfinite(kept.score_many(X)).all()
    found, due = kept.score_many(X / size * 1e3), [sum_of(kept, x) for x in X / size * 1e3]
    assert np.allclose(found, due, rtol=1e-9)


def sum_of(learner: dl.Learner, x: np.ndarray) -> float:
    return float(learner._engine.arrays()["cube"] @ products(x[learner._engine.features]))  # type: ignore[attr-defined]


# blocks, copies, refusals ---------------------------------------------------------------------------------------------
WIDE = data(11, 80, 24)
WIDE[0][:] *= np.random.default_rng(5).random(WIDE[0].shape) < 0.4


def named(X: np.ndarray) -> list[dict[str, float]]:
    return [{f"n{k}": value for k, value in enumerate(row) if value} for row in X.tolist()]


@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
def test_blocks_are_loops_where_it_is_expanded(kind: str) -> None:
    X, y = WIDE
    rows: Any = {"dense": X, "csr": csr_matrix(X), "dicts": named(X)}[kind]
    one = made()
    scores = [one.learn_one(rows[i], y[i]) for i in range(80)]
    for cuts in ([0, 80], [0, 1, 13, 13, 50, 80]):
        many = made()
        found = [many.learn_many(rows[i:j], y[i:j]) for i, j in pairwise(cuts)]
        assert np.concatenate(found).tolist() == scores
        assert_same(snapshot(one), snapshot(many))
    assert not one._engine.kept and one.updates > 8  # type: ignore[attr-defined]
    assert one._engine.extent() == many._engine.extent()


@pytest.mark.parametrize("at", [0, 1, 7, 40])
@pytest.mark.parametrize("kind, most", [("wide", 100), ("narrow", 100), ("narrow", 6)])
def test_copies_and_saved_models_go_on_exactly(kind: str, most: int, at: int, tmp_path: Path) -> None:
    X, y = WIDE if kind == "wide" else data(12, 80, 5)
    learner = made(most)
    learner.learn_many(named(X)[:at], y[:at])
    learner.save(tmp_path / "a.dl")
    loaded, copied = dl.load(tmp_path / "a.dl"), copy.deepcopy(learner)
    assert_same(snapshot(learner), snapshot(loaded))
    scores = learner.learn_many(named(X)[at:], y[at:]).tolist()
    for other in (loaded, copied):
        assert other.learn_many(named(X)[at:], y[at:]).tolist() == scores
        assert_same(snapshot(learner), snapshot(other))


def test_when_it_is_full() -> None:
    X, y = WIDE
    learner, twin = made(4), made(4)
    done = 0
    while learner.updates < 4:
        learner.learn_one(X[done], y[done])
        done += 1
    twin.learn_many(X[:done], y[:done])
    assert_same(snapshot(learner), snapshot(twin))
    scores = learner.score_many(X[done:])
    bad = done + int(np.flatnonzero(scores * y[done:] <= 0.0)[0])
    with refused(learner, "x must not need to be added after 4 others (most=4), got one that does. Raise most"):
        learner.learn_one(X[bad], y[bad])
    with refused(learner, f"row {bad - done} must not need to be added after 4 others"):
        learner.learn_many(X[done:], y[done:])
    fresh = made(4)
    with refused(fresh, f"row {bad} must not need to be added"):
        fresh.learn_many(X, y)
    assert learner.learn_many(X[done:bad], y[done:bad]).tolist() == scores[: bad - done].tolist()
    assert learner.n_seen == bad


@pytest.mark.parametrize("expanded, size", [(True, "kB"), (False, "16.4 kB")], ids=["expanded", "by itself"])
def test_when_memory_is_short(expanded: bool, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data(5, 300, 10)
    X[:60, 5:] = 0.0
    learner, twin = made(100, expanded), made(100, expanded)
    monkeypatch.setattr(multilinear, "MEMORY", 1 << 18 if expanded else 1 << 13)
    done = 0
    with pytest.raises(ValueError, match="must fit into memory"):
        for x, label in zip(X, y, strict=True):
            learner.learn_one(x, label)
            done += 1
    assert learner.updates > 5
    twin.learn_many(X[:done], y[:done])
    assert_same(snapshot(learner), snapshot(twin))
    due = "must fit into memory, got one after which the products of features take", size, "Have fewer features"
    with refused(learner, "x", *due):
        learner.learn_one(X[done], y[done])
    with refused(learner, "row 1", *due):
        learner.learn_many([X[done], X[done]], [y[done], y[done]], [0.0, 1.0])
    engine = learner._engine
    assert sum(array.nbytes for array in (*engine.pairs, *engine.triples, engine.w, engine.cube)) <= multilinear.MEMORY
    assert learner.score_many(X).tolist() == twin.score_many(X).tolist()
    kept = learner._engine.saved(10)
    monkeypatch.setattr(multilinear, "MEMORY", 1 << 8)
    restored = made(100, expanded)
    restored._engine.restore(10, kept)  # takes no more memory than the examples
    with pytest.raises(ValueError, match="the products of features take"):
        restored._engine.arrays()


def test_what_is_refused_where_w_is_kept_changes_nothing() -> None:
    X, y = data(13, 200, 4)
    y *= np.where(np.random.default_rng(0).random(200) < 0.3, -1.0, 1.0)
    for most, start in ((8, 100), (8, 5), (100, 30)):
        learner, twin = made(most), made(most)
        for one in (learner, twin):
            one.learn_many(named(X[:start]), y[:start])
        wide = [{f"m{k}": 0.5 for k in range(25)}, {f"m{k}": -0.5 for k in range(25)}] * 60
        with refused(learner, "must not need to be added after"):
            learner.learn_many(
                [*named(X[start : start + 50]), *wide], [*y[start : start + 50], *[1.0, -1.0, -1.0, 1.0] * 30]
            )
        assert learner.learn_many(named(X), y).tolist() == twin.learn_many(named(X), y).tolist()
        assert_same(snapshot(learner), snapshot(twin))


@pytest.mark.parametrize("most", [0, -1, 1001, 2.5, True, None, "3"])
def test_bad_parameters(most: Any) -> None:
    with pytest.raises(ValueError, match=r"^MultilinearPerceptron: most must be a whole number from 1 to 1000, got "):
        dl.MultilinearPerceptron(most)


def test_options_that_make_no_sense() -> None:
    for options in ({"bias": True}, {"dtype": "float32"}):
        with pytest.raises(ValueError, match=r"^MultilinearPerceptron: (bias|dtype) must be"):
            dl.MultilinearPerceptron(**options)  # type: ignore[arg-type]


def change(name: str, at: Any, value: Any) -> Callable[[dict[str, np.ndarray]], None]:
    def changed(arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][at] = value

    return changed


@pytest.mark.parametrize(
    "kind, spoil",
    [
        ("wide", change("features", 0, 24)),
        ("wide", lambda arrays: arrays.update(features=np.append(arrays["features"][:-1], arrays["features"][:1]))),
        ("wide", change("added", 0, 1 << 40)),
        ("wide", change("added", 0, 3)),
        ("wide", change("example_starts", 1, 1 << 50)),
        ("wide", change("example_starts", -1, 1 << 50)),
        ("wide", change("example_starts", 0, 1)),
        ("wide", change("example_columns", 2, 24)),
        ("wide", change("example_columns", 1, 0)),
        ("wide", change("example_factors", 1, math.nan)),
        ("wide", change("example_factors", 1, 0.0)),
        ("wide", change("example_factors", 1, 1e70)),
        ("wide", change("example_coefficients", 1, math.inf)),
        ("wide", change("example_coefficients", 1, 0.0)),
        ("wide", lambda arrays: arrays.pop("subsets")),
        ("wide", lambda arrays: arrays.update(subsets=np.zeros(8))),
        ("wide", lambda arrays: arrays.update(example_factors=arrays["example_factors"][:-1])),
        ("narrow", change("subsets", 3, math.nan)),
        ("narrow", change("subsets", 3, 1e70)),
        ("narrow", change("added", 0, 2)),
        ("narrow", lambda arrays: arrays.update(subsets=arrays["subsets"][:-1])),
        ("narrow", lambda arrays: arrays.update(features=np.arange(50, dtype=np.uint32))),
    ],
)
def test_files_that_cannot_be(kind: str, spoil: Any, tmp_path: Path) -> None:
    X, y = WIDE if kind == "wide" else data(12, 80, 5)
    learner = made(100 if kind == "wide" else 5)
    learner.learn_many(X, y)
    meta, arrays = model.state_of(learner)
    spoil(arrays)
    with pytest.raises((ModelError, ValueError)):
        model.learner_from(meta, arrays)


def test_it_learns_conjunctions_that_no_linear_rule_can() -> None:
    X, y = data(0, 2000, 12, "signs")
    learner, linear = made(), dl.Perceptron()
    for one in (learner, linear):
        one.learn_many(X, y)
    assert learner.mistakes < 0.5 * linear.mistakes


def test_streams_with_drift_are_learned_too() -> None:
    learner = made()
    drifting = stream(3, rounds=400, n=5)
    learner.learn_many(drifting.X, drifting.y)
    assert learner.updates == learner.mistakes < 200

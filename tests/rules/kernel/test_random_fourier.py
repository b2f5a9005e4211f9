"""Random Fourier features: the kernel that they approximate, alone and as a scale."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

import driftline as dl
from driftline.cli.main import main
from driftline.internals.rows import DenseRows
from driftline.rules.kernel import random_fourier
from driftline.rules.kernel.random_fourier import Waves
from driftline.sklearn import PA1Classifier
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.learner_cases import OTHERS, Other
from tests.support.linear_cases import stream

X = stream(7, rounds=80, n=6, density=0.6).X
Y = np.where(np.sum(X[:, :3] ** 2, axis=1) > 1.5, 1.0, -1.0)
LEARNERS = [dl.PA1, dl.Perceptron, dl.NORMA, dl.L1PA, lambda **o: dl.PNormPerceptron(3.0, **o), dl.SelfTuningALMA]


def gaussian(A: np.ndarray, B: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * np.sum((A[:, None] - B[None]) ** 2, axis=2))


def drawn(given: dl.RandomFourier, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Its frequencies, a row a feature, and its phases, in turns."""
    waves = Waves(given)
    waves.scale(DenseRows(np.zeros((1, features))), features, False)
    return waves.table[:features], waves.phases


# the map --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("gamma", [0.05, 0.7])
def test_products_of_waves_are_the_kernel(gamma: float) -> None:
    n = 1 << 14
    Z = dl.RandomFourier(n, gamma).transform(X)
    wrong = Z @ Z.T - gaussian(X, X, gamma)
    assert np.abs(wrong).max() < 6.0 / math.sqrt(n)
    assert math.sqrt(np.mean(wrong**2)) < 1.5 / math.sqrt(n)
    coarse = dl.RandomFourier(64, gamma).transform(X)
    assert math.sqrt(np.mean((coarse @ coarse.T - gaussian(X, X, gamma)) ** 2)) > 5 * math.sqrt(np.mean(wrong**2))


def test_the_map_is_that_of_its_frequencies() -> None:
    given = dl.RandomFourier(37, 0.3, seed=5)
    W, b = drawn(given, 6)
    due = math.sqrt(2.0 / 37) * np.cos(2.0 * math.pi * (X @ W + b))
    assert np.abs(given.transform(X) - due).max() < 1e-14
    assert given.transform(csr_matrix(X)).tobytes() == given.transform(X).tobytes()
    assert given.transform(np.asfortranarray(X).tolist()).tobytes() == given.transform(X).tobytes()
    assert given.transform(np.zeros((0, 3))).shape == (0, 37)


def test_cosines_are_exact_for_any_angle() -> None:
    turns = np.concatenate([np.linspace(-3.0, 3.0, 20001), [1e6 + 0.125, -1e9 - 0.25, 2.0**52, -1e60, 1e300]])
    found = turns.copy()
    out = np.empty((1, turns.size))
    random_fourier.map_dense(np.uint64(0), 1.0, np.empty((0, turns.size)), found, np.zeros((1, 0)), out)
    due = math.sqrt(2.0 / turns.size) * np.cos(2.0 * math.pi * np.remainder(turns, 1.0))
    assert np.abs(out[0] - due).max() < 5e-16 * math.sqrt(2.0 / turns.size) * 2.0


def test_frequencies_are_normal_and_phases_even() -> None:
    W, b = drawn(dl.RandomFourier(2000, 0.5 * (2.0 * math.pi) ** 2), 50)  # of deviation 1, in turns
    assert abs(W.mean()) < 0.02 and abs(W.std() - 1.0) < 0.01
    assert abs(np.mean(W**4) - 3.0) < 0.1
    for near in (np.corrcoef(W), np.corrcoef(W[:, ::2], W[:, 1::2])):
        assert np.abs(near - np.eye(len(near))).max() < 0.15
    assert b.min() >= 0.0 and b.max() < 1.0
    assert abs(b.mean() - 0.5) < 0.03 and abs(b.std() - math.sqrt(1.0 / 12.0)) < 0.02


def test_frequencies_depend_on_seed_and_feature_alone() -> None:
    W, b = drawn(dl.RandomFourier(33, seed=3), 5)
    more, longer = drawn(dl.RandomFourier(64, seed=3), 90)
    assert np.array_equal(more[:5, :33], W) and np.array_equal(longer[:33], b)
    other, phases = drawn(dl.RandomFourier(33, seed=4), 5)
    assert not np.isclose(other, W).any() and not np.isclose(phases, b).any()
    assert np.unique(more).size == more.size


def test_what_there_is_no_room_for_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = random_array((20, 300), density=0.1, rng=np.random.default_rng(0), format="csr")
    given = dl.RandomFourier(40, 0.4)
    due, dense = given.transform(wide), given.transform(wide.toarray())
    monkeypatch.setattr(random_fourier, "ROOM", 40 * 17)
    assert Waves(given).scale(DenseRows(np.zeros((1, 300))), 300, False).X.shape == (1, 40)
    assert given.transform(wide).tobytes() == due.tobytes()
    assert given.transform(wide.toarray()).tobytes() == dense.tobytes() == due.tobytes()


@pytest.mark.parametrize(
    "parameters, what",
    [
        ({"n": 0}, "n must be a whole number from 1 to 1048576, got 0"),
        ({"n": 2.5}, "n must be a whole number from 1 to 1048576, got 2.5"),
        ({"n": True}, "n must be a whole number"),
        ({"n": 1 << 21}, "n must be a whole number"),
        ({"gamma": 0.0}, "gamma must be > 0, got 0.0"),
        ({"gamma": math.inf}, "gamma must be finite, got inf"),
        ({"gamma": "1"}, "gamma must be a number, got '1'"),
        ({"seed": -1}, "seed must be a whole number from 0 to"),
        ({"seed": 1 << 63}, "seed must be a whole number from 0 to"),
        ({"seed": None}, "seed must be a whole number from 0 to"),
    ],
    ids=str,
)
def test_bad_parameters(parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError) as caught:
        dl.RandomFourier(**parameters)
    assert str(caught.value).startswith(f"RandomFourier: {what}")


@pytest.mark.parametrize("bad", [[1.0, 2.0], [[math.nan]], [["a"]], None, csr_matrix([[math.inf]]), [[1.0], [1.0, 2]]])
def test_bad_rows(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"^RandomFourier: X must be a 2-d array or sparse matrix .+, got .+\. Resh"):
        dl.RandomFourier().transform(bad)


# in a learner ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("make", LEARNERS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_learner_sees_the_waves(make: Any, dtype: Any) -> None:
    given = dl.RandomFourier(50, 0.4, seed=2)
    learner, due = make(scale=given, dtype=dtype), make(dtype=dtype)
    assert learner.learn_many(X, Y).tolist() == due.learn_many(given.transform(X), Y).tolist()
    assert learner.score_many(X).tolist() == due.score_many(given.transform(X)).tolist()
    assert learner.weights() == due.weights() and learner.largest(4) == due.largest(4)
    assert set(learner.weights()) <= {"(bias)", *range(50)}
    assert learner.n_features == 6


@pytest.mark.parametrize("make", LEARNERS)
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts", "hashed"])
def test_blocks_are_loops(make: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [{name: value for name, value in zip("abcdef", row, strict=True) if value} for row in X.tolist()]
    rows = {"dense": X, "csr": csr_matrix(X), "dicts": names, "hashed": names}[kind]
    options = {"scale": dl.RandomFourier(24, 0.3), "hashing": dl.Hashing(12) if kind == "hashed" else None}
    one, many = make(**options), make(**options)
    scores = [one.learn_one(rows[i], Y[i]) for i in range(80)]
    assert many.learn_many(rows, Y).tolist() == scores
    assert_same(snapshot(one), snapshot(many))
    assert [one.score_one(rows[i]) for i in range(80)] == many.score_many(rows).tolist()
    monkeypatch.setattr(random_fourier, "PIECE", 24 * 7)  # seven rows at a time
    pieces = make(**options)
    assert pieces.learn_many(rows, Y).tolist() == scores
    assert pieces.score_many(rows).tolist() == many.score_many(rows).tolist()
    assert_same(snapshot(one), snapshot(pieces))


@pytest.mark.parametrize(
    "case", [case for case in OTHERS if case.feed == "signed" and "features" not in case.parameters], ids=str
)
def test_other_learners_see_them_too(case: Other) -> None:
    given = dl.RandomFourier(8, 0.3)
    one, many, due = case.learner(scale=given), case.learner(scale=given), case.learner()
    rows, y = X[:40], Y[:40]
    scores = [one.learn_one(x, label) for x, label in zip(rows, y, strict=True)]
    assert many.learn_many(rows, y).tolist() == scores == due.learn_many(given.transform(rows), y).tolist()
    assert_same(snapshot(one), snapshot(many))
    assert many.score_many(X).tolist() == due.score_many(given.transform(X)).tolist()


def test_what_stops_in_a_later_piece_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_fourier, "PIECE", 24 * 7)
    learner = dl.L2PA(beta=0.5, when="margin", infeasible="raise", bias=False, scale=dl.RandomFourier(24, 0.3))
    with refused(learner, "row 0 must"):
        learner.learn_many(X, Y)
    plain = dl.PA1(scale=dl.RandomFourier(24, 0.3))
    plain.learn_many(X[:20], Y[:20])
    before, calls = snapshot(plain), []

    def interrupted(rows: Any, trials: Any) -> int:
        calls.append(len(rows.X))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return type(plain._engine).learn(plain._engine, rows, trials)

    monkeypatch.setattr(plain._engine, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        plain.learn_many(X[20:], Y[20:])
    assert calls == [7, 7, 7]
    assert_same(before, snapshot(plain))


def test_a_score_knows_of_features_to_come() -> None:
    """What nothing was learned of is far from all that was: the score is the one that learning the example returns."""
    rows: list[Any] = [
        {"a": 1.0},
        {"a": 0.5, "b": 3.0, "c": 1.0},
        {"d": 0.5, "b": 1, "e": "red", "a": 1.0},
        {"f": 1.0, "a": 1.0, "g": -2.0},
        {"a": 1.0, "b": -1.0, "h": 1.0},
    ]
    learner = dl.PA1(scale=dl.RandomFourier(64, 0.5))
    for k, row in enumerate(rows):
        scores = learner.score_many([row, rows[0], row])
        assert scores[0] == scores[2] == learner.score_one(row)
        assert learner.learn_one(row, k % 2) == pytest.approx(scores[0], rel=1e-12, abs=1e-14)
    assert learner.score_one({"a": 1.0, "z": 9.0}) != learner.score_one({"a": 1.0})
    wide = csr_matrix(np.diag([1.0, -2.0, 3.0]).repeat(3, axis=1))
    columns = dl.PA1(scale=dl.RandomFourier(64, 0.5))
    columns.learn_many(wide[:, :2], [1, 0, 1])
    due = columns.score_many(wide)
    for row in range(3):
        other = copy.deepcopy(columns)
        assert other.learn_many(wide[row], [1])[0] == due[row]


def test_it_learns_what_no_linear_rule_can() -> None:
    rng = np.random.default_rng(0)
    rows = rng.uniform(-2.0, 2.0, (3000, 2))
    y = np.where(np.sum(rows**2, axis=1) > 2.0, 1.0, -1.0)
    learner, linear = dl.PA1(0.1, scale=dl.RandomFourier(256, 1.0)), dl.PA1(0.1)
    for one in (learner, linear):
        one.learn_many(rows, y)
    assert learner.mistakes < 0.07 * 3000 < 0.3 * 3000 < linear.mistakes


@pytest.mark.parametrize("kind", ["dense", "dicts"])
def test_copies_and_saved_models_go_on_exactly(kind: str, tmp_path: Path) -> None:
    rows: Any = X if kind == "dense" else [dict(zip("abcdef", row, strict=True)) for row in X.tolist()]
    for at in (0, 1, 40):
        learner = dl.PA1(0.5, scale=dl.RandomFourier(np.int64(30), np.float32(0.25), 9))
        for i in range(at):
            learner.learn_one(rows[i], Y[i])
        learner.save(tmp_path / "a.dl")
        loaded = dl.load(tmp_path / "a.dl")
        loaded.save(tmp_path / "b.dl")
        assert (tmp_path / "a.dl").read_bytes() == (tmp_path / "b.dl").read_bytes()
        assert "scale=RandomFourier(n=30, gamma=0.25, seed=9)" in repr(loaded)
        assert repr(loaded) == repr(learner)
        scores = learner.learn_many(rows[at:], Y[at:]).tolist()
        for other in (loaded, copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
            if other is loaded:
                assert other.learn_many(rows[at:], Y[at:]).tolist() == scores
            assert_same(snapshot(learner), snapshot(other))
            assert other.score_many(rows).tolist() == learner.score_many(rows).tolist()


def test_bad_scales() -> None:
    for bad in ("randomfourier", dl.PA1(), 3, dl.RandomFourier):
        with pytest.raises(ValueError, match=r"^PA1: scale must be None, 'unit', 'standard' or a RandomFourier, got "):
            dl.PA1(scale=bad)


def test_scikit_learn_and_its_weights() -> None:
    classifier = PA1Classifier(scale=dl.RandomFourier(40, 0.3)).fit(X, Y)
    learner = dl.PA1(scale=dl.RandomFourier(40, 0.3), labels=(-1.0, 1.0))
    learner.learn_many(X, Y)
    assert classifier.decision_function(X).tolist() == learner.score_many(X).tolist()
    assert classifier.coef_.shape == (1, 40)


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(X.tolist(), Y, strict=True)]
    Path("a.csv").write_text("a,b,c,d,e,f,y\n" + "\n".join(lines) + "\n")
    start = ["run", "a.csv", "--target", "y", "--learner", "pa1", "--scale", "randomfourier(n=20, gamma=0.3)"]
    assert main([*start, "--save", "m.dl", "--report", "r.html", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["runs"][0]
    learner = dl.PA1(scale=dl.RandomFourier(20, 0.3))
    assert dl.run(learner, dl.streams.read("a.csv", target="y")).mistakes == facts["mistakes"]
    learner.save("due.dl")
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()
    assert main([*start, "--checkpoint", "at", "--every", "25", "--save", "n.dl"]) == 0
    assert main([*start, "--checkpoint", "at", "--every", "25", "--resume", "--save", "o.dl"]) == 0
    assert Path("n.dl").read_bytes() == Path("o.dl").read_bytes() == Path("due.dl").read_bytes()
    assert "RandomFourier(n=20, gamma=0.3, seed=0)" in Path("r.html").read_text()
    assert main(["inspect", "m.dl", "--json"]) == 0
    assert main(["predict", "m.dl", "a.csv"]) == 0
    capsys.readouterr()
    for bad, word in (("log", "--scale must be unit, standard or"), ("randomfourier(n=0)", "n must be a whole number")):
        assert main([*start[:-1], bad]) == 2
        said = capsys.readouterr().err
        assert word in said and said.count("\n") == 1

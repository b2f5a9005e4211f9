"""The probabilities of the Tracker, and the calibration of its light bank."""

from __future__ import annotations

import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.calibration.class_coupling import couple_all, couple_rounds, new_coupling
from driftline.engines.calibration.mixture import mixed, new_mixture, weigh
from driftline.engines.calibration.regressions import guess, new_regressions, place, regress
from driftline.engines.tracker.state import MEMBERS
from tests.oracles.calibration import Calibration, Coupling

ROWS = 260


def noisy(seed: int, rows: int, features: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A plane, with labels that are drawn with the logistic function of the distance from it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    s = X @ rng.normal(size=features)
    return X, rng.random(rows) < 1.0 / (1.0 + np.exp(-2.0 * s / s.std() - shift))


def words(seed: int, rows: int) -> tuple[csr_matrix, np.ndarray]:
    """Sparse rows of many features, whose first rows are few: the bank shrinks on the way."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, 300)) < 0.04) * 1.0
    X[:60, 100:] = 0.0
    return csr_matrix(X), (X[:, :20].sum(axis=1) + 0.5 * rng.normal(size=rows)) > 0.8


def three(seed: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two labels, then a third one and a fourth one."""
    X, y = noisy(seed, rows, 4)
    labels = np.where(y, "b", "a").astype(object)
    labels[50:][X[50:, 1] > 0.7] = "c"
    labels[120:][X[120:, 2] > 1.2] = "d"
    return X, labels


def with_holes(seed: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """``noisy``, with a fifth of the values missing."""
    X, y = noisy(seed, rows, 4)
    X[np.random.default_rng(seed + 1).random(X.shape) < 0.2] = np.nan
    return X, y


def dicts(X: np.ndarray) -> list[dict[str, float]]:
    return [{f"x{k}": value for k, value in enumerate(row)} for row in X.tolist()]


STREAMS: dict[str, Any] = {
    "few features": lambda: noisy(0, ROWS, 4),
    "more features": lambda: noisy(1, ROWS, 20),
    "sparse": lambda: words(2, ROWS),
    "three labels": lambda: three(3, ROWS),
    "missing": lambda: with_holes(4, ROWS),
}
Bank = Literal["strong", "light"]
both = pytest.mark.parametrize("bank", ["strong", "light"])
every_stream = pytest.mark.parametrize("stream", STREAMS)


def rows_of(X: Any) -> list[Any]:
    return list(X) if isinstance(X, np.ndarray) else [X[i] for i in range(X.shape[0])]


def same_arrays(one: dl.Tracker, other: dl.Tracker) -> bool:
    mine, its = one._engine.arrays(), other._engine.arrays()
    return mine.keys() == its.keys() and all(np.array_equal(mine[name], its[name]) for name in mine)


# the oracle -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [1, 3, 7, 30])
def test_regressions_and_mixture_follow_the_oracle(size: int) -> None:
    rng = np.random.default_rng(size)
    Z = rng.normal(size=(400, size))
    Z[rng.random((400, size)) < 0.02] = np.nan
    Z[100:110] *= 1e3
    Z[110, 0] = -np.inf
    y = rng.random(400) < 1.0 / (1.0 + np.exp(-np.clip(np.nan_to_num(Z[:, 0]), -9.0, 9.0)))
    regressions, mixture, oracle = new_regressions(size), new_mixture(2), Calibration(size)
    for z, positive in zip(Z, y.tolist(), strict=True):
        place(regressions, z, size + 1)
        guess(regressions, size + 1, mixture.guesses, 0)
        assert mixed(mixture) == pytest.approx(oracle.probability([z]), abs=1e-8)
        regress(regressions, size + 1, mixture.guesses, 0, mixture.learned[0], float(positive))
        weigh(mixture, float(positive))
        oracle.learn([z], positive)
    width = regressions.z.size
    A = regressions.spreads.reshape(2, width, width)
    assert np.array_equal(A, A.transpose(0, 2, 1)) and (np.linalg.eigvalsh(A[:, : size + 1, : size + 1]) > 0.0).all()
    assert mixture.learned[0] == 400.0 and mixture.shares.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("stream", ["few features", "more features", "missing"])
def test_a_tracker_follows_the_oracle(stream: str) -> None:
    X, y = STREAMS[stream]()
    tracker = dl.Tracker("light", labels=(False, True))
    oracle: Calibration | None = None
    for x, positive in zip(X, y.tolist(), strict=True):
        p = tracker.predict_proba_one(x)[True]
        tracker.learn_one(x, positive)
        workspace, members = tracker._engine.workspace, int(tracker._engine.own[MEMBERS])
        sets = [workspace.ratios[:members].copy(), workspace.stacked.copy()]
        if oracle is None:
            oracle = Calibration(members, 3)
        else:
            assert p == pytest.approx(oracle.probability(sets), abs=1e-7)
        oracle.learn(sets, positive)


def test_coupling_follows_the_oracle() -> None:
    rng = np.random.default_rng(0)
    p = rng.random((300, 4))
    p[:20, 3] = 0.0
    y = np.minimum((p.cumsum(axis=1) < rng.random((300, 1)) * p.sum(axis=1, keepdims=True)).sum(axis=1), 3)
    y[:20] = np.minimum(y[:20], 2)
    y[20], weights = 3, np.ones(300)
    weights[::7] = 0.0
    coupling, oracle, found = new_coupling(), Coupling(), p.copy()
    p[20, 3] = found[20, 3] = 0.0
    couple_rounds(coupling, 3, y.astype(float), weights, found, 300.0)
    for i in range(300):
        known = 3 if i <= 20 else 4
        assert found[i, :known] == pytest.approx(oracle.probabilities(p[i, :known]), abs=1e-12)
        assert (found[i, known:] == 0.0).all()
        if weights[i] > 0.0 and y[i] < known:
            oracle.learn(p[i, :known], int(y[i]))
    assert coupling[:2] == pytest.approx(oracle.b)
    asked = p[-1:].copy()
    couple_all(coupling, asked)
    assert asked[0] == pytest.approx(oracle.probabilities(p[-1]))


# the same bits however it is learned ----------------------------------------------------------------------------------
@every_stream
@both
def test_blocks_record_what_a_loop_would_have_been_told(bank: Bank, stream: str) -> None:
    X, y = STREAMS[stream]()
    blocks, loop = dl.Tracker(bank), dl.Tracker(bank)
    labels = list(dict.fromkeys(y.tolist()))
    found = [blocks.learn_block(X[a:b], y[a:b], keep_probabilities=True) for a, b in ((0, 1), (1, 90), (90, ROWS))]
    told = []
    for x, label in zip(rows_of(X), y.tolist(), strict=True):
        told.append(loop.predict_proba_one(x))
        loop.learn_one(x, label)
    at = 0
    for block in found:
        probabilities = block.probabilities
        assert probabilities is not None and probabilities.shape[0] == len(block)
        order = labels if block.several else labels[:2] if block.first_sign < 0.0 else labels[1::-1]
        for row in probabilities.tolist():
            due = [told[at].get(label, 0.0) for label in order[: len(row)]]
            assert row == due
            at += 1
    assert same_arrays(blocks, loop)
    assert loop.predict_proba_many(X[-9:]).tolist() == [
        [loop.predict_proba_one(x)[label] for label in loop.labels] for x in rows_of(X)[-9:]
    ]


@both
def test_a_third_label_in_the_middle_of_a_block(bank: Bank) -> None:
    X, y = three(5, 200)
    at_once, loop = dl.Tracker(bank), dl.Tracker(bank)
    block = at_once.learn_block(X, y, keep_rows=True, keep_votes=True, keep_probabilities=True)
    assert block.probabilities is not None and block.rows == () and block.votes.size == 0
    for x, label, row in zip(X, y, block.probabilities, strict=True):
        told = loop.predict_proba_one(x)
        assert row.tolist() == [told.get(known, 0.0) for known in at_once.labels]
        loop.learn_one(x, label)
    assert same_arrays(at_once, loop)


@both
def test_dicts_and_arrays_have_the_same_probabilities(bank: Bank) -> None:
    X, y = noisy(6, 200, 5)
    arrays, named = dl.Tracker(bank), dl.Tracker(bank)
    arrays.learn_many(X, y)
    for x, label in zip(dicts(X), y.tolist(), strict=True):
        named.learn_one(x, label)
    for x, row in zip(dicts(X)[:20], X[:20], strict=True):
        assert named.predict_proba_one(x) == arrays.predict_proba_one(row)
    assert named.predict_proba_many(dicts(X)).tolist() == arrays.predict_proba_many(X).tolist()


@every_stream
@both
def test_asking_changes_nothing(bank: Bank, stream: str) -> None:
    X, y = STREAMS[stream]()
    asked, silent = dl.Tracker(bank), dl.Tracker(bank)
    for x, label in zip(rows_of(X), y.tolist(), strict=True):
        asked.predict_proba_one(x)
        asked.learn_one(x, label)
        silent.learn_one(x, label)
    assert same_arrays(asked, silent)


@both
def test_a_round_of_weight_0_is_told_but_not_learned(bank: Bank) -> None:
    X, y = noisy(7, 100, 3)
    tracker = dl.Tracker(bank)
    tracker.learn_many(X, y)
    before, due = deepcopy(tracker), tracker.predict_proba_many(X[:5])
    block = tracker.learn_block(X[:5], y[:5], np.zeros(5), keep_probabilities=True)
    assert block.probabilities is not None and block.probabilities.tolist() == due.tolist()
    mine, its = tracker._engine.arrays(), before._engine.arrays()
    assert all(np.array_equal(mine[name], its[name]) for name in mine if name != "state")


def test_weights_do_not_change_what_the_calibration_learns_from() -> None:
    X, y = noisy(8, 50, 3)
    plain, weighted = dl.Tracker("light"), dl.Tracker("light")
    plain.learn_many(X, y)
    weighted.learn_many(X, y, np.full(50, 5.0))
    rates = [tracker._engine.calibration.mixture.rates for tracker in (plain, weighted)]
    assert np.array_equal(*rates) and rates[0][0].tolist() == [0.5 + y.sum(), 51.0]


# copies, files, errors ------------------------------------------------------------------------------------------------
@every_stream
@both
def test_copies_and_files_go_on_with_the_same_bits(bank: Bank, stream: str, tmp_path: Path) -> None:
    X, y = STREAMS[stream]()
    half = ROWS // 2
    tracker = dl.Tracker(bank)
    tracker.learn_many(X[:half], y[:half])
    tracker.save(tmp_path / "half.dl")
    others = [deepcopy(tracker), pickle.loads(pickle.dumps(tracker)), dl.load(tmp_path / "half.dl")]
    tracker.learn_many(X[half:], y[half:])
    for other in others:
        before = other.predict_proba_many(X[:3])
        other.learn_many(X[half:], y[half:])
        assert other.predict_proba_many(X).tolist() == tracker.predict_proba_many(X).tolist()
        assert before.tolist() != other.predict_proba_many(X[:3])[:, : before.shape[1]].tolist()


@pytest.mark.parametrize("stream", ["few features", "three labels"])
@both
def test_an_error_leaves_the_probabilities_as_they_were(bank: Bank, stream: str) -> None:
    X, y = STREAMS[stream]()
    tracker = dl.Tracker(bank, scale="standard")
    tracker.learn_many(X, y)
    due = tracker.predict_proba_many(X)
    bad = X[:9].copy()
    bad[5, 0] = np.inf
    with pytest.raises(ValueError, match="must be finite"):
        tracker.learn_block(bad, y[:9], keep_probabilities=True)
    assert tracker.predict_proba_many(X).tolist() == due.tolist()


@both
def test_an_undone_block_takes_back_the_calibration(bank: Bank) -> None:
    X, y = three(9, 120)
    for labels in (y[:40], y):
        tracker = dl.Tracker(bank)
        tracker.learn_many(X[: len(labels)], labels)
        due = tracker.predict_proba_many(X)
        undo = tracker._engine.snapshot(20)
        tracker.learn_many(X[:20], labels[:20])
        assert tracker.predict_proba_many(X).tolist() != due.tolist()
        undo()
        assert tracker.predict_proba_many(X).tolist() == due.tolist()


def without_calibration(tracker: dl.Tracker) -> dl.Tracker:
    """The Tracker as a file of an earlier version would give it back."""
    from driftline.engines.tracker.calibration_arrays import SAVED

    engine = tracker._engine
    arrays = engine.saved(tracker.n_features)
    engine.restore(
        tracker.n_features,
        {name: array for name, array in arrays.items() if name.split(" ")[-1] not in (*SAVED, "coupling")},
    )
    return tracker


@pytest.mark.parametrize("stream", ["few features", "three labels"])
def test_a_model_of_an_earlier_version_has_shares_of_the_vote_until_it_learns(stream: str) -> None:
    X, y = STREAMS[stream]()
    tracker = dl.Tracker("light")
    tracker.learn_many(X, y)
    tracker = without_calibration(tracker)
    shares = (1.0 + tracker.scores_many(X)) / 2.0
    np.testing.assert_allclose(tracker.predict_proba_many(X), shares / shares.sum(axis=1, keepdims=True), atol=1e-8)
    tracker.learn_one(X[0], y[0])
    assert np.abs(tracker.predict_proba_many(X) - shares).max() > 0.05


# what it is worth -----------------------------------------------------------------------------------------------------
def calibration_error(p: np.ndarray, y: np.ndarray) -> float:
    """The mean distance of probability and frequency over 15 bins of equally many rows."""
    bins = np.array_split(np.argsort(p, kind="stable"), 15)
    return float(sum(len(one) * abs(p[one].mean() - y[one].mean()) for one in bins) / len(p))


def log_loss(p: np.ndarray, y: np.ndarray) -> float:
    return float(-np.log(np.where(y, p, 1.0 - p)).mean())


@pytest.mark.parametrize("shift", [0.0, -2.5, -6.0])
@both
def test_probabilities_are_calibrated_on_a_stationary_stream(bank: Bank, shift: float) -> None:
    X, y = noisy(10, 10_000, 8, shift)
    block = dl.Tracker(bank, labels=(False, True)).learn_block(X, y, keep_probabilities=True)
    assert block.probabilities is not None
    p, y = block.probabilities[500:, 1], y[500:]
    assert calibration_error(p, y) < (0.02 if bank == "light" else 0.03)
    rate = y.mean()
    assert log_loss(p, y) < 0.85 * log_loss(np.full(len(y), rate), y)
    assert len(np.unique(p)) > 0.99 * len(p)


@both
def test_probabilities_follow_drift(bank: Bank) -> None:
    X, y = noisy(11, 6000, 4)
    X, y = np.concatenate([X, X]), np.concatenate([y, ~y])
    block = dl.Tracker(bank, labels=(False, True)).learn_block(X, y, keep_probabilities=True)
    assert block.probabilities is not None
    p = block.probabilities[:, 1]
    assert log_loss(p[7000:], y[7000:]) < log_loss(p[1000:6000], y[1000:6000]) + 0.03
    assert calibration_error(p[500:], y[500:]) < 0.06


@both
def test_several_classes_are_calibrated(bank: Bank) -> None:
    rng = np.random.default_rng(12)
    X = rng.normal(size=(6000, 4))
    s = 2.0 * X @ rng.normal(size=(4, 4))
    y = np.argmax(s + rng.gumbel(size=s.shape), axis=1)
    block = dl.Tracker(bank, labels=(0, 1, 2, 3)).learn_block(X, y, keep_probabilities=True)
    assert block.probabilities is not None
    q, y = block.probabilities[500:], y[500:]
    np.testing.assert_allclose(q.sum(axis=1), 1.0)
    assert max(calibration_error(q[:, k], y == k) for k in range(4)) < 0.03
    best = np.exp(s - s.max(axis=1, keepdims=True))[500:]
    best /= best.sum(axis=1, keepdims=True)
    mine, due = (-np.log(one[np.arange(len(y)), y]).mean() for one in (q, best))
    assert mine < due + 0.08


@both
def test_one_label_alone(bank: Bank) -> None:
    X, _ = noisy(13, 60, 3)
    tracker, declared = dl.Tracker(bank), dl.Tracker(bank, labels=("no", "yes"))
    assert tracker.predict_proba_one(X[0]) == {}
    block = tracker.learn_block(X, ["no"] * 60, keep_probabilities=True)
    assert block.probabilities is not None and block.probabilities.tolist() == [[0.0, 0.0]] + [[1.0, 0.0]] * 59
    assert tracker.predict_proba_one(X[0]) == {"no": 1.0}
    declared.learn_many(X, ["no"] * 60)
    told = declared.predict_proba_one(X[0])
    assert list(told) == ["no", "yes"] and 0.0 < told["yes"] < 0.1


@both
def test_rows_of_nothing_but_missing_values_have_a_probability(bank: Bank) -> None:
    X, y = noisy(14, 80, 3)
    tracker = dl.Tracker(bank)
    tracker.learn_many(np.full((5, 3), np.nan), [True, False, True, False, True])
    tracker.learn_many(X, y)
    for x in (np.full(3, np.nan), np.array([np.inf, -np.inf, 1e300])):
        assert 0.0 < tracker.predict_proba_one(x)[True] < 1.0


@both
def test_the_most_probable_label_comes_first(bank: Bank) -> None:
    X, y = noisy(15, 300, 3)
    tracker = dl.Tracker(bank)
    tracker.learn_many(X, y)
    for x in X[:50]:
        told = tracker.predict_proba_one(x)
        assert list(told.values()) == sorted(told.values(), reverse=True) and sum(told.values()) == 1.0


# hostile files --------------------------------------------------------------------------------------------------------
def changed(arrays: dict[str, np.ndarray], name: str, value: Any) -> dict[str, np.ndarray]:
    array = arrays[name].copy()
    array.flat[0] = value
    return {**arrays, name: array}


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("expert_weights", np.nan, "expert_weights that are not finite"),
        ("stacker_spreads", np.inf, "stacker_spreads that are not finite"),
        ("expert_spreads", -1.0, "expert_spreads with variances below 0"),
        ("label_rates", 1e9, "label_rates"),
        ("label_rates", -1.0, "label_rates"),
        ("guess_shares", -0.1, "guess_shares outside"),
        ("guess_shares", 0.999, "guess_shares with sum"),
        ("labels_learned", 0.5, "labels_learned that are no counters"),
        ("labels_learned", 1e6, "labels_learned 1e\\+06 after 260 rounds"),
    ],
)
def test_numbers_that_no_calibration_has_are_refused(name: str, value: float, what: str) -> None:
    X, y = STREAMS["few features"]()
    tracker = dl.Tracker("light")
    tracker.learn_many(X, y)
    engine, due = tracker._engine, tracker.predict_proba_many(X)
    arrays = {key: array.copy() for key, array in engine.saved(4).items()}
    with pytest.raises(ValueError, match=what):
        engine.restore(4, changed(arrays, name, value))
    with pytest.raises(ValueError, match=f"no array {name}"):
        engine.restore(4, {key: array for key, array in arrays.items() if key != name})
    engine.restore(4, arrays)
    assert tracker.predict_proba_many(X).tolist() == due.tolist()


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("value", [np.nan, -1.0, 1e300])
def test_a_coupling_that_no_learner_has_is_refused(place: int, value: float) -> None:
    X, y = STREAMS["three labels"]()
    tracker = dl.Tracker("light")
    tracker.learn_many(X, y)
    engine = tracker._engine
    arrays = {key: array.copy() for key, array in engine.saved(4).items()}
    arrays["coupling"][place] = value
    if place == 3 and value == -1.0:
        engine.restore(4, arrays)
        return
    with pytest.raises(ValueError, match="coupling"):
        engine.restore(4, arrays)


def test_a_matrix_that_is_no_covariance_starts_again() -> None:
    X, y = STREAMS["few features"]()
    tracker = dl.Tracker("light")
    tracker.learn_many(X, y)
    engine = tracker._engine
    arrays = {key: array.copy() for key, array in engine.saved(4).items()}
    arrays["expert_spreads"][:] = 1e200
    arrays["expert_weights"][:] = 1e308
    arrays["stacker_spreads"][:, 1] = -1e9
    engine.restore(4, arrays)
    for x, label in zip(X, y.tolist(), strict=True):
        assert 0.0 <= tracker.predict_proba_one(x)[True] <= 1.0
        tracker.learn_one(x, label)
    assert all(np.isfinite(array).all() for array in engine.saved(4).values())
    assert tracker.predict_proba_one(X[np.argmax(y)])[True] > 0.2

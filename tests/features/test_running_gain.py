"""Running gains: equal to the gains of all examples, blocks equal to a loop, files, and errors."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import driftline as dl
from driftline.features import RunningGain, game, information_gain, pair_gain
from driftline.saved.container import read, write
from tests.support.slow_gain import slow_gain

SETTINGS: list[dict[str, Any]] = [{}, {"pairs": True}, {"forgetting": 0.9, "pairs": True}, {"forgetting": 0.3}]


def data(rows: int = 150) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    y = np.array(["a", "b", "c"])[rng.integers(3, size=rows)]
    y[:40][y[:40] == "c"] = "a"  # a class that comes late
    X = rng.random((rows, 5)) * (rng.random((rows, 5)) < 0.5)
    X[:, 2] = np.where(rng.random(rows) < 0.8, y == "b", X[:, 2])
    return X, y


def dicts(X: np.ndarray) -> list[dict[str, float]]:
    return [{f"f{j}": value for j, value in enumerate(row) if value} for row in X.tolist()]


def same(a: RunningGain, b: RunningGain) -> bool:
    """Whether all counts are equal bit for bit."""
    counts = all(np.array_equal(one, other) for one, other in zip(a.counts(), b.counts(), strict=True))
    return counts and (a.examples, a.labels, a.features) == (b.examples, b.labels, b.features)


@pytest.mark.parametrize("above", [0.0, 0.4])
def test_gains_are_those_of_all_examples(above: float) -> None:
    X, y = data()
    gains = RunningGain(above=above, pairs=True)
    for stop in (1, 40, 41, 150):
        gains.learn_many(X[gains.examples : stop], y[gains.examples : stop])
        on, labels = X[:stop] > above, y[:stop]
        np.testing.assert_allclose(list(gains.gains().values()), information_gain(on, labels), atol=1e-12)
        np.testing.assert_allclose(gains.pair_gain(), pair_gain(on, labels), atol=1e-12)
    ranked = sorted(range(5), key=lambda j: -slow_gain((X[:, j] > above).tolist(), y.tolist()))
    assert gains.best(5) == ranked and gains.best(2) == ranked[:2]
    assert len(game(gains.pair_gain(), 2).features) == 2


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts", "frame"])
def test_blocks_give_the_bits_of_a_loop(options: dict[str, Any], kind: str) -> None:
    X, y = data()
    named = kind in ("dicts", "frame")
    loop, blocks = RunningGain(**options), RunningGain(**options)
    for x, label in zip(dicts(X) if named else X, y.tolist(), strict=True):
        loop.learn_one(x, label)
    for start in range(0, 150, 37):
        part: Any = X[start : start + 37]
        if kind == "csr":
            part = csr_array(part)
        elif kind == "dicts":
            part = dicts(part)
        elif kind == "frame":
            part = pd.DataFrame(part, columns=[f"f{j}" for j in range(5)])
        blocks.learn_many(part, y[start : start + 37])
    assert loop.gains() == {name: blocks.gains()[name] for name in loop.features}
    if kind != "frame":  # a frame numbers its columns by their order, dicts by appearance
        assert same(loop, blocks)


@pytest.mark.parametrize("forgetting", [0.9, 0.2])
def test_forgetting_weighs_the_past(forgetting: float) -> None:
    X, y = data(400)  # 0.2^400 is below the smallest float: the scale is multiplied in on the way
    gains = RunningGain(forgetting=forgetting, pairs=True)
    gains.learn_many(X, y)
    weights = forgetting ** np.arange(399.0, -1.0, -1.0)
    size, on, together = gains.counts()
    for k, label in enumerate(gains.labels):
        some = (y == label) * weights
        assert size[k] == pytest.approx(some.sum(), rel=1e-9)
        np.testing.assert_allclose(on[k], some @ (X > 0.0), rtol=1e-9)
        np.testing.assert_allclose(together[k], (X > 0.0).T @ (some[:, None] * (X > 0.0)), rtol=1e-9)


def test_forgetting_follows_a_change() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1000)
    X = rng.integers(2, size=(1000, 6))
    X[:700, 1], X[700:, 4] = y[:700], y[700:]
    still, moving = RunningGain(), RunningGain(forgetting=0.98)
    for gains in (still, moving):
        gains.learn_many(X, y)
    assert still.best(1) == [1] and moving.best(1) == [4]


def test_a_missing_value_is_off() -> None:
    gains, other = RunningGain(), RunningGain()
    gains.learn_many(np.array([[1.0, np.nan], [0.0, 1.0]]), [0, 1])
    other.learn_many(np.array([[1.0, 0.0], [0.0, 1.0]]), [0, 1])
    assert same(gains, other)


def test_hashing_bounds_the_number_of_features() -> None:
    gains = RunningGain(hashing=dl.Hashing(4))
    for k in range(100):
        gains.learn_one({f"word {k}": 1.0}, k % 2)
    assert len(gains.gains()) == 16
    with pytest.raises(ValueError, match="at most 4096 features, got 8192"):
        RunningGain(pairs=True, hashing=dl.Hashing(13)).learn_one({"a": 1.0}, 0)


# files ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [*SETTINGS, {"hashing": dl.Hashing(5), "above": 0.1}])
@pytest.mark.parametrize("named", [False, True])
def test_a_loaded_object_continues_bit_for_bit(options: dict[str, Any], named: bool, tmp_path: Path) -> None:
    X, y = data()
    rows: Any = dicts(X) if named else X
    gains = RunningGain(**options)
    gains.save(tmp_path / "empty")
    assert same(RunningGain.load(tmp_path / "empty"), gains)
    gains.learn_many(rows[:60], y[:60])
    gains.save(tmp_path / "gains")
    others = [RunningGain.load(tmp_path / "gains"), copy.deepcopy(gains), pickle.loads(pickle.dumps(gains))]
    gains.learn_many(rows[60:], y[60:])
    for other in others:
        other.learn_many(rows[60:], y[60:])
        assert same(other, gains) and other.gains() == gains.gains()
    others[0].save(tmp_path / "again")
    gains.save(tmp_path / "gains")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "gains").read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda meta, arrays: meta.update(above=-1.0),
        lambda meta, arrays: meta.update(scale=0.0),
        lambda meta, arrays: meta.update(features=7),
        lambda meta, arrays: meta.update(labels=["a", "a", "b"]),
        lambda meta, arrays: meta.update(labels=["a", ["b"], "c"]),
        lambda meta, arrays: meta.update(vocabulary="hashed"),
        lambda meta, arrays: meta.update(vocabulary="undecided"),
        lambda meta, arrays: meta.update(hashing=99),
        lambda meta, arrays: meta.update(pairs=False),
        lambda meta, arrays: meta.update(examples=-1),
        lambda meta, arrays: meta.pop("forgetting"),
        lambda meta, arrays: arrays.pop("on"),
        lambda meta, arrays: arrays.update(on=np.full((3, 5), np.nan)),
        lambda meta, arrays: arrays.update(on=np.zeros((2, 5))),
    ],
)
def test_a_changed_file_is_refused(change: Any, tmp_path: Path) -> None:
    gains = RunningGain(pairs=True)
    gains.learn_many(*data())
    gains.save(tmp_path / "gains")
    meta, arrays = read(tmp_path / "gains", "running gain")
    change(meta, arrays)
    write(tmp_path / "changed", "running gain", meta, arrays)
    with pytest.raises(dl.ModelError, match="must be a driftline running gain, got"):
        RunningGain.load(tmp_path / "changed")
    with pytest.raises(dl.ModelError, match="no such file"):
        RunningGain.load(tmp_path / "nowhere")
    with pytest.raises(dl.ModelError, match="a file of kind 'running gain'"):
        dl.load(tmp_path / "gains")


# errors -----------------------------------------------------------------------------------------------------------
def test_an_error_changes_nothing() -> None:
    X, y = data()
    gains, other = RunningGain(pairs=True), RunningGain(pairs=True)
    gains.learn_many(dicts(X), y)
    other.learn_many(dicts(X), y)
    for some, labels in (
        ([{"new": 1.0}], ["new", "b"]),
        ([{"new": 1.0}, {"other": 1.0}], ["new", None]),
        ([{"new": 1.0}, {"other": object()}], ["new", "a"]),
        (X, y),
    ):
        with pytest.raises(ValueError, match=r"^RunningGain: .* must .*, got "):
            gains.learn_many(some, labels)
        assert same(gains, other)
    gains.learn_one({"f0": 1.0}, "a")
    assert gains.examples == other.examples + 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RunningGain(above=-1.0), "RunningGain: above must be >= 0 and finite, got -1.0"),
        (lambda: RunningGain(forgetting=0.0), "RunningGain: forgetting must be in (0, 1], got 0.0"),
        (lambda: RunningGain(pairs=1), "RunningGain: pairs must be True or False, got 1"),
        (lambda: RunningGain(hashing=3), "RunningGain: hashing must be a Hashing or None, got 3"),
        (lambda: RunningGain().pair_gain(), "RunningGain.pair_gain: pairs must be True, got False. Set pairs=True"),
        (lambda: RunningGain().best(0), "RunningGain.best: k must be a whole number >= 1, got 0"),
    ],
)
def test_what_is_refused_says_why(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(message), str(caught.value)


def test_before_the_first_example() -> None:
    gains = RunningGain(pairs=True)
    assert gains.gains() == {} and gains.best(3) == [] and gains.pair_gain().shape == (0, 0)

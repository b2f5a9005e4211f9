"""Alarms on the inputs: which feature, how it changed, and how rare false alarms are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from driftline.drift import InputMonitor
from driftline.internals.rows import SparseRows

RNG = np.random.default_rng(11)


def inputs(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns))


def test_the_feature_and_the_measure_that_changed_are_named() -> None:
    X = inputs(8000, 5)
    X[4000:, 1] += 1.0
    X[4000:, 2] *= 4.0
    X[4000::2, 3] = np.nan
    changes = InputMonitor().update_many(X)
    assert {(one.feature, one.measure) for one in changes} == {(1, "level"), (2, "spread"), (3, "presence")}
    for one in changes:
        assert 4000 < one.at < 5000 and abs(one.since - 4000) < 200
    by_feature = {one.feature: one for one in changes}
    assert by_feature[3].before > 0.99 and by_feature[3].after == pytest.approx(0.5, abs=0.1)
    assert by_feature[1].share.startswith("the share of values of at least ")
    assert by_feature[2].share.startswith("the share of values outside -0.")
    assert by_feature[3].share == "the share of examples with a value"


def test_dicts_arrays_sparse_rows_and_single_rows_give_the_same_changes() -> None:
    X = inputs(4000, 6)
    X[2500:, 4] -= 1.5
    names = [f"f{k}" for k in range(6)]
    dicts = [dict(zip(names, row.tolist(), strict=True)) for row in X]
    expected = InputMonitor().update_many(X)
    assert [one.feature for one in expected] == [4]
    named = [one._replace(feature=int(one.feature[1:])) for one in InputMonitor().update_many(dicts)]
    single, monitor = [], InputMonitor()
    for row in X:
        single += monitor.update(row)
    indptr = np.arange(len(X) + 1, dtype=np.uint64) * np.uint64(6)
    sparse = InputMonitor().add(SparseRows(indptr, np.tile(np.arange(6, dtype=np.uint32), len(X)), X.reshape(-1)))
    one_dict, monitor = [], InputMonitor()
    for x in dicts:
        one_dict += monitor.update(x)
    assert repr(named) == repr(single) == repr(sparse) == repr(expected)
    assert [one.feature for one in one_dict] == ["f4"]


def test_the_changes_do_not_depend_on_blocks_and_states_continue_with_the_same_bits() -> None:
    X = inputs(9000, 8)
    X[RNG.random(X.shape) < 0.2] = np.nan
    X[4000:, 5] += 2.0
    whole = InputMonitor(delta=1e-3)
    expected = whole.update_many(X)
    assert expected
    for stop in (0, 1, 499, 500, 501, 999, 1000, 1001, 4321):
        first, second = InputMonitor(delta=1e-3), InputMonitor(delta=1e-3)
        found = first.update_many(X[:stop])
        meta, arrays = first.state()
        second.restore(json.loads(json.dumps(meta)), arrays)
        found += second.update_many(X[stop:])
        assert repr(found) == repr(expected), stop
        assert second.state()[1]["windows"].tobytes() == whole.state()[1]["windows"].tobytes()


def test_a_monitor_of_dicts_is_restored_with_its_names() -> None:
    X = [{"a": float(k % 7), f"rare{k % 400}": 1.0} for k in range(3000)]
    for stop in (100, 700, 2000):
        first, second = InputMonitor(4), InputMonitor(4)
        first.update_many(X[:stop])
        meta, arrays = first.state()
        second.restore(json.loads(json.dumps(meta)), arrays)
        assert second.watched == first.watched
        assert second.update_many(X[stop:]) == first.update_many(X[stop:])
        assert len(second.watched) == 4 and "a" in second.watched


def test_of_many_features_those_that_are_present_most_often_are_watched() -> None:
    rng, size = np.random.default_rng(2), 3000
    share = np.linspace(1.0, 0.02, 100)
    there = rng.random((size, 100)) < share
    X = np.where(there, rng.normal(size=(size, 100)), np.nan)
    monitor = InputMonitor(features=10)
    monitor.update_many(X)
    counts = there[:500].sum(axis=0)
    expected = np.sort(np.argsort(-counts, kind="stable")[:10]).tolist()
    assert monitor.watched == expected
    assert monitor.state()[1]["windows"].shape[0] == 30


def test_false_alarms_are_rare_whatever_the_distribution() -> None:
    rng, size = np.random.default_rng(3), 100_000
    X = np.column_stack(
        [
            rng.normal(size=size),
            rng.standard_cauchy(size),
            np.exp(rng.normal(size=size) * 5),
            rng.integers(0, 2, size),
            rng.poisson(0.1, size),
            np.full(size, 3.25),
            np.where(rng.random(size) < 0.9, np.nan, 1.0),
            rng.choice([0.0, np.inf, -np.inf, np.nan, 1e308], size),
        ]
    )
    assert InputMonitor(delta=1e-6).update_many(X) == []
    assert len(InputMonitor(delta=1e-3, every=8).update_many(X)) <= 100


def test_hostile_values_do_no_harm_and_a_constant_that_changes_is_found() -> None:
    X = np.zeros((3000, 4))
    X[:, 1] = 7.0
    X[2000:, 1] = 7.5
    X[2000:, 2] = -1.0
    X[2000:, 3] = np.inf
    found = InputMonitor().update_many(X)
    assert [one.feature for one in found] == [1, 2, 3]
    assert InputMonitor().update_many(np.full((3000, 3), np.nan)) == []
    assert InputMonitor().update_many(np.zeros((3000, 0))) == []
    assert InputMonitor().update_many([{} for _ in range(3000)]) == []


def test_a_feature_with_few_values_is_watched_for_presence_only() -> None:
    X = [{"a": 1.0, **({"b": float(k)} if k % 20 == 0 else {})} for k in range(2000)]
    X += [{"a": 1.0, "b": -1.0} for _ in range(500)]
    found = InputMonitor().update_many(X)
    assert [(one.feature, one.measure) for one in found] == [("b", "presence")]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([{"a": "red"}], "InputMonitor: 'a' must be a number, got 'red'. Encode it first"),
        (np.zeros(3), "InputMonitor: examples must be a 2-d array or a list of dicts, got an array of shape (3,)"),
    ],
)
def test_bad_examples_are_refused(X: Any, message: str) -> None:
    monitor = InputMonitor()
    with pytest.raises(ValueError) as error:
        monitor.update_many(X)
    assert str(error.value) == message and monitor.n_seen == 0


def test_dicts_and_arrays_do_not_mix() -> None:
    monitor = InputMonitor()
    monitor.update({"a": 1.0})
    with pytest.raises(ValueError, match="examples must be dicts, as before"):
        monitor.update(np.zeros(2))
    monitor = InputMonitor()
    monitor.update(np.zeros(2))
    with pytest.raises(ValueError, match="examples must be arrays as before, got dicts"):
        monitor.update({"a": 1.0})


def test_bad_parameters_are_refused() -> None:
    for bad in ({"features": 0}, {"features": 2000}, {"delta": 0.0}, {"every": 0}, {"every": 1.5}):
        with pytest.raises(ValueError, match=f"InputMonitor: {next(iter(bad))} must be"):
            InputMonitor(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("stop", [100, 700, 2000])
def test_hostile_states_are_refused_and_change_nothing(stop: int) -> None:
    monitor = InputMonitor(4)
    monitor.update_many(inputs(stop, 3))
    meta, arrays = monitor.state()
    wrong: list[tuple[Any, Any]] = [
        (None, arrays),
        ({}, arrays),
        ({**meta, "n_seen": -1}, arrays),
        ({**meta, "n_seen": 1.0}, arrays),
        ({**meta, "n_seen": 10**17}, arrays),
        ({**meta, "n_seen": 600 if stop != 700 else 100}, arrays),
        ({**meta, "parameters": {}}, arrays),
        ({**meta, "names": [["a", 7]]}, arrays),
        ({**meta, "names": 3}, arrays),
        (meta, {}),
        (meta, {**arrays, "more": np.zeros(1)}),
    ]
    for name, array in arrays.items():
        wrong.append((meta, {**arrays, name: array.astype(np.float32)}))
        wrong.append((meta, {**arrays, name: np.concatenate([array, array, array, array, array])[..., None]}))
        if array.size:
            bad = array.copy()
            bad.flat[0] = -5
            if name not in ("sample", "cuts"):
                wrong.append((meta, {**arrays, name: bad}))
    for one, others in wrong:
        with pytest.raises(ValueError, match=r"must"):
            InputMonitor(4).restore(one, others)
    monitor.restore(meta, arrays)
    assert monitor.n_seen == stop

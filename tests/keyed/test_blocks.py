"""Blocks of arrays, which learn in one compiled call, have the bits of a learner for each key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.keyed import blocks, keyed
from driftline.keyed.packed import BIG_ENDIAN
from tests.keyed.oracle import DictOfLearners, assert_alike

pytestmark = pytest.mark.skipif(BIG_ENDIAN, reason="the compiled call reads little-endian words")
LABELS = (-1.0, 1.0)
LEARNERS = [
    dl.PA1(labels=LABELS),
    dl.Perceptron(labels=LABELS, bias=False),
    dl.NORMA(labels=LABELS, lam=0.3),
    dl.ALMA(labels=LABELS),
    dl.ShrunkPA(labels=LABELS),
    dl.PA2(labels=("no", "yes"), C=0.1),
]


@pytest.fixture
def packed(monkeypatch: Any) -> list[bool]:
    """Whether each compiled call has learned its block."""
    calls: list[bool] = []

    def spied(*given: Any) -> Any:
        found = blocks_learn(*given)
        calls.append(found is not None)
        return found

    blocks_learn = blocks.learn_packed
    monkeypatch.setattr(blocks, "learn_packed", spied)
    return calls


def stream(rows: int, columns: int = 5, keys: int = 7, seed: int = 3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X[:, 0] + rng.normal(size=rows) > 0.2, 1.0, -1.0)
    return X, y, (keys * rng.random(rows) ** 2).astype(np.int64)


def both(learner: dl.Learner, prior: Any = None, **memory: Any) -> tuple[dl.Keyed, DictOfLearners]:
    return dl.Keyed(learner, prior=prior, **memory), DictOfLearners(learner, prior)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_bits_are_those_of_a_learner_for_each_key(
    learner: Any, weighted: bool, packed: Any, tmp_path: Path
) -> None:
    X, y, keys = stream(240)
    if "yes" in learner.options["labels"]:
        y = np.where(y > 0.0, "yes", "no")
    w = np.linspace(0.1, 2.0, 240) if weighted else None
    learners, oracle = both(learner, max_keys_in_memory=2, spill=tmp_path)
    wanted = oracle.learn(X, y.tolist(), keys.tolist(), w)
    scores = []
    for start, stop in ((0, 1), (1, 100), (100, 180), (180, 240)):
        part = slice(start, stop)
        scores.append(learners.learn_many(X[part], y[part], None if w is None else w[part], keys=keys[part]))
        learners.score_one(X[0], key=0)  # its learner is in use before the next block
    assert np.concatenate(scores).tobytes() == wanted.tobytes()
    assert packed == [True] * 4
    assert_alike(learners, oracle)
    counted = [learners.counts(key) for key in learners]
    assert [sum(one) for one in zip(*counted, strict=True)] == list(learners.totals)
    assert learners.totals.rows == 240
    assert learners.changed() == set(keys.tolist())


def test_the_records_are_those_of_the_slow_way(monkeypatch: Any) -> None:
    X, y, keys = stream(6000, 3, 4)
    fast, slow = dl.Keyed(dl.PA1(labels=LABELS)), dl.Keyed(dl.PA1(labels=LABELS))
    for start in range(0, 6000, 750):  # more rounds than are remembered
        part = slice(start, start + 750)
        scores = fast.learn_many(X[part], y[part], keys=keys[part])
        with monkeypatch.context() as change:
            change.setattr(keyed, "learn_block", lambda *given: None)
            assert slow.learn_many(X[part], y[part], keys=keys[part]).tobytes() == scores.tobytes()
        assert dict(fast.states()) == dict(slow.states())
    assert fast.totals == slow.totals


def test_a_block_longer_than_all_that_is_remembered(monkeypatch: Any) -> None:
    X, y, _ = stream(9000, 2)
    fast = dl.Keyed(dl.PA1(labels=LABELS))
    plain = dl.PA1(labels=LABELS)
    fast.learn_many(X, y, keys=np.ones(9000, np.int64))
    plain.learn_many(X, y)
    assert fast[1].to_bytes() == plain.to_bytes()


@pytest.mark.parametrize("kind", ["dense", "dicts"])
def test_a_prior_of_columns_or_of_names(kind: str, packed: Any) -> None:
    X, y, keys = stream(60)
    prior = dl.PA1(labels=LABELS)
    prior.learn_many(X[:20] if kind == "dense" else [{0: x} for x in X[:20, 0]], y[:20])
    learners, oracle = both(dl.PA1(labels=LABELS), prior)
    if kind == "dicts":
        with pytest.raises(ValueError, match="columns"):
            learners.learn_many(X, y, keys=keys)
        assert len(learners) == 0
        assert packed == []
        return
    wanted = oracle.learn(X, y, keys.tolist())
    assert learners.learn_many(X, y, keys=keys).tobytes() == wanted.tobytes()
    assert packed == [True]
    assert_alike(learners, oracle)
    assert sum(learners.counts(key).rows for key in learners) == 60


@pytest.mark.parametrize("dtype", [np.int64, np.float32, bool])
def test_arrays_of_other_numbers_and_lists_of_labels(dtype: Any, packed: Any) -> None:
    X, y, keys = stream(50)
    X = np.asfortranarray((10 * X).astype(dtype))
    learners, oracle = both(dl.PA1(labels=LABELS))
    wanted = oracle.learn(X, y.tolist(), keys.tolist())
    assert learners.learn_many(X, y.tolist(), keys=[int(key) for key in keys]).tobytes() == wanted.tobytes()
    assert packed == [True]
    assert_alike(learners, oracle)


@pytest.mark.parametrize("fault", ["nan", "columns", "label", "weight", "huge"])
def test_a_bad_row_changes_nothing_and_names_its_key(fault: str, packed: Any) -> None:
    X, y, keys = stream(80)
    learners = dl.Keyed(dl.PA1(labels=LABELS))
    learners.learn_many(X[:40], y[:40], keys=keys[:40])
    learners.mark_clean()
    before, totals = dict(learners.states()), learners.totals
    X, y, own, w = X[40:].copy(), y[40:].copy(), keys[40:], np.ones(40)
    match = f"row 11.* key {own[11]}"
    if fault in ("nan", "huge"):
        X[11, 2] = np.nan if fault == "nan" else 1e70
    elif fault == "columns":
        X, match = X[:, :4], "5 columns"
    elif fault == "label":
        y[11] = 3.0
    else:
        w[11], match = -1.0, "sample weight"
    with pytest.raises(ValueError, match=match):
        learners.learn_many(X, y, w, keys=own)
    assert dict(learners.states()) == before
    assert learners.totals == totals
    assert learners.changed() == set()
    assert packed == [True, False]


def test_weights_of_zero_and_keys_with_names_need_the_learners(packed: Any) -> None:
    X, y, keys = stream(40)
    learners, oracle = both(dl.PA1(labels=LABELS))
    w = np.where(np.arange(40) % 3 == 0, 0.0, 1.0)
    wanted = oracle.learn(X, y, keys.tolist(), w)
    assert learners.learn_many(X, y, w, keys=keys).tobytes() == wanted.tobytes()
    wanted = oracle.learn([{"a": 1.0}], [1.0], ["other"])
    assert learners.learn_one({"a": 1.0}, 1.0, key="other") == wanted[0]
    wanted = oracle.learn(X, y, keys.tolist())
    assert learners.learn_many(X, y, keys=keys).tobytes() == wanted.tobytes()
    assert packed == [False, True]
    assert_alike(learners, oracle)


@pytest.mark.parametrize("learner", [dl.PA1(), dl.PA1(labels=LABELS, scale="unit"), dl.AROW(labels=LABELS)])
def test_other_learners_take_the_slow_way(learner: Any, packed: Any) -> None:
    X, y, keys = stream(30)
    learners, oracle = both(learner)
    assert learners.learn_many(X, y, keys=keys).tobytes() == oracle.learn(X, y, keys.tolist()).tobytes()
    assert packed == []


def test_no_damaged_record_is_learned(packed: Any) -> None:
    """Compiled loops do not check bounds: every byte of a record is checked before it is used as a size."""
    X, y, keys = stream(30, 3, 1)
    learners = dl.Keyed(dl.PA1(labels=LABELS))
    learners.learn_many(X, y, keys=keys)
    record = learners._store.get(0)
    assert record is not None
    from driftline.learners.packed_states import learn_packed

    sample, layout = learners._template.sample, learners._template.columns_layout()
    assert sample is not None
    stops = np.array([30])
    assert learn_packed(sample, X, y, None, stops, [record], layout) is not None
    for at in range(18):  # the layout, the width of the numbers, and the numbers
        for value in (0, 3, 255):
            bad = record[:at] + bytes((value,)) + record[at + 1 :]
            learn_packed(sample, X, y, None, stops, [bad], layout)
    for size in range(len(record)):
        assert learn_packed(sample, X, y, None, stops, [record[:size] or b"\0"], layout) is None
    assert learn_packed(sample, X, y, None, stops, [record + b"\0"], layout) is None


def test_an_interrupt_between_two_keys_takes_all_of_them_back(monkeypatch: Any) -> None:
    X, y, keys = stream(80)
    learners = dl.Keyed(dl.PA1(labels=LABELS))
    learners.learn_many(X[:20], y[:20], keys=keys[:20])
    learners.drop(0)
    before, changed, dropped = dict(learners.states()), learners.changed(), learners.dropped()
    put, left = learners._store.put, [3]

    def interrupted(key: Any, record: bytes) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        put(key, record)

    with monkeypatch.context() as change:
        change.setattr(learners._store, "put", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learners.learn_many(X[20:], y[20:], keys=keys[20:])
    assert (dict(learners.states()), learners.changed(), learners.dropped()) == (before, changed, dropped)
    assert learners.totals.rows == 20

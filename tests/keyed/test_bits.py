"""A ``Keyed`` learns the same bits as a dict of learners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.keyed import in_use
from tests.keyed.oracle import DictOfLearners, assert_alike
from tests.support.learner_cases import OTHERS, examples, rows_of
from tests.support.linear_cases import one_of_each

KEYS = ["ada", "bob", 3]


def keys_of(size: int, seed: int = 5) -> list[Any]:
    return [KEYS[k] for k in np.random.default_rng(seed).integers(0, len(KEYS), size)]


def one_of_each_other() -> list[Any]:
    seen: dict[str, Any] = {}
    for case in OTHERS:
        seen.setdefault(case.name, case)
    return list(seen.values())


@pytest.mark.parametrize("case", [*one_of_each(), *one_of_each_other()], ids=str)
def test_every_learner_is_put_away_and_used_again_with_the_same_bits(case: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(in_use, "IN_USE", 1)  # every change of the key goes through a record
    X, y = examples(getattr(case, "feed", "signed"))
    X, y = X[:24], y[:24]
    keys = keys_of(24)
    keyed, oracle = dl.Keyed(case.learner()), DictOfLearners(case.learner())
    wanted = oracle.learn(X, y, keys)
    scores = [keyed.learn_one(x, label, key=key) for x, label, key in zip(X[:9], y[:9], keys[:9], strict=True)]
    scores += keyed.learn_many(X[9:], y[9:], keys=keys[9:]).tolist()
    assert np.array(scores).tobytes() == wanted.tobytes()
    assert_alike(keyed, oracle)


@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("prior", [None, "global", "given"])
def test_blocks_of_every_kind(kind: str, prior: Any, tmp_path: Path) -> None:
    X, y = examples("signed")
    keys = keys_of(60)
    rows = rows_of(kind, X)
    given = prior
    if prior == "given":
        given = dl.PA1(C=0.5)
        given.learn_many(rows[:10], y[:10])
    keyed = dl.Keyed(dl.PA1(C=0.5), prior=given, max_keys_in_memory=1, spill=tmp_path)
    oracle = DictOfLearners(dl.PA1(C=0.5), given)
    w = np.linspace(0.1, 2.0, 60)
    wanted = oracle.learn([rows[i] for i in range(60)], y.tolist(), keys, w)
    scores = [
        keyed.learn_many(rows[i : i + 15], y[i : i + 15], w[i : i + 15], keys=keys[i : i + 15])
        for i in range(0, 60, 15)
    ]
    assert np.concatenate(scores).tobytes() == wanted.tobytes()
    assert_alike(keyed, oracle)
    asked = keyed.score_many(rows, keys=keys)
    assert asked.tolist() == [oracle.learners[key].score_one(rows[i]) for i, key in enumerate(keys)]
    assert asked.tolist() == [keyed.score_one(rows[i], key=key) for i, key in enumerate(keys)]
    labels = [oracle.learners[key].predict_one(rows[i]) for i, key in enumerate(keys)]
    assert keyed.predict_many(rows, keys=keys).tolist() == labels


def test_the_key_may_be_a_feature_of_dicts_or_a_column_of_frames() -> None:
    import pandas as pd

    rows = [{"who": key, "a": float(a), "b": b} for key, a, b in zip("xyxyx", range(5), "pqpqp", strict=True)]
    y = [True, False, False, True, True]
    plain = [{name: value for name, value in row.items() if name != "who"} for row in rows]
    oracle = DictOfLearners(dl.PA1())
    wanted = oracle.learn(plain, y, [row["who"] for row in rows])
    for X in (rows, pd.DataFrame(rows)):
        keyed = dl.Keyed(dl.PA1(), key="who")
        assert keyed.learn_many(X, y).tolist() == wanted.tolist()
        assert_alike(keyed, oracle)
    keyed = dl.Keyed(dl.PA1(), key="who")
    assert [keyed.learn_one(row, label) for row, label in zip(rows, y, strict=True)] == wanted.tolist()
    assert keyed.predict_one(rows[0]) == oracle.learners["x"].predict_one(plain[0])
    assert keyed.predict_proba_one(rows[0]) == oracle.learners["x"].predict_proba_one(plain[0])
    assert rows[0]["who"] == "x"  # the caller's dict is not changed


def test_a_new_key_of_the_global_prior_counts_only_its_own_rows() -> None:
    X, y = examples("signed")
    keyed = dl.Keyed(dl.PA1(), prior="global")
    keyed.learn_many(X, y, keys=["a"] * 30 + ["b"] * 30)
    rows = {key: keyed.counts(key).rows for key in keyed}
    errors = {key: keyed.counts(key).errors for key in keyed}
    assert rows == {"a": 30, "b": 30}
    assert keyed["b"].n_seen == 60
    once = dl.PA1()
    once.learn_many(X[:30], y[:30])
    assert errors["a"] == once.label_errors
    once.learn_many(X[30:], y[30:])
    assert errors["b"] == once.label_errors - errors["a"]


def test_the_worst_keys_come_first() -> None:
    keyed = dl.Keyed(dl.PARegressor())
    keyed.learn_many([[1.0], [1.0], [1.0]], [5.0, 1.0, 2.0], keys=["a", "b", "c"])
    assert [(key, found.loss) for key, found in keyed.worst(2)] == [("a", 5.0), ("c", 2.0)]


def test_an_unknown_key_is_scored_like_a_new_one() -> None:
    keyed = dl.Keyed(dl.PA1())
    keyed.learn_one({"a": 1.0}, 1, key="a")
    assert keyed.score_one({"a": 1.0}, key="b") == 0.0
    assert keyed.predict_many([{"a": 1.0}, {"a": 1.0}], keys=["a", "b"]).tolist() == [1, None]
    assert "b" not in keyed
    assert len(keyed) == 1
    prior = dl.PA1()
    prior.learn_one({"a": 1.0}, 1)
    assert dl.Keyed(dl.PA1(), prior=prior).predict_one({"a": 1.0}, key="b") == 1


@pytest.mark.parametrize("labels", [None, (1.0, -1.0), (-1.0, 1.0)])
@pytest.mark.parametrize("make", [dl.PA1, dl.ALMA, dl.NORMA])
def test_a_learner_is_reused_for_a_key_with_other_features_and_labels(make: Any, labels: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(in_use, "IN_USE", 1)
    X, y = examples("signed")
    keyed, oracle = dl.Keyed(make(labels=labels)), DictOfLearners(make(labels=labels))
    rng = np.random.default_rng(2)
    for _ in range(12):
        for kind, key in (("dense", "a"), ("csr", "b"), ("dicts", "c"), ("dicts", "d"), ("dense", "e")):
            size = int(rng.integers(1, 60))
            rows, signs = rows_of(kind, X[:size]), (y if key != "e" else -y)[:size].tolist()
            if key == "d":
                rows = [{f"other {name}": value for name, value in row.items()} for row in rows]
            if key == "e" and labels is None:
                signs = ["yes" if sign > 0 else "no" for sign in signs]
            wanted = oracle.learn([rows[i] for i in range(size)], signs, [key] * size)
            assert keyed.learn_many(rows, signs, keys=[key] * size).tobytes() == wanted.tobytes()
            row = rows[0]
            assert keyed.predict_proba_one(row, key=key) == oracle.learners[key].predict_proba_one(row)
    assert_alike(keyed, oracle)


def test_more_rounds_than_are_remembered(monkeypatch: Any) -> None:
    monkeypatch.setattr(in_use, "IN_USE", 1)
    rng = np.random.default_rng(4)
    X = rng.normal(size=(5000, 3))
    y = np.where(X[:, 0] > 0.3 * rng.normal(size=5000), 1.0, -1.0)
    keys = np.where(rng.random(5000) < 0.7, "a", "b")
    keyed, oracle = dl.Keyed(dl.PA1()), {"a": dl.PA1(), "b": dl.PA1()}
    for start in range(0, 5000, 250):
        part = slice(start, start + 250)
        keyed.learn_many(X[part], y[part], keys=keys[part])
        for key, learner in oracle.items():
            own = keys[part] == key
            learner.learn_many(X[part][own], y[part][own])
            assert keyed.predict_proba_one(X[0], key=key) == learner.predict_proba_one(X[0])

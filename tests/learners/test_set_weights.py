"""``set_weights`` is the inverse of ``weights``, and refuses what no learner can have."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import driftline as dl

SETTABLE = (
    dl.PA1(),
    dl.ROMMA(),
    dl.NORMA(p=3.0),
    dl.L1PA(beta=9.0),
    dl.L2PA(beta=9.0),
    dl.PA1Regressor(),
)


def rows(seed: int) -> list[tuple[dict[str, float], int]]:
    rng = np.random.default_rng(seed)
    return [({f"f{k}": v for k, v in enumerate(x)}, int(x[0] + x[1] > 0)) for x in rng.normal(size=(60, 4)).tolist()]


def taught(learner: dl.Learner, seed: int) -> dl.Learner:
    for x, y in rows(seed):
        learner.learn_one(x, y)
    return learner


@pytest.mark.parametrize("learner", SETTABLE, ids=repr)
def test_weights_are_those_that_were_set(learner: dl.Learner) -> None:
    given = taught(dl.from_bytes(learner.to_bytes()), 0).weights()
    for other in (dl.from_bytes(learner.to_bytes()), taught(dl.from_bytes(learner.to_bytes()), 1)):
        seen = other.n_seen
        other.set_weights(given)
        found = other.weights()
        assert found.keys() == given.keys()
        np.testing.assert_allclose(list(found.values()), [given[name] for name in found], rtol=1e-12)
        assert other.n_seen == seen
        assert other.score_one({"f0": 1.0}) == pytest.approx(given.get("f0", 0.0) + given.get("(bias)", 0.0))
        taught(other, 2)  # it goes on learning


def test_the_next_step_is_that_of_a_learner_with_these_weights() -> None:
    """PA has no state but its weights, so it continues with the same bits."""
    one, other = taught(dl.PA(bias=False), 0), dl.PA(bias=False)
    other.set_weights(one.weights())
    assert [one.learn_one(x, y) for x, y in rows(1)] == [other.learn_one(x, y) for x, y in rows(1)]


def test_features_that_are_not_given_are_zero_and_new_ones_are_added() -> None:
    learner = dl.PA1()
    learner.set_weights({"a": 1.0, "b": 2.0})
    learner.set_weights({"c": 3.0, "b": 4.0})
    assert learner.weights() == {"b": 4.0, "c": 3.0}
    learner.set_weights({})
    assert learner.weights() == {}


def test_columns_and_hashed_features() -> None:
    learner = dl.PA1()
    learner.set_weights({2: 1.0, 0: -1.0, "(bias)": 0.5})
    assert learner.n_features == 3
    assert learner.score_many(np.array([[1.0, 0.0, 4.0]])).tolist() == [3.5]
    with pytest.raises(ValueError, match="a feature must be the number of one of 3 features, got 3"):
        learner.set_weights({3: 1.0})
    hashed = taught(dl.PA1(hashing=dl.Hashing(6)), 0)
    other = dl.PA1(hashing=dl.Hashing(6))
    other.set_weights(hashed.weights())
    assert other.weights() == hashed.weights()


@pytest.mark.parametrize(
    ("learner", "weights", "said"),
    [
        (dl.PA1(), {"a": nan}, "PA1.set_weights: the weight of 'a' must be a finite number, got nan"),
        (dl.PA1(), {"a": inf}, "must be a finite number, got inf"),
        (dl.PA1(), {"a": "1"}, "must be a finite number, got '1'"),
        (dl.PA1(), {1.5: 1.0}, "a feature must be a name or a column number, got 1.5"),
        (dl.PA1(), {-1: 1.0}, "a feature must be a name or a column number, got -1"),
        (dl.PA1(), {"a": 1.0, 2.5: 1.0}, "a feature's name must be a str or int, got 2.5"),
        (dl.PA1(bias=False), {"(bias)": 1.0}, "there must be no weight of '\\(bias\\)' without bias, got 1.0"),
        (dl.L2PA(beta=1.0), {"a": 2.0}, "the weights must have a norm of at most 1"),
        (dl.AROW(), {"a": 2.0}, "AROW.set_weights: the learner must be linear without second-order state, got AROW"),
        (dl.Averaged("pa1"), {"a": 2.0}, "must be linear without second-order state, got Averaged"),
        (dl.Tracker(), {"a": 2.0}, "must be linear without second-order state, got Tracker"),
        (dl.PA1(hashing=dl.Hashing(4)), {16: 2.0}, "a feature must be the number of one of 16 features, got 16"),
        (dl.PA1(hashing=dl.Hashing(4, keep_names=True)), {1: 2.0}, "hashed features must be numbers"),
    ],
)
def test_what_is_refused_changes_nothing(learner: dl.Learner, weights: dict[Any, Any], said: str) -> None:
    before = learner.to_bytes()
    with pytest.raises(ValueError, match=said):
        learner.set_weights(weights)
    assert learner.to_bytes() == before

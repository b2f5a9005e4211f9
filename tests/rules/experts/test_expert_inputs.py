"""What learners of experts refuse: advice, parameters, options and files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.state import SCORE
from driftline.internals.numeric.scalar_exp import exp_of
from driftline.internals.rows import DenseRows
from driftline.saved.container import write
from driftline.saved.model import KIND, state_of
from tests.support.bitwise import refused
from tests.support.expert_cases import advice, every_name, made


@every_name
@pytest.mark.parametrize("taught", [False, True])
def test_advice_out_of_range(name: str, taught: bool) -> None:
    Z, y = advice("signs", 5, 20, 4)
    learner = made(name)
    if taught:
        learner.learn_many(Z, y)
    bad = Z[:6].copy()
    bad[3, 2] = -1.5
    with refused(learner, "row 3 must be advice", "got -1.5 from expert 2"):
        learner.update(bad, y[:6])
    with refused(learner, "row 3 must be advice", "got -1.5 from expert 2"):
        learner.update(csr_matrix(bad), y[:6])
    with refused(learner, "x must be advice", "got -1.5 from expert 2"):
        learner.update(bad[3], y[3])
    with refused(learner, "row 3 must be advice", "got -1.5 from expert 2"):
        learner.predict(bad)
    with refused(learner, "x must be advice", "got -1.5 from expert 2"):
        learner.predict(bad[3])
    twin = made(name)
    if taught:
        twin.learn_many(Z, y)
    assert learner.learn_many(Z, y).tolist() == twin.learn_many(Z, y).tolist()


def test_halving_takes_whole_votes_only() -> None:
    learner = dl.Halving()
    learner.learn_many([[1, -1]], [1])
    with refused(learner, "x must be advice of -1 or +1, got 0.0 from expert 1", "Use WeightedMajority"):
        learner.learn_one([1, 0], 1)
    with refused(learner, "row 1 must be advice of -1 or +1, got 0.5 from expert 0"):
        learner.score_many([[1, 1], [0.5, 1]])


@every_name
def test_the_number_of_experts_is_fixed(name: str) -> None:
    Z, y = advice("signs", 6, 20, 4)
    learner = made(name)
    learner.learn_many(Z, y)
    for width in (3, 5):
        with refused(learner, "X must have 4 columns as before", f"got {width}"):
            learner.update(np.ones((2, width)), [1, 1])
    with refused(learner, "row 1 must be advice of the 4 experts of the first example, got -1.0 from expert 5"):
        learner.update(csr_matrix([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 0, -1]]), [1, 1])
    learner.update(csr_matrix([[1.0, 1, 1, 1, 0, 0]]), [1])  # columns that are empty do no harm
    assert learner.n_features == 4
    learner.update(Z[0], y[0])


@every_name
def test_names_that_come_later_are_no_experts(name: str) -> None:
    """Whether rows come one by one or in a block."""
    rows = [{"a": 1.0, "b": -1.0}, {"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}]
    learner = made(name)
    with refused(learner, "row 2 must be advice of the 2 experts", "got 1.0 from expert 2"):
        learner.learn_many(rows, [1, 1, 1])
    learner.learn_many(rows[:2], [1, 1])
    with refused(learner, "x must be advice of the 2 experts"):
        learner.learn_one(rows[2], 1)
    with refused(made(name), "row 0 must be the advice of at least one expert, got none"):
        made(name).learn_many([{}, {"a": 1.0}], [1, 1])


@every_name
def test_strangers_are_silent_wherever_they_stand(name: str) -> None:
    """A score is that of the experts that are known."""
    learner = made(name)
    learner.learn_many([{"a": 1.0, "b": -1.0}, {"a": 1.0, "b": -1.0}], [1, 1])
    due = learner.score_one({"a": 1.0, "b": -1.0})
    assert due > 0.0
    for row in ({"zz": 1.0, "a": 1.0, "b": -1.0}, {"a": 1.0, "zz": -1.0, "b": -1.0}, {"a": 1.0, "b": -1.0, "zz": 1.0}):
        assert learner.score_one(row) == due
        assert learner.score_many([row, row]).tolist() == [due, due]
    with refused(learner, "x must be advice of the 2 experts", "got -1.0 from expert 2"):
        learner.learn_one({"zz": -1.0, "a": 1.0, "b": -1.0}, 1)


@every_name
def test_where_nobody_says_anything_the_score_is_0(name: str) -> None:
    learner = made(name)
    for _ in range(2):
        assert learner.score_one({}) == 0.0
        assert learner.score_many([{}, {"a": 1.0}, {"a": 1.0, "b": 1.0}]).tolist() == [0.0, 1.0, 1.0]
        with refused(learner, "x must be advice"):
            learner.learn_one({"a": 5.0}, 1)


@every_name
def test_nobody_asks_experts_for_labels(name: str) -> None:
    """The number of experts is that of the first row, which a learner around them would not see."""
    with pytest.raises(ValueError, match=r"^LabelEfficient: learner must not be of experts, .*, got "):
        dl.LabelEfficient(made(name))


@every_name
@pytest.mark.parametrize("width", [1, 2, 4, 4000])
def test_its_engine_stays_inside_its_experts(name: str, width: int) -> None:
    """Dense rows of another width are read as the sparse ones that they are."""
    Z, y = advice("signs", 6, 20, 3)
    learner = made(name)
    learner.learn_many(Z, y)
    engine = learner._engine
    before = engine.saved(3)["losses"].copy()
    rows = DenseRows(np.ones((2, width)))
    fault = "advice of the 3 experts" if width > 3 else "advice of -1 or +1"
    trials = np.ones((4, 2))
    done = engine.learn(rows, trials)
    if width > 3 or name == "halving":
        assert done == 0
        assert fault in engine.refusal()
        assert engine.losses.tolist() == before.tolist()
        return
    twin = made(name)
    twin.learn_many(Z, y)
    whole = np.zeros((2, 3))
    whole[:, :width] = 1.0
    assert (done, trials[SCORE].tolist()) == (2, twin.learn_many(whole, [1, 1]).tolist())
    scores = np.zeros(2)
    engine.score(rows, scores)
    assert scores.tolist() == twin.score_many(whole).tolist()


def test_a_file_with_more_features_than_experts(tmp_path: Path) -> None:
    """A name may be known that no expert has: one that came later and said nothing."""
    learner = dl.WeightedMajority()
    learner.learn_many([{"a": 1.0, "b": -1.0}, {"a": 1.0, "b": -1.0, "c": 0.0}], [1, 1])
    assert (learner.n_features, learner.distribution().size) == (3, 2)
    learner.save(tmp_path / "model")
    again = dl.load(tmp_path / "model")
    assert again.score_one({"c": 1.0, "a": 1.0, "b": -1.0}) == learner.score_one({"a": 1.0, "b": -1.0}) > 0.0
    columns = dl.WeightedMajority()
    columns.learn_many(np.ones((1, 3)), [1])
    meta, arrays = state_of(columns)
    meta["features"] = 5
    write(tmp_path / "wide", KIND, meta, arrays)
    wide = dl.load(tmp_path / "wide")
    assert wide.score_many(np.ones((2, 5))).tolist() == [1.0, 1.0]
    with refused(wide, "row 0 must be advice of the 3 experts", "got 1.0 from expert 3"):
        wide.learn_many(np.ones((2, 5)), [1, 1])


@every_name
def test_options_that_make_no_sense(name: str) -> None:
    where = dl.REGISTRY[name].__name__
    for option, value in (("scale", "unit"), ("hashing", dl.Hashing(4)), ("bias", True), ("dtype", "float32")):
        with pytest.raises(ValueError, match=f"^{where}: {option} must be .*, got "):
            made(name, **{option: value})


@pytest.mark.parametrize(
    ("name", "parameters", "what"),
    [
        ("halving", {"empty": "skip"}, "empty must be 'reset' or 'raise', got 'skip'"),
        ("weightedmajority", {"beta": 1.0}, "beta must be >= 0 and < 1, got 1.0"),
        ("weightedmajority", {"beta": "x"}, "beta must be a number, got 'x'"),
        ("exponentialweights", {"eta": 0.0}, "eta must be > 0, got 0.0"),
        (
            "exponentialweights",
            {"eta": 1.0, "schedule": "anytime"},
            "eta must be None with schedule='anytime', got 1.0",
        ),
        ("exponentialweights", {"schedule": "fixed"}, "eta must be a number with schedule='fixed', got None"),
        (
            "exponentialweights",
            {"schedule": "never"},
            "schedule must be 'fixed' or 'anytime' or 'doubling', got 'never'",
        ),
        ("fixedshare", {"eta": math.inf}, "eta must be finite, got inf"),
        ("fixedshare", {"alpha": 0.0}, "alpha must be >= 1e-100 and <= 1, got 0.0"),
        ("variableshare", {"alpha": 1.5}, "alpha must be >= 1e-100 and <= 1, got 1.5"),
    ],
)
def test_parameters_out_of_range(name: str, parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError) as caught:
        made(name, **parameters)
    assert str(caught.value) == f"{dl.REGISTRY[name].__name__}: {what}"


@pytest.mark.parametrize(
    ("array", "value"),
    [
        ("shares", [0.9, 1.1]),
        ("shares", [-1.0, 1.0]),
        ("shares", [0.0, 0.0]),
        ("shares", [0.0, math.nan]),
        ("shares", [1.0, 1.0, 1.0]),
        ("losses", [0.0, math.nan]),
        ("losses", [0.0]),
        ("aside", [0.0, math.inf]),
        ("own", [0.0, 0.0, 0.0, 0.0]),
        ("state", [2.0, 0.0, 0.0, 0.0, 512.0]),
    ],
)
def test_no_engine_is_made_of_what_none_can_have_saved(array: str, value: list[float]) -> None:
    learner = dl.FixedShare()
    learner.learn_many([[1.0, -1.0]], [1])
    engine = learner._engine
    with pytest.raises(ValueError):
        engine.restore(2, {**engine.saved(2), array: np.array(value)})
    engine.restore(2, {name: one.copy() for name, one in engine.saved(2).items()})


def test_the_vector_exponential() -> None:
    """Within two units in the last place, exactly 1 at 0, and 0 where floats end."""
    rng = np.random.default_rng(9)
    x = -np.abs(rng.normal(size=20_000)) * rng.choice([1e-12, 1e-3, 1.0, 30.0, 250.0], 20_000)
    x = np.concatenate([x[x >= -708.0], -np.arange(709.0)])
    found, due = np.array([exp_of(one) for one in x]), np.exp(x)
    assert (np.abs(found - due) <= 2.0 * np.spacing(due)).all()
    assert [exp_of(one) for one in (0.0, -0.0, -709.0, -1e300, -math.inf)] == [1.0, 1.0, 0.0, 0.0, 0.0]


# labels that are outcomes ---------------------------------------------------------------------------------------------
@every_name
def test_experts_for_labels_refuse_fractions(name: str) -> None:
    make = dl.REGISTRY[name]
    Z = [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
    says = "a label must name one of two classes, got 0.3. For real outcomes use SquareLossExperts"
    for y in ([1.0, 0.3, -1.0], [0.3, 0.3, 0.3], np.array([0.3, -1.0, 1.0]), np.array([1, 0.3, -1], np.float32)):
        learner = make()
        with refused(learner, "or declare labels=(negative, positive)" if isinstance(y, np.ndarray) else says):
            learner.learn_many(Z, y)
        assert learner.labels == () and learner.n_seen == 0
    learner = make()
    with refused(learner, says):
        learner.learn_one(Z[0], 0.3)
    for y in ([1, 0, 1], [True, False, True], ["a", "b", "a"], [2.0, 3.0, 2.0], [-1.0, 1.0, 1.0]):
        make().learn_many(Z, y)
    declared = make(labels=(0.3, 0.7))
    declared.learn_many(Z, [0.3, 0.7, 0.3])
    assert declared.labels == (0.3, 0.7)
    with refused(declared, "a label must be 0.3 or 0.7, got 0.5"):
        declared.learn_one(Z[0], 0.5)


def test_other_learners_take_fractions_as_names_as_before() -> None:
    learner = dl.PA1()
    learner.learn_many([[1.0], [-1.0]], [0.3, 0.7])
    assert learner.labels == (0.3, 0.7)


def test_a_model_of_an_earlier_version_with_fractions_as_labels_loads(tmp_path: Path) -> None:
    learner = dl.FixedShare()
    learner.learn_many([[1.0, -1.0], [1.0, 1.0]], [1, -1])
    for label, other in ((-1, 0.3), (1, 0.7)):
        learner._labels.signs[other] = learner._labels.signs.pop(label)
    learner._labels.negative, learner._labels.positive = 0.3, 0.7
    learner.save(tmp_path / "model")
    loaded = dl.load(tmp_path / "model")
    assert loaded.labels == (0.3, 0.7)
    loaded.learn_one([1.0, 1.0], 0.7)

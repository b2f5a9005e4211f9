"""explain_one: contributions by feature that add up to the score, for every learner."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.learner_cases import OTHERS, Other, examples, rows_of
from tests.support.linear_cases import Case, one_of_each


def feed_of(case: Case | Other) -> str:
    return getattr(case, "feed", "signed")


EVERY = [*one_of_each(), *OTHERS]
ONE_OF_EACH = [*{case.name: case for case in EVERY}.values()]
TRAINED = 40


def trained(case: Case | Other, kind: str, **options: Any) -> tuple[dl.Learner, list[Any]]:
    """A learner after some rows, and further rows."""
    X, y = examples(feed_of(case))
    rows, learner = rows_of(kind, X), case.learner(**options)
    learner.learn_many(rows[:TRAINED], y[:TRAINED])
    return learner, [rows[k] for k in range(TRAINED, TRAINED + 8)]


def assert_adds_up(learner: dl.Learner, x: Any, label: Any = None) -> dl.Explanation:
    """The contributions add up to the score of the label, and explaining changes nothing."""
    scores = {} if learner.rule.regresses else learner.scores_one(x)
    before = snapshot(learner)
    found = learner.explain_one(x, label)
    assert_same(before, snapshot(learner))
    assert found.score == math.fsum(found.contributions.values())
    sizes = [abs(value) for value in found.contributions.values()]
    assert sizes == sorted(sizes, reverse=True) and 0.0 not in sizes
    assert found.predicted == learner.predict_one(x)
    if found.vote is not None:
        assert found.vote == scores[found.label]
        assert abs(found.score) <= 1.0
    else:
        of = scores[found.label] if found.label in scores else learner.score_one(x)
        assert found.score == pytest.approx(of, abs=1e-12 * max(1e-300, math.fsum(sizes)))
    return found


@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_contributions_add_up_to_the_score(case: Case | Other, kind: str) -> None:
    learner, rows = trained(case, kind)
    for x in rows:
        found = assert_adds_up(learner, x)
        for label in learner.labels:
            assert_adds_up(learner, x, label)
        if len(learner.labels) == 2 and not learner.rule.several:
            assert found.label == learner.labels[1]
            against = learner.explain_one(x, learner.labels[0])
            assert against.contributions == {name: -value for name, value in found.contributions.items()}


def test_every_learner_is_tried() -> None:
    assert {case.name for case in EVERY} == set(dl.REGISTRY)


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=str)
def test_a_learner_that_has_learned_nothing(case: Case | Other) -> None:
    X, _ = examples(feed_of(case))
    for x in (*rows_of("dicts", X[:2]), X[0], csr_matrix(X[:1])):
        learner = case.learner()
        before, found = snapshot(learner), learner.explain_one(x)
        assert_same(before, snapshot(learner))
        assert found.predicted == (learner.predict_one(x) if learner.rule.regresses else None)
        assert found.score == math.fsum(found.contributions.values())
        score = found.score if found.vote is None else found.vote
        assert score == pytest.approx(learner.score_one(x), abs=1e-12)
    if learner.rule.regresses:
        with refused(learner, "explain_one with a label"):
            learner.explain_one(x, "no")
    else:
        assert case.learner(labels=("no", "yes")).explain_one(x, "no").label == "no"


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=str)
def test_hostile_examples(case: Case | Other) -> None:
    """Whatever can be scored can be explained, and whatever cannot is refused alike."""
    learner, _ = trained(case, "dicts")
    names = [f"f{j}" for j in range(5)]
    for x in (
        {},
        {"unknown": 1.0, "other": -1.0},
        {"unknown": 1.0, "f0": 1.0},
        {"f0": math.nan, "f1": None},
        {"new": math.nan},
        {"f0": "red"},
        {"f0": True, 7: 1},
        dict.fromkeys(names, 0.0),
        dict.fromkeys(names, -1.0),
        {"f0": 1e59},
        {"f0": math.inf},
        {"f0": [1]},
        {"(bias)": 1.0},
        [1.0, 2.0],
        None,
    ):
        try:
            learner.score_one(x)
        except ValueError as error:
            with refused(learner):
                learner.explain_one(x)
            with pytest.raises(ValueError) as caught:
                learner.explain_one(x)
            assert str(caught.value) == str(error)
        else:
            assert_adds_up(learner, x)


@pytest.mark.parametrize(
    "options",
    [
        {"scale": "unit"},
        {"scale": "standard"},
        {"scale": dl.RandomFourier(8, 0.3)},
        {"hashing": dl.Hashing(2)},
        {"hashing": dl.Hashing(8), "scale": "standard"},
        {"bias": False},
        {"dtype": "float32"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["pa1", "pnormperceptron", "l1pa", "arow", "onevsrest", "kernelized", "tracker"])
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
def test_options(name: str, options: dict[str, Any], kind: str) -> None:
    double = name in ("arow", "kernelized", "tracker")
    if (double and "dtype" in options) or (name == "tracker" and "bias" in options):
        pytest.skip("this learner does not take the option")
    parameters = {"beta": 3.0} if name == "l1pa" else {}
    learner, rows = trained(Other(name, parameters, "classes" if name == "onevsrest" else "signed"), kind, **options)
    for x in rows:
        found = assert_adds_up(learner, x)
        if isinstance(options.get("scale"), dl.RandomFourier):
            assert found.method == "occlusion"


def test_a_linear_learner_is_explained_by_weight_times_value() -> None:
    learner = dl.PA1(C=0.1)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    learner.learn_many(X, np.where(X[:, 0] > 0.3, 1, -1))
    weights, x = learner.weights(), np.array([2.0, 0.0, -1.0])
    found = learner.explain_one(x)
    assert found.contributions == {0: weights[0] * 2.0, 2: -weights[2], "(bias)": weights["(bias)"]}
    assert found.method == "linear" and found.vote is None


def test_centred_features_contribute_nothing_at_their_mean() -> None:
    """(x - mean) / deviation belongs to the feature; the statistics include the example itself."""
    learner = dl.PA1(scale="standard")
    rng = np.random.default_rng(1)
    X = rng.normal(loc=[100.0, 5.0], size=(400, 2))
    learner.learn_many(X, np.where(X[:, 0] > 100.0, 1, -1))
    at_mean = learner.explain_one(X.mean(axis=0))
    assert all(abs(value) < 1e-9 for name, value in at_mean.contributions.items() if name != "(bias)")
    above = learner.explain_one(X.mean(axis=0) + np.array([1.0, 0.0]))
    assert above.largest(1)[0][0] in (0, "(bias)") and above.contributions[0] > 0.5


def test_hashed_features_of_an_example_keep_their_names() -> None:
    learner = dl.PA(bias=False, hashing=dl.Hashing(1))  # two weights: most names collide
    learner.learn_one({"a": 1.0, "b": 2.0, "c": 0.5, "d": "red"}, True)
    x = {"a": 3.0, "b": -1.0, "c": 1.0, "d": "red", "e": 2}
    found = assert_adds_up(learner, x)
    assert set(found.contributions) <= {"a", "b", "c", "d=red", "e"}
    index = {name: dl.Hashing(1).add(name) for name in ("a", "b", "c", "d=red", "e")}
    values = {"a": 3.0, "b": -1.0, "c": 1.0, "d=red": 1.0, "e": 2.0}
    weights = learner.weights()
    for name, value in values.items():
        assert found.contributions[name] == pytest.approx(weights.get(index[name], 0.0) * value, rel=1e-12)
    columns = dl.PA(bias=False, hashing=dl.Hashing(1))
    columns.learn_one([1.0, 2.0, 3.0], True)
    for one in ([1.0, -1.0, 2.0], csr_matrix([[1.0, 0.0, 2.0]])):
        assert set(assert_adds_up(columns, one).contributions) <= {0, 1, 2}


def test_a_series_is_explained_like_its_dict() -> None:
    learner = dl.PA1()
    for k in range(20):
        learner.learn_one({"a": k % 3, "b": k % 5, "c": "x" if k % 2 else "y"}, k % 3 > 1)
    x = {"a": 1, "b": 2, "c": "x"}
    assert learner.explain_one(pd.Series(x)) == learner.explain_one(x)


def test_labels() -> None:
    two = dl.PA1()
    two.learn_one({"a": 1.0}, "ham")
    assert two.explain_one({"a": 1.0}).label is None  # the positive label is not known yet
    two.learn_one({"b": 1.0}, "spam")
    found = two.explain_one({"b": 1.0})
    assert (found.label, found.predicted) == ("spam", "spam")
    assert two.explain_one({"b": 1.0}, "ham").score == -found.score
    for label in ("other", ["spam"], math.nan):
        with refused(two, "label must be one of ('ham', 'spam')"):
            two.explain_one({"a": 1.0}, label)
    several = dl.OneVsRest()
    with refused(several, "label must be one of ()"):
        several.explain_one({"a": 1.0}, "x")
    for k in range(9):
        several.learn_one({f"f{k % 3}": 1.0}, "abc"[k % 3])
    x = {"f1": 1.0, "f2": 0.5}
    found = several.explain_one(x)
    assert (found.label, found.predicted) == ("b", "b")
    assert several.explain_one(x, "c").score == pytest.approx(several.scores_one(x)["c"], rel=1e-12)


def test_winnow_counts_unknown_features_and_the_threshold() -> None:
    learner = dl.Winnow(theta=2.0, bias=False)
    learner.learn_one({"a": 1.0}, True)
    found = assert_adds_up(learner, {"a": 1.0, "new": 1.0})
    w = learner.weights()["a"]
    assert found.contributions["new"] == pytest.approx(1.0 / (w + 1.0 + 2.0))
    assert found.contributions["(bias)"] == pytest.approx(-2.0 / (w + 1.0 + 2.0))


def test_a_vote_of_almost_cancelling_terms_is_not_blown_up() -> None:
    learner = dl.Committee(["pa"], bias=False)
    learner.learn_one({"a": 1.0, "b": -1.0}, True)
    learner.learn_one({"a": 1.0, "b": 2.0}, True)
    weights = dl.PA(bias=False)
    weights.learn_many([{"a": 1.0, "b": -1.0}, {"a": 1.0, "b": 2.0}], [True, True])
    w = weights.weights()
    found = assert_adds_up(learner, {"a": 1.0, "b": -w["a"] / w["b"] * (1.0 + 1e-9)})
    assert sum(abs(value) for name, value in found.contributions.items() if name != "(not additive)") <= 10.0 + 1e-9
    assert abs(found.contributions["(not additive)"]) > 0.9


def test_occlusion_compares_with_the_example_without_a_feature() -> None:
    learner = dl.Kernelized("perceptron", "rbf(gamma=0.5)")
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    learner.learn_many(X, np.where((X**2).sum(axis=1) > 2.5, 1, -1))
    x = np.array([0.3, -1.2, 0.8])
    found = learner.explain_one(x)
    assert found.method == "occlusion"
    for k in range(3):
        without = x.copy()
        without[k] = 0.0
        assert found.contributions[k] == pytest.approx(learner.score_one(x) - learner.score_one(without), rel=1e-12)
    assert found.contributions["(bias)"] == pytest.approx(learner.score_one(np.zeros(3)), rel=1e-12)


def test_a_row_number_of_a_kernel_matrix_has_no_features() -> None:
    matrix = np.array([[1.0, 0.5], [0.5, 1.0]])
    for learner in (
        dl.Kernelized("perceptron", dl.kernels.Precomputed(matrix)),
        dl.KernelSecondOrder(kernel=dl.kernels.Precomputed(matrix)),
    ):
        learner.learn_one([0.0], True)
        with refused(learner, "must have features to be explained"):
            learner.explain_one([1.0])


def test_weights_that_have_overflowed() -> None:
    learner = dl.PA1(C=1e300)
    for k in range(4):
        learner.learn_one({"a": 1e-50, "b": 10.0 ** -(k + 40)}, k % 2 == 0)
    learner._engine.v[:] = np.inf
    with refused(learner, "a score must be finite"):
        learner.explain_one({"a": 1.0})


# the object -----------------------------------------------------------------------------------
def explained() -> dl.Explanation:
    learner = dl.PA(bias=False)
    learner.learn_one({"a": 0.6, "<b>\x1b": -0.8}, "yes")
    learner.learn_one({"c": 1.0}, "no")
    return learner.explain_one({"a": 1.0, "<b>\x1b": 1.0, "c": 0.5})


def test_printing_shows_a_table() -> None:
    learner = dl.PA(bias=False)
    learner.learn_one({"a": 0.6, "b": -0.8}, True)
    assert str(learner.explain_one({"a": 1.0, "b": 1.0})) == (
        "PA: score -0.2 of True, predicted True\n"
        "feature  contribution\n"
        "b                -0.8\n"
        "a                +0.6\n"
        "sum              -0.2"
    )
    wide = dl.PA(bias=False)
    wide.learn_one({f"f{k}": 1.0 for k in range(30)}, True)
    lines = str(wide.explain_one({f"f{k}": float(k + 1) for k in range(30)})).splitlines()
    assert len(lines) == 24 and lines[2].startswith("f29 ") and lines[22].startswith("(10 others) ")


def test_html_has_bars_and_no_markup_of_names() -> None:
    html = explained()._repr_html_()
    assert "&lt;b&gt;\\x1b" in html and "<b>" not in html and html.count("background:") == 3
    assert dl.PA1().explain_one({})._repr_html_().startswith("<table>")


def test_largest_and_plain_values() -> None:
    found = explained()
    assert found.largest(1) == list(found.contributions.items())[:1]
    for k in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match=r"^Explanation\.largest: k must be a whole number >= 1, got"):
            found.largest(k)  # type: ignore[arg-type]
    again = json.loads(json.dumps(found.to_dict()))
    assert dict(again["contributions"]) == found.contributions
    assert {name: again[name] for name in ("learner", "label", "predicted", "score", "vote", "method")} == {
        "learner": "PA",
        "label": found.label,
        "predicted": found.predicted,
        "score": found.score,
        "vote": None,
        "method": "linear",
    }

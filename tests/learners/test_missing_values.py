"""Missing values are accepted by learners made of trackers only, and refused by all others."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.bitwise import assert_same, refused, snapshot

SHARE = 0.2
HOLES = (math.nan, math.inf, -1e80)


def holed(kind: str) -> tuple[Any, np.ndarray]:
    """A hundred examples of four features, a fifth of whose values is missing."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(100, 4))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.0, 1.0, -1.0)
    X = np.where(rng.random(X.shape) < SHARE, rng.choice(HOLES, X.shape), X)
    named = [{f"f{j}": None if math.isnan(v) else v for j, v in enumerate(row)} for row in X.tolist()]
    return (X if kind == "dense" else named), y


def wrappers() -> dict[str, dl.Learner]:
    labels = (-1.0, 1.0)
    return {
        "one against the rest": dl.OneVsRest(dl.Tracker(), labels=labels),
        "committee": dl.Committee([dl.Tracker()], labels=labels),
        "asking": dl.LabelEfficient(dl.Tracker(), b=math.inf, labels=labels),
        "asking a committee": dl.LabelEfficient(dl.Committee([dl.Tracker()]), b=math.inf, labels=labels),
        "committees": dl.OneVsRest(dl.Committee(["tracker", "tracker"]), labels=labels),
    }


def shown(learner: Any, x: Any) -> float:
    """The label that a learner shows; of several classes the one that the learner of the second alone would show."""
    return 1.0 if learner.scores_one(x)[1.0] >= 0.0 else -1.0


@pytest.mark.parametrize("kind", ["dense", "dicts"])
@pytest.mark.parametrize("name", wrappers())
def test_what_is_missing_is_missing_inside(name: str, kind: str, tmp_path: Path) -> None:
    X, y = holed(kind)
    alone, learner = dl.Tracker(labels=(-1.0, 1.0)), wrappers()[name]
    assert learner.rule.takes_missing
    due = alone.learn_many(X, y)
    assert 0.0 < np.mean(due * y <= 0.0) < 0.4
    learner.learn_many(X[:60], y[:60])
    learner.save(tmp_path / "m.dl")
    learner = dl.load(tmp_path / "m.dl")
    for x, label in zip(X[60:], y[60:], strict=True):
        learner.learn_one(x, label)
    assert [shown(learner, x) for x in X] == [alone.predict_one(x) for x in X]
    if not learner.rule.several:
        assert learner.label_errors == alone.label_errors


@pytest.mark.parametrize("variant", ["constant", "adaptive"])
def test_what_is_missing_has_no_length(variant: Any) -> None:
    X, y = holed("dense")
    known = np.where(np.abs(X) < 1e60, X, 0.0)
    asking, twin = (dl.LabelEfficient(dl.Tracker(), b=0.1, variant=variant, seed=3) for _ in range(2))
    asking.learn_many(X, y)
    assert 0 < asking.asked < 100
    longest = asking._engine.arrays()["asking"][2]
    assert longest == pytest.approx(np.max(np.sum(known**2, axis=1)))
    for x, label in zip(X, y, strict=True):
        if twin.asks(x):
            twin.learn_one(x, label)
        else:
            twin.skip(x)
    del (before := snapshot(asking))["state"], (after := snapshot(twin))["state"]  # mistakes without a label are unseen
    assert_same(before, after)


def test_one_part_that_cannot_take_them_is_enough_to_refuse_them() -> None:
    X, y = holed("dense")
    for learner in (dl.Committee([dl.Tracker(), dl.PA1()]), dl.OneVsRest("pa1"), dl.LabelEfficient("perceptron")):
        assert not learner.rule.takes_missing
        with refused(learner, "finite", "fill them in"):
            learner.learn_many(X, y)
    scaled = dl.OneVsRest(dl.Tracker(), scale="unit")
    with refused(scaled, "finite"):
        scaled.learn_many(X, y)

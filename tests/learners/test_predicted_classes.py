"""The class numbers that a learned block records as predicted before learning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.learner_cases import OTHERS, Other, examples, rows_of

SEVERAL = [case for case in OTHERS if case.feed == "classes"]


def with_ties(feed: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of four classes: one appears late, and some rows are zero, which all classes tie on."""
    X, y = examples(feed)
    X, y = X.copy(), y.copy()
    X[::9] = 0.0
    y[-3] = 4.0  # a class that appears near the end
    return X, y


def first_highest(learner: dl.Learner, x: Any) -> int:
    """The number of the first class with the highest score; -1 if no class is known."""
    scores = list(learner.scores_one(x).values())
    return scores.index(max(scores)) if scores else -1


@pytest.mark.parametrize("kind", ["dense", "dicts"])
@pytest.mark.parametrize("case", SEVERAL, ids=str)
def test_the_first_class_with_the_highest_score_is_predicted(case: Other, kind: str) -> None:
    X, y = with_ties(case.feed)
    rows = rows_of(kind, X)
    bias = "infeasible" in str(case)  # the rows are feasible only with a constant feature
    alone, block = case.learner(bias=bias), case.learner(bias=bias)
    expected = []
    for x, label in zip(rows, y, strict=True):
        expected.append(first_highest(alone, x))
        alone.learn_one(x, label)
    learned = block.learn_block(rows, y)
    assert learned.predicted is not None and learned.classes is not None
    assert learned.predicted.tolist() == expected
    assert expected[0] == -1 and len(set(expected)) > 3
    np.testing.assert_array_equal(learned.wrong, learned.predicted != learned.classes)


@pytest.mark.parametrize("labels", [None, (0.0, 1.0, 2.0, 3.0, 4.0)], ids=["appear", "declared"])
def test_a_tracker_tells_what_it_predicted(labels: tuple[float, ...] | None) -> None:
    X, y = with_ties("classes")
    y[:20] = y[:20] > 1.0  # two labels, then more
    alone, block = dl.Tracker(labels=labels), dl.Tracker(labels=labels)
    expected = []
    for x, label in zip(X, y, strict=True):
        expected.append(first_highest(alone, x))
        alone.learn_one(x, label)
    learned = block.learn_block(X, y, keep_rows=labels is not None)
    assert learned.predicted is not None and learned.classes is not None
    both = 0 if labels is not None else int(np.argmax(learned.classes == 1.0)) + 1  # sign and score differ before
    assert learned.predicted[both:].tolist() == expected[both:]
    assert both < 10
    np.testing.assert_array_equal(learned.wrong, learned.predicted != learned.classes)


@pytest.mark.parametrize("first", ["no", "yes"])
def test_rounds_before_the_third_label_have_the_class_of_their_sign(first: str) -> None:
    labels = [first, "yes" if first == "no" else "no"] * 8 + ["maybe"] * 2
    X = np.random.default_rng(2).normal(size=(len(labels), 3))
    two, block = dl.Tracker(), dl.Tracker()
    scores = two.learn_many(X[:16], labels[:16])
    learned = block.learn_block(X, labels)
    positive = block.labels.index(two.labels[1])
    assert learned.predicted is not None
    assert learned.predicted[:16].tolist() == [positive if score >= 0.0 else 1 - positive for score in scores]
    assert set(learned.predicted[:16]) == {0.0, 1.0}


def test_two_labels_have_no_predicted_class() -> None:
    X, y = examples("signed")
    assert dl.PA1().learn_block(X, y).predicted is None
    assert dl.Tracker().learn_block(X, y).predicted is None

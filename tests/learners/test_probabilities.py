"""Calibrated probabilities of every learner: the same by every route, bounded, and right."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.engines.calibration.recent_rounds import ROOM, STRIDE
from driftline.saved.fault import UnfitError
from driftline.saved.model import learner_from, state_of
from tests.support.learner_cases import OTHERS, Other, examples
from tests.support.linear_cases import one_of_each

CASES = [*one_of_each(), *(case for case in OTHERS if not case.regresses)]
RNG = np.random.default_rng(12)
X = RNG.normal(size=(2 * ROOM + 300, 3))
Y = X[:, 0] + 0.7 * RNG.normal(size=len(X)) > 0.3
NAMED = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
CLASSES = np.argmax(X + 0.5 * RNG.normal(size=X.shape), axis=1)
CLASSES[:1300] = CLASSES[:1300] % 2  # the third class appears late
Make = Callable[..., dl.Learner]


def columns(learner: dl.Learner, x: Any, several: bool, width: int) -> list[float]:
    """The probabilities of one row in the columns of a learned block; 0 for unknown labels."""
    found, known = learner.predict_proba_many(x)[0].tolist(), learner.labels
    if several:
        return [*found, *[0.0] * (width - len(found))]
    places = [int(learner._labels.signs[label] > 0.0) for label in known]
    each = [0.0, 0.0]
    for place, share in zip(places, found, strict=True):
        each[place] = share
    return each


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_block_has_the_probabilities_before_each_round(case: Any, tmp_path: Path) -> None:
    rows, y = examples(getattr(case, "feed", "signed"))
    w = np.random.default_rng(1).choice([0.0, 1.0, 1.0, 2.0], len(y))
    several = getattr(case, "feed", "") == "classes"
    alone, blocks = case.learner(), case.learner()
    width = len(np.unique(y)) if several else 2
    expected = []
    for x, label, weight in zip(rows, y, w, strict=True):
        expected.append(columns(alone, x[None], several, width))
        alone.learn_one(x, label, weight)
    found = np.zeros((len(y), width))
    for part in (slice(0, 1), slice(1, 25), slice(25, 25), slice(25, 60)):
        own = blocks.learn_block(rows[part], y[part], w[part], keep_probabilities=True).probabilities
        assert own is not None
        found[part, : own.shape[1]] = own
    # some engines sum the score of a single row in another order than that of a learned one
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert {round(total, 9) for total in found.sum(axis=1)} <= {0.0, 1.0}
    due = alone.predict_proba_many(rows)
    alone.save(tmp_path / "model")
    for other in (blocks, deepcopy(alone), pickle.loads(pickle.dumps(alone)), dl.load(tmp_path / "model")):
        np.testing.assert_array_equal(other.predict_proba_many(rows), due)
        other.learn_many(rows[:5], y[:5])
    np.testing.assert_array_equal(other.predict_proba_many(rows), blocks.predict_proba_many(rows))


@pytest.mark.parametrize(
    ("make", "y"), [(dl.PA1, Y), (dl.AROW, Y), (dl.MulticlassPA, CLASSES), (dl.OneVsRest, CLASSES)]
)
def test_every_route_gives_the_same_bits_after_many_rounds(make: Make, y: np.ndarray) -> None:
    size = len(X) if y is Y else 2500
    asked, loop, block, traced = make(), make(), make(), make()
    found = traced.learn_block(NAMED[:size], y[:size], keep_probabilities=True).probabilities
    assert found is not None
    for i, (x, label) in enumerate(zip(NAMED[:size], y[:size].tolist(), strict=True)):
        if i in (1, 15, 16, 17, STRIDE, ROOM - 1, ROOM, ROOM + 1, ROOM + STRIDE, size - 1) or i % 97 == 0:
            shares = asked.predict_proba_one(x)
            assert [shares.get(known, 0.0) for known in asked.labels] == found[i, : len(asked.labels)].tolist() or i < 9
            assert list(shares.values()) == sorted(shares.values(), reverse=True)
        asked.learn_one(x, label)
        loop.learn_one(x, label)
    block.learn_many(NAMED[:size], y[:size])
    due = asked.predict_proba_many(NAMED[:50])
    for other in (loop, block, traced, deepcopy(asked)):
        np.testing.assert_array_equal(other.predict_proba_many(NAMED[:50]), due)


def test_a_large_block_remembers_the_same_rounds() -> None:
    rows = np.tile(X, (4, 1))
    y, w = np.tile(Y, 4), np.tile([0.0, 1.0, 2.0, 1.0], len(X))
    whole, parts = dl.PA1(), dl.PA1()
    whole.learn_many(rows, y, w)
    for start in range(0, len(rows), 700):
        parts.learn_many(rows[start : start + 700], y[start : start + 700], w[start : start + 700])
    np.testing.assert_array_equal(whole.predict_proba_many(X[:20]), parts.predict_proba_many(X[:20]))


def test_examples_of_weight_0_are_not_counted() -> None:
    for make, y in ((dl.PA1, Y), (dl.MulticlassPA, CLASSES)):
        one, other = make(), make()
        one.learn_many(X[:40], y[:40])
        other.learn_many(np.repeat(X[:40], 2, axis=0), np.repeat(y[:40], 2), np.tile([1.0, 0.0], 40))
        np.testing.assert_array_equal(one.predict_proba_many(X[40:60]), other.predict_proba_many(X[40:60]))


def test_labels_that_were_not_asked_for_are_not_counted() -> None:
    learner = dl.LabelEfficient("pa1", b=0.3)
    learner.learn_many(X[:300], Y[:300])
    rounds = learner._recent
    assert rounds is not None and rounds.rounds == learner.asked < 250
    before = learner.predict_proba_many(X[:5])
    learner.skip(X[0])
    np.testing.assert_array_equal(learner.predict_proba_many(X[:5]), before)


def test_probabilities_before_the_first_label_and_with_one_label() -> None:
    learner = dl.PA1(labels=("no", "yes"), bias=False)
    assert learner.predict_proba_one({"a": 1.0}) == {"yes": 0.5, "no": 0.5}
    for _ in range(20):
        learner.learn_one({"a": 1.0}, "no")
    shares = learner.predict_proba_one({"a": 1.0})
    assert list(shares) == ["no", "yes"] and 0.0 < shares["yes"] < 0.1
    alone = dl.PA1()
    alone.learn_one({"a": 1.0}, "no")
    assert alone.predict_proba_one({"a": 1.0}) == {"no": 1.0}
    several = dl.MulticlassPA()
    assert several.predict_proba_one({"a": 1.0}) == {}
    several.learn_one({"a": 1.0}, "no")
    assert several.predict_proba_one({"a": 1.0}) == {"no": 1.0}


@pytest.mark.parametrize(
    ("make", "most"),
    [(dl.Perceptron, 0.02), (dl.PA1, 0.02), (dl.AROW, 0.02), (lambda: dl.Committee("pa1, perceptron"), 0.03)],
)
def test_probabilities_are_calibrated_on_a_stationary_stream(make: Make, most: float) -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(12_000, 5))
    shares = 1.0 / (1.0 + np.exp(1.5 - 1.5 * rows[:, 0] - rows[:, 1]))
    labels = rng.random(len(rows)) < shares
    p = make().learn_block(rows, labels, keep_probabilities=True).probabilities[:, 1]  # type: ignore[index]
    p, labels = p[500:], labels[500:]
    loss = -np.log(np.where(labels, p, 1.0 - p)).mean()
    base = labels.mean()
    assert loss < 0.95 * -(base * np.log(base) + (1.0 - base) * np.log(1.0 - base))
    bins = np.array_split(np.argsort(p), 15)
    assert sum(abs(p[one].mean() - labels[one].mean()) * len(one) for one in bins) / len(p) < most


@pytest.mark.parametrize("make", [lambda: dl.MulticlassPA(C=0.05), lambda: dl.OneVsRest("arow")])
def test_several_classes_are_calibrated_on_a_stationary_stream(make: Make) -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(10_000, 5))
    logits = rows @ rng.normal(size=(5, 4)) + np.array([0.0, 0.0, 0.0, -1.0])
    labels = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    learner = make()
    p = learner.learn_block(rows, labels, keep_probabilities=True).probabilities
    assert p is not None
    # the regressions have no offset for each class, so the error is larger than with two labels
    for k, label in enumerate(learner.labels):
        bins, true = np.array_split(np.argsort(p[:, k]), 15), labels == label
        assert sum(abs(p[one, k].mean() - true[one].mean()) * len(one) for one in bins) / len(p) < 0.04


def test_models_of_earlier_versions_are_calibrated_once_they_learn() -> None:
    for make, y, formula in ((dl.PA1, Y, 1.0), (dl.MulticlassPA, CLASSES, 0.0)):
        learner = make()
        learner.learn_many(X[:100], y[:100])
        meta, arrays = state_of(learner)
        old = learner_from(meta, {name: array for name, array in arrays.items() if not name.startswith("recent")})
        scores = old.score_many(X[:1])[0]
        if formula:
            assert old.predict_proba_many(X[:1])[0, 1] == pytest.approx(1.0 / (1.0 + np.exp(-scores)))
        each = np.exp(old.scores_many(X[:1])[0] * (0.5 if formula else 1.0))
        np.testing.assert_allclose(old.predict_proba_many(X[:1])[0], each / each.sum())
        old.learn_one(X[0], y[0])
        assert not np.allclose(old.predict_proba_many(X[:1])[0], each / each.sum())


def changed(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[dict[str, np.ndarray]], None]:
    def change_arrays(arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = change(arrays[name])

    return change_arrays


HOSTILE = {
    "no rounds": changed("recent_rounds", lambda a: a * 0),
    "negative": changed("recent_rounds", lambda a: -a),
    "too many": changed("recent_rounds", lambda a: a + 2**53),
    "other start": changed("recent_rounds", lambda a: a + 1),
    "floats": changed("recent_rounds", lambda a: a.astype(np.float64)),
    "short": changed("recent_scores", lambda a: a[:-1]),
    "missing": lambda arrays: arrays.pop("recent_scores"),
}
OF_TWO = {
    "labels": changed("recent_positive", lambda a: a + 1),
    "classes": lambda arrays: arrays.update(recent_classes=np.zeros((1, 2), np.int64)),
}
OF_CLASSES = {
    "class": changed("recent_classes", lambda a: a + 3),
    "negative class": changed("recent_classes", lambda a: a - 9),
    "known": changed("recent_classes", lambda a: a[::-1].copy()),
    "narrow": changed("recent_scores", lambda a: a[:, :1].copy()),
}


@pytest.mark.parametrize(("make", "y", "hostile"), [(dl.PA1, Y, OF_TWO), (dl.OneVsRest, CLASSES[1290:], OF_CLASSES)])
def test_recent_rounds_that_no_learner_has_are_refused(make: Make, y: np.ndarray, hostile: dict[str, Any]) -> None:
    learner = make()
    learner.learn_many(X[:90], y[:90])
    for change in (HOSTILE | hostile).values():
        meta, arrays = state_of(learner)
        change(arrays)
        with pytest.raises(UnfitError):
            learner_from(meta, arrays)
    meta, arrays = state_of(learner)
    arrays["recent_scores"][:] = np.nan  # any numbers are allowed
    assert np.isfinite(learner_from(meta, arrays).predict_proba_many(X[:5])).all()


def test_a_refused_block_is_not_remembered() -> None:
    for make, y in ((dl.PA1, Y), (dl.MulticlassPA, CLASSES)):
        learner = make()
        learner.learn_many(X[:40], y[:40])
        before = learner.predict_proba_many(X[:5])
        with pytest.raises(ValueError, match="finite"):
            learner.learn_many(np.array([X[0], [np.inf, 0.0, 0.0]]), y[:2])
        np.testing.assert_array_equal(learner.predict_proba_many(X[:5]), before)


def test_other_learners_share_no_rounds() -> None:
    learner = dl.PA1()
    learner.learn_many(X[:40], Y[:40])
    twin = deepcopy(learner)
    twin.learn_many(X[40:80], Y[40:80])
    recent = learner._recent
    assert recent is not None and recent.rounds == 40


def test_the_rule_of_several_settings_starts_anew_outside_the_bank() -> None:
    bank = dl.Bank("pa1, perceptron")
    bank.learn_many(X[:60], Y[:60])
    column = bank[0]
    assert column.predict_proba_many(X[:1])[0, 1] == pytest.approx(1.0 / (1.0 + np.exp(-column.score_one(X[0]))))


def test_cases_cover_every_classifier() -> None:
    tried = {case.name for case in CASES if isinstance(case, Other)} | {str(case.name) for case in one_of_each()}
    assert tried == {name for name, learner in dl.REGISTRY.items() if not learner().rule.regresses}

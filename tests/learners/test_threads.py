"""Any number of threads may use one learner: every call is whole, and bits do not depend on threads."""

from __future__ import annotations

import copy
import inspect
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.internals.one_call import _claiming
from driftline.learners import state
from tests.support.bitwise import assert_same, snapshot
from tests.support.learner_cases import OTHERS, Other, examples, rows_of
from tests.support.linear_cases import CASES
from tests.support.threads import in_threads

ONE_OF_EACH = {case.name: case for case in reversed(OTHERS)}
EVERY = [*ONE_OF_EACH.values(), *(Other(name) for name in sorted({case.name for case in CASES} - {"pa1"}))]
MOST_READS = 500  # a reader that never pauses can hold up the writers for long
every_learner = pytest.mark.parametrize("case", EVERY, ids=str)


def made(case: Other) -> dl.Learner:
    return case.learner(**({"beta": 3.0} if case.name in ("l1pa", "l2pa") else {}))


def test_every_learner_is_tried() -> None:
    assert {case.name for case in EVERY} == set(dl.REGISTRY)


def rows_and_labels(case: Other, kind: str) -> tuple[list[Any], list[Any]]:
    X, y = examples(case.feed)
    rows = rows_of(kind, X)
    return [rows[k] if kind == "dicts" else X[k] for k in range(len(X))] * 2, y.tolist() * 2


@pytest.mark.parametrize("kind", ["dicts", "dense"])
@every_learner
def test_learning_threads_have_an_order(case: Other, kind: str, tmp_path: Path) -> None:
    """The result is that of the calls one by one, and every reader sees a moment between two."""
    learner = made(case)
    rows, labels = rows_and_labels(case, kind)
    order: list[tuple[int, int]] = []
    seen: list[float] = []
    copies: list[dl.Learner] = []
    open_threads = threading.Semaphore(0)

    def learn(first: int) -> None:
        for k in range(first, len(rows), 4):
            block = learner.learn_block([rows[k]] if kind == "dicts" else rows[k][None, :], [labels[k]])
            order.append((block.start, k))
        open_threads.release()

    def read() -> None:
        while open_threads._value < 4 and len(seen) < MOST_READS:
            seen.append(learner.score_one(rows[0]))
            assert learner.n_seen >= 0

    def take() -> None:
        for k in range(6):
            if k % 3 == 0:
                copies.append(copy.deepcopy(learner))
            elif k % 3 == 1:
                copies.append(pickle.loads(pickle.dumps(learner)))
            elif case.name != "kernelized" or learner.n_seen:
                learner.save(tmp_path / f"{k}.dl")
                copies.append(dl.load(tmp_path / f"{k}.dl"))

    in_threads(*(lambda k=k: learn(k) for k in range(4)), read, take)  # type: ignore[misc]

    assert sorted(start for start, _ in order) == list(range(len(rows)))
    replay = made(case)
    moments, scores = {0: snapshot(replay)}, [replay.score_one(rows[0])]
    for start, k in sorted(order):
        replay.learn_one(rows[k], labels[k])
        moments[start + 1] = snapshot(replay)
        scores.append(replay.score_one(rows[0]))
    assert_same(moments[len(rows)], snapshot(learner))
    assert set(seen) <= set(scores)
    for one in copies:
        assert_same(moments[one.n_seen], snapshot(one))


@every_learner
def test_scoring_threads_get_the_scores_of_one_thread(case: Other) -> None:
    rows, labels = rows_and_labels(case, "dicts")
    learner = made(case)
    for x, y in zip(rows, labels, strict=True):
        learner.learn_one(x, y)
    frozen = copy.deepcopy(learner)
    expected = [frozen.score_one(x) for x in rows]
    predicted = [frozen.predict_one(x) for x in rows]
    each = "score_one" if learner.rule.regresses else "scores_one"
    by_label = [getattr(frozen, each)(x) for x in rows]
    many = frozen.score_many(rows[:20]).tolist()

    def ones() -> None:
        assert [learner.score_one(x) for x in rows] == expected
        assert [learner.predict_one(x) for x in rows] == predicted

    def others() -> None:
        for _ in range(3):
            assert learner.score_many(rows[:20]).tolist() == many
        assert [getattr(learner, each)(x) for x in rows] == by_label

    in_threads(ones, ones, ones, others)


@pytest.mark.parametrize("name", ["pa1", "pa", "pa2", "perceptron"])
def test_the_fast_path_of_dicts(name: str) -> None:
    """Threads with separate features: their weights do not depend on the interleaving."""
    rng = np.random.default_rng(3)
    streams = [
        [({f"{k}:{j}": float(v) for j, v in enumerate(row)}, bool(row[0] > 0.2)) for row in rng.normal(size=(1500, 6))]
        for k in range(5)
    ]
    learner = dl.REGISTRY[name](bias=False, labels=(False, True))
    expected: dict[str, float] = {}
    scores: list[list[float]] = []
    for some in streams:
        alone = dl.REGISTRY[name](bias=False, labels=(False, True))
        scores.append([alone.learn_one(x, y) for x, y in some])
        expected |= alone.weights()
    found: list[list[float]] = [[] for _ in streams]

    def learn(k: int) -> None:
        found[k] = [learner.learn_one(x, y) for x, y in streams[k]]

    in_threads(*(lambda k=k: learn(k) for k in range(5)))  # type: ignore[misc]
    assert found == scores
    assert learner.weights() == expected
    assert learner.n_seen == 5 * 1500


def test_the_third_label_while_others_score() -> None:
    """A Tracker changes its engine at the third label; scoring threads never meet it half-way."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = np.argmax(X[:, :3], axis=1)
    y[:100] = np.minimum(y[:100], 1)
    tracker, done = dl.Tracker(), threading.Event()
    seen: list[tuple[float, dict[Any, float]]] = []

    def learn() -> None:
        for k in range(300):
            tracker.learn_one(X[k], int(y[k]))
        done.set()

    def read() -> None:
        while not done.is_set():
            seen.append((tracker.score_one(X[0]), tracker.scores_one(X[0])))
            assert len(tracker.weights()) > 0 and tracker.experts()

    in_threads(learn, read, read)
    replay = dl.Tracker()
    scores, by_label = {replay.score_one(X[0])}, [replay.scores_one(X[0])]
    for k in range(300):
        replay.learn_one(X[k], int(y[k]))
        scores.add(replay.score_one(X[0]))
        by_label.append(replay.scores_one(X[0]))
    assert_same(snapshot(replay), snapshot(tracker))
    assert seen and all(score in scores and each in by_label for score, each in seen)


UNGUARDED = {
    "kind", "parameters",  # fixed for the life of a learner
    "tune", "save", "to_bytes", "test_then_train", "predict", "update",  # made of guarded calls
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(set(dl.REGISTRY.values()), key=lambda kind: kind.__name__))
def test_every_public_call_is_guarded(kind: type[dl.Learner]) -> None:
    for name, member in inspect.getmembers(kind):
        if name.startswith("_") or name in UNGUARDED:
            continue
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function):
            assert function.__code__ in _claiming, name


def test_functions_on_the_inside_of_a_learner_are_guarded() -> None:
    fixed = {"engine_features", "bias_value", "copy_labels", "is_standardised"}
    restoring = {name for name in dir(state) if name.startswith("restore_")} | {"learned_state"}
    for name, function in inspect.getmembers(state, inspect.isfunction):
        if function.__module__ == state.__name__ and not name.startswith("_") and name not in fixed | restoring:
            assert function.__code__ in _claiming, name


def test_a_nested_call_names_the_remedy() -> None:
    learner = dl.PA1()

    class Name(str):
        def __hash__(self) -> int:
            learner.score_one({"a": 1.0})
            return 0

    with pytest.raises(RuntimeError, match=r"^PA1: a call must not start inside another call"):
        learner.learn_one({"a": 1.0}, Name("x"))
    assert learner.n_seen == 0
    learner.learn_one({"a": 1.0}, True)
    assert learner.n_seen == 1

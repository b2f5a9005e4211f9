"""Thresholds for a target of precision or recall: chosen well, and kept up while the stream drifts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.evaluate.decision.probability_bins import BINS, THRESHOLDS, bins_of, counted
from driftline.evaluate.decision.target_threshold import LEAST, STEP, TargetThreshold
from tests.support.threads import in_threads

LABELS = (False, True)
TOLERANCE = 0.1
"""How far the share may be below the target in a window of 200, as the guide states."""


def stream(drift: str, rows: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of two labels, and labels, with a change after each quarter or all along."""
    rng = np.random.default_rng(seed)
    changed = (np.arange(rows) * 4 // rows) % 2 == 1
    y = rng.random(rows) < (share * np.where(changed, 3.0, 1.0) if drift == "share" else share)
    distance = np.where(changed, 1.5, 2.5) if drift == "difficulty" else 2.0
    z = rng.normal(size=rows) + np.where(y, distance, 0.0)
    shift = 0.0 if drift != "scale" else np.where(changed, 1.5, 0.0)
    if drift == "slow":
        shift = 3.0 * np.sin(6.0 * np.arange(rows) / rows)
    p = 1.0 / (1.0 + np.exp(-(2.0 * z - 2.0 + math.log(share / (1.0 - share)) + shift)))
    return np.column_stack([1.0 - p, p]), y


@pytest.mark.parametrize("drift", ["none", "share", "scale", "slow", "difficulty"])
@pytest.mark.parametrize("target", [{"precision": 0.6}, {"recall": 0.8}, {"recall": 0.95}], ids=str)
def test_the_target_is_kept_up(drift: str, target: dict[str, float]) -> None:
    P, y = stream(drift, 20_000, 0.2, seed=4)
    decision = dl.Decision(positive=True, **target)  # type: ignore[arg-type]
    found = []
    for start in range(0, len(y), STEP):
        part = slice(start, start + STEP)
        found.append(decision.decide_many(P[part], LABELS))
        decision.learn_many(P[part], y[part], LABELS)
    decided = np.concatenate(found)
    (name, goal), achieved = *target.items(), decision.achieved
    assert decision.ready and getattr(achieved, name) > goal - 0.02
    counted_rows = np.flatnonzero(y if name == "recall" else decided)[50:]
    right = (decided & y)[counted_rows]
    windows = [right[start : start + 200].mean() for start in range(0, len(right) - 199, 200)]
    assert len(windows) >= 10 and min(windows) > goal - TOLERANCE
    assert np.mean(windows) < goal + 0.05  # the other quantity is not given away
    assert achieved.precision == (decided & y).sum() / decided.sum()
    assert achieved.recall == (decided & y).sum() / y.sum()


@pytest.mark.parametrize("quantity", ["precision", "recall"])
def test_the_threshold_is_the_best_one_that_meets_the_goal(quantity: Any) -> None:
    rng = np.random.default_rng(8)
    for _ in range(30):
        p = rng.beta(0.5, 2.0, size=200)
        y = rng.random(200) < p
        rule = TargetThreshold(quantity, float(rng.uniform(0.2, 0.9)))
        chosen = rule.chosen(counted(bins_of(p), y))
        candidates = []
        for lowest in range(BINS + 1):
            flagged = p >= THRESHOLDS[lowest]
            true = float((flagged & y).sum())
            base = flagged.sum() if quantity == "precision" else y.sum()
            if true >= rule.goal * (base + 1.0) and (flagged.any() or quantity == "precision"):
                precision = true / flagged.sum()
                candidates.append((true if quantity == "precision" else precision, lowest))
        if quantity == "precision":
            assert chosen == (min(at for _, at in candidates) if candidates else BINS)
        else:
            assert candidates and max(candidates) == (dict(map(reversed, candidates))[chosen], chosen)  # type: ignore[arg-type]


def test_before_enough_labels_the_threshold_is_the_default() -> None:
    decision = dl.Decision(positive="b", recall=0.9, default=0.3)
    assert not decision.ready and decision.threshold == 0.3
    assert decision.decide({"a": 0.69, "b": 0.31}) == "b" and decision.decide({"a": 0.71, "b": 0.29}) == "a"
    for k in range(STEP * 10):
        decision.learn({"a": 0.9, "b": 0.1}, "b" if k < LEAST - 1 else "a")
    assert not decision.ready and decision.threshold == 0.3
    for _ in range(STEP):
        decision.learn({"a": 0.8, "b": 0.2}, "b")
    assert decision.ready and decision.threshold != 0.3


def test_decisions_by_the_default_threshold_are_not_recent() -> None:
    decision = dl.Decision(positive=True, recall=0.5)
    decision.learn_many([[0.8, 0.2]] * 100, [True] * 50 + [False] * 50, LABELS)
    assert decision.ready and decision.achieved.recall == 0.0 and math.isnan(decision.achieved.recent_recall)
    decision.learn_many([[0.8, 0.2]] * 50, [True] * 50, LABELS)
    assert decision.achieved.recent_recall == 1.0 and decision.achieved.recall == 0.5


def test_a_precision_that_nothing_reaches() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(5000) < 0.1
    decision = dl.Decision(positive=True, precision=0.9)
    p = rng.random(5000)
    decision.learn_many(np.column_stack([1 - p, p]), y, LABELS)
    assert decision.ready and decision.threshold == math.inf
    assert decision.decide({False: 0.0, True: 1.0}) is False
    assert decision.to_dict()["threshold"] is None
    assert "threshold inf" in repr(decision)


def test_of_the_other_labels_the_most_likely_is_decided() -> None:
    decision = dl.Decision(positive="a", precision=0.5, default=0.4)
    assert decision.decide({"a": 0.3, "b": 0.3, "c": 0.4}) == "c"
    assert decision.decide({"b": 0.5, "c": 0.5}) == "b"
    assert decision.decide({"a": 1.0}) == "a"
    assert decision.decide({"a": 0.1}) is None and decision.decide({}) is None
    many = decision.decide_many([[0.3, 0.3, 0.4], [0.5, 0.1, 0.4]], ("a", "b", "c"))
    assert many.tolist() == ["c", "a"]


@pytest.mark.parametrize("sizes", [[1], [7], [50], [1, 120, 3, 33], [3000]])
def test_blocks_and_single_examples_give_the_same_bits(sizes: list[int]) -> None:
    P, y = stream("slow", 3000, 0.1, seed=6)
    for make in (
        lambda: dl.Decision(positive=True, precision=0.4),
        lambda: dl.Decision([[0.0, 1.0], [7.3, 0.1]], labels=LABELS),
    ):
        blocks, single = make(), make()
        at = turn = 0
        while at < len(y):
            part = slice(at, at + sizes[turn % len(sizes)])
            blocks.learn_many(P[part], y[part], LABELS)
            at, turn = part.stop, turn + 1
        for (no, yes), label in zip(P.tolist(), y.tolist(), strict=True):
            single.learn({False: no, True: yes}, label)
        (meta, arrays), (due, due_arrays) = blocks.state(), single.state()
        assert meta == due and all(arrays[name].tobytes() == due_arrays[name].tobytes() for name in due_arrays)
        assert blocks.threshold == single.threshold and repr(blocks.achieved) == repr(single.achieved)


def test_late_labels_count_what_was_decided() -> None:
    P, y = stream("scale", 6000, 0.2, seed=3)
    decision = dl.Decision(positive=True, recall=0.8)
    decided: list[Any] = []
    for t, (no, yes) in enumerate(P.tolist()):
        decided.append(decision.decide({False: no, True: yes}))
        if t >= 300:
            decision.learn({False: P[t - 300, 0], True: P[t - 300, 1]}, bool(y[t - 300]), decided[t - 300])
    found = np.array(decided[:-300], bool)
    assert decision.achieved.recall == (found & y[:-300]).sum() / y[:-300].sum()
    assert abs(decision.achieved.recall - 0.8) < 0.05


def test_memory_is_constant_and_threads_may_share_it() -> None:
    P, y = stream("none", 400, 0.3, seed=1)
    decision = dl.Decision(positive=True, recall=0.5)

    def learn() -> None:
        for _ in range(20):
            decision.learn_many(P, y, LABELS)

    in_threads(learn, learn, learn, learn)
    assert decision.achieved.examples == 4 * 20 * 400
    assert sum(array.nbytes for array in decision.state()[1].values()) < 120_000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, r"one of costs, precision and recall must be given, got \[\]. Pass Decision"),
        ({"positive": 1, "precision": 0.5, "recall": 0.5}, r"must be given, got \['precision', 'recall'\]"),
        ({"precision": 0.5}, "positive must be the label that precision is about, got None"),
        ({"positive": 1, "recall": 1.0}, "recall must be between 0 and 1, got 1.0"),
        ({"positive": 1, "recall": 0.0}, "recall must be between 0 and 1, got 0.0"),
        ({"positive": 1, "precision": math.nan}, "precision must be a number, got nan"),
        ({"positive": 1, "precision": "high"}, "precision must be a number, got 'high'"),
        ({"positive": 1, "precision": 0.5, "default": 2.0}, "default must be from 0 to 1, got 2.0"),
        ({"positive": 1, "precision": 0.5, "memory": 1}, "memory must be from 50 to 1e9, got 1"),
        ({"positive": 1, "precision": 0.5, "labels": (0, 1)}, "labels must be None without costs"),
        ({"costs": {1: {0: 1}, 0: {1: 1}}, "positive": 2}, r"positive must be one of the labels of costs, \(1, 0\)"),
    ],
)
def test_bad_parameters(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^Decision: .*{message}"):
        dl.Decision(**given)

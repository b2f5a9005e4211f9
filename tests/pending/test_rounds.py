"""Answers take one pass and have the bits of three calls; tickets come back from a log and from bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.learners.answered_rounds import answer_of
from tests.support.bitwise import assert_same, snapshot

TWO = {"labels": ("no", "yes")}
LEARNERS = {
    "pa1": lambda: dl.PA1(**TWO),
    "unit": lambda: dl.PA1(scale="unit"),
    "fixedshare": lambda: dl.FixedShare(**TWO),
    "several": lambda: dl.MulticlassPA(),
    "regressor": lambda: dl.PARegressor(),
    "efficient": lambda: dl.LabelEfficient("pa1", b=0.5, **TWO),
    "light": lambda: dl.Tracker("light", **TWO),
    "light classes": lambda: dl.Tracker("light", labels=("no", "yes", "maybe")),
    "strong": lambda: dl.Tracker(**TWO),
    "strong undeclared": lambda: dl.Tracker(),
    "strong classes": lambda: dl.Tracker(labels=("no", "yes", "maybe")),
}


def rounds(name: str, size: int = 40) -> list[tuple[Any, Any]]:
    """Examples with labels; experts get arrays of votes."""
    rng = np.random.default_rng(3)
    found: list[tuple[Any, Any]] = []
    for k in range(size):
        a, b = rng.normal(size=2)
        x: Any = np.sign([a, b, a + b]) if name == "fixedshare" else {"a": a, "b": b if k % 5 else None}
        y: Any = "yes" if a > 0 else "no"
        if "classes" in name or name == "several":
            y = "maybe" if b > 1 else y
        found.append((x, a if name == "regressor" else y))
    return found


@pytest.mark.parametrize("name", LEARNERS)
def test_an_answer_has_the_bits_of_separate_calls(name: str) -> None:
    learner = LEARNERS[name]()
    for x, y in rounds(name):
        before = snapshot(learner)
        for keep in (False, True):
            answer = answer_of(learner, x, keep)
            assert (answer.score, answer.label) == (learner.score_one(x), learner.predict_one(x))
            shares = {} if learner.rule.regresses else learner.predict_proba_one(x)
            assert list(answer.probability.items()) == list(shares.items())
            assert (answer.record is not None) == (keep and name.startswith("strong"))
            if not keep:
                assert_same(snapshot(learner), before)
        learner.learn_one(x, y)


@pytest.mark.parametrize("name", ["pa1", "several", "efficient", "strong", "regressor"])
def test_tickets_restored_from_a_log_have_the_bits_of_live_ones(name: str) -> None:
    live, restored = dl.Pending(LEARNERS[name]()), dl.Pending(LEARNERS[name]())
    asked = dl.Pending(LEARNERS[name]())
    for k, (x, _) in enumerate(rounds(name)):
        answer = live.glance(x)
        assert (
            live.admit(k, x, answer, 1.0 * k)
            == restored.admit(k, x, answer, 1.0 * k)
            == asked.ask(x, at=1.0 * k).wanted
        )
        assert live.to_bytes() == restored.to_bytes() == asked.to_bytes()
        if k >= 5:
            told = rounds(name)[k - 5][1]
            assert live.tell(k - 5, told) == restored.tell(k - 5, told) == asked.tell(k - 5, told)
    assert live.to_bytes() == restored.to_bytes() == asked.to_bytes()


def test_bytes_are_those_of_the_file_and_of_the_moment(tmp_path: Any) -> None:
    pending = dl.Pending(dl.PA1(**TWO))
    for x, _ in rounds("pa1"):
        pending.ask(x)
    pending.tell(3, "yes")
    pending.save(tmp_path / "tickets")
    frozen = pending.freeze()
    before = pending.to_bytes()
    assert before == (tmp_path / "tickets").read_bytes()
    for k in range(4, 20):
        pending.tell(k, "no")
    pending.ask({"new": 1.0})
    assert frozen.to_bytes() == before != pending.to_bytes()
    again = dl.Pending.from_bytes(before)
    assert again.to_bytes() == before
    again.tell(5, "no")
    with pytest.raises(dl.ModelError):
        dl.Pending.from_bytes(before[:-1])


def test_admit_refuses_an_id_that_is_in_use() -> None:
    pending = dl.Pending(dl.PA1(**TWO))
    answer = pending.glance({"a": 1.0})
    pending.admit("one", {"a": 1.0}, answer)
    with pytest.raises(ValueError, match="id must be new"):
        pending.admit("one", {"a": 1.0}, answer)
    with pytest.raises(ValueError, match="finite"):
        pending.admit("two", {"a": 1.0}, answer, float("nan"))
    assert len(pending) == 1

"""The state of a decision: saved, restored, copied and pickled to the bit; bad files are refused."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.saved.container import write

LABELS = ("ok", "fraud")
FRAUD = {"fraud": {"ok": 20.0}, "ok": {"fraud": 1.0}}
MAKE: dict[str, Callable[[], dl.Decision]] = {
    "precision": lambda: dl.Decision(positive="fraud", precision=0.5),
    "recall": lambda: dl.Decision(positive="fraud", recall=0.8, default=0.1, memory=100),
    "costs": lambda: dl.Decision(FRAUD),
    "array": lambda: dl.Decision([[0, 1], [20, 0.5]], labels=LABELS, positive="ok"),
    "three": lambda: dl.Decision(1.0 - np.eye(3), labels=("ok", "fraud", "other")),
}
rng = np.random.default_rng(9)
Y = np.where(rng.random(1234) < 0.2, "fraud", "ok")
P = np.clip(rng.normal(size=1234) * 0.2 + 0.3 + 0.3 * (Y == "fraud"), 0.0, 1.0)
P = np.column_stack([1.0 - P, P])


def learned(make: Callable[[], dl.Decision]) -> dl.Decision:
    decision = make()
    decision.learn_many(P[:777], Y[:777], LABELS)
    return decision


def same(one: dl.Decision, other: dl.Decision) -> None:
    (meta, arrays), (due, due_arrays) = one.state(), other.state()
    assert meta == due and arrays.keys() == due_arrays.keys()
    assert all(arrays[name].tobytes() == due_arrays[name].tobytes() for name in arrays)
    assert repr(one) == repr(other) and one.threshold == other.threshold and one.ready == other.ready
    assert repr(one.achieved) == repr(other.achieved)


@pytest.mark.parametrize("name", MAKE)
def test_it_continues_with_the_same_bits(name: str, tmp_path: Path) -> None:
    decision, restored = learned(MAKE[name]), MAKE[name]()
    restored.restore(*decision.state())
    decision.save(tmp_path / "a.dl")
    others = [restored, dl.Decision.load(tmp_path / "a.dl"), copy.deepcopy(decision)]
    others.append(pickle.loads(pickle.dumps(decision)))
    for other in others:
        same(other, decision)
    decision.learn_many(P[777:], Y[777:], LABELS)
    for other in others:
        other.learn_many(P[777:], Y[777:], LABELS)
        same(other, decision)


def test_a_state_is_a_copy() -> None:
    decision = learned(MAKE["recall"])
    _, arrays = decision.state()
    before = {name: array.copy() for name, array in arrays.items()}
    decision.learn_many(P, Y, LABELS)
    assert all(np.array_equal(arrays[name], before[name]) for name in before)


@pytest.mark.parametrize("other", ["precision", "costs", "array", "three"])
def test_a_state_of_other_settings_is_refused(other: str) -> None:
    decision = MAKE["recall"]()
    with pytest.raises(ValueError, match="other settings"):
        decision.restore(*learned(MAKE[other]).state())
    assert decision.achieved.examples == 0


CHANGES: list[Callable[[dict[str, Any], dict[str, np.ndarray]], Any]] = [
    lambda meta, arrays: meta.pop("correction"),
    lambda meta, arrays: meta.update(more=1),
    lambda meta, arrays: meta.update(settings=3),
    lambda meta, arrays: meta.update(settings={}),
    lambda meta, arrays: meta["settings"].update(quantity="f1"),
    lambda meta, arrays: meta["settings"].update(quantity=None),
    lambda meta, arrays: meta["settings"].update(target=2.0),
    lambda meta, arrays: meta["settings"].update(target=None),
    lambda meta, arrays: meta["settings"].update(positive=None),
    lambda meta, arrays: meta["settings"].update(memory=math.nan),
    lambda meta, arrays: meta["settings"].update(costs=[[0.0, 1.0]]),
    lambda meta, arrays: meta["settings"].update(labels=["a", "b"]),
    lambda meta, arrays: meta.update(correction=math.nan),
    lambda meta, arrays: meta.update(correction=-99.0),
    lambda meta, arrays: meta.update(correction=1),
    lambda meta, arrays: meta.update(expected=5.0),
    lambda meta, arrays: arrays.pop("bins past"),
    lambda meta, arrays: arrays.update(more=np.zeros(3)),
    lambda meta, arrays: arrays["bins past"].__setitem__((0, 3), math.nan),
    lambda meta, arrays: arrays["bins past"].__setitem__((0, 3), -1.0),
    lambda meta, arrays: arrays["bins past"].__setitem__((0, 3), 1e9),
    lambda meta, arrays: arrays["bins total"].__setitem__((0, 3), 1 << 60),
    lambda meta, arrays: arrays["bins pending"].__setitem__((0, 3), -1),
    lambda meta, arrays: arrays["confusion total"].__setitem__((0, 0), 5),
    lambda meta, arrays: arrays["confusion pending"].__setitem__((0, 0), 50),
    lambda meta, arrays: arrays["confusion past"].__setitem__((1, 1), math.inf),
    lambda meta, arrays: arrays.update({"confusion total": arrays["confusion total"].astype(np.float64)}),
    lambda meta, arrays: arrays.update({"bins total": arrays["bins total"][:, :9]}),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_hostile_file_is_refused(change: Any, tmp_path: Path) -> None:
    decision = learned(MAKE["recall"])
    meta, arrays = decision.state()
    meta = copy.deepcopy(meta)
    change(meta, arrays)
    write(tmp_path / "a.dl", "decision", meta, arrays)
    with pytest.raises(dl.ModelError, match=r"a.dl must be a driftline decision, got .+\. "):
        dl.Decision.load(tmp_path / "a.dl")
    before = repr(decision.state())
    with pytest.raises(ValueError):
        decision.restore(meta, arrays)
    assert repr(decision.state()) == before


def test_other_files_are_refused(tmp_path: Path) -> None:
    dl.PA1().save(tmp_path / "model.dl")
    with pytest.raises(dl.ModelError):
        dl.Decision.load(tmp_path / "model.dl")
    with pytest.raises(dl.ModelError, match="no such file"):
        dl.Decision.load(tmp_path / "none.dl")
    with pytest.raises(dl.ModelError, match="a label must be a str, int, float or bool"):
        dl.Decision(positive=("a", "b"), recall=0.5).save(tmp_path / "a.dl")

"""Alarms on the shares of labels."""

from __future__ import annotations

import json

import numpy as np
import pytest

from driftline.drift import LabelShares
from driftline.drift.label_shares import MOST


def test_of_two_classes_the_rarer_one_is_reported() -> None:
    rng = np.random.default_rng(0)
    rare = np.concatenate([rng.random(4000) < 0.05, rng.random(4000) < 0.15]).astype(int)
    for classes, number in ((rare, 1), (1 - rare, 0)):
        ((which, change),) = LabelShares().update_many(classes)
        assert which == number and 4000 < change.at < 5000 and abs(change.since - 4000) < 300
        assert change.before == pytest.approx(0.05, abs=0.02) and change.after > 0.1


def test_several_classes_and_a_new_one() -> None:
    rng = np.random.default_rng(1)
    classes = np.concatenate([rng.integers(0, 3, 4000), rng.integers(0, 4, 4000)])
    found = LabelShares().update_many(classes)
    assert [number for number, _ in found] == [3]
    assert found[0][1].before == 0.0 and found[0][1].after == pytest.approx(0.25, abs=0.1)


def test_classes_beyond_the_first_are_taken_but_not_watched() -> None:
    classes = np.arange(20_000) % 50
    assert LabelShares().update_many(classes) == []
    assert all(number < MOST for number, _ in LabelShares().update_many(np.repeat(np.arange(40), 500)))


def test_false_alarms_are_rare() -> None:
    rng = np.random.default_rng(2)
    for classes in (rng.integers(0, 2, 500_000), rng.integers(0, 30, 500_000), np.zeros(500_000, int)):
        assert len(LabelShares(1e-4).update_many(classes)) <= 50


def test_the_alarms_do_not_depend_on_blocks_and_states_continue_with_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    classes = np.concatenate([rng.random(2000) < 0.3, rng.random(2000) < 0.7, 2 * (rng.random(2000) < 0.5)]).astype(int)
    whole = LabelShares()
    expected = whole.update_many(classes)
    assert len(expected) >= 2
    for stop in (0, 1, 31, 32, 2100, 4001):
        first, second = LabelShares(), LabelShares()
        found = first.update_many(classes[:stop])
        meta, arrays = first.state()
        second.restore(json.loads(json.dumps(meta)), arrays)
        assert found + second.update_many(classes[stop:]) == expected
        assert second.state()[1]["windows"].tobytes() == whole.state()[1]["windows"].tobytes()


def test_hostile_states_are_refused() -> None:
    shares = LabelShares()
    shares.update_many(np.arange(1000) % 3)
    meta, arrays = shares.state()
    windows = arrays["windows"]
    other = windows.copy()
    other[0, 0] += 1.0
    for bad, content in (
        ({}, arrays),
        ({**meta, "known": 17}, arrays),
        ({**meta, "known": 2}, arrays),
        ({**meta, "known": "3"}, arrays),
        ({**meta, "parameters": {}}, arrays),
        (meta, {}),
        (meta, {"windows": windows[:3]}),
        (meta, {"windows": windows.astype(np.float32)}),
        (meta, {"windows": windows - 1.0}),
        (meta, {"windows": windows * np.nan}),
        (meta, {"windows": other}),
    ):
        with pytest.raises(ValueError, match="must"):
            LabelShares().restore(bad, content)

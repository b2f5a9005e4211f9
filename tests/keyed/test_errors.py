"""A call that raises has learned nothing; calls of several threads run one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.encode.faults import RowError
from driftline.keyed import in_use
from tests.keyed.oracle import DictOfLearners, assert_alike
from tests.support.learner_cases import examples
from tests.support.threads import in_threads


@pytest.mark.parametrize("prior", [None, "global"])
@pytest.mark.parametrize("most", [1, 256])
def test_a_failed_block_changes_no_key(prior: Any, most: int, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(in_use, "IN_USE", most)
    X, y = examples("signed")
    keys = [f"k{n % 7}" for n in range(60)]
    keyed = dl.Keyed(dl.PA1(), prior=prior, max_keys_in_memory=3, spill=tmp_path)
    oracle = DictOfLearners(dl.PA1(), prior)
    oracle.learn(X[:20], y[:20], keys[:20])
    keyed.learn_many(X[:20], y[:20], keys=keys[:20])
    keyed.mark_clean()
    bad = X[20:40].copy()
    bad[15, 2] = np.nan
    with pytest.raises(RowError, match=r"^Keyed: row 15, .*, column 2 must be finite") as caught:
        keyed.learn_many(bad, y[20:40], keys=[*keys[20:38], "new", "newer"])
    assert caught.value.row == 15
    with pytest.raises(ValueError, match=r"^Keyed: "):
        keyed.learn_one(bad[15], 1.0, key="newest")
    with pytest.raises(ValueError, match="a label must be"):
        keyed.learn_many(X[20:24], [1.0, -1.0, 1.0, 7.0], keys=["k1", "k2", "k3", "k3"])
    assert keyed.changed() == set()
    assert_alike(keyed, oracle)
    assert (
        keyed.learn_many(X[20:], y[20:], keys=keys[20:]).tobytes() == oracle.learn(X[20:], y[20:], keys[20:]).tobytes()
    )
    assert_alike(keyed, oracle)


def test_dicts_are_refused_by_row() -> None:
    keyed = dl.Keyed(dl.PA1(), key="k")
    rows = [{"k": "a", "x": 1.0}, {"k": "b", "x": 1.0}, {"k": "a", "x": float("inf")}]
    with pytest.raises(RowError, match=r"^Keyed: row 2, key 'a', feature 'x' must be finite") as caught:
        keyed.learn_many(rows, [1, 0, 1])
    assert caught.value.row == 2
    assert len(keyed) == 0


def test_threads_take_turns(tmp_path: Path) -> None:
    keyed = dl.Keyed(dl.PA1(), max_keys_in_memory=5, spill=tmp_path)
    X, y = examples("signed")

    def work(name: str) -> None:
        for n in range(40):
            keyed.learn_many(X, y, keys=[f"{name}{(n + row) % 9}" for row in range(60)])
            keyed.score_one(X[0], key=f"{name}0")
            len(keyed)

    in_threads(lambda: work("a"), lambda: work("b"), lambda: list(keyed))
    assert len(keyed) == 18
    assert sum(keyed.counts(key).rows for key in keyed) == 2 * 40 * 60


def test_a_call_inside_a_call_is_refused() -> None:
    keyed = dl.Keyed(dl.PA1())

    class Row(dict):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            keyed.score_one({"a": 1.0}, key="a")
            return super().__iter__()

        keys = None  # type: ignore[assignment]

    with pytest.raises((RuntimeError, TypeError)):
        keyed.learn_one(Row(a=1.0), 1, key="a")

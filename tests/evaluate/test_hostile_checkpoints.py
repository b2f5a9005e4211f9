"""Checkpoints with a right checksum and wrong content are refused in one line."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.saved import ModelError
from driftline.saved.container import read, write
from tests.support.bitwise import FORM

X = np.random.default_rng(3).normal(size=(60, 4))
Y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
Change = Callable[[dict[str, Any], dict[str, np.ndarray]], Any]


def resumed(folder: Path) -> dl.Run:
    return dl.run(dl.PA1(), (X, Y), history=True, checkpoint=dl.Checkpoint(folder, 10, resume=True), progress=False)


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """The folder of a run of 40 examples."""
    dl.run(dl.PA1(), (X[:40], Y[:40]), history=True, checkpoint=dl.Checkpoint(tmp_path, 10), progress=False)
    return tmp_path


def within(*keys: str, value: Any) -> Change:
    def change(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        inside = meta
        for key in keys[:-1]:
            inside = inside[key]
        inside[keys[-1]] = value

    return change


def without(*keys: str) -> Change:
    def change(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        inside = meta
        for key in keys[:-1]:
            inside = inside[key]
        del inside[keys[-1]]

    return change


def metrics(name: str, place: Any, value: float) -> Change:
    return lambda meta, arrays: arrays[f"metrics {name}"].__setitem__(place, value)


CHANGES: list[tuple[Change, str]] = [
    (without("model"), "one without 'model'"),
    (without("ledger"), "one without 'ledger'"),
    (without("progress"), "one without 'progress'"),
    (within("model", value=[]), "content []"),
    (within("ledger", value=3), "ledger 3"),
    (within("progress", value=None), "progress None"),
    (within("history", value=[]), "history []"),
    (without("progress", "done"), "progress ['refused', 'stream'] without done, stream and refused"),
    (within("progress", "done", value=39), "done 39 where a whole number from 40 to 40"),
    (within("progress", "done", value=41), "done 41 where"),
    (within("progress", "done", value=-1), "done -1 where"),
    (within("progress", "done", value=40.0), "done 40.0 where"),
    (within("progress", "done", value=2**63), "done 9223372036854775808 where"),
    (within("progress", "stream", value=[]), "progress {"),
    (within("progress", "refused", value=3), "progress {"),
    (within("progress", "refused", value={"count": -1, "listed": []}), "refused -1 where"),
    (within("progress", "refused", value={"count": 0, "listed": [1]}), "refused [1]"),
    (without("ledger", "examples"), "ledger ["),
    (within("ledger", "examples", value=50), "a curve of shape (40, 5)"),
    (within("ledger", "examples", value=True), "examples True where"),
    (within("ledger", "mistakes", value=41), "mistakes 41 where a whole number from 0 to 40"),
    (within("ledger", "points", value=-5), "points -5 where a whole number from 2"),
    (within("ledger", "points", value=30), "a curve of shape (40, 5)"),
    (within("ledger", "stride", value=0), "stride 0 where"),
    (within("ledger", "stride", value=3), "stride 3 where a power of 2"),
    (within("ledger", "stride", value=2), "a curve of shape (40, 5)"),
    (within("ledger", "margin", value=0.5), "margin 0.5 where 1.0 was expected"),
    (within("ledger", "hinge", value="1"), "hinge '1' where a number"),
    (within("ledger", "seconds", value=math.nan), "seconds nan where a number"),
    (within("ledger", "baselines", value=3), "baselines 3"),
    (without("ledger", "baselines", "last"), "baselines ["),
    (within("ledger", "baselines", "counts", value=[40]), "counts [40]"),
    (within("ledger", "baselines", "counts", value=[40, 40]), "counts of 80 labels in a run of 40 examples"),
    (within("ledger", "baselines", "counts", value=[41, -1]), "counts 41 where a whole number from 0 to 40"),
    (within("ledger", "baselines", "counts", value=[40, 0]), "last "),
    (within("ledger", "baselines", "leader", value=-1), "leader -1 where a whole number from 0 to 1"),
    (within("ledger", "baselines", "last", value=2), "last 2 where a whole number from 0 to 1"),
    (within("ledger", "baselines", "no_change", value=0), "no_change 0 where a whole number from 1 to 40"),
    (within("ledger", "baselines", "majority", value=41), "majority 41 where"),
    (lambda meta, arrays: arrays.pop("ledger curve"), "arrays of the ledger []"),
    (lambda meta, arrays: arrays["ledger curve"].__setitem__((3, 0), 9.0), "a curve whose points are not at"),
    (lambda meta, arrays: arrays.update({"other x": np.zeros(1)}), "an array 'other x' of no part"),
    (lambda meta, arrays: arrays.update({"ledger": np.zeros(1)}), "an array 'ledger' of no part"),
    (lambda meta, arrays: arrays.pop("history norm"), "a wrong history ("),
    (within("history", "stride", value=0), "a wrong history ("),
    (within("history", "points", value="a"), "a wrong history ("),
    (lambda meta, arrays: arrays["history examples"].__setitem__(-1, 1000), "a history of 1000 examples in a run of"),
    (without("history"), "arrays of a history without one"),
    (within("observers", value=3), "observers 3"),
    (within("observers", "metrics", value=3), "metrics 3"),
    (within("observers", "other", value={}), "a run with ['other']"),
    (without("observers", "metrics", "two"), 'wrong metrics ("entries ['),
    (lambda meta, arrays: arrays.pop("metrics points"), 'wrong metrics ("entries ['),
    (within("observers", "metrics", "two", value=1), "wrong metrics ('two 1"),
    (within("observers", "metrics", "two", value=False), "wrong metrics ('total score_"),
    (within("observers", "metrics", "first_sign", value=0.5), "wrong metrics ('two True and"),
    (within("observers", "metrics", "probabilities", value=True), "wrong metrics ('probabilitie"),
    (within("observers", "metrics", "slice", value="a"), 'wrong metrics ("probabilitie'),
    (within("observers", "metrics", "values", value=["a"]), "wrong metrics ('1 totals and"),
    (within("observers", "metrics", "values", value=[1]), "wrong metrics ('values [1]"),
    (within("observers", "metrics", "values", value=["a", "a"]), 'wrong metrics ("values ['),
    (within("observers", "metrics", "last", value=2), "wrong metrics ('last 2"),
    (within("observers", "metrics", "leader", value=-1), "wrong metrics ('leader -1"),
    (within("observers", "metrics", "window", value=7), "wrong metrics ('a window of "),
    (within("observers", "metrics", "stride", value=300), "wrong metrics ('a window of "),
    (within("observers", "metrics", "stride", value=1 << 70), "wrong metrics ("),
    (metrics("total counts", (0, 0, 0), 99), "wrong metrics ('total counts"),
    (metrics("total counts", (0, 0, 0), -1), "wrong metrics ('total counts"),
    (metrics("total matrix", (0, 0, 0), 99), "wrong metrics ('total matrix"),
    (metrics("total tallies", (0, 1), 41), "wrong metrics ('total tallie"),
    (metrics("total score_bins", (0, 0, 5), 3), "wrong metrics ('total score_"),
    (metrics("total sums", (0, 0), math.nan), "wrong metrics ('total sums o"),
    (metrics("total calibration", (0, 1, 2, 3), 1.0), "wrong metrics ('total calibr"),
    (metrics("window labels", 3, 2), "wrong metrics ('a window wit"),
    (metrics("window predicted", 3, -2), "wrong metrics ('a window wit"),
    (metrics("window hits", 3, 4), "wrong metrics ('a window wit"),
    (
        lambda meta, arrays: arrays.update({"metrics window scores": np.zeros(3)}),
        "wrong metrics ('window score",
    ),
    (
        lambda meta, arrays: arrays.update({"metrics points": np.zeros((1, 17))}),
        "wrong metrics ('points of sh",
    ),
    (
        lambda meta, arrays: arrays.update({"metrics total counts": np.zeros((1, 3, 2))}),
        "wrong metrics ('total counts",
    ),
    (lambda meta, arrays: arrays["model v"].__setitem__(3, 1.0), "nonzero weights between"),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_wrong_content_is_refused(number: int, begun: Path) -> None:
    change, words = CHANGES[number]
    meta, arrays = read(begun / "checkpoint.dl", "checkpoint")
    meta, arrays = copy.deepcopy(meta), {name: array.copy() for name, array in arrays.items()}
    write(begun / "checkpoint.dl", "checkpoint", meta, arrays)
    change(meta, arrays)
    write(begun / "checkpoint.dl", "checkpoint", meta, arrays)
    before = (begun / "checkpoint.dl").read_bytes()
    with pytest.raises(ModelError) as caught:
        resumed(begun)
    message = str(caught.value)
    assert f"checkpoint.dl must be a driftline checkpoint, got {words}" in message
    assert FORM.match(message) and "\n" not in message
    assert (begun / "checkpoint.dl").read_bytes() == before


def test_a_good_one_is_resumed(begun: Path) -> None:
    assert resumed(begun).examples == 60

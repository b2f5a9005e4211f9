"""Checkpoints of regressors with a right checksum and wrong content are refused in one line."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.engines.metrics.residual_sums import INSIDE, ROWS
from driftline.saved import ModelError
from driftline.saved.container import read, write

X = np.random.default_rng(3).normal(size=(60, 4))
Y = X[:, 0] + 2.0
Change = Callable[[dict[str, Any], dict[str, np.ndarray]], Any]


def ledger(name: str, value: Any) -> Change:
    return lambda meta, arrays: meta["ledger"].__setitem__(name, value)


def without(name: str) -> Change:
    return lambda meta, arrays: meta["ledger"].pop(name)


def metrics(name: str, value: Any) -> Change:
    return lambda meta, arrays: meta["observers"]["metrics"].__setitem__(name, value)


def entry(name: str, place: Any, value: float) -> Change:
    return lambda meta, arrays: arrays[name].__setitem__(place, value)


CHANGES: list[tuple[Change, str]] = [
    (without("absolute"), "ledger ["),
    (without("last_target"), "ledger ["),
    (ledger("absolute", -1.0), "absolute -1.0 where a number >= 0"),
    (ledger("squared", "1"), "squared '1' where a number >= 0"),
    (ledger("last_target", math.nan), "last_target nan where a target was expected"),
    (ledger("last_target", 1e16), "last_target 1e+16 where a target was expected"),
    (ledger("baselines", {}), "baselines"),
    (entry("ledger sums", ROWS, 41.0), "sums of 41 examples in a run of 40"),
    (entry("ledger sums", INSIDE, 0.5), "sums with counts outside their range"),
    (entry("ledger sums", 9, math.inf), "sums of shape"),
    (entry("ledger curve", (0, 0), 2.0), "a curve whose points are not at multiples of its stride"),
    (metrics("epsilon", 3.0), "wrong metrics ('epsilon 3.0 and slice None')"),
    (metrics("last", "x"), "wrong metrics (\"last 'x'\")"),
    (entry("metrics total", ROWS, 41.0), "wrong metrics"),
    (entry("metrics window", (0, 0), math.nan), "wrong metrics ('a window wit"),
]


@pytest.mark.parametrize("change, said", CHANGES, ids=[said for _, said in CHANGES])
def test_wrong_content_is_refused(change: Change, said: str, tmp_path: Path) -> None:
    dl.run(dl.PA1Regressor(), (X[:40], Y[:40]), checkpoint=dl.Checkpoint(tmp_path, 10))
    path = tmp_path / "checkpoint.dl"
    meta, arrays = read(path, "checkpoint")
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(meta, arrays)
    write(path, "checkpoint", meta, arrays)
    with pytest.raises(ModelError) as error:
        dl.run(dl.PA1Regressor(), (X, Y), checkpoint=dl.Checkpoint(tmp_path, 10, resume=True))
    assert said in str(error.value) and "\n" not in str(error.value)

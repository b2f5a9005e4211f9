"""Parameter mixing on Ray is that of one process, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import scale

pytestmark = pytest.mark.usefixtures("two_workers")


def assert_same(learner: dl.Learner, data: Any, **options: Any) -> None:
    ours, theirs = (
        scale.mix(learner, data, assume="stationary", engine=engine, **options)  # type: ignore[arg-type]
        for engine in ("ray", "local")
    )
    assert ours.learner.to_bytes() == theirs.learner.to_bytes()
    assert (ours.examples, ours.errors, ours.skipped) == (theirs.examples, theirs.errors, theirs.skipped)


def test_arrays() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = (X[:, 0] + 0.3 * rng.normal(size=20_000) > 0.0).astype(int)
    assert_same(dl.PA1(), (X, y), rows=1000)
    assert_same(dl.PA1Regressor(), (X, X[:, 0]), rows=1000, shards=3, rounds=2)


def test_dicts_with_weights() -> None:
    rows = [{"price": float(k % 5), "day": "mon" if k % 2 else "tue"} for k in range(100)]
    block = rows, ["b" if k % 3 else "a" for k in range(100)], np.linspace(0.5, 1.0, 100)
    assert_same(dl.NORMA(p=3.0), [block, block, block], shards=2)


def test_files(tmp_path: Path) -> None:
    for k in range(3):
        rows = [f"{n % 5},{'x' if n % 2 else 'y'},{'no' if n % 2 else 'yes'}" for n in range(k, k + 200)]
        (tmp_path / f"day-{k}.csv").write_text("\n".join(["number,code,label", *rows]) + "\n")
    assert_same(dl.PA1(), tmp_path / "day-*.csv", target="label")
    (tmp_path / "day-2.csv").write_text("number,code,label\n1,x,yes\noften,y,no\n")
    assert_same(dl.PA1(), tmp_path / "day-*.csv", target="label", on_error="skip")
    said = []
    for engine in ("ray", "local"):
        with pytest.raises(ValueError) as caught:
            scale.mix(dl.PA1(), tmp_path / "day-*.csv", assume="stationary", engine=engine, target="label")  # type: ignore[arg-type]
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "day-2.csv, line 3" in said[0]

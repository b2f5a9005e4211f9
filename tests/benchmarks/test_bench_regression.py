"""`make bench-error ONLY=regression`: streams are standardised, and the table has every regressor."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import driftline as dl
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
from regression import __main__ as command  # noqa: E402
from regression import streams  # noqa: E402


def test_features_are_standardised_by_the_rows_so_far() -> None:
    rng = np.random.default_rng(0)
    X, y = 1e6 + rng.normal(size=(60, 3)), 5.0 + rng.normal(size=60)
    found = streams._stream("s", X, y)
    for row in (1, 2, 59):
        part = X[: row + 1]
        assert found.X[row] == pytest.approx((X[row] - part.mean(0)) / part.std(0), abs=1e-6)
    assert not found.X[0].any()
    assert (found.y.mean(), found.y.std()) == pytest.approx((0.0, 1.0), abs=1e-12)


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    monkeypatch.setattr(command, "ours", lambda: {"driftline PA1Regressor": dl.PA1Regressor})
    monkeypatch.setattr(streams, "every", lambda folder, absent: [streams.friedman(300), streams.plane(300)])
    file = tmp_path / "regression.json"
    assert command.main(["--no-peers", "--only", "plane", "--json", str(file)]) == 0
    assert "driftline PA1Regressor" in capsys.readouterr().out
    stream = streams.plane(300)
    errors = {one["learner"]: one["mae"] for one in json.loads(file.read_text())["errors"]}
    assert errors["last target"] == pytest.approx(np.abs(np.diff(stream.y, prepend=0.0)).mean())
    run = dl.run(dl.PA1Regressor(), (stream.X, stream.y))
    assert errors["driftline PA1Regressor"] == pytest.approx(run.mae)


def test_every_single_regressor_takes_part() -> None:
    names = {name.removeprefix("driftline ") for name in command.ours()}
    assert {"PA1Regressor", "NORMARegressor", "RecursiveLeastSquares", "AROWRegressor"} <= names
    assert not {"PA1", "AggregatingExperts", "Bank"} & names

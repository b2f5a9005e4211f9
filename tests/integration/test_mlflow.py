"""The example of MLflow logs a model and its metrics in a folder, and predicts with the logged model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import main
from tests.support.paths import ROOT

pytest.importorskip("mlflow")
EXAMPLE = ROOT / "docs" / "examples" / "mlflow_model.py"


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["data", "payments", "payments.csv"]) == 0
    store = tmp_path / "runs"
    known = {"MLFLOW_TRACKING_URI": store.as_uri(), "MLFLOW_ALLOW_FILE_STORE": "true"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "payments.csv", "fraud"],
        env={**os.environ, **known}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["label", "probability_no", "probability_yes"] and len(rows) == 5
    [logged] = store.rglob("model.dl")
    run = dl.run(dl.AROW(), dl.streams.read("payments.csv", target="fraud"), progress=False)
    assert logged.read_bytes() == run.learner.to_bytes()
    errors = {float(file.read_text().split()[1]) for file in store.rglob("metrics/error")}
    assert errors == {run.error}
    assert not list(store.rglob("*.pkl"))

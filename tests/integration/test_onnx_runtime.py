"""A runtime of ONNX gives the labels and scores of the learner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl

runtime = pytest.importorskip("onnxruntime")


@pytest.mark.parametrize("scale", [None, "unit", "standard"])
@pytest.mark.parametrize("labels", [("ham", "spam"), (0, 1), (False, True), ("a", "b", "c")])
def test_the_runtime_agrees(scale: Any, labels: tuple[Any, ...], tmp_path: Path) -> None:
    make = dl.OneVsRest if len(labels) > 2 else dl.AROW
    learner = make(scale=scale, labels=labels)
    X = np.random.default_rng(1).normal(size=(120, 5)) + 0.5
    learner.learn_many(X, [labels[k] for k in np.digitize(X[:, 0], np.linspace(0.0, 1.0, len(labels) - 1))])
    dl.export.to_onnx(learner, tmp_path / "m.onnx")
    session = runtime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    found, scores = session.run(["label", "scores"], {"x": X})
    assert np.allclose(scores, learner.scores_many(X), rtol=1e-12, atol=1e-12)
    assert list(found) == learner.predict_many(X).tolist()


@pytest.mark.parametrize("scale", [None, "unit", "standard"])
def test_a_regressor(scale: Any, tmp_path: Path) -> None:
    learner = dl.AROWRegressor(scale=scale)
    X = np.random.default_rng(2).normal(size=(80, 3))
    learner.learn_many(X, X @ np.array([1.0, -2.0, 0.5]) + 1.0)
    dl.export.to_onnx(learner, tmp_path / "m.onnx")
    session = runtime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    [found] = session.run(["prediction"], {"x": X})
    assert np.allclose(found, learner.predict_many(X), rtol=1e-12, atol=1e-12)

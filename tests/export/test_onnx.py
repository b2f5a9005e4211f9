"""ONNX graphs of linear learners give the labels and scores of the learners."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main

onnx = pytest.importorskip("onnx")

SCALES = (None, "unit", "standard")
LABELS = {
    "strings": ("ham", "spam"),
    "ints": (-1, 1),
    "bools": (False, True),
    "floats": (0.5, 1),
}


def played(path: Path, X: np.ndarray) -> dict[str, Any]:
    """The outputs of a graph by name, computed by the reference implementation of ONNX."""
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    names = [output.name for output in model.graph.output]
    return dict(zip(names, ReferenceEvaluator(model).run(None, {"x": X}), strict=True))


def metadata(path: Path) -> dict[str, Any]:
    return {one.key: json.loads(one.value) for one in onnx.load(path).metadata_props}


def rows(seed: int, size: int) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(size, 4)) * np.array([1.0, 30.0, 0.01, 1.0]) + 0.5
    X[:, 3] = 1.0  # a feature that does not vary
    X[0] = 0.0
    return X


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("scale", SCALES)
def test_two_labels(kind: str, scale: Any, tmp_path: Path) -> None:
    negative, positive = LABELS[kind]
    learner = dl.AROW(scale=scale, labels=(negative, positive))
    X = rows(1, 60)
    learner.learn_many(X, [positive if x[0] > 0.5 else negative for x in X])
    dl.export.to_onnx(learner, tmp_path / "m.onnx")
    new = rows(2, 20)
    found = played(tmp_path / "m.onnx", new)
    assert np.allclose(found["scores"], learner.scores_many(new), rtol=1e-12, atol=1e-12)
    assert found["label"].tolist() == learner.predict_many(new).tolist()
    assert metadata(tmp_path / "m.onnx")["features"] == [0, 1, 2, 3]


@pytest.mark.parametrize("make", [dl.OneVsRest, dl.MulticlassPA, dl.MulticlassL1PA])
@pytest.mark.parametrize("scale", SCALES)
def test_several_labels(make: Callable[..., dl.Learner], scale: Any, tmp_path: Path) -> None:
    learner = make(scale=scale)
    X = rows(3, 80)
    learner.learn_many(X, np.array(["a", "b", "c"])[np.digitize(X[:, 0], [0.0, 1.0])])
    dl.export.to_onnx(learner, tmp_path / "m.onnx")
    new = rows(4, 30)
    found = played(tmp_path / "m.onnx", new)
    assert np.allclose(found["scores"], learner.scores_many(new), rtol=1e-12, atol=1e-12)
    assert found["label"].tolist() == learner.predict_many(new).tolist()
    assert metadata(tmp_path / "m.onnx")["labels"] == list(learner.labels)


def test_a_score_of_zero_and_a_tie(tmp_path: Path) -> None:
    for learner, label in ((dl.PA1(labels=("n", "p")), "p"), (dl.OneVsRest(labels=("n", "p")), "n")):
        learner.learn_one({"x": 1.0}, "p", w=0.0)
        dl.export.to_onnx(learner, tmp_path / "m.onnx")
        assert played(tmp_path / "m.onnx", np.zeros((1, 1)))["label"].tolist() == [label]
        assert learner.predict_one({}) == label


@pytest.mark.parametrize("scale", SCALES)
def test_named_features_and_a_regressor(scale: Any, tmp_path: Path) -> None:
    learner = dl.AROWRegressor(scale=scale)
    X = rows(5, 40)
    dicts = [{name: value for name, value in zip("abcd", x, strict=True) if value} for x in X.tolist()]
    learner.learn_many(dicts, X @ np.array([1.0, 0.5, -3.0, 2.0]))
    dl.export.to_onnx(learner, tmp_path / "m.onnx")
    facts = metadata(tmp_path / "m.onnx")
    assert sorted(facts["features"]) == ["a", "b", "c", "d"] and facts["task"] == "regression"
    new = np.array([[x.get(name, 0.0) for name in facts["features"]] for x in dicts])
    found = played(tmp_path / "m.onnx", new)
    assert list(found) == ["prediction"]
    assert np.allclose(found["prediction"], learner.predict_many(dicts), rtol=1e-12, atol=1e-12)


def test_long_rows_do_not_overflow(tmp_path: Path) -> None:
    learner = dl.PA1(scale="unit", labels=(0, 1))
    learner.learn_many(np.array([[3e200, -4e200], [1e-200, 2e-200]]), [1, 0])
    dl.export.to_onnx(learner, tmp_path / "m.onnx")
    new = np.array([[1e300, 1e300], [1e-300, 0.0]])
    assert np.allclose(played(tmp_path / "m.onnx", new)["scores"], learner.scores_many(new), rtol=1e-12)


def _hashed() -> dl.Learner:
    learner = dl.PA1(labels=(0, 1), hashing=dl.Hashing(bits=4))
    learner.learn_one({"a": 1.0}, 1)
    return learner


def _mixed() -> dl.Learner:
    learner = dl.PA1(labels=("no", 1))
    learner.learn_one({"a": 1.0}, 1)
    return learner


REFUSED: dict[str, tuple[Callable[[], dl.Learner], str]] = {
    "hashes": (_hashed, "features must be names or columns, got 16 hashes"),
    "no feature": (lambda: dl.PA1(labels=(0, 1)), "must know a feature or more, got none"),
    "mixed labels": (_mixed, "labels must be all strings, all bools or all numbers"),
    "trees": (dl.Tracker, "must be linear, got Tracker"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    make, message = REFUSED[case]
    with pytest.raises(ValueError, match=f"to_onnx: .*{message}"):
        dl.export.to_onnx(make(), tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'ONNX files need onnx: pip install "driftline\[onnx\]"'):
        dl.export.to_onnx(dl.PA1(labels=(0, 1)), tmp_path / "m.onnx")


def test_the_command(tmp_path: Path) -> None:
    learner = dl.PA1(labels=("no", "yes"))
    learner.learn_one({"size": 2.0}, "yes")
    learner.save(tmp_path / "model.dl")
    assert main(["export", str(tmp_path / "model.dl"), "--to", str(tmp_path / "m.onnx")]) == 0
    assert played(tmp_path / "m.onnx", np.array([[1.0]]))["scores"][0, 1] == pytest.approx(
        learner.score_one({"size": 1})
    )

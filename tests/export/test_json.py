"""Exported weights: a program that does not know driftline computes the same scores from them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.cli.main import main
from tests.export.exported_cases import OPTIONS, cases, is_linear, trained
from tests.support.paths import ROOT

PROGRAM = ROOT / "docs" / "examples" / "exported_weights.py"


def _program() -> dict[str, Callable[..., Any]]:
    found: dict[str, Any] = {"__name__": "exported_weights"}
    exec(compile(PROGRAM.read_text(), PROGRAM, "exec"), found)
    return found


SCORES, PREDICTED = _program()["scores"], _program()["predicted"]
LINEAR = [case for case in cases() if is_linear(case)]


def written(learner: dl.Learner, folder: Path, **options: Any) -> dict[str, Any]:
    """The content of the JSON file."""
    path = folder / "weights.json"
    dl.export.to_json(learner, path, **options)
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def check(learner: dl.Learner, model: dict[str, Any], new: list[Any], close: float = 1e-12) -> None:
    """Compare the scores and labels of the program with those of the learner."""
    for x in new:
        plain = x if isinstance(x, dict) else x.tolist()
        if learner.rule.regresses:
            expected = [learner.score_one(x)]
        elif learner.rule.several:
            expected = list(learner.scores_one(x).values())
        else:
            expected = [learner.score_one(x)]
        found = SCORES(model, plain)
        size = max(1.0, *map(abs, expected))
        assert np.allclose(found, expected, rtol=0.0, atol=close * size)
        if min(map(abs, found)) > 1e-9 and (len(found) < 2 or np.ptp(np.sort(found)[-2:]) > 1e-9):
            label = learner.predict_one(x)
            assert PREDICTED(model, plain) == (pytest.approx(label) if learner.rule.regresses else label)


@pytest.mark.parametrize("case", LINEAR, ids=str)
@pytest.mark.parametrize("form", ["columns", "names"])
def test_a_program_computes_the_same_scores(case: Any, form: str, tmp_path: Path) -> None:
    for options in OPTIONS:
        learner, new = trained(case, form, **options)
        model = written(learner, tmp_path)
        assert model["input"] == form and model["learner"] == learner.kind
        check(learner, model, new)


@pytest.mark.parametrize("case", [case for case in cases() if not is_linear(case)], ids=str)
def test_other_learners_are_refused(case: Any, tmp_path: Path) -> None:
    learner, _ = trained(case, "columns")
    path = tmp_path / "weights.json"
    with pytest.raises(ValueError, match=r"to_json: the learner must be linear, got .* Save it with save"):
        dl.export.to_json(learner, path)
    assert not path.exists()


@pytest.mark.parametrize("scale", [None, "unit", "standard"])
@pytest.mark.parametrize("bits", [2, 12])
def test_hashed_features(scale: Any, bits: int, tmp_path: Path) -> None:
    learner = dl.AROW(diagonal=True, hashing=dl.Hashing(bits=bits, keep_names=bits > 2), scale=scale)
    rng = np.random.default_rng(5)
    rows = [{"size": float(rng.normal()), "kind": str(rng.choice(["é", "b", "c"])), 7: 1.5} for _ in range(60)]
    for x in rows[:40]:
        learner.learn_one(x, "up" if x["size"] > 0.0 else "down")
    model = written(learner, tmp_path)
    assert model["input"] == "hashes" and model["hash_bits"] == bits
    check(learner, model, [*rows[40:], {"never": 2.0, "size": 1.0}])


def test_strings_missing_values_and_labels_of_any_kind(tmp_path: Path) -> None:
    learner = dl.OneVsRest("pa1", labels=(1, "one", 2.5))
    for x, y in [({"colour": "red", "size": None}, 1), ({"colour": "blue", "size": 2.0}, "one"), ({3: 1.0}, 2.5)] * 3:
        learner.learn_one(x, y)
    model = written(learner, tmp_path)
    assert model["labels"] == [1, "one", 2.5] and "colour=red" in model["features"] and 3 in model["features"]
    check(learner, model, [{"colour": "blue", "size": 1.0}, {"colour": "green", "size": None}, {3: -1.0}])


def test_float32_weights_are_exact(tmp_path: Path) -> None:
    learner = dl.PA1(dtype="float32")
    learner.learn_many(np.array([[0.1, 0.7], [0.3, -0.2]]), [1, 0])
    model = written(learner, tmp_path)
    weights = learner.weights()
    assert model["outputs"][0]["weights"] == [weights[0], weights[1]]
    check(learner, model, [np.array([0.25, -1.0])], close=1e-6)


def test_sparse_rows_of_columns_are_not_centred(tmp_path: Path) -> None:
    learner = dl.PA1(scale="standard", labels=(0, 1))
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3)) + 1.0
    learner.learn_many(csr_matrix(X), (X[:, 0] > 1.0).astype(int))
    model = written(learner, tmp_path, sparse=True)
    assert not model["scale"]["centred"] and written(learner, tmp_path)["scale"]["centred"]
    new = rng.normal(size=(5, 3))
    assert np.allclose([SCORES(model, x.tolist())[0] for x in new], learner.score_many(csr_matrix(new)), atol=1e-12)


def test_the_recipe_of_files_is_written(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("size,colour,sold\n1,red,yes\n2,blue,no\n3,red,yes\n")
    learner = dl.run(dl.PA1(), dl.streams.read(str(table), target="sold"), progress=False).learner
    assert written(learner, tmp_path)["recipe"]["kinds"] == {"size": "number", "colour": "category", "sold": "category"}


REFUSED: dict[str, tuple[Callable[[], dl.Learner], str]] = {
    "one label": (dl.PA1, "must know two labels or more, got 0"),
    "random features": (
        lambda: dl.PA1(scale=dl.RandomFourier(8), labels=(0, 1)),
        "scale must be None, 'unit' or 'standard'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        dl.export.to_dict(make())


def test_a_failed_export_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text("before")
    with pytest.raises(ValueError, match="must be linear, got Tracker"):
        dl.export.to_json(dl.Tracker(), path)
    assert path.read_text() == "before"


def test_an_untrained_learner_scores_zero(tmp_path: Path) -> None:
    model = written(dl.PA1(labels=("a", "b")), tmp_path)
    assert SCORES(model, {"x": 1.0}) == [0.0] and PREDICTED(model, {"x": 1.0}) == "b"


def test_the_program_and_the_command_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learner = dl.PA1(labels=("ham", "spam"))
    rows = [{"free": 1.0, "n": 2}, {"free": 0.0, "n": 1}, {"n": 3}]
    for x in rows:
        learner.learn_one(x, "spam" if x.get("free") else "ham")
    learner.save(tmp_path / "model.dl")
    assert main(["export", str(tmp_path / "model.dl"), "--to", str(tmp_path / "w.json")]) == 0
    assert "PA1, 2 features, 2 labels" in capsys.readouterr().out
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(x) + "\n" for x in rows))
    command = [sys.executable, str(PROGRAM), str(tmp_path / "w.json"), str(tmp_path / "new.jsonl")]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    for x, line in zip(rows, lines, strict=True):
        label, score = line.split()
        assert label == learner.predict_one(x) and math.isclose(float(score), learner.score_one(x), abs_tol=1e-12)


def test_the_command_refuses_other_endings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dl.PA1(labels=(0, 1)).save(tmp_path / "model.dl")
    assert main(["export", str(tmp_path / "model.dl"), "--to", "w.xml"]) == 2
    assert "--to must end in .json or .onnx, got 'w.xml'" in capsys.readouterr().err

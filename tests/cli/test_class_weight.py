"""``--class-weight``: weights of labels, or balanced ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.streams import read


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows = [f"{a:.3f},{b:.3f},{'fraud' if a + b > 2.0 else 'ok'}" for a, b in rng.normal(size=(300, 2))]
    Path("a.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    Path("n.svm").write_text("\n".join(f"{k % 3 - 1 or 1} 1:{k % 7}" for k in range(50)) + "\n")


@pytest.mark.parametrize(
    ("text", "given"), [("fraud=50,ok=1", {"fraud": 50.0, "ok": 1.0}), ("fraud=0.5", {"fraud": 0.5}), ("balanced",) * 2]
)
def test_the_learner_is_that_of_python(text: str, given: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.csv", "--target", "y", "--learner", "pa1", "--class-weight", text, "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    expected = dl.run(dl.PA1(class_weight=given), read("a.csv", target="y"))  # type: ignore[arg-type]
    assert run["hinge"] == expected.hinge and run["parameters"]["class_weight"] == given
    assert run["hinge"] != dl.run(dl.PA1(), read("a.csv", target="y")).hinge


def test_labels_are_numbers_if_all_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "n.svm", "--learner", "pa1", "--class-weight", "-1=3,1=0.5", "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["hinge"] == dl.run(dl.PA1(class_weight={-1: 3.0, 1: 0.5}), read("n.svm")).hinge


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fraud", "--class-weight must be balanced or LABEL=WEIGHT,LABEL=WEIGHT, got 'fraud'. Example: fraud=50,ok=1"),
        ("=5", "--class-weight must be balanced or LABEL=WEIGHT"),
        ("fraud=many", "--class-weight must be balanced or LABEL=WEIGHT"),
        ("fraud=5,fraud=6", "--class-weight must give each label one weight, got 'fraud=5,fraud=6'. Leave one out"),
        ("fraud=-5", "PA1: class_weight of 'fraud' must be >= 0"),
        ("fraud=nan", "PA1: class_weight of 'fraud' must be a number, got nan"),
    ],
)
def test_wrong_weights(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.csv", "--target", "y", "--learner", "pa1", "--class-weight", text]) == 2
    assert capsys.readouterr().err.startswith(f"driftline: {message}")


def test_a_weight_of_a_label_that_never_appeared_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.csv", "--target", "y", "--learner", "pa1", "--class-weight", "frud=50"]) == 0
    assert "note: class_weight has a weight of 'frud', a label that never appeared" in capsys.readouterr().err

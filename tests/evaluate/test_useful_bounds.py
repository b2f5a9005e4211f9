"""A bound that is not below the number of examples is not printed as a guarantee."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import bounds
from driftline.certify.tightest import Certified
from driftline.cli.main import main
from driftline.evaluate.certificate import Certificate


def noise(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels that no vector explains."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 4)), rng.choice([-1, 1], rows)


def vacuous() -> tuple[dl.Run, Certificate]:
    run = dl.run(dl.NORMA(1.0, 0.1), noise(60), certify=True)
    certificate = run.certificate()
    assert certificate.bounds and all(one.value >= 60 for one in certificate.bounds)
    return run, certificate


def test_a_vacuous_bound_is_not_printed() -> None:
    _, certificate = vacuous()
    assert certificate.useful == ()
    for text in (str(certificate), repr(certificate)):
        assert "at most" not in text
        assert (
            "no useful bound on mistakes: the conditions of norma-untuned hold, but no comparator gives a useful "
            "value, that is a value below the number of examples, 60" in text
        )


def test_a_theorem_for_every_comparator_holds_even_if_none_is_of_use() -> None:
    X = np.tile(np.eye(2), (3, 1))
    certificate = dl.run(dl.Perceptron(bias=False), (X, [1, 1, -1, -1, 1, 1]), certify=True).certificate()
    assert certificate.bounds == ()
    assert "no useful bound on updates: no comparator gives a useful value, that is a value below" in str(certificate)


def test_json_keeps_the_number() -> None:
    _, certificate = vacuous()
    facts = json.loads(json.dumps(certificate.to_dict()))
    assert [one["bound"] for one in facts["bounds"]] == [one.value for one in certificate.bounds]
    assert not any(one["useful"] for one in facts["bounds"])
    assert any("no useful bound" in one for one in facts["why"])


def test_the_report_shows_no_vacuous_bound(tmp_path: Path) -> None:
    run, _ = vacuous()
    text = Path(run.report(tmp_path / "r.html")).read_text()
    assert "No useful bound on mistakes" in text
    assert "Bounds that hold for this run" not in text and "Observed values and bounds" not in text


def test_only_the_useful_one_of_two_bounds_is_printed() -> None:
    small = bounds.PerceptronTightest(S=9.0, gamma=0.1, D=5.0)
    large = bounds.PNormMoving(S=9.0, gamma=0.1, D=5.0, V=9.0)
    over_time = np.array([60.0]), np.array([1.0])
    both = tuple(Certified(one, one is large, 1, 0.0, over_time) for one in (small, large))
    certificate = Certificate("Perceptron", 60, 20, 20, both, None, ())
    assert certificate.useful == both[:1]
    assert "perceptron-tightest" in str(certificate) and "pnorm-moving" not in str(certificate)
    assert [one["useful"] for one in certificate.to_dict()["bounds"]] == [True, False]
    equal = Certificate("Perceptron", 35, 20, 20, both, None, ())
    assert both[0].value == 35.0 and equal.useful == ()


def test_a_loss_may_be_bounded_although_the_mistakes_are_not() -> None:
    rng = np.random.default_rng(1)
    y = rng.choice([-1, 1], 60)
    advice = np.where(rng.random((60, 4)) < 0.45, -y[:, None], y[:, None]).astype(float)
    certificate = dl.run(dl.ExponentialWeights(), (advice, y), certify=True).certificate()
    [one] = certificate.useful
    assert one.mistakes is not None and one.value < 60 <= one.mistakes
    assert "hence" not in str(certificate) and certificate.implied_mistakes(one) is None


def test_a_risk_of_one_is_no_certificate() -> None:
    X, y = noise(6)
    certificate = dl.run(dl.Perceptron(), (X, y), certify=True).certificate(1e-12, "iid")
    assert certificate.risk is not None and not certificate.risk.useful
    assert "risk at most" not in str(certificate) and "no useful bound on the risk: " in str(certificate)
    assert certificate.to_dict()["risk"]["value"] == certificate.risk.value
    chosen = dl.select(dl.Perceptron(), (X, y), assume="iid", delta=1e-12)
    assert chosen.certificate is not None and "no useful bound on the risk" in repr(chosen)
    last = dl.select(dl.Perceptron(), (X, y), rule="last", assume="iid")
    assert repr(last).endswith("no risk is certified")
    X = np.random.default_rng(0).normal(size=(500, 3))
    good = dl.select(dl.Perceptron(), (X, X[:, 0] > 0), assume="iid")
    assert f"risk at most {good.certificate:.4f} with confidence 0.95" in repr(good)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["norma", "--X", "1", "--B", "1", "--mu", "0.1", "--T", "50"], "mistakes cannot exceed 50"),
        (["exponentialweights-known", "--n", "9", "--L", "55", "--T", "60"], "loss cannot exceed 60"),
        (["hoeffding-risk", "--k", "9", "--T", "20"], "risk cannot exceed 1"),
        (["average-risk", "--loss", "1.9", "--T", "20", "--scale", "2"], "risk cannot exceed 2"),
        (["kl-certificate", "--errors", "3", "--rest", "3", "--T", "9"], "risk cannot exceed 1"),
    ],
)
def test_the_command_says_that_a_value_is_vacuous(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bounds", *words]) == 0
    text = capsys.readouterr().out
    assert "value: no useful bound: the formula gives " in text and says in text
    assert main(["bounds", *words, "--json"]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert facts["useful"] is False and facts["value"] >= facts["largest"] * 0.9999


def test_margins_prints_no_vacuous_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = noise(60)
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(X.tolist(), y, strict=True)]
    path = tmp_path / "a.csv"
    path.write_text("a,b,c,d,y\n" + "\n".join(lines) + "\n")
    assert main(["margins", str(path), "--target", "y"]) == 0
    assert "no useful bound: no fixed u gives a value below the number of examples" in capsys.readouterr().out
    assert main(["margins", str(path), "--target", "y", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bound"][0] >= 60

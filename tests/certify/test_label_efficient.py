"""Certificates of label-efficient learners hold in expectation and say so."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import bounds, rules
from driftline.certify.refusal import NoTheoremError
from driftline.certify.rules.label_efficient import expected_labels
from driftline.certify.rules.second_order_perceptron import spreads
from driftline.certify.spaces.inner_rule import inside
from driftline.certify.tightest import FINDERS, certified
from driftline.cli.main import main
from driftline.rules.composed.label_efficient import chance

COINS = 200
MOTIONS = ("standing", "noisy")
ASKING: dict[str, dict[str, Any]] = {
    "constant, few labels": {"b": 0.1},
    "constant": {"b": 0.5},
    "constant, many labels": {"b": 5.0},
    "adaptive": {"b": 0.3, "variant": "adaptive"},
    "adaptive, many labels": {"b": 3.0, "variant": "adaptive"},
    "second": {"learner": "secondorderperceptron(a=0.5)", "b": 0.1, "variant": "second"},
    "second, many labels": {"learner": "secondorderperceptron(a=1)", "b": 1.0, "variant": "second"},
    "over a kernel": {"learner": dl.Kernelized("perceptron", "rbf(gamma=0.5)"), "b": 0.5},
}


@cache
def stream(motion: str, seed: int = 0, rounds: int = 120, n: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, MOTIONS.index(motion)])
    X = rng.normal(size=(rounds, n))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    kept = np.abs(X[:, 0]) > 0.1
    y = np.sign(X[:, 0]) * np.where(rng.random(rounds) < 0.1 * (motion == "noisy"), -1.0, 1.0)
    return X[kept], y[kept]


def offered(rule: Any, evidence: Any) -> list[bounds.Bound]:
    rule, evidence = inside(rule, evidence)
    return [bound for bound, _ in FINDERS[type(rule)](rule, evidence)]


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("name", ASKING)
def test_the_mean_over_coins_is_within_the_bound(name: str, motion: str) -> None:
    """The bound is the same for all coins, and holds for the mean of the mistakes; labels are as many as expected."""
    X, y = stream(motion)
    mistakes, asked, meant, values = [], [], [], set()
    for seed in range(COINS):
        run = dl.run(dl.LabelEfficient(**ASKING[name], seed=seed), (X, y), certify=True)
        mistakes.append(run.mistakes)
        asked.append(run.asked)
        expected = expected_labels(run.learner.rule, run.evidence)  # type: ignore[arg-type]
        assert expected is not None
        meant.append(expected)
        if seed < 3:
            certificate = run.certificate()
            assert certificate.labels == (run.asked, expected)
            values.update(round(one.value, 6) for one in certificate.bounds)
            every = offered(run.learner.rule, run.evidence)
    assert min(asked) < max(asked)
    if name.startswith(("constant", "adaptive", "second")):  # over a kernel the landmarks differ
        assert len(values) == 1
    spread = np.std(mistakes) / math.sqrt(COINS)
    assert all(np.mean(mistakes) + 4.0 * spread <= one.value for one in every)
    surprise = np.array(asked) - np.array(meant)  # sums of differences of a martingale
    assert abs(surprise.mean()) <= 4.0 * surprise.std() / math.sqrt(COINS) + 1e-9
    assert surprise.std() > 0.0


def test_a_bound_that_is_too_small_is_exceeded() -> None:
    """Orthogonal rows: every round is a mistake, whatever the coins; the bound with every label is reached."""
    X, y = np.vstack([np.eye(50)] * 2), np.ones(100)
    mistakes = [dl.run(dl.LabelEfficient(b=1e6, seed=k, bias=False), (X, y)).mistakes for k in range(5)]
    run = dl.run(dl.LabelEfficient(b=1e6, bias=False), (X, y), certify=True)
    (found,) = run.certificate().bounds
    assert np.mean(mistakes) == 50.0
    assert 0.99 * found.value < 50.0 <= found.value


@pytest.mark.parametrize("name", ASKING)
def test_inputs_are_sums_over_all_rounds(name: str) -> None:
    X, y = stream("noisy", 3)
    run = dl.run(dl.LabelEfficient(**ASKING[name]), (X, y), certify=True)
    rule, evidence = inside(run.learner.rule, run.evidence)
    rows = evidence.dense()
    for bound, one in FINDERS[type(rule)](rule, evidence):
        assert isinstance(
            bound,
            bounds.LabelEfficientMistakes | bounds.LabelEfficientAdaptive | bounds.LabelEfficientSecondOrder,
        )
        (v,) = one.path.vectors
        u = v / np.linalg.norm(v)
        lost = np.maximum(0.0, 1.0 - y * (rows @ u) / bound.gamma).sum()
        np.testing.assert_allclose(bound.D, lost, rtol=1e-9, atol=1e-9)
        if isinstance(bound, bounds.LabelEfficientSecondOrder):
            sums = np.linalg.eigvalsh(rows.T @ rows)
            assert bound.logdet == pytest.approx(np.log1p(np.maximum(0.0, sums) / bound.a).sum(), rel=1e-9)
            assert bound.lambda_u == pytest.approx(np.sum((rows @ u) ** 2), rel=1e-9)
        else:
            np.testing.assert_allclose(bound.R, evidence.lengths().max(), rtol=1e-12)
        if isinstance(bound, bounds.LabelEfficientAdaptive):
            assert bound.first == pytest.approx(evidence.lengths()[0])


def test_zeros_before_the_first_example() -> None:
    """The running maximum at the first update is that of the first example that is not all zeros."""
    X, y = stream("standing", 4)
    X, y = np.vstack([np.zeros((3, 4)), 0.5 * X[:1], X]), np.append([1.0, 1.0, 1.0, y[0]], y)
    run = dl.run(dl.LabelEfficient(b=0.5, variant="adaptive", bias=False), (X, y), certify=True)
    for bound in offered(run.learner.rule, run.evidence):
        assert isinstance(bound, bounds.LabelEfficientAdaptive)
        assert bound.first == pytest.approx(np.linalg.norm(X[3]))
    assert expected_labels(run.learner.rule, run.evidence) is not None  # type: ignore[arg-type]
    nothing = dl.run(dl.LabelEfficient(bias=False), (np.zeros((5, 2)), np.ones(5)), certify=True)
    assert nothing.certificate().bounds == ()


def test_with_every_label_it_is_the_rule_inside() -> None:
    X, y = stream("noisy", 5)
    for inner in ("perceptron", "norma(alpha=0.1, lam=0.01, rho=0)", "secondorderperceptron"):
        asking = dl.run(dl.LabelEfficient(inner, b=math.inf), (X, y), certify=True)
        rule = asking.learner.rule.learner  # type: ignore[attr-defined]
        plain = dl.run(dl.Learner(rule), (X, y), certify=True)
        assert asking.mistakes == plain.mistakes
        certificate = asking.certificate()
        assert certificate.labels == (len(y), len(y))
        assert [one.bound for one in certificate.bounds] == [one.bound for one in plain.certificate().bounds]
        assert certificate.bounds and not certificate.bounds[0].expected
        assert not any("the bound is on expected mistakes" in one for one in certificate.why)


def test_refusals() -> None:
    X, y = stream("standing", 6)
    for asking, why in (
        ({"learner": "pa"}, "the theorem of variant='constant' needs Perceptron as learner, got PA"),
        ({"learner": "norma", "variant": "adaptive"}, "needs Perceptron as learner, got NORMA"),
        ({"learner": "secondorderperceptron"}, "needs Perceptron as learner, got SecondOrderPerceptron"),
        ({"learner": dl.Kernelized("pa1", "rbf")}, "needs Perceptron as learner, got PA1"),
        ({"learner": dl.Kernelized("perceptron", "rbf", budget=2)}, "once support vectors are removed"),
        (
            {"learner": dl.Kernelized("perceptron", "rbf", budget=2, evict="forgetron")},
            "no theorem of the catalogue covers selective sampling with a budget",
        ),
    ):
        certificate = dl.run(dl.LabelEfficient(**asking), (X, y), certify=True).certificate()  # type: ignore[arg-type]
        assert certificate.bounds == ()
        assert any(why in one for one in certificate.why), certificate.why
    diagonal = dl.LabelEfficient("secondorderperceptron(diagonal=True)", variant="second")
    run = dl.run(diagonal, (X, y), certify=True)
    with pytest.raises(NoTheoremError, match="full matrix, not its diagonal"):
        certified(diagonal.rule, run.evidence)
    assert run.certificate().labels == (run.asked, None)


@pytest.mark.parametrize("name", ASKING)
def test_expected_labels_are_the_sum_of_the_chances(name: str) -> None:
    """Round by round, as the rule has it."""
    X, y = stream("noisy", 9)
    X = X * np.linspace(0.5, 1.0, len(y))[:, None]
    run = dl.run(dl.LabelEfficient(**ASKING[name]), (X, y), certify=True)
    rule, rows, fired = run.learner.rule, run.evidence.dense(), run.evidence.updated
    assert isinstance(rule, rules.LabelEfficient)
    total = 0.0
    for t in range(len(y)):
        seen = rows[:t][fired[:t]]
        q = 0.0
        if rule.variant == "second":
            assert isinstance(rule.learner, rules.SecondOrderPerceptron)
            A = rule.learner.a * np.eye(rows.shape[1]) + seen.T @ seen
            q = float(rows[t] @ np.linalg.solve(A, rows[t]))
        longest = float((rows[: t + 1] ** 2).sum(axis=1).max())
        variant = ("constant", "adaptive", "second").index(rule.variant)
        total += chance(variant, rule.b, float(run.evidence.margins[t]), q, longest, float(len(seen)))
    assert expected_labels(rule, run.evidence) == pytest.approx(total, rel=1e-9)


def test_spreads_are_those_of_the_learner() -> None:
    X, y = stream("noisy", 7)
    run = dl.run(dl.LabelEfficient(**ASKING["second"]), (X, y), certify=True)
    rows, fired = run.evidence.dense(), run.evidence.updated
    q = spreads(run.evidence, fired, 0.5)
    for t in range(0, len(y), 9):
        seen = rows[:t][fired[:t]]
        A = 0.5 * np.eye(rows.shape[1]) + seen.T @ seen
        assert q[t] == pytest.approx(rows[t] @ np.linalg.solve(A, rows[t]), rel=1e-9)


def test_it_is_shown_as_an_expectation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = stream("standing", 8)
    run = dl.run(dl.LabelEfficient(b=0.5), (X, y), certify=True)
    certificate = run.certificate()
    text = str(certificate)
    assert f"expected mistakes (this run made {run.mistakes})" in text
    assert "of it observed" not in text
    assert f"{run.asked} labels asked for, " in text and " expected" in text
    assert "the bound is on expected mistakes" in text
    facts = json.loads(json.dumps(certificate.to_dict()))
    assert facts["bounds"][0]["ratio"] is None
    assert facts["labels"]["asked"] == run.asked
    rounds, values = certificate.bounds[0].over_time
    assert values[-1] == pytest.approx(certificate.bounds[0].value)
    assert (np.diff(values) >= -1e-9).all() and len(rounds) == len(values)
    monkeypatch.chdir(tmp_path)
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(X.tolist(), y, strict=True)]
    Path("a.csv").write_text("a,b,c,d,y\n" + "\n".join(lines) + "\n")
    start = ["run", "a.csv", "--target", "y", "--learner", "labelefficient", "--certify"]
    assert main([*start, "--report", "r.html"]) == 0
    assert "labels asked for" in capsys.readouterr().out
    report = Path("r.html").read_text()
    assert "bound, in expectation" in report and "<td>in expectation</td>" in report.replace(' class="number"', "")
    assert "the probabilities of asking sum to" in report

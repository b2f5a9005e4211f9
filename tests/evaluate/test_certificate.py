"""Certificates of runs, tuning by theorem, and the commands that show them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import bounds
from driftline.certify.quantities import quantities
from driftline.cli.main import main

T, N = 1500, 6


def turning(seed: int, turn: float = 0.002, margin: float = 0.1) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Unit rows with labels of a unit target that turns a little every round, at a margin; its D1 and D2."""
    rng = np.random.default_rng(seed)
    angles = turn * np.arange(T)
    U = np.zeros((T, N))
    U[:, 0], U[:, 1] = np.cos(angles), np.sin(angles)
    y = rng.choice([-1.0, 1.0], T)
    across = rng.normal(size=(T, N))
    across -= np.sum(across * U, axis=1, keepdims=True) * U
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    height = rng.uniform(margin, 0.5, (T, 1))
    X = y[:, None] * height * U + np.sqrt(1.0 - height**2) * across
    steps = np.linalg.norm(np.diff(U, axis=0), axis=1)
    return X, y, float(steps.sum()), float(np.sum(steps**2))


@pytest.mark.parametrize(
    "learner",
    [
        dl.Perceptron(),
        dl.Perceptron(scale="unit", bias=False),
        dl.Perceptron(scale="standard"),
        dl.PNormPerceptron(4.0),
        dl.NORMA(0.3, 0.01, 0.0),
        dl.ALMA(0.3, 3.0, 0.1),
        dl.ProjectionPerceptron(0.05),
        dl.L2PA(50.0, bias=False),
        dl.L1PA(500.0, bias=False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", range(2))
def test_no_run_exceeds_its_certificate(learner: dl.Learner, seed: int) -> None:
    X, y, *_ = turning(seed)
    fresh = copy.deepcopy(learner)
    run = dl.run(fresh, (X, y), certify=True, rows=97)
    certificate = run.certificate()
    assert (certificate.examples, certificate.mistakes, certificate.updates) == (T, run.mistakes, run.updates)
    assert certificate.bounds, certificate
    for one in certificate.bounds:
        assert certificate.observed(one) <= one.value
    facts = json.loads(json.dumps(certificate.to_dict()))
    assert facts["bounds"][0]["bound"] == certificate.bounds[0].value
    assert certificate.best is not None
    shown = f"{certificate.best.value:,.1f}" if certificate.useful else "no comparator gives a useful value"
    assert shown in str(certificate)
    assert certificate.risk is None and "assume='iid'" in str(certificate)
    for one in certificate.bounds:
        rounds, values = one.over_time
        struck = run.evidence.margins <= 0.0
        assert (np.cumsum(struck)[rounds.astype(int) - 1] <= values + 1e-9).all()
        assert values[-1] == pytest.approx(one.value)


def test_the_evidence_is_what_the_engine_saw() -> None:
    X, y, *_ = turning(3)
    for scale in (None, "unit", "standard"):
        run = dl.run(dl.Perceptron(scale=scale), (X, y), certify=True, rows=64)
        evidence = run.evidence
        twin, w, right = dl.Perceptron(scale=scale), np.zeros(evidence.width), 0
        scores = twin.learn_many(X, y)
        for t in range(T):
            row = slice(int(evidence.indptr[t]), int(evidence.indptr[t + 1]))
            x = np.zeros(evidence.width)
            x[evidence.indices[row]] = evidence.values[row]
            right += abs(w @ x - scores[t]) < 1e-9
            if y[t] * scores[t] <= 0.0:
                w += y[t] * x
        assert right == T
        assert evidence.updated.sum() == run.updates


def test_what_is_not_certified_is_told_why() -> None:
    X, y, *_ = turning(1)
    used = dl.Perceptron()
    used.learn_many(X[:10], y[:10])
    cases: list[tuple[Any, str]] = [
        (dl.run(dl.Perceptron(), (X[:0], y[:0]), certify=True), "nothing is certified: the run had no examples"),
        (dl.run(used, (X, y), certify=True), "nothing is certified: the theorems need a new learner"),
        (dl.run(dl.Perceptron(), [(X, y, 2.0 * np.ones(T))], certify=True), "sample weights other than 1"),
        (dl.run(dl.PA2(), (X, y), certify=True), "no theorem of the catalogue covers steps that are softened by C"),
        (dl.run(dl.PA(), (X, -y * np.where(np.arange(T) % 2, 1, -1)), certify=True), "no comparator was found"),
    ]
    for run, why in cases:
        certificate = run.certificate()
        assert certificate.bounds == () and certificate.best is None
        assert any(why in one for one in certificate.why), certificate.why
    run = dl.run(dl.Perceptron(), (X, y))
    with pytest.raises(ValueError, match=r"^Perceptron: the run must have certify=True for a certificate, got "):
        run.certificate()
    for delta in (0.0, 1.0, "x"):
        with pytest.raises(ValueError, match=r"^certificate: delta must be "):
            dl.run(dl.Perceptron(), (X, y), certify=True).certificate(delta)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^certificate: assume must be None or 'iid', got 'drift'$"):
        dl.run(dl.Perceptron(), (X, y), certify=True).certificate(assume="drift")  # type: ignore[arg-type]


def test_the_risk_of_independent_examples() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, N))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=2000) > 0.2, 1, -1)
    for learner in (dl.Perceptron(), dl.PA1(0.1, scale="unit")):
        twin = copy.deepcopy(learner)
        certificate = dl.run(learner, (X, y), certify=True).certificate(0.1, "iid")
        chosen = dl.select(twin, (X, y), assume="iid", delta=0.1)
        assert certificate.risk is not None and chosen.certificate is not None
        assert certificate.risk.value == pytest.approx(chosen.certificate, abs=0.01)
        assert "risk at most" in str(certificate)
    used = dl.Perceptron()
    used.learn_many(X, y)
    assert dl.run(used, (X, y), certify=True).certificate(assume="iid").risk is None
    run = dl.run(dl.Perceptron(), (X, y), certify=True)
    run.learner.learn_many(X, y)  # what is learned afterwards is no matter
    assert run.certificate().bounds
    standard = dl.run(dl.Perceptron(scale="standard"), (X, y), certify=True).certificate(assume="iid")
    assert standard.risk is None and any("without scale='standard'" in one for one in standard.why)


@pytest.mark.parametrize("seed", range(3))
def test_tuned_learners_keep_their_bounds(seed: int) -> None:
    X, y, D1, D2 = turning(seed)
    for learner, known, theorem in (
        (dl.NORMA(bias=False), {"D1": D1, "D2": D2, "T": T}, bounds.NORMAMistakes),
        (dl.ALMA(bias=False), {"D": D1}, bounds.ALMAMistakes),
    ):
        given = {"X": 1.0, "B": 1.0, "mu": 0.1, **known}
        tuned = learner.tune(**given)
        assert tuned.n_seen == 0 and tuned.options["bias"] is False
        assert {k: getattr(tuned.rule, k) for k in theorem(**given).tuning()} == theorem(**given).tuning()
        tuned.learn_many(X, y)
        assert 0 < tuned.mistakes <= theorem(**given).value
    projection = dl.ProjectionPerceptron(bias=False).tune(R=1.0, gamma=0.1, V=D1)
    projection.learn_many(X, y)
    assert 0 < projection.mistakes <= bounds.Projection(R=1.0, gamma=0.1, V=D1).value


def test_tuning_of_others() -> None:
    assert dl.Winnow().tune(n=1000, delta=0.5, U=3.0).rule.theta == pytest.approx(
        bounds.WinnowReal(n=1000, theta=1.0, delta=0.5, U=3.0).tuning()["theta"]
    )
    assert dl.BalancedWinnow().tune(n=9, X=2.0, gamma=0.5).rule.eta == 0.125
    share = dl.FixedShare().tune(n=10, L=3.0, k=2, T=101, eta=2.0).rule
    assert (share.alpha, share.eta) == (0.02, 2.0)
    assert dl.FixedShare(eta=0.7).tune(n=10, L=3.0, k=2, T=101).rule.eta == 0.7
    assert dl.ExponentialWeights().tune(n=10, L=3.0, T=100).rule.eta == pytest.approx((8 * np.log(10) / 100) ** 0.5)
    with pytest.raises(ValueError, match=r"^ExponentialWeights\.tune: the rule must have a theorem"):
        dl.ExponentialWeights(schedule="anytime").tune(n=10, L=3.0, T=100)
    with pytest.raises(
        ValueError, match=r"^PA1\.tune: the rule must have a theorem that prescribes its parameters, got none"
    ):
        dl.PA1().tune()
    with pytest.raises(
        ValueError, match=r"^ALMA\.tune: inputs X, B, mu of alma must be given .*, got X; missing: B, mu\. Example: "
    ):
        dl.ALMA().tune(X=1.0)
    with pytest.raises(ValueError, match=r"^ALMA\.tune: inputs .*, got Q; missing: X, B, mu; unknown: Q\. "):
        dl.ALMA().tune(Q=1.0)
    with pytest.raises(ValueError, match=r"^ALMAMistakes: mu must be > 0, got -1"):
        dl.ALMA().tune(X=1.0, B=1.0, mu=-1.0)


def test_quantities_of_separable_rows() -> None:
    X, y, *_ = turning(5, turn=0.0)
    found = quantities(dl.run(dl.Perceptron(bias=False), (X, y), certify=True).evidence)
    assert found["R"][0] == pytest.approx(1.0)
    assert 0.09 <= found["gamma"][0] <= 0.2
    assert found["X_inf"][0] == np.abs(X).max()
    assert found["logdet"][0] == pytest.approx(np.linalg.slogdet(np.eye(N + 1)[1:, 1:] + X.T @ X)[1])
    shuffled = np.random.default_rng(0).permutation(y)
    loose = quantities(dl.run(dl.Perceptron(bias=False), (X, shuffled), certify=True).evidence)
    gammas = np.geomspace(1e-3, 1e3, 50)
    assert all(loose["bound"][0] <= (1.0 / gamma) ** 2 + 2.0 * T for gamma in gammas[gammas > 1.0])
    assert found["features"][0] == N
    noisy = quantities(dl.run(dl.Perceptron(bias=False), (np.vstack([X, X]), np.append(y, -y)), certify=True).evidence)
    assert noisy["gamma"][0] == 0.0


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    X, y, *_ = turning(4)
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(X[:400].tolist(), y, strict=False)]
    Path("a.csv").write_text("a,b,c,d,e,f,y\n" + "\n".join(lines) + "\n")
    start = ["run", "a.csv", "--target", "y", "--learner", "perceptron"]
    assert main([*start, "--certify", "--iid", "--delta", "0.1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["certificate"]["bounds"][0]["bound"] >= facts["runs"][0]["mistakes"]
    assert facts["certificate"]["risk"]["inputs"]["delta"] == 0.1
    assert main([*start, "--certify", "--report", "r.html"]) == 0
    report = Path("r.html").read_text()
    assert "What is guaranteed" in report and "perceptron-tightest" in report and "Observed values and bounds" in report
    assert "perceptron-tightest" in capsys.readouterr().out
    assert main([*start, "--iid"]) == 2
    assert capsys.readouterr().err == "driftline: --iid must come with --certify, got it alone. Add --certify\n"
    assert main([*start, "--certify", "--delta", "2"]) == 2
    assert "--delta must be between 0 and 1, got 2." in capsys.readouterr().err
    assert main([*start, "--certify", "--checkpoint", "at"]) == 2
    assert "certify must be False with a checkpoint" in capsys.readouterr().err
    assert main(["margins", "a.csv", "--target", "y"]) == 0
    assert "the longest example" in capsys.readouterr().out
    assert main(["margins", "a.csv", "--target", "y", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"][0] == 400
    assert main(["margins"]) == 2

"""Certificates of expert learners: at least the observed loss, with correct inputs."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds
from driftline.certify.comparators.expert_sequences import best_expert, best_succession
from driftline.certify.refusal import UnmetError
from driftline.certify.tightest import FINDERS, certified
from driftline.cli.main import main

CLOSE = 1.0 + 1e-9
ROUNDS = 120
LEARNERS: dict[str, tuple[type[dl.Learner], dict[str, Any]]] = {
    "halving": (dl.Halving, {}),
    "majority": (dl.WeightedMajority, {}),
    "majority, slow": (dl.WeightedMajority, {"beta": 0.8}),
    "exponential": (dl.ExponentialWeights, {"eta": 1.0}),
    "exponential, known": (dl.ExponentialWeights, {"eta": math.sqrt(8.0 * math.log(6) / ROUNDS)}),
    "anytime": (dl.ExponentialWeights, {}),
    "doubling": (dl.ExponentialWeights, {"schedule": "doubling"}),
    "adahedge": (dl.AdaHedge, {}),
    "fixed share": (dl.FixedShare, {"eta": 1.0, "alpha": 0.02}),
    "fixed share, all": (dl.FixedShare, {"eta": 0.3, "alpha": 1.0}),
    "variable share": (dl.VariableShare, {"eta": 1.0, "alpha": 0.1}),
}
KINDS = ("noise", "one good", "one perfect", "switching", "against it")
REACHED = {"halving": 1.0, "fixed share, all": 0.07}
"""How much of the bound is reached somewhere, at least; 0.7 of the others."""


def stream(kind: str, seed: int, n: int = 6, signs: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Advice and labels."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    y = rng.choice([-1.0, 1.0], ROUNDS)
    Z = rng.choice([-1.0, 1.0], (ROUNDS, n)) if signs else rng.uniform(-1.0, 1.0, (ROUNDS, n))
    size = 1.0 if signs else 0.9
    if kind == "one good":
        Z[:, 0] = size * y * np.where(rng.random(ROUNDS) < 0.1, -1.0, 1.0)
    elif kind == "one perfect":
        Z[:, n - 1] = size * y
    elif kind == "switching":
        who = np.arange(ROUNDS) * 3 // ROUNDS % n
        Z[np.arange(ROUNDS), who] = size * y
    return Z, y


def against(learner: dl.Learner, seed: int, n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Advice that splits the shares, and the label that costs more, until two experts are left."""
    rng, twin, rows, labels = np.random.default_rng(seed), learner, [], []
    shares = np.ones(n)
    for _ in range(ROUNDS):
        order = np.argsort(-shares + 1e-9 * rng.random(n))
        z = np.ones(n)
        z[order[1::2]] = -1.0
        y = -1.0 if float(shares @ z) >= 0.0 else 1.0
        twin.learn_one(z, y)
        shares = twin.distribution()  # type: ignore[attr-defined]
        rows.append(z)
        labels.append(y)
    return np.array(rows), np.array(labels)


def made(name: str) -> dl.Learner:
    kind, parameters = LEARNERS[name]
    return kind(**parameters)


def naive_losses(Z: np.ndarray, y: np.ndarray, votes: bool) -> np.ndarray:
    lost = np.zeros(Z.shape)
    for t, i in itertools.product(range(Z.shape[0]), range(Z.shape[1])):
        lost[t, i] = float(y[t] * Z[t, i] <= 0.0) if votes else abs(Z[t, i] - y[t]) / 2.0
    return lost


def verify(run: Any, one: Any, lost: np.ndarray) -> None:
    """All inputs are as the advice and the labels have them, and the rates those of the rule."""
    bound, rule, (T, n) = one.bound, run.learner.rule, lost.shape
    least = float(lost.sum(axis=0).min())
    assert bound.n == n
    if hasattr(bound, "T"):
        assert bound.T == T
    if isinstance(bound, bounds.HalvingMistakes):
        assert bound.k == np.sum(lost.sum(axis=0) == 0.0)
    elif one.moves:
        assert one.segments == bound.k + 1 and one.length == pytest.approx(math.sqrt(2.0) * bound.k)
        assert least >= bound.L
    else:
        assert least == pytest.approx(bound.L)
        assert (one.segments, one.length) == (1, 0.0)
    if isinstance(bound, bounds.FixedShareLoss | bounds.VariableShareLoss):
        assert (bound.eta, bound.alpha) == (rule.eta, min(rule.alpha, (n - 1) / n))
    elif isinstance(bound, bounds.ExponentialWeightsLoss):
        assert bound.eta == rule.eta
    elif isinstance(bound, bounds.WeightedMajorityMistakes):
        assert bound.beta == rule.beta


@pytest.mark.parametrize("name", LEARNERS)
def test_no_run_exceeds_its_certificate(name: str) -> None:
    """Nor does any part of it, from the start; but some come near, so that a smaller bound would be wrong."""
    votes = made(name).rule.votes  # type: ignore[attr-defined]
    whole = name.startswith(("halving", "variable"))
    highest = wrong = 0.0
    for kind, seed, signs in itertools.product(KINDS, range(8), (True, False)):
        if whole and not signs:
            continue
        Z, y = against(made(name), seed) if kind == "against it" else stream(kind, seed, signs=signs)
        sparse = seed % 3 == 1 and not whole
        if sparse:
            Z = Z * (np.random.default_rng(seed).random(Z.shape) < 0.8)
        run = dl.run(made(name), (csr_matrix(Z) if sparse else Z, y), certify=True, rows=50)
        certificate = run.certificate()
        assert certificate.bounds, certificate
        losses = (1.0 - run.evidence.margins) / 2.0
        assert certificate.loss == pytest.approx(run.learner.loss)  # type: ignore[attr-defined]
        for one in certificate.bounds:
            verify(run, one, naive_losses(Z, y, votes))
            assert certificate.observed(one) <= one.value * CLOSE
            highest = max(highest, certificate.ratio(one))
            struck = run.evidence.margins <= 0.0
            if one.bound.limits == "loss":
                assert one.mistakes is not None and run.mistakes <= one.mistakes * CLOSE
                wrong = max(wrong, run.mistakes / one.mistakes)
            along = np.cumsum(losses if one.bound.limits == "loss" else struck)
            rounds, values = one.over_time
            assert (along[rounds.astype(int) - 1] <= values * CLOSE + 1e-9).all()
            assert (rounds[-1], values[-1]) == (ROUNDS, pytest.approx(one.value))
    assert highest >= REACHED.get(name, 0.7)
    assert wrong >= (0.0 if votes else 0.8 * REACHED.get(name, 0.7))


@pytest.mark.parametrize("seed", range(60))
def test_successions_are_the_best(seed: int) -> None:
    """Against all that there are."""
    rng = np.random.default_rng(seed)
    n, T = int(rng.integers(1, 4)), int(rng.integers(1, 7))
    losses = rng.choice([0.0, 0.5, 1.0], (T, n)) if seed % 2 else rng.random((T, n))
    price = float(rng.choice([0.0, 0.3, 1.0, 10.0]))

    def cost(who: Any, price: float) -> float:
        return sum(losses[t, i] for t, i in enumerate(who)) + price * sum(a != b for a, b in itertools.pairwise(who))

    found = best_succession(losses, price)
    every = list(itertools.product(range(n), repeat=T))
    assert cost(found.who, price) == pytest.approx(min(cost(who, price) for who in every))
    assert found.changes[-1] == found.segments - 1 == sum(a != b for a, b in itertools.pairwise(found.who))
    np.testing.assert_allclose(found.lost, [cost(found.who[: t + 1], 0.0) for t in range(T)])
    assert best_expert(losses).lost[-1] == pytest.approx(losses.sum(axis=0).min())


@pytest.mark.parametrize("kind", [dl.FixedShare, dl.VariableShare])
@pytest.mark.parametrize("seed", range(12))
def test_no_succession_gives_a_tighter_bound(kind: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, T = 3, 7
    Z, y = rng.choice([-1.0, 1.0], (T, n)), rng.choice([-1.0, 1.0], T)
    if seed % 2:  # a change saves two errors, and is worth it where it costs less
        Z = y[:, None] * np.array([[1, -1, -1]] * 5 + [[-1, 1, -1]] * 2)
    eta, alpha = (3.0, 0.5)[seed % 2], (0.2, 0.5, 2.0 / 3.0)[seed % 3]
    best = dl.run(kind(eta, alpha), (Z, y), certify=True).certificate().best
    assert best is not None
    lost = naive_losses(Z, y, False)
    values = []
    for who in itertools.product(range(n), repeat=T):
        L = float(lost[np.arange(T), list(who)].sum())
        k = sum(a != b for a, b in itertools.pairwise(who))
        inputs: dict[str, Any] = {"n": n, "L": L, "k": k, "alpha": alpha, "eta": eta}
        values.append(
            bounds.FixedShareLoss(**inputs, T=T).value
            if kind is dl.FixedShare
            else bounds.VariableShareLoss(**inputs).value
        )
    assert best.value == pytest.approx(min(values))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 9), st.floats(0.0, 5.0), st.integers(0, 2**32 - 1))
def test_a_succession_is_never_worse_than_one_expert(T: int, n: int, price: float, seed: int) -> None:
    losses = np.random.default_rng(seed).random((T, n))
    found, alone = best_succession(losses, price), best_expert(losses)
    assert found.lost[-1] + price * found.changes[-1] <= alone.lost[-1] * CLOSE
    assert (alone.moves, alone.segments) == (False, 1)


def test_a_comparator_that_moves_wins_where_the_best_expert_changes() -> None:
    Z, y = stream("switching", 3, n=8)
    for name in ("fixed share", "variable share"):
        still, moves = dl.run(made(name), (Z, y), certify=True).certificate().bounds
        assert (still.moves, moves.moves, moves.segments) == (False, True, 3)
        assert moves.value < 0.7 * still.value and moves.bound.L == 0.0  # type: ignore[attr-defined]
        text = str(dl.run(made(name), (Z, y), certify=True).certificate())
        assert "the comparator moves in 3 pieces, path 2.83" in text
    for name in ("majority", "exponential", "anytime", "adahedge"):
        (only,) = dl.run(made(name), (Z, y), certify=True).certificate().bounds
        assert not only.moves
    Z, y = stream("one perfect", 3, n=8)
    (only,) = dl.run(made("fixed share"), (Z, y), certify=True).certificate().bounds
    assert not only.moves  # no change is worth its price


@pytest.mark.parametrize("n", [1, 2, 8, 64])
def test_an_adversary_costs_halving_all_of_its_bound(n: int) -> None:
    """Half of those that are left say +1, the others -1; a tie is a mistake whatever the label."""
    left, rows, labels = np.arange(n), [], []
    while left.size > 1:
        z = np.ones(n)
        z[left[: left.size // 2]] = -1.0
        rows.append(z)
        labels.append(-1.0)
        left = left[: left.size // 2]
    rows.append(np.ones(n))
    labels.append(1.0)
    for learner in (dl.Halving(), dl.WeightedMajority(beta=0.0), dl.Halving(empty="raise")):
        certificate = dl.run(learner, (np.array(rows), np.array(labels)), certify=True).certificate()
        (only,) = certificate.bounds
        assert only.bound == bounds.HalvingMistakes(n=n, k=1)
        assert certificate.mistakes == only.value == math.log2(n)
        assert certificate.ratio(only) == 1.0
    labels[-1] = -1.0  # now all have erred
    certificate = dl.run(dl.Halving(), (np.array(rows), np.array(labels)), certify=True).certificate()
    (only,) = certificate.bounds
    assert only.bound == bounds.HalvingReset(n=n, L=1)
    assert certificate.mistakes == math.log2(n) + 1


def test_experts_that_never_speak_count() -> None:
    """In sparse rows they are nowhere, but have had their shares."""
    Z, y = stream("one good", 0)
    Z = np.column_stack([Z, np.zeros((ROUNDS, 5))])
    for rows in (csr_matrix(Z), Z, [dict(enumerate(map(float, z))) for z in Z]):
        named = isinstance(rows, list)
        X: Any = [{f"e{i}": v for i, v in row.items()} for row in rows] if named else rows
        (only,) = dl.run(dl.ExponentialWeights(1.0), (X, y), certify=True).certificate().bounds
        assert only.bound.n == 11  # type: ignore[attr-defined]
    run = dl.run(dl.ExponentialWeights(1.0), (csr_matrix(Z), y), certify=True, rows=7)
    np.testing.assert_array_equal(run.evidence.values.reshape(ROUNDS, 11), Z)


@pytest.mark.parametrize(
    ("learner", "advice", "says"),
    [
        (
            dl.WeightedMajority(beta=0.0),
            [[1, -1], [-1, 1], [1, 1]],
            "beta > 0, or an expert that is right on every round, got beta = 0 and L = 1",
        ),
        (dl.FixedShare(), [[1], [1], [1]], "two experts or more, got 1"),
        (dl.FixedShare(), [[1, -1]], "two rounds or more, got 1"),
        (dl.VariableShare(), [[1], [1]], "two experts or more, got 1"),
        (dl.VariableShare(), [[1, -1], [1, 0.5]], "losses of 0 or 1, so advice of -1 or +1, got a loss of 0.25"),
        (dl.VariableShare(), [[1, -1], [0, 1]], "losses of 0 or 1, so advice of -1 or +1, got a loss of 0.5"),
    ],
    ids=repr,
)
def test_what_is_not_certified_is_told_why(learner: dl.Learner, advice: list[list[float]], says: str) -> None:
    y = np.ones(len(advice))
    run = dl.run(learner, (np.array(advice, float), y), certify=True)
    certificate = run.certificate()
    assert certificate.bounds == ()
    assert certificate.why[0] == f"no bound on mistakes: the theorem needs {says}"
    with pytest.raises(UnmetError):
        certified(learner.rule, run.evidence)


def test_a_rate_for_another_number_of_rounds_has_no_bound_of_that_kind() -> None:
    Z, y = stream("noise", 1)
    for rounds, kinds in ((ROUNDS, 2), (ROUNDS + 1, 1)):
        learner = dl.ExponentialWeights(math.sqrt(8.0 * math.log(6) / rounds))
        run = dl.run(learner, (Z, y), certify=True)
        assert len(list(FINDERS[type(learner.rule)](learner.rule, run.evidence))) == kinds
    best = dl.run(made("exponential, known"), (Z, y), certify=True).certificate().best
    assert best is not None and isinstance(best.bound, bounds.ExponentialWeightsKnown)


def test_losses_in_reports_and_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Z, y = stream("switching", 5)
    lines = [",".join(map(repr, [*z, int(label)])) for z, label in zip(Z.tolist(), y, strict=True)]
    Path("a.csv").write_text("a,b,c,d,e,f,y\n" + "\n".join(lines) + "\n")
    start = ["run", "a.csv", "--target", "y", "--learner", "fixedshare"]
    assert main([*start, "--certify", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["certificate"]
    still, moves = found["bounds"]
    assert (still["on"], still["comparator"], moves["comparator"]) == ("loss", "stands still", "moves")
    assert still["observed"] == moves["observed"] == found["loss"] <= moves["bound"] < moves["mistakes"]
    assert main([*start, "--certify", "--report", "r.html"]) == 0
    assert f"hence {moves['mistakes']:,.1f} mistakes: fixedshare" in capsys.readouterr().out
    report = Path("r.html").read_text()
    assert f"{moves['bound']:,.1f} ({moves['mistakes']:,.1f} mistakes)" in report and f"{found['loss']:.1f}" in report
    assert main([*start[:-1], "halving", "--certify", "--report", "h.html"]) == 0
    assert "halving-reset" in Path("h.html").read_text()

"""Certificates of finished runs: at least the observed mistakes, and true of their comparator.

Everything is computed again from the rows and the vectors of the path alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds, rules
from driftline.certify.comparators.candidates import Comparator, moving, standing
from driftline.certify.comparators.fit import Path, path_of, smoothed
from driftline.certify.comparators.scale_search import SCALES, Shortfall, best_scale
from driftline.certify.evidence import Evidence, EvidenceRecorder
from driftline.certify.refusal import NoTheoremError
from driftline.certify.tightest import FINDERS, certified
from driftline.internals.rows import DenseRows, SparseRows
from tests.oracles.projections import norm

CLOSE = 1.0 + 1e-9
MOTIONS = ("standing", "drifting", "switching", "noisy")
FORMS: dict[str, dict[str, Any]] = {
    "dense": {"bias": False},
    "sparse": {"bias": False},
    "bias": {"bias": True},
    "unit": {"bias": True, "scale": "unit"},
}
LEARNERS: dict[str, tuple[type[dl.Learner], dict[str, Any]]] = {
    "perceptron": (dl.Perceptron, {}),
    "pnorm": (dl.PNormPerceptron, {"p": 3.0}),
    "pnorm, large p": (dl.PNormPerceptron, {"p": 6.0}),
    "alma": (dl.ALMA, {"alpha": 0.1, "B": 3.0, "rho": 0.3}),
    "alma, no margin": (dl.ALMA, {"alpha": 0.3, "B": 2.0, "rho": 0.0}),
    "alma, p": (dl.ALMA, {"alpha": 0.1, "B": 3.0, "rho": 0.1, "p": 3.0}),
    "norma": (dl.NORMA, {"alpha": 0.1, "lam": 0.05, "rho": 0.3}),
    "norma, no forgetting": (dl.NORMA, {"alpha": 0.2, "lam": 0.0, "rho": 0.0}),
    "norma, p": (dl.NORMA, {"alpha": 0.1, "lam": 0.1, "rho": 0.0, "p": 3.0}),
    "projection": (dl.ProjectionPerceptron, {"eta": 0.1, "radius": 1.0}),
    "projection, radius": (dl.ProjectionPerceptron, {"eta": 0.5, "radius": 2.5}),
    "pa": (dl.PA, {"when": "margin"}),
    "pa, mistakes": (dl.PA, {"when": "mistake"}),
    "romma": (dl.ROMMA, {"when": "mistake"}),
    "romma, aggressive": (dl.ROMMA, {"when": "margin"}),
    "l2pa": (dl.L2PA, {"beta": 30.0}),
    "l2pa, margin": (dl.L2PA, {"beta": 200.0, "when": "margin"}),
    "l2pa, no ball": (dl.L2PA, {"beta": math.inf}),
    "pa1": (dl.PA1, {"C": 0.2}),
    "pa1, mistakes": (dl.PA1, {"C": 1.0, "when": "mistake"}),
    "pa2": (dl.PA2, {"C": 0.5}),
    "pa2, mistakes": (dl.PA2, {"C": 5.0, "when": "mistake"}),
    "l2pa, small ball": (dl.L2PA, {"beta": 4.0}),
    "arow": (dl.AROW, {"r": 1.0}),
    "arow, small r": (dl.AROW, {"r": 0.1}),
    "l1pa": (dl.L1PA, {"beta": 60.0}),
    "l1pa, margin": (dl.L1PA, {"beta": 400.0, "when": "margin"}),
}


@cache
def stream(motion: str, seed: int, rounds: int = 240, n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Rows with zeros among them, at a distance from the target; labels, some of them wrong where it is noisy."""
    rng = np.random.default_rng([seed, MOTIONS.index(motion)])
    a, b = np.linalg.qr(rng.normal(size=(n, 2)))[0].T
    turned = {"drifting": np.arange(rounds) * 3.0 / rounds, "switching": np.arange(rounds) * 3 // rounds * 2.0}
    angle = turned.get(motion, np.zeros(rounds))[:, None]
    U = np.cos(angle) * a + np.sin(angle) * b
    X = np.zeros((rounds, n))
    while (bad := np.abs(np.sum(X * U, axis=1)) < 0.15).any():
        X[bad] = rng.normal(size=(bad.sum(), n)) * (rng.random((bad.sum(), n)) < 0.7)
    y = np.sign(np.sum(X * U, axis=1)) * np.where(rng.random(rounds) < 0.08 * (motion == "noisy"), -1.0, 1.0)
    return X, y


class Ran(NamedTuple):
    """A run: the learner, its evidence, and the rows as the engine saw them, the constant feature first."""

    learner: dl.Learner
    evidence: Evidence
    X: np.ndarray


def ran(learner: dl.Learner, X: np.ndarray, y: np.ndarray, *, sparse: bool = False, blocks: int = 3) -> Ran:
    """Learn in blocks, and record the rows that the engine must have seen."""
    unit, bias = learner.options["scale"] == "unit", learner.options["bias"]
    constant = 0.0 if not bias else math.sqrt(0.5) if unit else 1.0
    seen = X.copy()
    if unit:
        seen *= (math.sqrt(0.5) if bias else 1.0) / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    recorder = EvidenceRecorder(bias=constant)
    for part in np.array_split(np.arange(len(y)), blocks):
        learned = learner.learn_block(csr_matrix(X[part]) if sparse else X[part], y[part])
        rows: Any = DenseRows(seen[part])
        if sparse:
            csr = csr_matrix(seen[part])
            rows = SparseRows(csr.indptr.astype(np.uint64), csr.indices.astype(np.uint32), csr.data)
        recorder.add(replace(learned, rows=(rows,)))
    return Ran(learner, recorder.evidence(), np.column_stack([np.full(len(y), constant), seen]))


def per_round(path: Path) -> np.ndarray:
    """The comparator of every round, straight from the definition of a path."""
    rounds = int(path.cuts[-1])
    U = np.zeros((rounds, path.vectors.shape[1]))
    for k, v in enumerate(path.vectors):
        U[path.cuts[k] : path.cuts[k + 1]] = v
    if path.smooth:
        middle = [(int(path.cuts[k]) + int(path.cuts[k + 1])) // 2 for k in range(path.segments)]
        U[: middle[0]], U[middle[-1] :] = path.vectors[0], path.vectors[-1]
        for k in range(path.segments - 1):
            for t in range(middle[k], middle[k + 1]):
                gone = (t - middle[k]) / (middle[k + 1] - middle[k])
                U[t] = path.vectors[k] + gone * (path.vectors[k + 1] - path.vectors[k])
    return U


def lost(margins: np.ndarray, at: float) -> float:
    return float(np.maximum(0.0, at - margins).sum())


def covers(stated: float, true: float) -> bool:
    """Whether what is stated is true; it may be too large by no more than rounding."""
    return true <= stated * CLOSE + 1e-9 and stated <= true * CLOSE + 1e-9


def naive_norms(rows: np.ndarray, q: float) -> np.ndarray:
    return np.array([np.abs(r).max() if q == math.inf else norm(r, q) for r in rows])


class Truth(NamedTuple):
    """What is true of a path: margins, the longest vector and the lengths of its moves, in a norm."""

    margins: np.ndarray
    longest: float
    D1: float
    D2: float


def truth(X: np.ndarray, y: np.ndarray, path: Path, q: float = 2.0, moves: float | None = None) -> Truth:
    U = per_round(path)
    steps = naive_norms(np.diff(U, axis=0), q if moves is None else moves)
    longest = float(naive_norms(U, q).max(initial=0.0))
    return Truth(y * np.sum(U * X, axis=1), longest, float(steps.sum()), float((steps**2).sum()))


class Walk(NamedTuple):
    """The steps of a run, the length that shrinking removed, and the longest w."""

    taus: np.ndarray
    removed: float
    longest: float


def walked(rule: Any, run: Ran) -> Walk:
    """The updates with explicit weights, from the formulas of the papers."""
    w, taus, removed, longest = np.zeros(run.X.shape[1]), np.zeros(len(run.X)), 0.0, 0.0
    for t in np.flatnonzero(run.evidence.updated):
        a = run.evidence.y[t] * run.X[t]
        m, q, Z = float(w @ a), float(a @ a), 1.0
        if isinstance(rule, rules.PA1):
            tau = min(rule.C, (1.0 - m) / q)
        elif isinstance(rule, rules.PA2):
            tau = (1.0 - m) / (q + 0.5 / rule.C)
        elif isinstance(rule, rules.L2PA) and np.isfinite(rule.beta):
            Z = max(1.0, math.sqrt(max(0.0, (w @ w * q - m * m) / (rule.beta**2 * q - 1.0))))
            tau = (Z - m) / q
        else:
            tau = (1.0 - m) / q
        removed += (1.0 - 1.0 / Z) * norm(w)
        w, taus[t] = (w + tau * a) / Z, tau / Z
        longest = max(longest, norm(w))
    return Walk(taus, removed, longest)


def verify(run: Ran, bound: Any, one: Comparator) -> None:
    """All inputs of the bound are as the rows and the path have them."""
    rule, y, fired = run.learner.rule, run.evidence.y, run.evidence.updated
    p = rule.norm
    q = p / (p - 1.0)
    lengths = naive_norms(run.X, p)
    if isinstance(bound, bounds.PerceptronTightest | bounds.PNorm):
        found = truth(run.X, y, one.path, q)
        s = 1.0 / (bound.gamma * found.longest)
        assert covers(bound.S, float((lengths[fired] ** 2).sum()))
        assert covers(bound.D, lost(s * found.margins, 1.0))
        assert not one.moves
    elif isinstance(bound, bounds.PNormMoving):
        found = truth(run.X, y, one.path, q)
        assert bound.p == p
        assert covers(bound.S, float((lengths[fired] ** 2).sum()))
        assert covers(bound.V, found.D1 / found.longest)
        assert covers(bound.D, lost(found.margins / found.longest, bound.gamma) / bound.gamma)
        assert one.moves
    elif isinstance(bound, bounds.ALMAUntuned):
        assert isinstance(rule, rules.ALMA)
        found = truth(run.X, y, one.path, q)
        assert (bound.alpha, bound.B, bound.rho, bound.p) == (rule.alpha, rule.B, rule.rho, p)
        scales = [bound.D / found.D1] if found.D1 > 0.0 else [*SCALES, rule.B / found.longest]
        assert any(
            s * found.longest <= rule.B * CLOSE and covers(bound.K, lost(s * found.margins, bound.mu)) for s in scales
        )
        assert covers(bound.X, float(lengths.max()))
    elif isinstance(bound, bounds.NORMAUntuned):
        assert isinstance(rule, rules.NORMA)
        found = truth(run.X, y, one.path, q)
        assert (bound.alpha, bound.lam, bound.rho, bound.p) == (rule.alpha, rule.lam, rule.rho, p)
        s = bound.B / found.longest
        assert covers(bound.K, lost(s * found.margins, bound.mu))
        assert covers(bound.D1, s * found.D1)
        assert covers(bound.D2, s**2 * found.D2)
        assert len(y) == bound.T
        assert covers(bound.X, float(lengths.max()))
    elif isinstance(bound, bounds.Projection):
        assert isinstance(rule, rules.ProjectionPerceptron)
        found = truth(run.X, y, one.path)
        assert covers(bound.R, float(lengths[fired].max()))
        assert covers(bound.V, found.D1 / found.longest)
        assert covers(bound.D, lost(found.margins / found.longest, bound.gamma) / bound.gamma)
        assert bound.eta == rule.eta / rule.radius
    elif isinstance(bound, bounds.StepMistakes):
        found, walk = truth(run.X, y, one.path), walked(rule, run)
        s, wrong = bound.D / found.longest, run.evidence.margins <= 0.0
        assert covers(bound.c, float(walk.taus[wrong].min()))
        assert covers(bound.V, s * found.D1) and covers(bound.W, walk.longest) and covers(bound.F, walk.removed)
        assert covers(bound.other, float(walk.taus[~wrong].sum()))
        assert covers(
            bound.lost, float(np.sum(np.maximum(bound.c, walk.taus) * np.maximum(0.0, 1.0 - s * found.margins)))
        )
    elif isinstance(bound, bounds.AROWTightest):
        assert isinstance(rule, rules.AROW)
        found = truth(run.X, y, one.path)
        s, rows = 1.0 / (bound.gamma * found.longest), run.X[fired]
        A, b = rule.r * np.eye(run.X.shape[1]) + rows.T @ rows, rows.T @ y[fired]
        assert covers(bound.Q, float(b @ np.linalg.solve(A, b)))
        assert covers(bound.lambda_u, float(np.sum(found.margins[fired] ** 2)) / found.longest**2)
        assert covers(bound.D, lost(s * found.margins, 1.0))
        assert int(np.sum(fired & (run.evidence.margins > 0.0))) == bound.U and not one.moves
    else:
        kept = fired | (run.evidence.margins <= 0.0)
        one_norm = isinstance(bound, bounds.L1PAPath)
        found = truth(run.X[kept], y[kept], one.path, 1.0 if one_norm else 2.0, math.inf if one_norm else None)
        assert covers(bound.R, float(lengths[kept].max()))
        assert bound.D / found.longest * found.margins.min() >= 1.0 - 1e-9
        if isinstance(bound, bounds.L2PAPath):
            assert isinstance(rule, rules.L2PA | rules.L1PA)
            assert covers(bound.V, bound.D / found.longest * found.D1)
            assert bound.D <= bound.beta <= rule.beta
        else:
            assert not one.moves


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("name", LEARNERS)
def test_no_offer_is_below_what_was_observed_and_each_is_true(name: str, motion: str, form: str) -> None:
    kind, parameters = LEARNERS[name]
    X, y = stream(motion, list(FORMS).index(form))
    run = ran(kind(**parameters, **FORMS[form]), X, y, sparse=form == "sparse")
    learner, rule = run.learner, run.learner.rule
    observed = {"updates": learner.updates, "mistakes": learner.mistakes}
    offers = list(FINDERS[type(rule)](rule, run.evidence))
    for k, (bound, one) in enumerate(offers):
        assert observed[bound.limits] <= bound.value * CLOSE
        if k % 3 == 0:
            verify(run, bound, one)
    best = certified(rule, run.evidence)
    for moves in {one.moves for _, one in offers}:
        (found,) = (c for c in best if c.moves is moves)
        assert found.value == min(bound.value for bound, one in offers if one.moves is moves)
    assert len(best) == len({one.moves for _, one in offers})
    if (name, motion) == ("pnorm, large p", "switching"):
        assert all(one.moves for one in best)  # the least that any standing one gives is the number of rounds
    elif "arow" in name:
        assert not any(one.moves for one in best) and (best or motion == "switching")
    elif "pa" not in name and "romma" not in name:  # elsewhere one can be found where it may lose
        assert len(best) == (1 if name.startswith("norma, no") else 2)
    elif motion == "standing":
        assert not best[0].moves
    elif motion == "drifting" and name in ("l2pa", "l1pa"):
        assert best[-1].moves


@pytest.mark.parametrize("form", FORMS)
def test_evidence_is_what_the_engine_saw(form: str) -> None:
    X, y = stream("noisy", 1)
    X = X.copy()
    X[[3, 4, 239]] = 0.0
    run = ran(dl.PA(**FORMS[form]), X, y, sparse=form == "sparse", blocks=7)
    e = run.evidence
    dense = csr_matrix((e.values, e.indices.astype(np.int64), e.indptr.astype(np.int64)), (len(e), e.width)).toarray()
    np.testing.assert_array_equal(dense, run.X[:, : e.width])
    np.testing.assert_array_equal(e.updated.sum(), run.learner.updates)
    np.testing.assert_array_equal((e.margins <= 0.0).sum(), run.learner.mistakes)
    for p in (2.0, 3.0, 7.0):
        np.testing.assert_allclose(e.lengths(p), naive_norms(run.X, p), rtol=1e-12, atol=1e-300)
    mask = np.random.default_rng(0).random(len(e)) < 0.4
    mask[[3, 239]] = True
    for chosen in (mask, np.flatnonzero(mask)):
        part = e.part(chosen)
        rows = csr_matrix(
            (part.values, part.indices.astype(np.int64), part.indptr.astype(np.int64)), (len(part), e.width)
        )
        np.testing.assert_array_equal(rows.toarray(), dense[mask])
        np.testing.assert_allclose(part.lengths(), e.lengths()[mask], rtol=1e-14)
        for name in ("y", "margins", "updated"):
            np.testing.assert_array_equal(getattr(part, name), getattr(e, name)[mask])


def test_no_evidence_gives_no_certificate() -> None:
    for kind, parameters in LEARNERS.values():
        assert certified(kind(**parameters).rule, EvidenceRecorder().evidence()) == []
    with pytest.raises(NoTheoremError, match="the proof for AROW does not carry over"):
        certified(rules.SCW(), ran(dl.SCW(), *stream("standing", 0)).evidence)


@pytest.mark.parametrize("name", LEARNERS)
def test_runs_of_zeros_only(name: str) -> None:
    kind, parameters = LEARNERS[name]
    run = ran(kind(**parameters, bias=False), np.zeros((9, 3)), np.ones(9))
    assert certified(run.learner.rule, run.evidence) == []


@pytest.mark.parametrize("name", ["pa", "pa, mistakes", "romma", "l2pa", "l1pa", "alma", "norma"])
def test_mistakes_without_an_update_count(name: str) -> None:
    """An example of zeros is a mistake that teaches nothing."""
    kind, parameters = LEARNERS[name]
    X = np.vstack([np.eye(3), np.zeros((30, 3)), np.eye(3)])
    run = ran(kind(**parameters, bias=False), X, np.ones(36))
    assert run.learner.mistakes == 33
    for found in certified(run.learner.rule, run.evidence):
        assert found.value * CLOSE >= 33


@pytest.mark.parametrize("kind", [dl.L2PA, dl.L1PA])
@pytest.mark.parametrize("policy", ["skip", "relax", "best"])
def test_steps_that_were_not_feasible_count(kind: Any, policy: str) -> None:
    X = np.vstack([np.eye(3), 0.05 * np.eye(3)] * 5)
    run = ran(kind(2.0, infeasible=policy, bias=False), X, np.where(np.arange(30) % 6 < 3, 1.0, -1.0))
    assert run.learner.infeasible > 0
    if kind is dl.L2PA and policy == "skip":
        with pytest.raises(
            NoTheoremError, match=r"^the theorem needs an update on every mistake, got 15 mistakes with"
        ):
            certified(run.learner.rule, run.evidence)
        return
    for found in certified(run.learner.rule, run.evidence):
        assert found.value * CLOSE >= run.learner.mistakes


# what it is built of --------------------------------------------------------------------------------------------
sizes = st.integers(-50, 50).map(lambda k: k / 10.0)


@given(st.lists(sizes, min_size=1, max_size=30), st.integers(0, 400).map(lambda k: k / 20.0))
def test_best_scale_is_the_minimum(margins: list[float], cost: float) -> None:
    m = np.array(margins)
    s, hinge = best_scale(m, cost)
    assert hinge == pytest.approx(lost(s * m, 1.0), rel=1e-12)
    breaks = [0.0, *(1.0 / m[m > 0.0])]
    grid = np.concatenate([breaks, np.linspace(0.0, 2.0 * max(breaks), 500)])
    assert hinge + cost * s <= min(lost(g * m, 1.0) + cost * g for g in grid) + 1e-9


@given(st.lists(sizes, min_size=1, max_size=30))
def test_shortfall(margins: list[float]) -> None:
    m = np.array(margins)
    lacking = Shortfall(m)
    r = np.concatenate([np.linspace(-6.0, 25.0, 63), m])
    np.testing.assert_allclose(lacking(r), [lost(m, at) for at in r], atol=1e-9)
    levels = lacking.levels()
    assert np.all(levels > 0.0)
    assert (levels.size > 0) == bool((m > 0.0).any())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("segments", [1, 2, 7, 30])
def test_paths_are_as_they_say(segments: int, form: str) -> None:
    """Margins, lengths and moves of paths in jumps and smooth ones, against the vectors of every round."""
    X, y = stream("drifting", 2)
    run = ran(dl.PA(**FORMS[form]), X, y, sparse=form == "sparse")
    jumping = path_of(run.evidence, segments, 0.3, 10, 0.5)
    assert jumping.segments == segments
    assert (np.diff(jumping.cuts) > 0).all()
    for path in (jumping, smoothed(run.evidence, jumping)):
        for q in (1.0, 1.5, 2.0, math.inf):
            found = truth(run.X, y, path, q)
            np.testing.assert_allclose(path.margins, found.margins, rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(path.moved(q), (found.D1, found.D2), rtol=1e-9, atol=1e-12)
            assert path.longest(q) >= found.longest * (1.0 - 1e-12)
            if not path.smooth:
                assert path.longest(q) == pytest.approx(found.longest)


def test_lengths_of_rows_that_are_short_beside_others() -> None:
    """A power of a short row must not vanish: its update would cost nothing."""
    X, y = np.array([[1.0, 1.0], [1e4, 0.0], [0.0, 0.0], [1e-300, 0.0]]), np.array([1.0, 1.0, 1.0, 1.0])
    run = ran(dl.PNormPerceptron(100.0, bias=False), X, y)
    np.testing.assert_allclose(run.evidence.lengths(100.0), [2.0**0.01, 1e4, 0.0, 1e-300], rtol=1e-12)
    assert all(run.learner.updates <= one.value for one in certified(run.learner.rule, run.evidence))


def test_one_segment_is_the_support_vector_machine() -> None:
    """No vector near it has a smaller objective."""
    X, y = stream("noisy", 3)
    run = ran(dl.PA(bias=False), X, y)
    C, rng = 0.2, np.random.default_rng(0)
    v = path_of(run.evidence, 1, C, 2000).vectors[0]

    def objective(v: np.ndarray) -> float:
        return float(v @ v / 2.0 + C * lost(y * (run.X @ v), 1.0))

    least = objective(v)
    for size in (1e-2, 0.1, 1.0):
        for _ in range(40):
            assert objective(v + size * rng.normal(size=len(v))) >= least * (1.0 - 1e-3)
    assert least < 0.7 * objective(np.zeros_like(v))


@pytest.mark.parametrize("segments", [3, 8])
def test_a_path_finds_the_rounds_of_the_changes(segments: int) -> None:
    """With as many pieces as there are targets, and with more: the surplus ones move hardly at all."""
    X, y = long_stream("changing")
    path = path_of(ran(dl.PA(bias=False), X, y).evidence, segments, 0.1, 4, 1.0)
    steps = np.linalg.norm(np.diff(path.vectors, axis=0), axis=1)
    far = np.abs(path.cuts[1:-1, None] - CHANGES)
    assert far.min(axis=0).max() <= 2
    assert steps[far.min(axis=1) <= 30].sum() > 0.9 * steps.sum()


def test_comparators_grow_from_one_vector_to_many() -> None:
    run = ran(dl.PA(bias=False), *stream("drifting", 0))
    still, paths = list(standing(run.evidence)), list(moving(run.evidence))
    assert not any(one.moves for one in still)
    assert all(one.moves for one in paths)
    assert {one.path.segments for one in paths} == {2, 4, 16}
    assert {one.path.smooth for one in paths} == {False, True}
    for one in (*still, *paths):
        assert one.path.margins.shape == run.evidence.y.shape


CHANGES = np.array([700, 3100])


# what it is for -------------------------------------------------------------------------------------------------
@cache
def long_stream(motion: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length 1 at a distance of 0.05 from a target that stands, turns once round, or is drawn anew."""
    rng, rounds, n = np.random.default_rng(1), 4000, 8
    a, b = np.linalg.qr(rng.normal(size=(n, 2)))[0].T
    angle = 2.0 * np.pi * np.arange(rounds)[:, None] / rounds * (motion == "drifting")
    U = np.cos(angle) * a + np.sin(angle) * b
    if motion == "switching":
        U = np.repeat(rng.normal(size=(4, n)), rounds // 4, axis=0)
        U /= np.linalg.norm(U, axis=1, keepdims=True)
    if motion == "changing":
        U = np.linalg.qr(rng.normal(size=(n, 3)))[0].T[np.searchsorted(CHANGES, np.arange(rounds), side="right")]
    X = np.zeros((rounds, n))
    while (bad := np.abs(np.sum(X * U, axis=1)) < 0.05).any():
        X[bad] = rng.normal(size=(bad.sum(), n))
        X[bad] /= np.linalg.norm(X[bad], axis=1, keepdims=True)
    return X, np.sign(np.sum(X * U, axis=1))


@pytest.mark.parametrize(
    "rule",
    [
        (dl.NORMA, {"alpha": 0.3, "lam": 0.01}),
        (dl.ALMA, {"alpha": 0.3, "B": 3.0}),
        (dl.ProjectionPerceptron, {"eta": 0.05}),
        (dl.Perceptron, {}),
        (dl.PNormPerceptron, {"p": 3.0}),
    ],
    ids=lambda rule: rule[0].__name__,
)
@pytest.mark.parametrize("motion", ["standing", "drifting", "switching"])
def test_a_comparator_that_moves_wins_where_the_target_does(motion: str, rule: Any) -> None:
    X, y = long_stream(motion)
    learner = rule[0](**rule[1], bias=False)
    still, moves = certified(learner.rule, ran(learner, X, y).evidence)
    assert (still.moves, moves.moves) == (False, True)
    assert (still.segments, still.length) == (1, 0.0)
    assert moves.segments > 1
    if motion == "standing":
        assert moves.value > 0.95 * still.value
    else:
        assert learner.mistakes < moves.value < 0.7 * still.value
        assert moves.value < len(y) / 2
        assert moves.length > 1.0


@pytest.mark.parametrize("C", [0.001, 0.003, 0.01, 0.03])
def test_mistakes_of_float32_weights_do_not_exceed_their_bound(C: float) -> None:
    # steps have the same size, so that the rounding of w decides whether a tight bound holds
    rng, found = np.random.default_rng(1), 0
    for size in (2, 5, 20, 60, 60):
        X = rng.normal(size=(size, 5))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = np.where(np.arange(size) == 1, -1, 1)
        for kind in (dl.PA1, dl.PA2):
            learner = kind(C=C, dtype="float32", labels=(-1, 1))
            certificate = dl.run(learner, (X, y), certify=True).certificate()
            found += len(certificate.bounds)
            assert all(certificate.mistakes <= one.value for one in certificate.bounds)
    assert found

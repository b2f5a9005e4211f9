"""Long runs and extreme numbers: scales that underflow, tracked norms, and steps at the limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines import state as names
from driftline.engines.engine import RECOMPUTE
from tests.oracles.projections import link, norm
from tests.support.linear_cases import INF, WHEN, Case, P, cross, stream, weights_of

TRACKED = [
    *cross("alma", {"alpha": 0.5, "B": 3.0, "rho": 1.0}, {"alpha": 1.0, "B": INF, "rho": 0.0}, p=P),
    *cross("selftuningalma", {"alpha": 0.5}, p=P),
    *cross("projectionperceptron", {"eta": 0.5, "radius": 2.0}),
    *cross("l2pa", {"beta": 2.0}, {"beta": INF}, {"beta": 0.5, "infeasible": "relax"}, when=WHEN),
    *cross("romma", when=WHEN),
    *cross("norma", {"alpha": 0.5, "lam": 0.1, "rho": 1.0}, p=P[1:]),
    *cross("pnormperceptron", p=P[1:]),
]
every_tracked = pytest.mark.parametrize("case", TRACKED, ids=str)


def sizes(learner: dl.Learner) -> tuple[float, float]:
    """The tracked norm of theta and its true one."""
    state, p = learner._engine.state, float(learner._engine.state[names.P])
    theta = state[names.SCALE] * learner._engine.v.astype(np.float64)
    if p == 2.0:
        return math.sqrt(state[names.NORM]), norm(theta)
    return float(state[names.SCALE] * state[names.NORM] ** (1.0 / p)), norm(theta, p)


def exact_norma(X: np.ndarray, y: np.ndarray, decay: float, rho: float, p: float) -> tuple[np.ndarray, int]:
    """theta <- decay theta + y x [m <= rho], as it stands."""
    theta, updates = np.zeros(X.shape[1]), 0
    for x, sign in zip(X, y, strict=True):
        fires = sign * (link(theta, p) @ x) <= rho
        theta = decay * theta + (sign * x if fires else 0.0)
        updates += bool(fires) and bool(x.any())
    return link(theta, p), updates


@pytest.mark.parametrize("p", [2.0, 3.0, 6.8])
@pytest.mark.parametrize("rho", [0.0, 1e9])
@pytest.mark.parametrize(("dtype", "close"), [("float64", 1e-9), ("float32", 1e-4)])
def test_strong_decay_for_many_rounds(p: float, rho: float, dtype: str, close: float) -> None:
    """A scale of 0.5^20000 must never be needed: the weights absorb it in time."""
    data = stream(51, rounds=20_000, n=6, density=0.6)
    learner = dl.NORMA(1.0, 0.5, rho, p, bias=False, dtype=dtype)
    learner.learn_many(data.X, data.y)
    w, updates = exact_norma(data.X, data.y, 0.5, rho, p)
    np.testing.assert_allclose(weights_of(learner, 6)[1:], w, rtol=0.0, atol=close * np.abs(w).max())
    assert learner.updates == updates


@pytest.mark.parametrize("p", [2.0, 3.0, 6.8])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("silence", [90, 130, 145, 600, 1022, 1050, 1070, 3000])
def test_learning_after_a_silence_in_which_everything_was_forgotten(p: float, dtype: str, silence: int) -> None:
    """Zero rows only decay, here down to and below the smallest numbers there are."""
    data = stream(52, rounds=80, n=6)
    X = np.vstack([data.X[:40], np.zeros((silence, 6)), data.X[40:]])
    y = np.concatenate([data.y[:40], np.ones(silence), data.y[40:]])
    learner = dl.NORMA(1.0, 0.5, 0.0, p, bias=False, dtype=dtype)
    learner.learn_many(X, y)
    w, _ = exact_norma(X, y, 0.5, 0.0, p)
    np.testing.assert_allclose(weights_of(learner, 6)[1:], w, rtol=0.0, atol=1e-5 * np.abs(w).max())


@pytest.mark.parametrize("size", [1e-55, 1e-15, 1e15, 1e55])
@pytest.mark.parametrize("p", [2.0, 3.0, 6.8])
def test_examples_of_any_size(p: float, size: float) -> None:
    """Scaling all examples scales theta and no decision of the Perceptron, of the self-tuning ALMA, or of PA."""
    data = stream(53, rounds=500)
    pairs = [(dl.PNormPerceptron(p, bias=False), dl.PNormPerceptron(p, bias=False), size)]
    pairs += [(dl.SelfTuningALMA(0.5, p=p, bias=False), dl.SelfTuningALMA(0.5, p=p, bias=False), 1.0)]
    pairs += [(dl.PA(bias=False), dl.PA(bias=False), 1.0 / size)]
    for plain, scaled, factor in pairs:
        was, now = plain.test_then_train(data.X, data.y), scaled.test_then_train(size * data.X, data.y)
        np.testing.assert_array_equal(was.updated, now.updated)
        np.testing.assert_allclose(weights_of(scaled, 8), factor * weights_of(plain, 8), rtol=1e-9)


@every_tracked
@pytest.mark.parametrize("noise", [0.05, 0.5])
def test_the_tracked_norm_is_the_true_norm(case: Case, noise: float) -> None:
    data = stream(54, rounds=50_000, n=20, noise=noise, decades=1.0)
    learner = case.learner()
    learner.learn_many(data.X, data.y)
    tracked, true = sizes(learner)
    assert 0.0 < true < INF
    assert tracked == pytest.approx(true, rel=1e-9)


@every_tracked
def test_the_norm_is_computed_anew_when_it_is_due(case: Case) -> None:
    """A tracked norm that is made wrong is right again after so many updates at the latest."""
    data = stream(55, rounds=5000, n=6)
    learner = case.learner()
    learner.learn_many(data.X[:100], data.y[:100])
    state = learner._engine.state
    state[names.SINCE] = 0.0
    state[names.NORM] *= 1.0 + 1e-6
    state[names.PEAK] = state[names.NORM]
    assert state[names.DUE] == RECOMPUTE
    due = learner.updates + RECOMPUTE
    for x, y in zip(data.X[100:], data.y[100:], strict=True):
        learner.learn_one(x, y)
        assert state[names.SINCE] < RECOMPUTE
        if learner.updates == due:
            break
    assert learner.updates == due
    tracked, true = sizes(learner)
    assert tracked == pytest.approx(true, rel=1e-12)


def test_many_weights_are_measured_less_often() -> None:
    wide = dl.ALMA(0.1, 3.0, 1.0, bias=False)
    rng = np.random.default_rng(56)
    columns = rng.integers(0, 80_000, 600 * 50)
    X = csr_matrix((rng.normal(size=columns.size), columns, np.arange(0, columns.size + 1, 50)), shape=(600, 80_000))
    wide.learn_many(X, rng.choice([-1.0, 1.0], size=600))
    assert wide.updates > RECOMPUTE
    assert 5_000 <= wide._engine.state[names.DUE] <= 20_000


def test_a_norm_that_collapses_is_computed_at_once() -> None:
    """What is left after a long vector was taken back is as small as the rounding of what was."""
    for p in P:
        learner = dl.PNormPerceptron(p, bias=False) if p > 2.0 else dl.ALMA(1.0, INF, 0.0, bias=False)
        far = 3e14 ** (1.0 / p)
        learner.learn_one([far, 0.0, 0.0], 1)
        learner.learn_one([-far, 0.0, 0.7], 1)
        np.testing.assert_allclose(weights_of(learner, 3)[1:], [0.0, 0.0, 0.7], rtol=1e-12)
        np.testing.assert_allclose(sizes(learner), [0.7, 0.7], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("when", WHEN)
def test_romma_survives_noise(when: str, dtype: str) -> None:
    """Where its constraints all but contradict each other it starts again: |w| <= 1e6 / |x|, and here |x| >= 1."""
    data = stream(57, rounds=50_000, n=4, noise=0.5)
    learner = dl.ROMMA(when=when, dtype=dtype)
    scores = learner.learn_many(data.X, data.y)
    reach = np.abs(scores) / np.sqrt(1.0 + np.sum(data.X**2, axis=1))
    assert np.isfinite(reach).all()
    assert dtype == "float32" or reach.max() <= 1e6  # single precision cannot tell angles that small
    assert np.isfinite(learner._engine.weights()).all()
    assert learner.infeasible > 0


@pytest.mark.parametrize("excess", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("when", WHEN)
def test_constrained_pa_just_above_feasibility(excess: float, when: str) -> None:
    """beta |x| = 1 + excess leaves almost no choice: nearly all is forgotten, yet margin and ball hold."""
    rng = np.random.default_rng(58)
    X = rng.normal(size=(300, 4))
    for rule, q in ((dl.L2PA, 2.0), (dl.L1PA, 1.0)):
        beta = 1.7
        learner = rule(beta, when=when, bias=False)
        for x in X:
            x = x / (norm(x) if q == 2.0 else np.abs(x).max()) * ((1.0 + excess) / beta)
            y = 1.0 if rng.random() < 0.5 else -1.0
            updates = learner.updates
            learner.learn_one(x, y)
            w = weights_of(learner, 4)[1:]
            assert norm(w, q) <= beta * (1.0 + 1e-12)
            if learner.updates > updates:
                assert y * (w @ x) == pytest.approx(1.0, rel=1e-9)
        assert learner.updates > 100
        assert learner.infeasible <= (300 if excess < 1e-14 else 0)


def test_an_example_too_short_for_its_weight_counts_as_zero() -> None:
    """PA would answer a length of 1e-40 with a weight of 1e40, which float32 does not have."""
    for dtype, short, long in (("float32", 1e-16, 1e-14), ("float64", 1e-61, 1e-59)):
        learner = dl.PA(dtype=dtype, bias=False)
        learner.learn_one({"a": short}, 1)
        assert learner.weights() == {} and learner.mistakes == 1 and learner.updates == 0
        learner.learn_one({"a": long}, 1)
        assert learner.weights()["a"] == pytest.approx(1 / long, rel=1e-6)

"""The oracles of the linear learners against a general solver, and rounds worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.oracles import linear as oracles
from tests.oracles.linear import Oracle
from tests.oracles.projections import Vector, into_ball, l1_step, link, norm, project_l1

PROBLEMS = range(30)
WHENS = ("mistake", "margin")


def solve(H: Vector, c: Vector, rows: Vector, goals: Vector, start: Vector, radius: float = math.inf) -> Vector:
    """argmin 1/2 u.H u - c.u  s.t.  rows u >= goals, |u|_2 <= radius, by a general nonlinear
    solver.
    """
    constraints = [{"type": "ineq", "fun": lambda u: rows @ u - goals, "jac": lambda u: rows}]
    if math.isfinite(radius):
        constraints += [{"type": "ineq", "fun": lambda u: radius**2 - u @ u, "jac": lambda u: -2.0 * u}]
    found = minimize(
        lambda u: 0.5 * u @ H @ u - c @ u,
        start,
        jac=lambda u: H @ u - c,
        method="SLSQP",
        constraints=constraints,
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return np.asarray(found.x)


def problem(seed: int, when: str) -> tuple[Vector, Vector, float, float]:
    """Weights v, an example x and its label with m <= 0 or (margin) 0 < m < 1, and the length of
    x.
    """
    rng = np.random.default_rng(seed)
    v, x = rng.normal(size=4), rng.normal(size=4)
    if when == "mistake":
        return v, x, (-1.0 if v @ x > 0.0 else 1.0), norm(x)
    y = float(rng.choice([-1.0, 1.0]))
    return v + (y * rng.uniform(0.1, 0.9) - v @ x) / (x @ x) * x, x, y, norm(x)


def after(oracle: Oracle, v: Vector, x: Vector, y: float, weight: float = 1.0) -> Vector:
    """The weights after one round that starts at v."""
    oracle.w = v.copy()
    oracle.learn(x, y, weight)
    return oracle.w


def stream(seed: int, rounds: int = 60, n: int = 5) -> list[tuple[Vector, float]]:
    """A drifting target, one label in ten flipped, a few zero examples."""
    rng = np.random.default_rng(seed)
    target, pairs = rng.normal(size=n), []
    for _ in range(rounds):
        target += 0.1 * rng.normal(size=n)
        x = rng.normal(size=n) * (rng.random(n) < 0.7) * (rng.random() < 0.95)
        pairs.append((x, (1.0 if target @ x >= 0.0 else -1.0) * (1.0 if rng.random() < 0.9 else -1.0)))
    return pairs


def every_oracle(n: int) -> dict[str, Oracle]:
    return {
        "Perceptron": oracles.Perceptron(n),
        "PNormPerceptron": oracles.PNormPerceptron(n, p=3.0),
        "ProjectionPerceptron": oracles.ProjectionPerceptron(n, eta=0.7, radius=1.5),
        "NORMA": oracles.NORMA(n, alpha=0.5, lam=0.1, rho=0.3, p=2.5),
        "ALMA": oracles.ALMA(n, alpha=0.5, B=1.2, rho=0.3, p=4.0),
        "SelfTuningALMA": oracles.SelfTuningALMA(n, alpha=0.9, B=None, C=None, p=3.0),
        "PA": oracles.PA(n, when="margin"),
        "PA1": oracles.PA1(n, C=0.3, when="margin"),
        "PA2": oracles.PA2(n, C=0.3, when="margin"),
        "ShrunkPA": oracles.ShrunkPA(n, alpha=0.2, when="margin", sigma=0.01),
        "L2PA": oracles.L2PA(n, beta=1.5, when="margin", sigma=0.01),
        "L1PA": oracles.L1PA(n, beta=1.5, when="margin", sigma=0.01),
        "ROMMA": oracles.ROMMA(n, when="margin"),
    }


# ---------------------------------------------------------------------- steps against a general solver
@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("seed", PROBLEMS)
def test_unconstrained_steps_solve_their_problems(seed: int, when: str) -> None:
    v, x, y, _ = problem(seed, when)
    a, C, alpha, eye, one = y * x, 0.4, 0.3, np.eye(4), np.ones(1)

    best = solve(eye, v, a[None], one, start=v)
    np.testing.assert_allclose(after(oracles.PA(4, when=when), v, x, y), best, atol=1e-5)

    best = solve((1.0 + alpha) * eye, v, a[None], one, start=v)  # 1/2 |w - v|^2 + alpha/2 |w|^2
    np.testing.assert_allclose(after(oracles.ShrunkPA(4, alpha=alpha, when=when), v, x, y), best, atol=1e-5)

    slack_rows = np.array([[*a, 1.0], [0.0, 0.0, 0.0, 0.0, 1.0]])  # the last unknown is the slack xi
    start, goals = np.append(v, 1.0), np.array([1.0, 0.0])
    best = solve(np.diag([1.0, 1.0, 1.0, 1.0, 0.0]), np.append(v, -C), slack_rows, goals, start)[:4]  # + C xi
    np.testing.assert_allclose(after(oracles.PA1(4, C=C, when=when), v, x, y), best, atol=1e-5)

    squared = np.diag([1.0, 1.0, 1.0, 1.0, 2.0 * C])  # + C xi^2
    best = solve(squared, np.append(v, 0.0), slack_rows, goals, start)[:4]
    np.testing.assert_allclose(after(oracles.PA2(4, C=C, when=when), v, x, y), best, atol=1e-5)


@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("seed", PROBLEMS)
def test_romma_steps_solve_their_problem(seed: int, when: str) -> None:
    v, x, y, length = problem(seed, when)
    if seed % 3 == 0:
        v = v * 0.2 / norm(v) / length  # short weights: the example alone decides when m > 0
    w = after(oracles.ROMMA(4, when=when), v, x, y)
    unit = norm(w)  # measured in the answer's own length: nearly opposite v and x give long answers
    rows, goals = np.stack([y * x, v / norm(v)]), np.array([1.0, norm(v)]) / unit
    start = w / unit + 0.3 * np.random.default_rng(seed).normal(size=4)
    best = solve(np.eye(4), np.zeros(4), rows, goals, start)
    np.testing.assert_allclose(w / unit, best, atol=1e-5)


def test_romma_first_update_and_weights_opposite_to_the_example() -> None:
    x = np.array([3.0, 4.0])
    np.testing.assert_allclose(after(oracles.ROMMA(2, when="mistake"), np.zeros(2), x, -1.0), -x / 25.0)
    np.testing.assert_allclose(after(oracles.ROMMA(2, when="mistake"), x, x, -1.0), -x / 25.0)


@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("seed", PROBLEMS)
def test_bounded_steps_solve_their_problems(seed: int, when: str) -> None:
    v, x, y, length = problem(seed, when)
    a = y * x
    reach = 1.0 + 10.0 ** np.random.default_rng(seed + 100).uniform(-1.5, 0.5)  # beta |x| in the dual norm

    beta = reach / length
    v = into_ball(v, beta)
    best = solve(np.eye(4), v, a[None], np.ones(1), start=a / length**2, radius=beta)
    np.testing.assert_allclose(after(oracles.L2PA(4, beta=beta, when=when), v, x, y), best, atol=1e-5)

    beta = reach / float(np.abs(x).max())
    v = into_ball(v, beta, 1.0)
    split = np.hstack([np.eye(4), -np.eye(4)])  # w = split u, u >= 0, so that |w|_1 <= sum u
    rows, goals = np.vstack([a @ split, -np.ones(8), np.eye(8)]), np.array([1.0, -beta, *np.zeros(8)])
    start = np.maximum(split.T @ a, 0.0) / length**2
    best = split @ solve(split.T @ split, split.T @ v, rows, goals, start)
    np.testing.assert_allclose(after(oracles.L1PA(4, beta=beta, when=when), v, x, y), best, atol=1e-5)


# --------------------------------------------------------------------- properties along a whole stream
@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("seed", range(3))
def test_margin_is_one_after_a_firing_step(seed: int, when: str) -> None:
    n = 5
    for oracle in (
        oracles.PA(n, when=when),
        oracles.PA1(n, C=math.inf, when=when),
        oracles.ShrunkPA(n, alpha=0.3, when=when),
        oracles.L2PA(n, beta=2.0, when=when),
        oracles.L1PA(n, beta=2.0, when=when),
        oracles.ROMMA(n, when=when),
    ):
        fired = 0
        for x, y in stream(seed):
            updates = oracle.updates
            before = y * oracle.learn(x, y)
            if oracle.updates > updates:
                fired += 1
                assert before <= 0.0 if when == "mistake" else before < 1.0
                rounding = 1e-13 * max(1.0, norm(oracle.w) * norm(x))
                assert y * oracle.score(x) == pytest.approx(1.0, rel=0.0, abs=rounding)
        assert fired >= 5


@pytest.mark.parametrize("weight", [0.5, 1.0, 3.0])
def test_weights_stay_in_their_balls(weight: float) -> None:
    p, n = 3.0, 5
    cases: list[tuple[Oracle, float, float]] = [
        (oracles.ALMA(n, alpha=0.5, B=0.8, rho=0.2, p=p), 0.8, p / (p - 1.0)),
        (oracles.ProjectionPerceptron(n, eta=0.7, radius=1.3), 1.3, 2.0),
        (oracles.SelfTuningALMA(n, alpha=0.9, B=None, C=None, p=p), 1.0, p / (p - 1.0)),
    ]
    for how in ("skip", "relax", "best"):
        cases.append((oracles.L2PA(n, beta=1.1, when="margin", infeasible=how), 1.1, 2.0))
        cases.append((oracles.L1PA(n, beta=1.1, when="margin", infeasible=how), 1.1, 1.0))
    for oracle, radius, q in cases:
        touched = False
        for x, y in stream(4):
            oracle.learn(x, y, weight)
            assert norm(oracle.w, q) <= radius * (1.0 + 1e-12)
            touched |= norm(oracle.w, q) >= radius * (1.0 - 1e-9)
        assert touched or weight < 1.0, type(oracle)


def test_rules_that_coincide() -> None:
    n, p = 5, 3.0
    for group in (
        [oracles.Perceptron(n), oracles.NORMA(n, alpha=1.0, lam=0.0, rho=0.0, p=2.0)],
        [oracles.Perceptron(n), oracles.PNormPerceptron(n, p=2.0)],
        [oracles.PNormPerceptron(n, p=p), oracles.ALMA(n, alpha=1.0, B=math.inf, rho=0.0, p=p)],
        [oracles.Perceptron(n), oracles.ProjectionPerceptron(n, eta=1.0, radius=math.inf)],
        [
            oracles.PA(n, when="margin"),
            oracles.PA1(n, C=math.inf, when="margin"),
            oracles.PA2(n, C=math.inf, when="margin"),
            oracles.ShrunkPA(n, alpha=0.0, when="margin"),
            oracles.L2PA(n, beta=math.inf, when="margin"),
            oracles.L1PA(n, beta=math.inf, when="margin"),
        ],
    ):
        for x, y in stream(5):
            first, *others = [oracle.learn(x, y) for oracle in group]
            np.testing.assert_allclose(others, first, atol=1e-12)
        assert len({(oracle.mistakes, oracle.updates, oracle.margin_errors) for oracle in group}) == 1


def test_norma_is_a_sum_of_decayed_examples() -> None:
    alpha, lam, rho, p, n = 0.5, 0.2, 0.4, 3.0, 5
    oracle = oracles.NORMA(n, alpha=alpha, lam=lam, rho=rho, p=p)
    fired: list[tuple[int, Vector]] = []
    for t, (x, y) in enumerate(stream(6)):
        f = oracle.learn(x, y)
        theta = sum(((1.0 - alpha * lam) ** (t - 1 - s) * alpha * b for s, b in fired), np.zeros(n))
        assert f == pytest.approx(float(link(theta, p) @ x), abs=1e-12)
        if y * f <= rho:
            fired.append((t, y * x))
    assert oracle.updates == sum(bool(a.any()) for _, a in fired)
    assert oracle.updates < oracle.margin_errors  # zero examples are margin errors, not updates


def test_self_tuning_alma_first_rounds_by_hand() -> None:
    oracle = oracles.SelfTuningALMA(2, alpha=0.5, B=1.0, C=1.0, p=2.0)
    oracle.learn(np.array([0.0, 2.0]), 1.0)  # k = 1: theta = eta_1 xh = (0, 1)
    np.testing.assert_allclose(oracle.w, [0.0, 1.0])
    oracle.learn(np.array([4.0, 2.0]), 1.0)  # k = 2: w.xh = 0.447 > 0.5 * 1/sqrt(2) = 0.354
    assert (oracle.updates, oracle.margin_errors) == (1, 1)
    oracle.learn(np.array([4.0, 1.0]), 1.0)  # w.xh = 0.243: theta = (0, 1) + xh/sqrt(2), back to the ball
    moved = np.array([0.0, 1.0]) + np.array([4.0, 1.0]) / math.sqrt(17.0) / math.sqrt(2.0)
    np.testing.assert_allclose(oracle.w, moved / math.hypot(*moved))
    assert (oracle.updates, oracle.margin_errors, oracle.mistakes) == (2, 2, 1)


@pytest.mark.parametrize("p", [2.0, 4.0])
def test_self_tuning_alma_keeps_its_bound(p: float) -> None:
    rng = np.random.default_rng(8)
    n, alpha, margin = 6, 0.5, 0.1
    u = rng.normal(size=n)
    u /= norm(u, p / (p - 1.0))
    xs = [x / norm(x, p) for x in rng.normal(size=(200, n))]
    xs = [x for x in xs if abs(u @ x) >= margin]
    oracle = oracles.SelfTuningALMA(n, alpha=alpha, B=None, C=None, p=p)
    before = -1
    while oracle.updates > before:  # cycle until no update
        before = oracle.updates
        for x in xs:
            oracle.learn(x, 1.0 if u @ x > 0.0 else -1.0)
    best = min(abs(float(u @ x)) for x in xs)
    assert 0 < oracle.updates <= 2.0 * (p - 1.0) / best**2 * (2.0 / alpha - 1.0) ** 2 + 8.0 / alpha - 4.0
    assert min(float(oracle.w @ x) * (1.0 if u @ x > 0.0 else -1.0) for x in xs) >= (1.0 - alpha) * best


# ----------------------------------------------------------------------------------- counting, weights
def test_counters_by_hand() -> None:
    oracle = oracles.PA(2, when="margin")
    xs, ys = [[1.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.0, 0.0], [0.0, 1.0]], [-1.0, -1.0, -1.0, 1.0, 1.0]
    scores = [oracle.learn(np.array(x), y) for x, y in zip(xs, ys, strict=True)]
    assert scores == [0.0, -1.0, -0.5, 0.0, 0.0]  # w is (-1, 0) after round 1 and (-2, 0) after round 3
    assert oracle.mistakes == 3
    assert oracle.label_errors == 1  # a score of 0 shows +1
    assert oracle.margin_errors == 5
    assert oracle.updates == 3
    assert oracle.hinge == 3.5
    np.testing.assert_allclose(oracle.w, [-2.0, 1.0])


def test_margin_errors_use_each_rules_own_margin() -> None:
    x = np.array([1.0, 0.0])
    for oracle, inside, outside in (
        (oracles.Perceptron(2), 0.0, 0.01),
        (oracles.NORMA(2, alpha=1.0, lam=0.0, rho=0.25, p=2.0), 0.25, 0.26),
        (oracles.ALMA(2, alpha=1.0, B=9.0, rho=0.25, p=2.0), 0.25, 0.26),
        (oracles.PA1(2, C=1.0, when="mistake"), 1.0, 1.01),
        (oracles.ROMMA(2, when="mistake"), 1.0, 1.01),
        (oracles.SelfTuningALMA(2, alpha=0.5, B=0.5, C=1.0, p=2.0), 0.25, 0.26),
    ):
        for first, errors in ((outside, 0), (inside, 1)):
            oracle.w = np.array([first, 0.0])
            oracle.learn(x, 1.0, 0.0)
            assert oracle.margin_errors == errors, type(oracle)


@pytest.mark.parametrize("name", every_oracle(1))
def test_zero_example_and_zero_weight(name: str) -> None:
    oracle = every_oracle(5)[name]
    for x, y in stream(9, rounds=15):
        oracle.learn(x, y)
    counted = (oracle.mistakes, oracle.margin_errors, oracle.hinge, oracle.updates)
    w = oracle.w.copy()
    assert oracle.learn(np.zeros(5), -1.0, 0.0) == 0.0
    np.testing.assert_array_equal(oracle.w, w)
    oracle.learn(np.zeros(5), -1.0)
    np.testing.assert_allclose(oracle.w, 0.95 * w if name == "NORMA" else w, rtol=1e-14)
    mistakes, margin_errors, hinge, updates = counted
    now = (oracle.mistakes, oracle.margin_errors, oracle.hinge, oracle.updates)
    assert now == (mistakes + 2, margin_errors + 2, hinge + 2.0, updates)
    w = oracle.w.copy()
    x = -np.sign(w) - (w == 0.0)
    oracle.learn(x, 1.0, 0.0)  # a mistake of weight 0
    np.testing.assert_array_equal(oracle.w, w)
    assert (oracle.mistakes, oracle.updates) == (mistakes + 3, updates)
    oracle.learn(x, 1.0)
    assert oracle.updates == updates + 1


@pytest.mark.parametrize("g", [0.25, 1.0, 2.0])
def test_weight_multiplies_the_additive_step_only(g: float) -> None:
    v, x, q2 = np.array([0.6, -0.2]), np.array([-1.0, 1.0]), 2.0  # m = -0.8
    m = float(v @ x)
    np.testing.assert_allclose(after(oracles.PA(2, when="mistake"), v, x, 1.0, g), v + g * (1 - m) / q2 * x)
    np.testing.assert_allclose(after(oracles.PA1(2, C=0.1, when="mistake"), v, x, 1.0, g), v + g * 0.1 * x)
    shrunk = (v + g * (1.3 - m) / q2 * x) / 1.3
    np.testing.assert_allclose(after(oracles.ShrunkPA(2, alpha=0.3, when="mistake"), v, x, 1.0, g), shrunk)
    w_sq = float(v @ v)
    shrink, tau = (q2 * w_sq - m) / (q2 * w_sq - m * m), w_sq * (1 - m) / (q2 * w_sq - m * m)
    relaxed = shrink * v + g * tau * x
    np.testing.assert_allclose(after(oracles.ROMMA(2, when="mistake"), v, x, 1.0, g), relaxed)
    beta = 0.71
    scale = max(1.0, math.sqrt((w_sq * q2 - m * m) / (beta**2 * q2 - 1.0)))
    bounded = (v + g * (scale - m) / q2 * x) / scale
    bounded *= min(1.0, beta / math.hypot(*bounded))
    assert scale > 1.0
    np.testing.assert_allclose(after(oracles.L2PA(2, beta=beta, when="mistake"), v, x, 1.0, g), bounded)
    beta = 1.02
    moved = v + g * (l1_step(v, x, beta)[0] - v)
    np.testing.assert_allclose(
        after(oracles.L1PA(2, beta=beta, when="mistake"), v, x, 1.0, g), project_l1(moved, beta)[0]
    )
    norma = oracles.NORMA(2, alpha=0.5, lam=0.4, rho=0.0, p=2.0)
    norma.theta = v.copy()
    np.testing.assert_allclose(after(norma, v, x, 1.0, g), 0.8 * v + g * 0.5 * x)


# ----------------------------------------------------------------------------------- infeasible rounds
@pytest.mark.parametrize(("rule", "best"), [(oracles.L2PA, [0.6, 0.8]), (oracles.L1PA, [0.0, 1.0])])
def test_infeasible_policies(rule: type[oracles.L2PA] | type[oracles.L1PA], best: list[float]) -> None:
    x, v = np.array([0.3, 0.4]), np.array([-0.2, 0.0])
    reach = 0.5 if rule is oracles.L2PA else 0.4
    for how, updates in (("skip", 0), ("relax", 1), ("best", 1)):
        oracle = rule(2, beta=1.0, when="margin", infeasible=how, kappa=0.5)
        w = after(oracle, v, x, 1.0)
        assert (oracle.infeasible, oracle.updates, oracle.mistakes) == (1, updates, 1)
        if how == "skip":
            np.testing.assert_array_equal(w, v)
        elif how == "relax":
            assert float(w @ x) == pytest.approx(0.5 * reach, rel=1e-14)
        else:
            np.testing.assert_allclose(w, best, atol=1e-15)
        after(oracle, v, x, 1.0, 0.0)
        assert (oracle.infeasible, oracle.updates) == (2, updates)
    oracle = rule(2, beta=1.0, when="margin", infeasible="relax", kappa=0.5)
    after(oracle, np.array([0.3, 0.6]), x, 1.0)  # the relaxed margin is met already: nothing moves
    assert (oracle.infeasible, oracle.updates) == (1, 0)
    oracle = rule(2, beta=1.0, when="mistake", infeasible="skip")
    after(oracle, np.array([0.3, 0.6]), x, 1.0)  # would not have fired
    after(oracle, v, np.zeros(2), 1.0)
    assert oracle.infeasible == 0
    oracle = rule(2, beta=0.5, when="mistake", infeasible="raise")
    np.testing.assert_allclose(after(oracle, v, np.array([0.0, 2.0]), 1.0), [0.0, 0.5])  # one feasible point
    assert (oracle.infeasible, oracle.updates) == (0, 1)
    oracle = rule(2, beta=1.0, when="margin", infeasible="raise")
    with pytest.raises(ValueError, match=rf"^{rule.__name__}: beta \* \|x\| must be >= 1, got 0\."):
        oracle.learn(x, 1.0)
    assert (oracle.infeasible, oracle.mistakes, oracle.margin_errors, oracle.hinge) == (0, 0, 0, 0.0)


def test_removal_happens_after_updates_only() -> None:
    x = np.array([1.0, 0.1])
    for oracle in (
        oracles.ShrunkPA(2, alpha=0.0, when="mistake", sigma=0.05),
        oracles.L2PA(2, beta=2.0, when="mistake", sigma=0.05),
        oracles.L1PA(2, beta=2.0, when="mistake", sigma=0.05),
    ):
        w = after(oracle, np.zeros(2), x, 1.0)
        np.testing.assert_allclose(w, [1.0 / 1.01, 0.0])
        np.testing.assert_array_equal(after(oracle, np.array([1.0, 0.1]), x, 1.0), [1.0, 0.1])  # no mistake


def test_oracles_refuse_unknown_choices() -> None:
    with pytest.raises(ValueError, match=r"^PA: when must be 'mistake' or 'margin', got 'always'"):
        oracles.PA(2, when="always")
    with pytest.raises(ValueError, match=r"^L1PA: infeasible must be .*, got 'ignore'"):
        oracles.L1PA(2, beta=1.0, when="margin", infeasible="ignore")

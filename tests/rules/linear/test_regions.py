"""Convex sets for the projection Perceptron: exact projections, weights inside, and bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.internals.weight_layout import FIRST
from driftline.regions import Box, Ellipsoid, L1Ball, Region, Simplex
from driftline.rules.linear.region_projections import project
from tests.oracles.projections import into_region, project_ellipsoid
from tests.support.linear_cases import stream

AXES = (0.3, 2.0, 1.0, 0.05)
REGIONS = [
    Box(),
    Box(0.0, math.inf),
    Box(-math.inf, 0.5),
    Box(-0.2, 0.0),
    Simplex(),
    Simplex(3.0),
    L1Ball(),
    L1Ball(0.1),
    Ellipsoid(),
    Ellipsoid(AXES, 0.5),
    Ellipsoid((1e-6, 1e6, 1.0), 1.0),
]
every_region = pytest.mark.parametrize("region", REGIONS, ids=str)


def projected(region: Region, z: np.ndarray) -> np.ndarray:
    """The projection of the weights of columns 0, 1, ..."""
    w = z.copy()
    positions = np.arange(FIRST, FIRST + z.size).astype(np.uint32)
    project(region.kind, w, positions, *region.params(), region.half_axes)
    return w


def axes_of(region: Ellipsoid, n: int) -> np.ndarray:
    return np.array([*region.axes, *[region.rest] * n])[:n]


def outside(region: Region, w: np.ndarray) -> float:
    """How far a condition of the set is violated, relative to its size."""
    if isinstance(region, Box):
        return float(max(0.0, (w - region.high).max(), (region.low - w).max()))
    if isinstance(region, Simplex):
        return float(max(0.0, -w.min(), w.sum() / region.radius - 1.0))
    if isinstance(region, L1Ball):
        return float(max(0.0, np.abs(w).sum() / region.radius - 1.0))
    assert isinstance(region, Ellipsoid)
    return float(max(0.0, np.sum((w / axes_of(region, w.size)) ** 2) - 1.0))


points = arrays(np.float64, st.integers(1, 12), elements=st.floats(-1e6, 1e6, allow_subnormal=False))


@every_region
@settings(max_examples=100, deadline=None)
@given(z=points)
def test_a_projection_is_the_nearest_point(region: Region, z: np.ndarray) -> None:
    """p is nearest to z iff (z - p).(w - p) <= 0 for all w in the set: the largest (z - p).w is (z - p).p."""
    p = projected(region, z)
    assert outside(region, p) <= 1e-12
    normal = z - p
    highest = region.support(normal)
    assert math.isfinite(highest)
    assert highest <= normal @ p + 1e-9 * (np.linalg.norm(normal) * np.linalg.norm(p) + 1e-9)
    assert projected(region, p) == pytest.approx(p, rel=1e-9, abs=1e-15)
    assert (p[z == 0.0] == 0.0).all()


@pytest.mark.parametrize("region", REGIONS[:-1], ids=str)  # the solver does not converge with axes of 1e-6 and 1e6
@pytest.mark.parametrize("seed", range(3))
def test_a_general_solver_finds_no_nearer_point(region: Region, seed: int) -> None:
    z = np.random.default_rng(seed).normal(size=6) * 2.0
    conditions: list[dict[str, Any]] = []
    limits: list[tuple[float | None, float | None]] = [(None, None)] * 6
    # |w_i| is written as the sum of two parts, so that all conditions are smooth
    if isinstance(region, L1Ball):

        def cost(parts: np.ndarray) -> float:
            return float(np.sum((parts[:6] - parts[6:] - z) ** 2))

        sums = {"type": "ineq", "fun": lambda parts: region.radius - parts.sum()}
        found = minimize(cost, np.zeros(12), method="SLSQP", bounds=[(0.0, None)] * 12, constraints=[sums], tol=1e-14)
        nearest = found.x[:6] - found.x[6:]
    else:
        if isinstance(region, Box):
            limits = [(region.low, region.high)] * 6
        elif isinstance(region, Simplex):
            limits = [(0.0, None)] * 6
            conditions = [{"type": "ineq", "fun": lambda w: region.radius - w.sum()}]
        elif isinstance(region, Ellipsoid):
            conditions = [{"type": "ineq", "fun": lambda w: 1.0 - np.sum((w / axes_of(region, 6)) ** 2)}]
        start = np.zeros(6)
        found = minimize(
            lambda w: float(np.sum((w - z) ** 2)),
            start,
            method="SLSQP",
            bounds=limits,
            constraints=conditions,
            tol=1e-14,
            options={"maxiter": 500},
        )
        nearest = found.x
    p = projected(region, z)
    assert np.linalg.norm(p - z) <= np.linalg.norm(nearest - z) + 1e-6
    assert p == pytest.approx(nearest, abs=2e-4)


@every_region
def test_a_point_inside_stays_where_it_is(region: Region) -> None:
    z = np.array([1e-7, 0.0, 1e-9]) * (-1.0 if region == Box(-0.2, 0.0) else 1.0)
    assert projected(region, z).tolist() == z.tolist()


def test_the_support_is_the_largest_product() -> None:
    rng = np.random.default_rng(0)
    for region in REGIONS:
        d = rng.normal(size=5)
        inside = [projected(region, z) @ d for z in rng.normal(size=(2000, 5)) * 3.0]
        assert max(inside) <= region.support(d) * (1.0 + 1e-12)
        if math.isfinite(region.support(d)) and not (isinstance(region, Ellipsoid) and 1e6 in region.axes):
            far = projected(region, 1e9 * d)
            assert far @ d >= 0.9 * region.support(d)


# the learner ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("region", ["simplex(0.8)", "box(0.0, 0.3)", "l1ball(0.7)", "ellipsoid(rest=0.4)"])
@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_as_its_formula_says(region: str, sparse: bool) -> None:
    data = stream(3, rounds=600, weights=(0.0, 0.5, 1.0, 2.0))
    name, _, sizes = region.rstrip(")").partition("(")
    w, eta, scores = np.zeros(9), 0.3, []
    for x, y, c in zip(np.hstack([np.ones((600, 1)), data.X]), data.y, data.w, strict=True):
        scores.append(w @ x)
        if y * scores[-1] <= 0.0 and c > 0.0:
            w = into_region(w + eta * c * y * x, name, *(float(one.rpartition("=")[2]) for one in sizes.split(",")))
    learner = dl.ProjectionPerceptron(eta, region=region)
    found = learner.learn_many(data.csr if sparse else data.X, data.y, data.w)
    assert found == pytest.approx(scores, rel=1e-9, abs=1e-9)
    assert outside(learner.rule.region, np.array([*learner.weights().values(), 0.0])) <= 1e-12


def test_axes_belong_to_columns_and_the_rest_to_the_constant() -> None:
    data = stream(5, rounds=400, n=3)
    axes, w = np.array([0.5, *AXES[:3]]), np.zeros(4)
    for x, y in zip(np.hstack([np.ones((400, 1)), data.X]), data.y, strict=True):
        if y * (w @ x) <= 0.0:
            w = project_ellipsoid(w + 0.2 * y * x, axes)
    learner = dl.ProjectionPerceptron(0.2, region=Ellipsoid(AXES, 0.5))
    learner.learn_many(data.X, data.y)
    known = learner._engine.weights()
    assert known[[0, FIRST, FIRST + 1, FIRST + 2]] == pytest.approx(w, rel=1e-9)


def test_an_ellipsoid_with_equal_axes_is_the_ball() -> None:
    data = stream(6, rounds=500)
    ball, ellipsoid = dl.ProjectionPerceptron(0.3, 2.0), dl.ProjectionPerceptron(0.3, region=Ellipsoid(rest=2.0))
    assert ellipsoid.learn_many(data.X, data.y) == pytest.approx(ball.learn_many(data.X, data.y), rel=1e-9, abs=1e-12)


def test_the_default_is_the_ball_and_has_its_engine() -> None:
    plain = dl.ProjectionPerceptron()
    assert plain.rule.region is None and type(plain._engine).__name__ == "LinearEngine" and plain.rule.ball == 1.0


def test_saved_and_loaded(tmp_path: Any) -> None:
    data = stream(7, rounds=200)
    for region in REGIONS:
        learner = dl.ProjectionPerceptron(0.3, region=region)
        learner.learn_many(data.X[:100], data.y[:100])
        learner.save(tmp_path / "model")
        loaded = dl.load(tmp_path / "model")
        assert loaded.rule == learner.rule
        assert loaded.learn_many(data.X[100:], data.y[100:]).tolist() == (
            learner.learn_many(data.X[100:], data.y[100:]).tolist()
        )


def test_a_region_given_as_text() -> None:
    for text, region in (
        ("box", Box()),
        ("Box(0, inf)", Box(0.0, math.inf)),
        (" l1ball( radius = 2 ) ", L1Ball(2.0)),
        ("ellipsoid((0.3, 2.0), rest=0.5)", Ellipsoid((0.3, 2.0), 0.5)),
    ):
        assert dl.ProjectionPerceptron(region=text).rule.region == region


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Box(0.1, 1.0), r"^Box: low must be <= 0, got 0.1$"),
        (lambda: Box(-1.0, -0.5), r"^Box: high must be >= 0, got -0.5$"),
        (lambda: Simplex(0.0), r"^Simplex: radius must be > 0, got 0.0$"),
        (lambda: L1Ball(math.inf), r"^L1Ball: radius must be finite, got inf$"),
        (lambda: Ellipsoid([1.0]), r"^Ellipsoid: axes must be a tuple of numbers, got \[1.0\]$"),  # type: ignore[arg-type]
        (lambda: Ellipsoid((1.0, 0.0)), r"^Ellipsoid: an axis must be > 0, got 0.0$"),
        (lambda: dl.ProjectionPerceptron(region="box(0.5)"), r"^Box: low must be <= 0, got 0.5$"),
        (
            lambda: dl.ProjectionPerceptron(radius=2.0, region="box"),
            r"^ProjectionPerceptron: radius must be 1.0 with a region, got 2.0. Leave it out, .*$",
        ),
        (
            lambda: dl.Kernelized(dl.ProjectionPerceptron(region="box")),
            r"^Kernelized: learner must have no region: there are no weights, got .*$",
        ),
        (
            lambda: dl.Averaged(dl.ProjectionPerceptron(region="box")),
            r"^Averaged: learner must be .* a region, got .*$",
        ),
        (lambda: dl.Bank([dl.ProjectionPerceptron(region="box")]), r"^Bank: learners must be of two numbers .*$"),
        (lambda: dl.ProjectionPerceptron(region="box").tune(R=1.0, gamma=0.1), r"must have a theorem that prescribes"),
    ],
)
def test_what_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_inside_other_learners() -> None:
    data = stream(8, rounds=300)
    base = dl.ProjectionPerceptron(0.3, region="l1ball(1.5)")
    alone = dl.ProjectionPerceptron(0.3, region="l1ball(1.5)")
    alone.learn_many(data.X, data.y)
    asked = dl.LabelEfficient(dl.ProjectionPerceptron(0.3, region="l1ball(1.5)"), b=1e12)
    asked.learn_many(data.X, data.y)
    assert asked.score_many(data.X).tolist() == alone.score_many(data.X).tolist()
    classes = dl.OneVsRest(base)
    classes.learn_many(csr_matrix(data.X), np.arange(300) % 3)
    assert len(classes.labels) == 3
    assert dl.run(alone, (data.X, data.y), certify=True).certificate().bounds == ()

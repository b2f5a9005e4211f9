"""Rules that coincide at the limits of their parameters make the same updates there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import driftline as dl
from driftline import rules
from driftline.engines import CompactEngine, LinearEngine, PNormEngine
from driftline.engines.engine import Engine
from driftline.internals.rows import DenseRows
from tests.support.linear_cases import INF, WEIGHTS, WHEN, Case, P, Stream, cross, stream, weights_of

CLOSE = 4e-13
NEVER = 1e-300  # energy below which weights are removed: only those that are zero already

GROUPS: list[list[Case]] = [
    [
        *cross("perceptron"),
        *cross("pnormperceptron", {"p": 2.0}),
        *cross("norma", {"alpha": 1.0, "lam": 0.0, "rho": 0.0, "p": 2.0}),
        *cross("alma", {"alpha": 1.0, "B": INF, "rho": 0.0, "p": 2.0}),
        *cross("projectionperceptron", {"eta": 1.0, "radius": INF}),
    ],
    *(
        [
            *cross("pnormperceptron", {"p": p}),
            *cross("norma", {"alpha": 1.0, "lam": 0.0, "rho": 0.0, "p": p}),
            *cross("alma", {"alpha": 1.0, "B": INF, "rho": 0.0, "p": p}),
        ]
        for p in (2.5, 3.0, 5.99)
    ),
    *(
        [
            *cross("pa", {"when": when}),
            *cross("pa1", {"C": INF, "when": when}),
            *cross("pa2", {"C": INF, "when": when}),
            *cross("shrunkpa", {"alpha": 0.0, "when": when}, {"alpha": 0.0, "sigma": NEVER, "when": when}),
            *cross("l2pa", {"beta": INF, "when": when}, {"beta": INF, "sigma": NEVER, "when": when}),
            *cross("l1pa", {"beta": INF, "when": when}),
        ]
        for when in WHEN
    ),
    *(cross("shrunkpa", {"alpha": 0.1, "when": when}, sigma=(0.0, NEVER)) for when in WHEN),
    *(cross("l2pa", {"beta": 1.0, "infeasible": "relax", "when": when}, sigma=(0.0, NEVER)) for when in WHEN),
    *(cross("l1pa", {"beta": 1.0, "infeasible": "relax", "when": when}, sigma=(0.0, NEVER)) for when in WHEN),
    # a ball that is never reached
    [*cross("alma", {"alpha": 0.1, "rho": 0.3}, B=(1e6, INF))],
    [*cross("l2pa", {"when": "margin"}, beta=(1e6, INF))],
    [*cross("l1pa", {"when": "margin"}, beta=(1e6, INF))],
]
STREAMS = {
    "sparse": stream(21, rounds=600, n=30, density=0.2),
    "dense": stream(22, rounds=600, decades=1.0),
    "weighted": stream(23, rounds=600, weights=WEIGHTS),
}
every_stream = pytest.mark.parametrize("name", STREAMS)


def assert_same_road(first: dl.Learner, other: dl.Learner, data: Stream, sparse: bool) -> None:
    X = data.csr if sparse else data.X
    was, now = first.test_then_train(X, data.y, data.w), other.test_then_train(X, data.y, data.w)
    n = data.X.shape[1]
    w, v = weights_of(first, n), weights_of(other, n)
    assert np.abs(w - v).max() <= CLOSE * np.abs(w).max()
    assert np.abs(was.scores - now.scores).max() <= CLOSE * np.abs(was.scores).max()
    np.testing.assert_array_equal(was.updated, now.updated)
    np.testing.assert_array_equal(was.infeasible, now.infeasible)


@every_stream
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group[0]}...")
def test_rules_that_coincide(group: list[Case], name: str) -> None:
    for first, other in pairwise(group):
        for sparse in (True, False):
            assert_same_road(first.learner(), other.learner(), STREAMS[name], sparse)


def test_rules_that_do_not_coincide_are_told_apart() -> None:
    for first, other in (
        (dl.NORMA(1.0, 0.001, 0.0), dl.Perceptron()),
        (dl.ALMA(1.0, 5.0, 0.0), dl.Perceptron()),
        (dl.PNormPerceptron(2.1), dl.Perceptron()),
        (dl.ShrunkPA(0.001, when="margin"), dl.PA()),
        (dl.ShrunkPA(0.1, sigma=1e-4), dl.ShrunkPA(0.1)),
        (dl.PA2(1e6), dl.PA()),
    ):
        with pytest.raises(AssertionError):
            assert_same_road(first, other, STREAMS["dense"], sparse=False)


def run(engine: Engine, data: Stream) -> np.ndarray:
    """Learn with an engine directly; the trials."""
    trials = np.array([data.y, data.w, np.zeros_like(data.y), np.zeros_like(data.y)])
    engine.reserve(data.X.shape[1])
    assert engine.learn(DenseRows(data.X), trials) == len(data.y)
    return trials


@every_stream
@pytest.mark.parametrize(
    ("engine", "rule"),
    [
        (PNormEngine, rules.Perceptron()),
        (PNormEngine, rules.ProjectionPerceptron(0.5, 2.0)),
        (PNormEngine, rules.NORMA(0.5, 0.1, 1.0)),
        (PNormEngine, rules.ALMA(0.5, 2.0, 1.0)),
        (PNormEngine, rules.SelfTuningALMA(0.7)),
        (PNormEngine, rules.PA1(0.1)),
        (PNormEngine, rules.L2PA(1.0, "margin", "relax")),
        (CompactEngine, rules.ShrunkPA(0.1)),
        (CompactEngine, rules.L2PA(1.0, "margin", "relax")),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_engines_agree_where_they_meet(engine: type[Engine], rule: rules.Rule, name: str) -> None:
    """The p-norm engine at p = 2, and the compact engine where it removes nothing, do what the linear engine does."""
    data, double = STREAMS[name], np.dtype(np.float64)
    plain, other = LinearEngine(rule, 1.0, double), engine(rule, 1.0, double)
    was, now = run(plain, data), run(other, data)
    w = plain.weights()
    assert np.abs(w - other.weights()).max() <= CLOSE * np.abs(w).max()
    assert np.abs(was - now).max() <= CLOSE * np.abs(was).max()


@pytest.mark.parametrize("p", P)
def test_the_rate_of_the_p_norm_perceptron_is_irrelevant(p: float) -> None:
    data = STREAMS["dense"]
    slow, fast = (dl.ALMA(rate, INF, 0.0, p).test_then_train(data.X, data.y) for rate in (0.01, 30.0))
    np.testing.assert_array_equal(slow.updated, fast.updated)
    np.testing.assert_allclose(fast.scores, 3000.0 * slow.scores, rtol=1e-9, atol=1e-9)

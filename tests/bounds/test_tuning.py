"""Learners tuned by their theorem for a known target keep the bound and the documented results."""

from __future__ import annotations

import importlib.util
import math
import re
import sys
from types import ModuleType

import numpy as np
import pytest

import driftline as dl
from driftline import bounds
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)


def loaded() -> ModuleType:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("tuning", ROOT / "benchmarks" / "tuning.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tuning"] = module
    spec.loader.exec_module(module)
    return module


TUNING = loaded()
both = pytest.mark.parametrize("kind", [dl.ALMA, dl.NORMA])


@both
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("drift", [0.0, 0.0005, 0.005, 0.05])
def test_on_mixtures_that_drift(drift: float, seed: int, kind: type[dl.ALMA] | type[dl.NORMA]) -> None:
    stream = TUNING.drifting(drift, seed, 2000)
    assert np.min(stream.margins) > 0.0  # the target separates every example
    bound = stream.theorem(kind)
    learner = stream.tuned(kind)
    assert stream.mistakes(learner) <= bound.value
    assert learner.mistakes < stream.mistakes(stream.in_its_space(dl.Perceptron(bias=False)))
    assert stream.mistakes(stream.in_its_space(TUNING.without_margin(stream, kind))) <= bound.value
    assert (bound.value < 2000) == (drift < 0.05 or kind is dl.ALMA)  # else the theorem says nothing


@both
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("angle", [0.0, 0.001, 0.01])
def test_on_a_hyperplane_that_turns(angle: float, seed: int, kind: type[dl.ALMA] | type[dl.NORMA]) -> None:
    stream = TUNING.turning(angle, seed, 2000)
    assert np.min(stream.margins) == pytest.approx(TUNING.MARGIN, abs=0.01)
    assert pytest.approx(1999 * 2.0 * math.sin(angle / 2.0)) == stream.D1
    bound = stream.theorem(kind)
    assert 0 < stream.mistakes(stream.tuned(kind)) <= bound.value < 2000


def test_the_targets_path_is_that_of_functions_in_the_kernels_space() -> None:
    """By random Fourier features, whose products are those of the kernel but for chance."""
    stream = dl.streams.DriftingMixtures(200, drift=0.1, seed=1, block=200)
    found = TUNING.drifting(0.1, 1, 200)
    rng, [(X, y)] = np.random.default_rng(0), stream
    waves = rng.normal(size=(2, 200_000)) / stream.sd
    concepts = [means for means, _ in zip(stream.concepts(), range(20), strict=False)]

    def feature(points: np.ndarray) -> np.ndarray:
        angles = points @ waves
        return np.hstack([np.cos(angles), np.sin(angles)]) / math.sqrt(waves.shape[1])

    U = np.array([feature(means[0]).sum(axis=0) - feature(means[1]).sum(axis=0) for means in concepts])
    steps = np.linalg.norm(np.diff(U, axis=0), axis=1)
    assert pytest.approx(np.linalg.norm(U, axis=1).max(), rel=0.01) == found.B
    assert pytest.approx(steps.sum(), rel=0.01) == found.D1 and pytest.approx((steps**2).sum(), rel=0.02) == found.D2
    assert found.margins[::10] == pytest.approx(y[::10] * np.sum(feature(X[::10]) * U, axis=1), abs=0.02)
    odds = np.concatenate([stream.log_odds(X[10 * k : 10 * k + 10], means) for k, means in enumerate(concepts)])
    assert (np.sign(found.margins) == np.sign(y * odds)).all()


def test_a_margin_that_is_searched_is_the_best_there_is() -> None:
    stream = TUNING.turning(0.001, 0, 1000)
    for kind in (dl.ALMA, dl.NORMA):
        best = stream.theorem(kind)
        assert all(stream.at(kind, mu).value >= 0.99 * best.value for mu in np.geomspace(0.01, 1.0, 200))


def test_a_path_that_is_not_told_breaks_the_bound() -> None:
    """Turned by pi / 50 a round the target leaves a learner behind that was told that it stands still."""
    stream = TUNING.turning(math.pi / 50.0, 0, 2000)
    given = {"X": 1.0, "B": 1.0 + 1e-12, "mu": TUNING.MARGIN}
    alma = dl.ALMA(bias=False).tune(**given)
    norma = dl.NORMA(bias=False).tune(**given, T=2000)
    assert stream.mistakes(alma) > bounds.ALMAMistakes(**given).value
    assert stream.mistakes(norma) > bounds.NORMAMistakes(**given, T=2000).value


def test_the_page_has_been_made_of_this_script() -> None:
    """Its words, and the mean bound of the quick stream over all seeds."""
    page = (ROOT / "docs" / "tuning.md").read_text(encoding="utf-8")
    for line in TUNING.PAGE.split("\n"):
        fixed = re.split(r"\{.*?\}", line)
        assert all(part in page for part in fixed)
    values = [TUNING.turning(0.001, seed).theorem(dl.ALMA).value for seed in range(TUNING.SEEDS)]
    tuned = [TUNING.turning(0.001, seed) for seed in range(TUNING.SEEDS)]
    mistakes = np.array([one.mistakes(one.tuned(dl.ALMA)) for one in tuned])
    assert f"| angle 0.001 | ALMA | {TUNING._spread(np.array(values))} | {TUNING._spread(mistakes)} |" in page

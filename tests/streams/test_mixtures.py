"""Streams of Gaussian mixtures: densities, filters, steps of the means, and what is refused."""

from __future__ import annotations

import math
from itertools import islice, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from driftline.streams import (
    DriftingMixtures,
    SwitchingMixtures,
)
from driftline.streams.synthetic import mixtures as mixtures_file
from driftline.streams.synthetic.mixtures import reflected
from tests.support.synthetic_streams import (
    whole,
)


def slow_log_odds(x, means, sd):
    """log p(x | +1) - log p(x | -1), from the densities."""
    log_p = [logsumexp([stats.norm.logpdf(x, mean, sd).sum() for mean in side]) - math.log(len(side)) for side in means]
    return log_p[0] - log_p[1]


def with_means(stream):
    """Every example with the means it was drawn from: (x, y, means)."""
    means = (m for m in stream.concepts() for _ in repeat(None, stream.every))
    X, y = whole(stream)
    return zip(X, y, islice(means, len(y)), strict=True)


MIXTURES = [
    DriftingMixtures(400, seed=1),
    SwitchingMixtures(400, every=100, seed=1),
    SwitchingMixtures(300, every=37, d=3, components=3, box=2.0, sd=0.5, keep=2.0, seed=2),
    DriftingMixtures(300, every=3, drift=0.5, d=1, components=1, sd=0.4, keep=0.0, seed=3),
]


@pytest.mark.parametrize("stream", MIXTURES)
def test_every_example_passes_the_bayes_filter(stream):
    odds = [y * slow_log_odds(x, means, stream.sd) for x, y, means in with_means(stream)]
    assert len(odds) == len(stream)
    assert min(odds) > stream.keep


@pytest.mark.parametrize("stream", MIXTURES)
def test_log_odds_are_those_of_the_densities(stream):
    X = np.random.default_rng(0).normal(0.0, 2.0, (20, stream.d))
    means = next(stream.concepts())
    expected = [slow_log_odds(x, means, stream.sd) for x in X]
    np.testing.assert_allclose(stream.log_odds(X, means), expected, rtol=1e-9, atol=1e-9)


def test_log_odds_far_away_are_finite():
    stream = SwitchingMixtures()
    assert np.isfinite(stream.log_odds(np.full((1, 2), 1e6), next(stream.concepts()))).all()


def test_mixture_examples_surround_their_means():
    """With components far apart nothing is dropped, so the examples are plain Gaussians of the given sd."""
    stream = SwitchingMixtures(20_000, every=20_000, components=1, box=1000.0, sd=0.3, seed=4)
    X, y = whole(stream)
    means = next(stream.concepts())
    for side, sign in enumerate((1.0, -1.0)):
        offset = X[y == sign] - means[side, 0]
        assert stats.kstest(offset.ravel() / 0.3, "norm").pvalue > 0.001


def test_mixture_components_are_equally_likely():
    stream = SwitchingMixtures(9000, every=9000, components=3, box=1000.0, seed=4)
    X, y = whole(stream)
    for means, sign in zip(next(stream.concepts()), (1.0, -1.0), strict=True):
        nearest = np.square(X[y == sign][:, None] - means).sum(axis=2).argmin(axis=1)
        assert stats.chisquare(np.bincount(nearest, minlength=3)).pvalue > 0.001


@pytest.mark.parametrize("make", [DriftingMixtures, SwitchingMixtures])
def test_mixture_labels_are_fair_coins(make):
    _, y = whole(make(10_000, seed=6))
    assert abs(y.sum()) < 4 * math.sqrt(10_000)


def test_drifting_means_take_steps_of_the_given_size():
    means = np.stack(list(islice(DriftingMixtures(seed=2, box=50.0, sd=5.0).concepts(), 2000)))
    assert np.abs(means).max() <= 50.0
    assert np.std(np.diff(means, axis=0)) == pytest.approx(0.05, rel=0.03)


def test_drifting_means_stay_in_the_square():
    means = np.stack(list(islice(DriftingMixtures(seed=2).concepts(), 1000)))
    steps = np.abs(np.diff(means, axis=0))
    assert 0.99 < np.abs(means).max() <= 1.0
    assert 0.0 < steps.max() < 6 * 0.05
    assert steps.any(axis=(1, 2, 3)).all()


def test_switching_means_are_uniform_and_new():
    means = np.stack(list(islice(SwitchingMixtures(seed=2).concepts(), 500)))
    assert means.shape == (500, 2, 2, 2)
    assert np.unique(means).size == means.size
    assert stats.kstest(means.ravel(), stats.uniform(-1.0, 2.0).cdf).pvalue > 0.001


def mirrored(position, box):
    """Walk back from whichever end was passed, until inside."""
    while not -box <= position <= box:
        position = 2 * box - position if position > box else -2 * box - position
    return position


@settings(derandomize=True, deadline=None)
@given(position=st.floats(-40, 40), box=st.floats(0.5, 3.0))
def test_reflection_is_mirrors_at_both_ends(position, box):
    there = float(reflected(np.array(position), box))
    assert -box <= there <= box
    assert there == pytest.approx(mirrored(position, box), abs=1e-12)


@pytest.mark.parametrize(
    "stream",
    [
        SwitchingMixtures(2000, every=10, components=1, sd=1.0, keep=2.0, seed=1),
        DriftingMixtures(2000, drift=0.2, components=1, sd=1.0, keep=2.0, seed=1),
    ],
)
def test_crowded_concepts_are_refused_and_the_stream_goes_on(stream, monkeypatch):
    verdicts = []
    usable = stream._usable

    def judged(rng, means):
        verdicts.append(usable(rng, means))
        return verdicts[-1]

    monkeypatch.setattr(stream, "_usable", judged)
    _, y = whole(stream)
    assert len(y) == 2000
    assert verdicts.count(False) > 20
    assert verdicts.count(True) == 200
    assert all(y * stream.log_odds(x[None], means)[0] > 2.0 for x, y, means in with_means(stream))


def test_a_refused_step_leaves_the_last_means():
    stream = DriftingMixtures(drift=0.2, components=1, sd=1.0, keep=2.0, seed=1)
    means = np.stack(list(islice(stream.concepts(), 300)))
    assert np.abs(np.diff(means, axis=0)).max() < 6 * 0.2


def test_few_concepts_are_refused_by_default(monkeypatch):
    verdicts = []
    usable = mixtures_file.MovingMixtures._usable
    monkeypatch.setattr(
        mixtures_file.MovingMixtures,
        "_usable",
        lambda self, rng, means: verdicts.append(usable(self, rng, means)) or verdicts[-1],
    )
    list(islice(SwitchingMixtures(seed=0).concepts(), 2000))
    assert verdicts.count(False) <= 10


@pytest.mark.parametrize("make", [DriftingMixtures, SwitchingMixtures])
def test_parameters_that_no_concept_meets_are_refused(make):
    with pytest.raises(
        ValueError,
        match=rf"^{make.__name__}: box, sd and keep must leave room between the classes, "
        r"got 1\.0, 100\.0 and 1\.0\. Use a smaller sd or keep, or a larger box\.$",
    ):
        make(sd=100.0)

"""Synthetic drift streams: the same at every reading, however cut, and what their papers say they are."""

from __future__ import annotations

import math
import tracemalloc
from itertools import islice, pairwise, repeat

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from driftline.streams import (
    SEA,
    DriftingMixtures,
    FourPhase,
    RotatingHyperplane,
    Stream,
    SwitchingHyperplane,
    SwitchingMixtures,
)
from driftline.streams.synthetic import mixtures as mixtures_file
from driftline.streams.synthetic.mixtures import reflected
from driftline.streams.synthetic.sphere import distances, orthogonal

N = 1200
DIGITS = np.arange(3000) % 10
INSTANCES = np.random.default_rng(5).integers(0, 3, (3000, 6))
CLASSES = (3, 7, 8, 9)


def four_phase(X, *, n=N, **options):
    return FourPhase(X, DIGITS, CLASSES, phase=n // 4, **options)


def dense_phases(**options):
    return four_phase(INSTANCES, **options)


def sparse_phases(**options):
    return four_phase(sp.csr_matrix(INSTANCES), **options)


GENERATED = {
    "drifting mixtures": lambda n=N, **o: DriftingMixtures(n, **o),
    "switching mixtures": lambda n=N, **o: SwitchingMixtures(n, every=300, **o),
    "rotating hyperplane": lambda n=N, **o: RotatingHyperplane(n, 5, noise=0.1, margin=0.1, **o),
    "switching hyperplane": lambda n=N, **o: SwitchingHyperplane(n, 5, every=70, noise=0.1, margin=0.5, **o),
    "sea": lambda n=N, **o: SEA(n, every=250, **o),
}
ALL = GENERATED | {"four phases": dense_phases, "four phases, sparse": sparse_phases}
every_stream = pytest.mark.parametrize("make", ALL.values(), ids=ALL.keys())
every_generated = pytest.mark.parametrize("make", GENERATED.values(), ids=GENERATED.keys())


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def whole(blocks):
    """All examples of a stream, or of some blocks, as one (X, y)."""
    Xs, ys = zip(*blocks, strict=True)
    return np.concatenate([dense(X) for X in Xs]), np.concatenate(ys)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


# Every stream


@every_stream
def test_blocks_have_the_promised_form(make):
    blocks = list(make(block=500))
    assert [len(y) for _, y in blocks] == [500, 500, 200]
    for X, y in blocks:
        assert X.shape[0] == len(y)
        assert X.ndim == 2 and X.dtype == np.float64
        assert sp.issparse(X) or X.flags.c_contiguous
        assert isinstance(y, np.ndarray) and y.dtype == np.float64 and y.ndim == 1
        assert set(y.tolist()) == {-1.0, 1.0}
        assert np.isfinite(dense(X)).all()


@every_stream
def test_reading_again_gives_the_same(make):
    stream = make(seed=3)
    assert same(whole(stream), whole(stream))
    assert same(whole(stream), whole(make(seed=3)))


@every_stream
def test_two_readers_do_not_disturb_each_other(make):
    stream = make(block=100)
    for (X, y), (X_too, y_too) in zip(stream, stream, strict=True):
        assert same((dense(X), y), (dense(X_too), y_too))


@every_stream
def test_a_reader_may_write_into_its_blocks(make):
    stream = make(block=100)
    before = whole(stream)
    for X, y in stream:
        X *= 0.0
        y *= 0.0
    assert same(whole(stream), before)


@every_stream
def test_another_seed_is_another_stream(make):
    X, y = whole(make(seed=1))
    X_other, y_other = whole(make(seed=2))
    assert not np.array_equal(X, X_other)
    assert not np.array_equal(y, y_other)


@every_stream
@settings(max_examples=8, deadline=None, derandomize=True)
@given(block=st.integers(1, N + 100))
def test_examples_do_not_depend_on_block(make, block):
    blocks = list(make(block=block))
    assert {len(y) for _, y in blocks[:-1]} <= {block}
    assert 1 <= len(blocks[-1][1]) <= block
    assert same(whole(blocks), whole(make()))


@every_stream
@pytest.mark.parametrize("block", [1, 7, 1000, 10**9])
def test_length_is_exact(make, block):
    stream = make(block=block)
    assert len(stream) == N
    assert sum(len(y) for _, y in stream) == N


@every_generated
@settings(max_examples=8, deadline=None, derandomize=True)
@given(n=st.integers(1, 2100))
def test_any_length_is_a_beginning_of_the_endless_stream(make, n):
    X, y = whole(make(n=n))
    assert len(y) == n
    endless = whole(islice(make(n=None, block=n), 1))
    assert same((X, y), endless)


@every_generated
def test_an_endless_stream_goes_on_and_has_no_length(make):
    stream = make(n=None, block=700)
    assert [len(y) for _, y in islice(stream, 9)] == [700] * 9
    with pytest.raises(TypeError, match=r"^\w+: n must be a number for .* got None\. Read an endless stream"):
        len(stream)


@every_stream
def test_is_a_stream(make):
    assert isinstance(make(), Stream)


# Memory


def peak_of(blocks):
    """The most memory, in bytes, that reading took, and the number of examples."""
    tracemalloc.start()
    try:
        seen = sum(len(y) for _, y in blocks)
        return tracemalloc.get_traced_memory()[1], seen
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("stream", "examples"),
    [
        (SEA(None, every=15_000), 2_000_000),
        (RotatingHyperplane(None, 3, noise=0.1, margin=0.1), 200_000),
        (SwitchingHyperplane(None, 3), 200_000),
        (SwitchingMixtures(None, every=10**12), 50_000),
        (DriftingMixtures(None), 10_000),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Stream) else "",
)
def test_memory_stays_constant(stream, examples):
    list(islice(stream, 2))
    few, _ = peak_of(islice(stream, 5))
    many, seen = peak_of(islice(stream, examples // 1000))
    assert seen == examples
    assert many < few + 100_000


# Mixtures


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


# Hyperplanes


def margins(stream):
    """The true margin y u_t.x_t of every example."""
    X, y = whole(stream)
    return y * (X * stream.target(np.arange(len(y)))).sum(axis=1)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    angle=st.floats(0.0, math.pi),
    d=st.integers(2, 30),
    t=st.integers(0, 10**6),
    seed=st.integers(0, 2**40),
)
def test_the_target_turns_by_the_angle_every_round(angle, d, t, seed):
    stream = RotatingHyperplane(d=d, angle=angle, seed=seed)
    u, v = stream.target([t, t + 1])
    assert u.shape == (d,)
    assert np.linalg.norm(u) == pytest.approx(1.0, abs=1e-12)
    assert np.linalg.norm(u - v) == pytest.approx(2 * math.sin(angle / 2), abs=1e-8)


def test_the_target_turns_in_one_plane():
    stream = RotatingHyperplane(d=6, angle=0.3, seed=8)
    U = stream.target(np.arange(200))
    assert np.linalg.matrix_rank(U, tol=1e-9) == 2
    np.testing.assert_allclose(U @ U[0], np.cos(0.3 * np.arange(200)), atol=1e-12)


def test_the_target_switches_when_it_should():
    stream = SwitchingHyperplane(n=None, d=6, every=7, seed=8)
    U = stream.target(np.arange(70))
    for t, (u, v) in enumerate(pairwise(U), start=1):
        assert np.array_equal(u, v) == (t % 7 != 0)
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0, atol=1e-12)
    assert np.unique(U[::7, 0]).size == 10


@pytest.mark.parametrize("make", [RotatingHyperplane, SwitchingHyperplane])
def test_target_of_one_round_and_of_many_agree(make):
    stream = make(d=4, seed=9)
    many = stream.target([[0, 5000], [999, 1000]])
    assert many.shape == (2, 2, 4)
    assert np.array_equal(many[0, 1], stream.target(5000))
    assert np.array_equal(many[1, 1], stream.target(np.int64(1000)))


@pytest.mark.parametrize("margin", [0.0, 0.05, 0.3, 0.6, 0.99])
@pytest.mark.parametrize("d", [2, 3, 10, 200])
@pytest.mark.parametrize("make", [RotatingHyperplane, SwitchingHyperplane])
def test_without_noise_the_target_has_the_margin(make, d, margin):
    stream = make(2000, d, margin=margin, seed=1)
    found = margins(stream)
    assert found.min() >= margin - 1e-12
    assert found.min() > 0.0
    X, y = whole(stream)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, atol=1e-12)
    assert abs(y.sum()) < 4 * math.sqrt(len(y))


@pytest.mark.parametrize("make", [RotatingHyperplane, SwitchingHyperplane])
def test_noise_turns_labels_over_and_nothing_else(make):
    noisy = make(20_000, 4, noise=0.2, margin=0.1, seed=1)
    found = margins(noisy)
    assert np.abs(found).min() >= 0.1 - 1e-12
    assert stats.binomtest(int((found < 0).sum()), 20_000, 0.2).pvalue > 0.001
    assert np.array_equal(whole(noisy)[0], whole(make(20_000, 4, margin=0.1, seed=1))[0])


@pytest.mark.parametrize("d", [2, 3, 10, 100])
@pytest.mark.parametrize("scaled", [0.0, 0.5, 0.99, 1.01, 1.3, 4.0])
def test_distances_follow_the_law_of_the_sphere(d, scaled):
    """Against the exact law s^2 ~ Beta(1/2, (d-1)/2), cut off below the margin, in both ways of drawing."""
    margin = scaled / math.sqrt(d)
    if margin >= 1.0:
        margin = 0.98
    s = distances(np.random.default_rng(1), 5000, d, margin)
    tail = stats.beta(0.5, 0.5 * (d - 1)).sf
    assert stats.kstest(s, lambda v: 1.0 - tail(v**2) / tail(margin**2)).pvalue > 0.001


def test_examples_are_uniform_on_the_sphere():
    X, _ = whole(RotatingHyperplane(20_000, 3, angle=0.0, seed=5))
    for coordinate in X.T:  # uniform in [-1, 1] for three dimensions
        assert stats.kstest(coordinate, stats.uniform(-1.0, 2.0).cdf).pvalue > 0.001


def test_orthogonal_is_exact_even_in_the_plane():
    rng = np.random.default_rng(3)
    U = np.tile([0.6, 0.8], (100_000, 1))
    assert np.abs(orthogonal(rng, U) @ [0.6, 0.8]).max() < 1e-15


# SEA


def test_sea_labels_follow_the_printed_concepts():
    X, y = whole(SEA(4000, noise=0.0, seed=1))
    assert X.shape == (4000, 3)
    for t in range(4000):
        theta = (8.0, 9.0, 7.0, 9.5)[t // 1000]
        assert y[t] == (1.0 if X[t, 0] + X[t, 1] <= theta else -1.0)
    assert X.min() >= 0.0 and X.max() <= 10.0
    assert stats.kstest(X.ravel(), stats.uniform(0.0, 10.0).cdf).pvalue > 0.001


def test_sea_concepts_share_the_length():
    stream = SEA(4003)
    assert len(stream) == 4003
    theta = stream.theta(np.arange(4003))
    _, sizes = np.unique(theta, return_counts=True)
    assert sizes.min() == 1000 and sizes.max() == 1001
    assert np.flatnonzero(np.diff(theta)).size == 3


def test_sea_concepts_come_round_again():
    stream = SEA(None, every=10, thetas=(1, 2, 3))
    assert [float(stream.theta(t)) for t in (0, 9, 10, 29, 30, 60_000_000_009)] == [1, 1, 2, 3, 1, 1]


def test_sea_noise_turns_labels_over_and_nothing_else():
    X, y = whole(SEA(20_000, seed=2))
    X_clean, y_clean = whole(SEA(20_000, noise=0.0, seed=2))
    assert np.array_equal(X, X_clean)
    assert stats.binomtest(int((y != y_clean).sum()), 20_000, 0.1).pvalue > 0.001


# Four phases

PRINTED = [
    ((0.7, 0, 0.3, 0), (0.5, 0, 0.5, 0)),
    ((0.5, 0, 0.5, 0), (0.3, 0.2, 0.5, 0)),
    ((0, 0.5, 0.2, 0.3), (0, 0.5, 0, 0.5)),
    ((0, 0.5, 0, 0.5), (0, 0.3, 0, 0.7)),
]


@pytest.mark.parametrize("length", [1, 2, 5, 500])
@pytest.mark.parametrize("index", range(4))
def test_phase_probabilities_are_as_printed(index, length):
    table = four_phase(INSTANCES, n=4 * length).phase_probabilities(index)
    start, end = PRINTED[index]
    assert table.shape == (length, 4)
    assert table.min() >= 0.0
    for i, row in enumerate(table):
        share = i / (length - 1) if length > 1 else 0.0
        assert row == pytest.approx([(1 - share) * a + share * b for a, b in zip(start, end, strict=True)])
        assert row.sum() == pytest.approx(1.0, abs=1e-15)


def test_four_phase_class_frequencies():
    """Over many seeds each class comes as often as its probabilities say, early and late in every phase."""
    length, seeds = 400, 200
    streams = [four_phase(INSTANCES, n=4 * length, seed=seed) for seed in range(seeds)]
    drawn = np.stack([DIGITS[stream.rows] for stream in streams]).reshape(seeds, 4, length)
    for index in range(4):
        table = streams[0].phase_probabilities(index)
        for half in (slice(0, length // 2), slice(length // 2, length)):
            for c, p in zip(CLASSES, table[half].T, strict=True):
                times = int((drawn[:, index, half] == c).sum())
                assert abs(times - seeds * p.sum()) <= 4.0 * math.sqrt(seeds * (p * (1 - p)).sum())
                assert p.any() or times == 0


def test_four_phase_labels_and_rows():
    stream = four_phase(INSTANCES, seed=4)
    X, y = whole(stream)
    assert len(stream) == N == len(stream.rows)
    np.testing.assert_array_equal(X, INSTANCES[stream.rows])
    np.testing.assert_array_equal(y, np.where(np.isin(DIGITS[stream.rows], [3, 7]), 1.0, -1.0))


def test_four_phase_draws_without_replacement():
    stream = dense_phases(n=400)
    assert stream.reused == 0
    assert np.unique(stream.rows).size == 400


def test_a_class_that_is_used_up_starts_over():
    y = np.repeat(["p1", "p2", "n1", "n2", "other"], [7, 1000, 50, 1000, 10])
    X = np.arange(len(y))[:, None]
    stream = FourPhase(X, y, ("p1", "p2", "n1", "n2"), phase=100, seed=1)
    passes = 0
    for c in stream.classes:
        mine = stream.rows[y[stream.rows] == c]
        size = int((y == c).sum())
        times = np.bincount(mine, minlength=len(y))[y == c]
        assert times.max() - times.min() <= 1
        for start in range(0, len(mine) - size + 1, size):  # every pass holds each instance once
            assert np.unique(mine[start : start + size]).size == size
        passes += max(0, math.ceil(len(mine) / size) - 1)
    assert stream.reused == passes > 10
    first = stream.rows[y[stream.rows] == "p1"]
    assert not np.array_equal(first[:7], first[7:14])  # in a new order


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_four_phase_keeps_csr(kind, dtype):
    matrix = kind(INSTANCES.astype(dtype))
    stream = four_phase(matrix, block=333, seed=2)
    for (X, y), (X_dense, y_dense) in zip(stream, four_phase(INSTANCES, block=333, seed=2), strict=True):
        assert type(X) is kind and X.format == "csr" and X.dtype == np.float64
        assert X.nnz == np.count_nonzero(X_dense)
        assert same((X.toarray(), y), (X_dense, y_dense))


@pytest.mark.parametrize("X", [INSTANCES > 1, np.asfortranarray(INSTANCES, dtype=float), INSTANCES.tolist()])
def test_four_phase_takes_any_dense_numbers(X):
    blocks = list(four_phase(X, seed=2))
    assert all(block.dtype == np.float64 and block.flags.c_contiguous for block, _ in blocks)
    stream = four_phase(INSTANCES, seed=2)
    np.testing.assert_array_equal(whole(blocks)[0], np.asarray(X)[stream.rows])


# Parameters


def phases(X=INSTANCES, y=DIGITS, classes=CLASSES, **options):
    return FourPhase(X, y, classes, **options)


WHOLE = [0, -1, 2.0, "3", True]
FRACTION = [-0.1, 1.0, 1.5, math.nan, "0.1", None]
POSITIVE = [0.0, -1.0, math.inf, math.nan, "1", None]
NOT_NEGATIVE = [-0.1, math.inf, math.nan, "1"]
BAD = [
    *[
        (make, {name: value}, f"{name} must be a whole number >= 1, got {value!r}")
        for make in (DriftingMixtures, SwitchingMixtures, RotatingHyperplane, SwitchingHyperplane, SEA)
        for name in ("n", "block")
        for value in WHOLE
    ],
    *[
        (make, {"seed": value}, f"seed must be a whole number >= 0, got {value!r}")
        for make in (DriftingMixtures, RotatingHyperplane, SEA, phases)
        for value in (-1, 1.5, None)
    ],
    *[
        (make, {name: value}, f"{name} must be a whole number >= 1, got {value!r}")
        for make, names in (
            (DriftingMixtures, ("every", "d", "components")),
            (SwitchingMixtures, ("every", "d", "components")),
            (SwitchingHyperplane, ("every",)),
            (SEA, ("every",)),
            (phases, ("phase", "block")),
        )
        for name in names
        for value in WHOLE
    ],
    *[
        (make, {"d": value}, f"d must be a whole number >= 2, got {value!r}")
        for make in (RotatingHyperplane, SwitchingHyperplane)
        for value in (1, 2.0)
    ],
    *[
        (make, {name: value}, f"{name} must be in [0, 1), got {value!r}")
        for make, names in (
            (RotatingHyperplane, ("noise", "margin")),
            (SwitchingHyperplane, ("noise", "margin")),
            (SEA, ("noise",)),
        )
        for name in names
        for value in FRACTION
    ],
    *[
        (make, {name: value}, f"{name} must be > 0 and finite, got {value!r}")
        for make in (DriftingMixtures, SwitchingMixtures)
        for name in ("box", "sd")
        for value in POSITIVE
    ],
    *[
        (make, {name: value}, f"{name} must be >= 0 and finite, got {value!r}")
        for make, names in ((DriftingMixtures, ("keep", "drift")), (SwitchingMixtures, ("keep",)))
        for name in names
        for value in NOT_NEGATIVE
    ],
    *[(RotatingHyperplane, {"angle": value}, f"angle must be in [0, pi], got {value!r}") for value in (-0.1, 3.2, 1e9)],
    *[
        (RotatingHyperplane, {"angle": value}, f"angle must be a finite number, got {value!r}")
        for value in (math.nan, math.inf, "1")
    ],
    (SEA, {"thetas": ()}, "thetas must hold at least one number, got ()"),
    (SEA, {"thetas": (8.0, math.nan)}, "every theta must be a finite number, got nan"),
    (SEA, {"n": None}, "every must be a number when n is None, got None. Give the length of a concept"),
    (phases, {"classes": (3, 7, 8)}, "classes must be four different ones (P1, P2, N1, N2), got (3, 7, 8)"),
    (phases, {"classes": (3, 7, 8, 3)}, "classes must be four different ones (P1, P2, N1, N2), got (3,"),
    (
        phases,
        {"classes": (3, 7, 8, 11)},
        "every class must occur in y, got 11. The classes of y are 0, 1, 2,",
    ),
    (phases, {"classes": (3, 7, 8, "9")}, "every class must occur in y, got '9'. The classes of y are 0, 1,"),
    (
        phases,
        {"y": np.arange(3000)[::-1] + 10},
        "every class must occur in y, got 3. The classes of y are 10",
    ),
    (phases, {"y": DIGITS[1:]}, "y must hold one class for each of the 3000 rows of X, got (2999,)"),
    (phases, {"y": DIGITS[:, None]}, "y must hold one class for each of the 3000 rows of X, got (3000, 1)"),
    (phases, {"X": INSTANCES[:, 0]}, "X must have two dimensions, got (3000,)"),
    (phases, {"X": INSTANCES.astype(str)}, "X must hold real numbers, got dtype"),
    (phases, {"X": INSTANCES * 1j}, "X must hold real numbers, got dtype"),
    (
        phases,
        {"X": sp.csc_matrix(INSTANCES)},
        "X must be a dense array or a CSR matrix, got 'csc'. Use X.tocsr().",
    ),
]


@pytest.mark.parametrize(("make", "options", "message"), BAD)
def test_bad_parameters_are_refused_where_they_are_given(make, options, message):
    where = "FourPhase" if make is phases else make.__name__
    with pytest.raises(ValueError) as error:
        make(**options)
    assert str(error.value).startswith(f"{where}: {message}")


def test_many_classes_are_not_all_listed():
    with pytest.raises(ValueError, match=r"\.\.\.\.$") as error:
        phases(y=np.arange(3000) + 10)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("t", [-1, 1.5, [0, -3], "now", True])
@pytest.mark.parametrize("ask", [RotatingHyperplane().target, SwitchingHyperplane().target, SEA().theta])
def test_rounds_are_whole_and_not_negative(ask, t):
    with pytest.raises(ValueError, match=r"^\w+: t must hold whole numbers >= 0, got "):
        ask(t)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (4, "phase_index must be 0, 1, 2 or 3, got 4"),
        (-1, "phase_index must be a whole number >= 0, got -1"),
        (1.0, "phase_index must be a whole number >= 0, got 1.0"),
    ],
)
def test_phase_index_is_checked(index, message):
    with pytest.raises(ValueError) as error:
        phases().phase_probabilities(index)
    assert str(error.value) == f"FourPhase: {message}"


def test_numpy_numbers_are_numbers():
    stream = SEA(np.int64(40), noise=np.float32(0.25), every=np.int32(10), block=np.uint8(30), seed=np.int64(3))
    assert [len(y) for _, y in stream] == [30, 10]

"""CUSUM agrees with a slow version, keeps its average run length, and finds a rise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftline.drift import CUSUM
from driftline.drift.cusum import upper_mean


def slow_alarms(values: np.ndarray, delta: float, baseline: float, rise: float) -> list[int]:
    """The log-likelihood ratio of two Bernoulli means, written out."""
    odds = rise * baseline / (1 - baseline)
    other = odds / (1 + odds)
    g, found = 0.0, []
    for k, x in enumerate(values.tolist()):
        g = max(0.0, g + x * math.log(other / baseline) + (1 - x) * math.log((1 - other) / (1 - baseline)))
        if g >= -math.log(delta):
            found.append(k)
            g = 0.0
    return found


@pytest.mark.parametrize(("baseline", "rise"), [(0.1, 1.5), (0.3, 2.0), (0.01, 4.0)])
def test_it_is_the_likelihood_ratio(baseline: float, rise: float) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.random(3000) < baseline, rng.random(3000) < 3 * baseline]).astype(float)
    found = CUSUM(1e-3, baseline, rise=rise).update_many(values).tolist()
    assert found == slow_alarms(values, 1e-3, baseline, rise) and found


@pytest.mark.parametrize("baseline", [0.02, 0.2, 0.5])
def test_the_average_run_length_is_at_least_one_over_delta(baseline: float) -> None:
    bits = (np.random.default_rng(2).random(1_000_000) < baseline).astype(float)
    for delta in (1e-6, 1e-4, 1e-2):
        assert len(CUSUM(delta, baseline).update_many(bits)) <= delta * len(bits)
    smooth = np.random.default_rng(3).beta(2.0 * baseline, 2.0 * (1 - baseline), 1_000_000)
    assert len(CUSUM(1e-3, baseline).update_many(smooth)) <= 1000


def test_a_large_delta_has_false_alarms_so_the_rate_can_be_measured() -> None:
    bits = (np.random.default_rng(2).random(1_000_000) < 0.2).astype(float)
    assert len(CUSUM(1e-2, 0.2).update_many(bits)) >= 100


@pytest.mark.parametrize("mean", [0.01, 0.2, 0.6])
def test_a_learned_baseline_keeps_the_rate(mean: float) -> None:
    bits = (np.random.default_rng(4).random(2_000_000) < mean).astype(float)
    alarms = sum(len(CUSUM(1e-4, warmup=500).update_many(part)) for part in bits.reshape(400, 5000))
    assert alarms <= 1e-4 * len(bits)


def test_the_baseline_is_an_upper_confidence_limit() -> None:
    detector = CUSUM(warmup=1000)
    assert detector.baseline is None
    detector.update_many(np.tile([0.0, 0.0, 0.0, 0.0, 1.0], 200))
    assert detector.baseline is not None and 0.23 < detector.baseline < 0.27
    assert upper_mean(0.0, 100.0, 1e-3) == pytest.approx(1 - 1e-3 ** (1 / 100))
    assert upper_mean(1.0, 100.0, 1e-3) == pytest.approx(1.0)


def test_a_rise_is_found_and_the_baseline_learned_again() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = np.concatenate([rng.random(10_000) < 0.1, rng.random(10_000) < 0.2]).astype(float)
        detector = CUSUM()
        changes = detector.changes(values)
        assert len(changes) == 1 and 10_000 < changes[0].at < 14_000
        assert changes[0].before == pytest.approx(0.1, abs=0.02) and changes[0].after > 0.15
        assert detector.baseline is not None and detector.baseline > 0.2


def test_only_ones_and_only_zeros() -> None:
    for value in (0.0, 1.0):
        detector = CUSUM(1e-2, warmup=10)
        assert detector.update_many(np.full(5000, value)).tolist() == []
    assert len(CUSUM(1e-2, warmup=10).update_many([0.0] * 100 + [1.0] * 100)) == 1

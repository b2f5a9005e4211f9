"""ADWIN agrees with a slow version, keeps its rate of false alarms, and finds changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftline.drift import ADWIN
from driftline.drift.window import FIRST_ROW, PER_ROW, ROWS, SIZE, STRIDE, threshold, thresholds
from tests.oracles import adwin


def jump(seed: int, before: float, after: float, size: int = 10_000) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.random(size) < before, rng.random(size) < after]).astype(float)


@pytest.mark.parametrize("direction", ["up", "both"])
@pytest.mark.parametrize("every", [1, 7, 32])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_slow_version(every: int, direction: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.choice([0.02, 0.1, 0.4, 0.9], 6)
    bits = np.concatenate([rng.random(120 * every) < mean for mean in means]).astype(float)
    values = bits if seed % 2 else bits * rng.random(len(bits))
    fast, slow = ADWIN(1e-3, every, direction), adwin.Adwin(1e-3, every, direction)
    found = fast.changes(values[: 60 * 32] if every == 1 else values)
    expected = [change for value in values[: fast.n_seen] if (change := slow.update(float(value))) is not None]
    assert [one[:2] for one in found] == [one[:2] for one in expected]
    assert [one[2:] for one in found] == [pytest.approx(one[2:], abs=1e-12) for one in expected]
    vector = np.array(fast.state()["values"])
    rows = vector[FIRST_ROW:].reshape(ROWS, STRIDE)
    sums = [rows[r, 1 + k] for r in range(ROWS - 1, -1, -1) for k in range(int(rows[r, 0]))]
    sizes = [every * 2**r for r in range(ROWS - 1, -1, -1) for _ in range(int(rows[r, 0]))]
    assert sizes == [len(bucket) for bucket in slow.buckets]
    assert sums == pytest.approx([math.fsum(bucket) for bucket in slow.buckets], abs=1e-9)


def test_falls_and_rises_are_both_there_in_the_comparison() -> None:
    values = np.concatenate([jump(0, 0.4, 0.1, 2000), jump(1, 0.1, 0.4, 2000)])
    assert len(ADWIN(1e-3).changes(values)) == 1
    assert len(ADWIN(1e-3, direction="both").changes(values)) == 2


def test_thresholds_solve_their_equation() -> None:
    for level in (1e-2, 1e-6, 1e-9, 1e-15):
        assert threshold(level) == pytest.approx(adwin.threshold(level), abs=1e-9)
    table = thresholds(1e-5)
    assert table[0] == math.inf and len(table) == ROWS * PER_ROW + 1
    assert table[7] == pytest.approx(adwin.threshold(1e-5 / 7), abs=1e-9)


@pytest.mark.parametrize(("n0", "n1", "p"), [(5, 5, 0.5), (100, 3, 0.02), (40, 40, 0.1), (1000, 10, 0.9), (1, 1, 0.3)])
def test_the_bound_on_the_likelihood_ratio_holds_for_small_samples(n0: int, n1: int, p: float) -> None:
    rng, draws = np.random.default_rng(5), 200_000
    a, b = rng.binomial(n0, p, draws) / n0, rng.binomial(n1, p, draws) / n1
    m = (n0 * a + n1 * b) / (n0 + n1)
    with np.errstate(all="ignore"):
        terms = [np.where(u > 0, u * np.log(u / v), 0.0) for u, v in ((a, m), (1 - a, 1 - m), (b, m), (1 - b, 1 - m))]
    ratio = n0 * (terms[0] + terms[1]) + n1 * (terms[2] + terms[3])
    for level in (0.3, 0.1, 0.01, 1e-3):
        assert np.mean(ratio >= threshold(level)) <= level


# false alarms -----------------------------------------------------------------------------------
@pytest.mark.parametrize("mean", [0.001, 0.05, 0.3, 0.5, 0.97])
def test_the_rate_of_false_alarms_is_at_most_delta(mean: float) -> None:
    values = (np.random.default_rng(7).random(1_000_000) < mean).astype(float)
    for delta in (1e-6, 1e-4, 1e-2):
        for direction in ("up", "both"):
            detector = ADWIN(delta, direction=direction)
            assert len(detector.update_many(values)) <= delta * len(values), (mean, delta)


def test_values_that_are_no_bits_have_few_false_alarms_too() -> None:
    values = np.random.default_rng(8).beta(0.5, 3.0, 1_000_000)
    assert len(ADWIN(1e-3, direction="both").update_many(values)) <= 1000


def test_a_large_delta_has_false_alarms_so_the_rate_can_be_measured() -> None:
    values = (np.random.default_rng(9).random(1_000_000) < 0.3).astype(float)
    assert 10 <= len(ADWIN(1e-2, direction="both").update_many(values)) <= 10_000


# detection --------------------------------------------------------------------------------------
def test_a_jump_from_10_to_20_percent_is_found_within_1000_values() -> None:
    for seed in range(30):
        changes = ADWIN().changes(jump(seed, 0.1, 0.2))
        assert [10_000 < change.at <= 11_000 for change in changes] == [True], seed
        assert abs(changes[0].since - 10_000) < 400
        assert changes[0].before == pytest.approx(0.1, abs=0.02) and changes[0].after == pytest.approx(0.2, abs=0.08)


def test_a_slow_rise_is_found() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        mean = np.concatenate([np.full(10_000, 0.1), np.linspace(0.1, 0.3, 10_000), np.full(5_000, 0.3)])
        changes = ADWIN().changes((rng.random(len(mean)) < mean).astype(float))
        assert changes and 10_000 < changes[0].at < 17_000


def test_a_fall_is_no_alarm_and_a_rise_back_is() -> None:
    for seed in range(10):
        values = np.concatenate([jump(seed, 0.4, 0.1, 5000), jump(seed + 100, 0.1, 0.4, 5000)])
        changes = ADWIN().changes(values)
        assert len(changes) == 1 and 15_000 < changes[0].at < 15_500
        assert changes[0].before < 0.15


def test_memory_is_constant() -> None:
    detector = ADWIN()
    for _ in range(5):
        detector.update_many(np.zeros(1_000_000))
        assert len(detector.state()["values"]) == SIZE


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
def test_a_constant_is_no_change(value: float) -> None:
    assert ADWIN(1e-2, 1, "both").update_many(np.full(20_000, value)).tolist() == []

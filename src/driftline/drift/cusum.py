"""CUSUM with a stated average run length: an alarm when the mean is above a baseline.

    g' = max(0, g + x ln(rise) - ln(1 + (rise - 1) baseline)),   alarm where g' >= ln(1 / delta)

The increment is the log-likelihood ratio of a mean whose odds are ``rise`` times those of the
baseline. Its exponential is convex in x, so for values in [0, 1] with a mean of at most the baseline
its expectation is at most 1, and the average run length until a false alarm is at least 1 / delta.
The probability of an alarm within n values is at most n * delta.

A baseline that is not given is learned from the first ``warmup`` values: the largest p with
warmup * KL(mean, p) <= ln(1 / (warmup * delta)). The mean is above it with probability at most
warmup * delta (Hoeffding 1963), so the bound n * delta includes the risk of a baseline that is too low.

Page. Continuous inspection schemes. Biometrika 41 (1954). Lorden. Procedures for reacting to a change
in distribution. Annals of Mathematical Statistics 42 (1971), theorem 2.
Differs from the papers: the values need not be 0 or 1; the baseline may be learned.
"""

from __future__ import annotations

import math

import numpy as np

from driftline.drift.detector import Detector, check_delta
from driftline.drift.window import AFTER, AT, BEFORE, SINCE, divergence
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.require import number, require, whole

SEEN, WARMED, WARM_SUM, BASELINE, G, RUN, RUN_SUM, SIZE = 0, 1, 2, 3, 4, 5, 6, 7
UNKNOWN = -1.0
"""The baseline while it is learned."""
HALVINGS = 60
MOST_WARMUP = 1 << 30


@jit
def upper_mean(mean: float, n: float, level: float) -> float:
    """The largest p with n KL(mean, p) <= ln(1 / level)."""
    low, high = mean, 1.0
    bound = -np.log(level) / n
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle < 1.0 and divergence(mean, middle) <= bound:
            low = middle
        else:
            high = middle
    return low


@inlined
def add(state: Floats, value: float, warmup: int, delta: float, rise: float, change: Floats) -> bool:
    """Add a value; return whether there is an alarm, and write the change.

    ``warmup`` is 0 if the baseline was given.
    """
    state[SEEN] += 1.0
    if state[BASELINE] == UNKNOWN:
        state[WARMED] += 1.0
        state[WARM_SUM] += value
        if state[WARMED] == warmup:
            state[BASELINE] = upper_mean(state[WARM_SUM] / warmup, state[WARMED], min(1.0, warmup * delta))
        return False
    state[RUN] += 1.0
    state[RUN_SUM] += value
    state[G] += value * np.log(rise) - np.log1p((rise - 1.0) * state[BASELINE])
    if state[G] <= 0.0:
        state[G], state[RUN], state[RUN_SUM] = 0.0, 0.0, 0.0
        return False
    if state[G] < -np.log(delta):
        return False
    change[AT], change[SINCE] = state[SEEN], state[SEEN] - state[RUN]
    change[BEFORE] = state[WARM_SUM] / warmup if warmup else state[BASELINE]
    change[AFTER] = min(1.0, state[RUN_SUM] / state[RUN])
    state[G], state[RUN], state[RUN_SUM] = 0.0, 0.0, 0.0
    if warmup:
        state[BASELINE], state[WARMED], state[WARM_SUM] = UNKNOWN, 0.0, 0.0
    return True


@jit
def add_many(state: Floats, values: Floats, warmup: int, delta: float, rise: float, changes: Floats) -> int:
    """Add values; write the changes to the rows of ``changes``, and return their number."""
    found = 0
    for i in range(values.size):
        if add(state, values[i], warmup, delta, rise, changes[found]):
            found += 1
    return found


class CUSUM(Detector):
    """Alarm when the mean of the values is above a baseline.

    Use it if you know the largest error that is acceptable (``baseline=0.05``), or if every value
    must be checked at once. Otherwise use ``ADWIN``: a learned baseline is that of the first values,
    and a rise back to it is no alarm. It keeps seven numbers.

    If the values have a mean of at most the baseline, given the values before them, then the average
    number of values until an alarm is at least 1 / delta, and the probability of an alarm within n
    values is at most n * delta. With the default there is at most one false alarm in a million
    values on average. Values that depend on each other may have more.

    Parameters
    ----------
    delta : float, default=1e-6
        The false alarms per value: > 0, at most 0.01.
    baseline : float or None, default=None
        The mean above which there are alarms, between 0 and 1. None learns an upper confidence
        limit from the first ``warmup`` values, and again after each alarm.
    warmup : int, default=2000
        The number of values from which the baseline is learned.
    rise : float, default=1.5
        The ratio of the odds m / (1 - m) of the mean after the change to those of the baseline, for
        which the delay is shortest: > 1, at most 1000.

    Examples
    --------
    >>> detector = CUSUM(baseline=0.25)
    >>> detector.update_many([0, 0, 0, 0, 1] * 400 + [0, 1] * 100)
    array([2159])
    """

    def __init__(
        self, delta: float = 1e-6, baseline: float | None = None, warmup: int = 2000, rise: float = 1.5
    ) -> None:
        check_delta("CUSUM", delta)
        if baseline is not None:
            inside = 0.0 < number("CUSUM", "baseline", baseline) < 1.0
            require(inside, "CUSUM", "baseline must be between 0 and 1", baseline)
        whole("CUSUM", "warmup", warmup, 1, MOST_WARMUP)
        require(1.0 < number("CUSUM", "rise", rise) <= 1000.0, "CUSUM", "rise must be > 1 and at most 1000", rise)
        self.parameters = {
            "delta": float(delta),
            "baseline": None if baseline is None else float(baseline),
            "warmup": int(warmup),
            "rise": float(rise),
        }
        self._learned = 0 if baseline is not None else int(warmup)
        super().__init__()

    @property
    def baseline(self) -> float | None:
        """The baseline, given or learned; None while it is learned."""
        found = float(self._vector[BASELINE])
        return None if found == UNKNOWN else found

    @property
    def _gap(self) -> int:
        steps = -math.log(self.parameters["delta"]) / math.log(self.parameters["rise"])
        return max(1, math.floor(steps)) + self._learned

    def _fresh(self) -> Floats:
        given = self.parameters["baseline"]
        return np.array([0.0, 0.0, 0.0, UNKNOWN if given is None else given, 0.0, 0.0, 0.0])

    def _add(self, values: Floats, found: Floats) -> int:
        delta, rise = self.parameters["delta"], self.parameters["rise"]
        return add_many(self._vector, values, self._learned, delta, rise, found)

    def _check(self, vector: Floats) -> None:
        if vector.shape != (SIZE,) or not bool(np.isfinite(vector).all()):
            raise ValueError(f"a CUSUM must have {SIZE} finite numbers")
        seen, warmed, warm_sum, baseline, g, run, run_sum = vector.tolist()
        given, learned = self.parameters["baseline"], self._learned
        learning = baseline == UNKNOWN
        counts = all(one == math.floor(one) for one in (seen, warmed, run)) and warmed + run <= seen < 2.0**53
        sums = 0.0 <= warm_sum <= warmed * (1.0 + 1e-9) and 0.0 <= run_sum <= run * (1.0 + 1e-9)
        warm = warmed < learned and run == 0.0 if learning else warmed == learned
        known = baseline == given if given is not None else learning or 0.0 < baseline <= 1.0
        if not (counts and sums and warm and known and 0.0 <= g < -math.log(self.parameters["delta"])):
            raise ValueError("a CUSUM must have counts and sums that values can have led to")

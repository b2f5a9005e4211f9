"""ADWIN, slow: every bucket is a list of its values, and every cut is tested with the full formula."""

from __future__ import annotations

import math

from scipy.optimize import brentq

MOST_OF_A_SIZE = 5


def divergence(a: float, b: float) -> float:
    first = a * math.log(a / b) if a else 0.0
    return first + ((1 - a) * math.log((1 - a) / (1 - b)) if a < 1 else 0.0)


def threshold(level: float) -> float:
    """The x at which 4 (1 + x - 2 ln 2) e^-x = level."""

    def excess(x: float) -> float:
        return math.log(4 * (1 + x - 2 * math.log(2))) - x - math.log(level)

    return float(brentq(excess, 2 * math.log(2), 1000.0, xtol=1e-12))


class Adwin:
    def __init__(self, delta: float, every: int, direction: str) -> None:
        self.level, self.every, self.upward = min(1.0, every * delta), every, direction == "up"
        self.seen = 0
        self.pending: list[float] = []
        self.buckets: list[list[float]] = []
        """The oldest bucket first."""

    def update(self, value: float) -> tuple[int, int, float, float] | None:
        self.seen += 1
        self.pending.append(value)
        if len(self.pending) < self.every:
            return None
        self.buckets.append(self.pending)
        self.pending = []
        self._merge()
        return self._alarm()

    def _merge(self) -> None:
        size = self.every
        while True:
            places = [k for k, bucket in enumerate(self.buckets) if len(bucket) == size]
            if len(places) <= MOST_OF_A_SIZE:
                return
            first, second = places[:2]
            self.buckets[first : second + 1] = [self.buckets[first] + self.buckets[second]]
            size *= 2

    def _alarm(self) -> tuple[int, int, float, float] | None:
        everything = [value for bucket in self.buckets for value in bucket]
        mean = math.fsum(everything) / len(everything)
        cuts = len(self.buckets) - 1
        if not cuts or not 0 < mean < 1:
            return None
        limit, best = threshold(self.level / cuts), None
        for kept in range(1, cuts + 1):  # the newest cut first
            newer = [value for bucket in self.buckets[-kept:] for value in bucket]
            older = everything[: len(everything) - len(newer)]
            before, after = math.fsum(older) / len(older), math.fsum(newer) / len(newer)
            ratio = len(older) * divergence(before, mean) + len(newer) * divergence(after, mean)
            if ratio >= limit and (best is None or ratio > best[0]):
                best = ratio, kept, len(newer), before, after
        if best is None:
            return None
        _, kept, size, before, after = best
        if self.upward and after <= before:
            self.buckets = self.buckets[-kept:]
            return None
        self.buckets = []
        return self.seen, self.seen - size, before, after

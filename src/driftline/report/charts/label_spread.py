"""Place labels close to their lines without overlap.

The positions ``p_1 <= ... <= p_n`` minimise ``sum (p_i - wanted_i)^2`` subject to ``p_(i+1) - p_i
>= gap``. With ``q_i = p_i - i gap`` this is isotonic regression: least squares over
non-decreasing q. The pool-adjacent-violators algorithm solves it exactly.

>>> spread([10.0, 11.0, 40.0], 10.0, 0.0, 100.0)
[5.5, 15.5, 40.0]
"""

from __future__ import annotations

from collections.abc import Sequence


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the position of each label, in the given order; within [low, high] if all fit."""
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    pools: list[tuple[float, int]] = []
    for rank, k in enumerate(order):
        mean, size = wanted[k] - rank * gap, 1
        while pools and pools[-1][0] > mean:
            earlier, count = pools.pop()
            mean, size = (earlier * count + mean * size) / (count + size), count + size
        pools.append((mean, size))
    last = max(low, high - (len(wanted) - 1) * gap)
    shifts = [min(max(mean, low), last) for mean, size in pools for _ in range(size)]
    places = [0.0] * len(wanted)
    for rank, k in enumerate(order):
        places[k] = shifts[rank] + rank * gap
    return places

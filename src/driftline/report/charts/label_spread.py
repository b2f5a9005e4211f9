"""Labels beside their lines: each as near to its place as the others allow.

The places ``p_1 <= ... <= p_n`` that minimise ``sum (p_i - wanted_i)^2`` with ``p_(i+1) - p_i >= gap``: with
``q_i = p_i - i gap`` that is least squares over non-decreasing q, which pooling of neighbours solves exactly.

>>> spread([10.0, 11.0, 40.0], 10.0, 0.0, 100.0)
[5.5, 15.5, 40.0]
"""

from __future__ import annotations

from collections.abc import Sequence


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the place of each label, in the order given, within [low, high] if that has room for all."""
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

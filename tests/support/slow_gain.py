"""Information gain, counted example by example."""

from __future__ import annotations

import math
from typing import Any


def slow_gain(cells: list[Any], labels: list[Any]) -> float:
    """H(Y) - H(Y | cell), counted example by example."""

    def entropy(some: list[Any]) -> float:
        shares = [some.count(label) / len(some) for label in set(some)]
        return -sum(share * math.log2(share) for share in shares)

    rest = sum(
        cells.count(cell) / len(cells) * entropy([label for c, label in zip(cells, labels, strict=True) if c == cell])
        for cell in set(cells)
    )
    return entropy(labels) - rest

"""Random inputs of theorems."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from driftline import bounds


def drawn(kind: type[bounds.Bound], random: np.random.Generator) -> dict[str, Any]:
    """Inputs within their ranges; conditions between them may fail."""
    inputs: dict[str, Any] = {}
    for one in fields(kind):
        limits = one.metadata
        if one.default is None and random.integers(2):
            continue
        low = max(limits["above"] or 0.0, limits["least"] or 0.0)
        high = min(limits["below"] or math.inf, limits["most"] or math.inf)
        if limits["whole"]:
            inputs[one.name] = int(random.integers(max(1, math.ceil(low)), max(60, 2 * math.ceil(low))))
        elif high < math.inf:
            inputs[one.name] = low + (high - low) * random.uniform(0.01, 0.99)
        else:
            inputs[one.name] = low + 10.0 ** random.uniform(-2.5, 1.5)
    return inputs

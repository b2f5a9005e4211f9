"""Comparators for theorems that need margin 1 on every update and allow no losses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from driftline.certify.comparators.candidates import Comparator, separating
from driftline.certify.evidence import Evidence


def separated(evidence: Evidence, moving: bool = True) -> Iterator[tuple[float, Comparator]]:
    """Yield the largest length and a comparator with margin 1 on every update and every mistake.

    A mistake has no update if the example is zero or no step is feasible.
    """
    chosen = evidence.updated | (evidence.margins <= 0.0)
    struck, among = evidence.part(chosen), np.cumsum(chosen)
    R = float(struck.lengths().max(initial=0.0))
    for one in separating(struck):
        if one.moves and not moving:
            return
        least = float(one.path.margins.min(initial=np.inf))
        if 0.0 < least < np.inf and R > 0.0:
            yield R, replace(one, scale=(1.0 + 1e-12) / least, among=among)

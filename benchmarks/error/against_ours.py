"""The Tracker against its own best expert and driftline's other learners."""

from __future__ import annotations

import math

from error.results import Result
from error.verdict import Verdict, not_run


def allowed(mistakes: int) -> float:
    """Return the most mistakes that count as no more than `mistakes`: one per cent and the square
    root on top.

    >>> allowed(100)
    111.0
    """
    return mistakes + 0.01 * mistakes + math.sqrt(mistakes)


def not_above(stream: str, ours: Result | None, name: str, mistakes: int | None) -> Verdict:
    """Compare the mistakes with those of `name`."""
    aim = f"mistakes <= {name}'s + 1 % + root"
    if ours is None or mistakes is None:
        return not_run(stream, aim)
    return Verdict(stream, aim, f"{ours.mistakes:,} against {mistakes:,}", ours.mistakes <= allowed(mistakes))

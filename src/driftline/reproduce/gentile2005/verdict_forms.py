"""Common forms of verdicts: a paired difference, a limit on a mean or on a failure rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.internals.risk_limits import clopper_pearson
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import interval, less, mean_and_error, paired

FAILURE_PROBABILITY = 0.05
"""Probability with which the confidence limit of a failure rate may fail."""


def fewer(
    claim: str, where: str, names: tuple[str, str], a: Sequence[float], b: Sequence[float], unit: str = "mistakes"
) -> Verdict:
    """Judge whether the first has less than the second, by paired differences over seeds."""
    difference, error = paired(a, b)
    means = float(np.mean(a)), float(np.mean(b))
    says = (
        f"{names[0]}: {format_number(means[0])}, {names[1]}: {format_number(means[1])} {unit}; "
        f"difference {format_number(difference, '+')}, standard error {error:.2g}, {len(a)} seeds."
    )
    numbers = {"first": means[0], "second": means[1], "difference": difference, "standard error": error}
    return Verdict(claim, where, less(a, b), numbers, says)


def at_most(claim: str, where: str, what: str, values: Sequence[float], limit: float) -> Verdict:
    """Judge whether the mean is at most the limit, by its 95 % interval."""
    mean, error = mean_and_error(values)
    holds = mean_at_most(values, limit)
    numbers = {"mean": mean, "standard error": error, "limit": limit}
    says = (
        f"{what}: {format_number(mean)}, standard error {error:.2g}, {len(values)} seeds; "
        f"the limit is {format_number(limit)}."
    )
    return Verdict(claim, where, holds, numbers, says)


def mean_at_most(values: Sequence[float], limit: float) -> bool | None:
    """Return whether the mean is at most the limit, or None if its interval contains the limit."""
    low, high = interval(values)
    if high <= limit:
        return True
    return False if low > limit else None


def within_limits(claim: str, where: str, found: Sequence[float], limits: Sequence[float]) -> Verdict:
    """Judge whether no run exceeds its limit, as a theorem guarantees for every run."""
    ratios = np.asarray(found) / np.asarray(limits)
    above = int(np.sum(ratios > 1.0))
    numbers = {"runs": float(len(ratios)), "above": float(above), "largest share": float(ratios.max())}
    says = f"{above} of {len(ratios)} runs exceed their bound; the largest ratio to the bound is {ratios.max():.2f}."
    return Verdict(claim, where, above == 0, numbers, says)


def failure_rate_at_most(claim: str, where: str, failed: Sequence[bool], delta: float) -> Verdict:
    """Judge whether the failure rate is at most delta, by Clopper-Pearson limits."""
    n, k = len(failed), int(sum(failed))
    high = float(clopper_pearson(k, n, FAILURE_PROBABILITY))
    low = 1.0 - float(clopper_pearson(n - k, n, FAILURE_PROBABILITY))
    holds = True if high <= delta else False if low > delta else None
    numbers = {"seeds": float(n), "failures": float(k), "least rate": low, "largest rate": high, "allowed": delta}
    says = (
        f"{k} of {n} seeds failed, so the failure rate is at most {high:.3f} with confidence 0.95; "
        f"the limit is {delta:g}."
    )
    return Verdict(claim, where, holds, numbers, says)


def format_number(value: float, sign: str = "") -> str:
    """Return a number as text: without decimals if it is large, and with its sign if sign="+"."""
    return f"{value:{sign},.0f}" if abs(value) >= 1000.0 else f"{value:{sign}.3g}"

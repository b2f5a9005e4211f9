"""The forms that verdicts take here: a paired difference, a limit, and how often something was kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.internals.risk_limits import clopper_pearson
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import interval, less, mean_and_error, paired

DOUBT = 0.05
"""How likely the limits on a share of seeds may fail."""


def fewer(
    claim: str, where: str, names: tuple[str, str], a: Sequence[float], b: Sequence[float], unit: str = "mistakes"
) -> Verdict:
    """The first of two has less than the second, seed by seed on the same streams."""
    difference, error = paired(a, b)
    means = float(np.mean(a)), float(np.mean(b))
    says = (
        f"{names[0]}: {written(means[0])}, {names[1]}: {written(means[1])} {unit}; "
        f"difference {written(difference, '+')}, standard error {error:.2g}, {len(a)} seeds."
    )
    numbers = {"first": means[0], "second": means[1], "difference": difference, "standard error": error}
    return Verdict(claim, where, less(a, b), numbers, says)


def at_most(claim: str, where: str, what: str, values: Sequence[float], limit: float) -> Verdict:
    """The mean is at most the limit, by its interval."""
    mean, error = mean_and_error(values)
    holds = below(values, limit)
    numbers = {"mean": mean, "standard error": error, "limit": limit}
    says = f"{what}: {written(mean)}, standard error {error:.2g}, {len(values)} seeds; at most {written(limit)}."
    return Verdict(claim, where, holds, numbers, says)


def below(values: Sequence[float], limit: float) -> bool | None:
    """Whether the mean of the values is at most the limit; None where its interval does not say."""
    low, high = interval(values)
    if high <= limit:
        return True
    return False if low > limit else None


def always(claim: str, where: str, found: Sequence[float], limits: Sequence[float]) -> Verdict:
    """No run is above its own limit: what a theorem says of every run."""
    ratios = np.asarray(found) / np.asarray(limits)
    above = int(np.sum(ratios > 1.0))
    numbers = {"runs": float(len(ratios)), "above": float(above), "largest share": float(ratios.max())}
    says = f"{above} of {len(ratios)} runs above their bound; the closest reached {ratios.max():.2f} of it."
    return Verdict(claim, where, above == 0, numbers, says)


def often_enough(claim: str, where: str, failed: Sequence[bool], delta: float) -> Verdict:
    """It fails in at most a share delta of the seeds, as far as that many seeds can tell."""
    n, k = len(failed), int(sum(failed))
    high = float(clopper_pearson(k, n, DOUBT))
    low = 1.0 - float(clopper_pearson(n - k, n, DOUBT))
    holds = True if high <= delta else False if low > delta else None
    numbers = {"seeds": float(n), "failures": float(k), "least rate": low, "largest rate": high, "allowed": delta}
    says = f"It failed for {k} of {n} seeds, so its rate is at most {high:.3f} with confidence 0.95; {delta:g} allowed."
    return Verdict(claim, where, holds, numbers, says)


def written(value: float, sign: str = "") -> str:
    """A number as a sentence has it: whole where it is large, always with its sign for sign="+"."""
    return f"{value:{sign},.0f}" if abs(value) >= 1000.0 else f"{value:{sign}.3g}"

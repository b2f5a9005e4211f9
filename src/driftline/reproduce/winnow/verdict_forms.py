"""Verdicts shared by several parts: growth law, exponent, fewer mistakes, crossings and bounds.

Only sizes at which all runs settled are used for laws, exponents and predicted crossings; see
``run_learners`` for the definition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import less, paired
from driftline.reproduce.winnow.growth_laws import HELD_OUT, NEAR, bracket, crossing, crossing_point, exponent, growth
from driftline.reproduce.winnow.runs import Runs, Table

LATE = 3
"""Number of largest sizes for which the exponent is also reported separately."""
ENOUGH = 4
"""Number of sizes at which all runs must have settled to judge an exponent or a crossing."""
ENOUGH_TO_FIT = HELD_OUT + 3
"""The same number for a growth law. A law has two parameters, so it fits any two sizes exactly."""


def growth_law(claim: str, where: str, table: Table, logarithmic: bool, of: str) -> Verdict:
    """Judge whether a logarithm or a power of x predicts the count at the largest size better.

    The claim is for the logarithm if ``logarithmic``, else for the power.
    """
    silent = table.settled_only
    if len(silent.x) < ENOUGH_TO_FIT:
        return too_few_sizes(claim, where, table, of, ENOUGH_TO_FIT)
    found, p = growth(silent), exponent(silent)
    ahead, mean = found.logarithmic, float(silent.counts[:, -1].mean())
    return Verdict(
        claim,
        where,
        ahead if logarithmic or ahead is None else not ahead,
        {
            "miss of the logarithm": found.logarithm.value,
            "its standard error": found.logarithm.error,
            "miss of the power": found.power.value,
            "the power's standard error": found.power.error,
            "difference of misses": found.advantage.value,
            "standard error": found.advantage.error,
            "exponent": p.value,
            "exponent's standard error": p.error,
        },
        f"Fitted to smaller {of}, a + b ln x misses the {mean:,.1f} mistakes at the largest by "
        f"{found.logarithm.value:+.0%} and a x^p by {found.power.value:+.0%}; at most {NEAR:.0%} counts as close. The "
        f"absolute errors differ by {found.advantage.value:.3f}, standard error {found.advantage.error:.3f}. "
        f"The exponent over all these sizes is {p.value:.3f}, standard error {p.error:.3f}."
        f"{left_out_sentence(table, of)}",
    )


def growth_exponent(claim: str, where: str, table: Table, wanted: float, slack: float, of: str) -> Verdict:
    """Judge whether the exponent is within ``slack`` of the claimed one."""
    silent = table.settled_only
    if len(silent.x) < ENOUGH:
        return too_few_sizes(claim, where, table, of, ENOUGH)
    found, late = exponent(silent), exponent(silent.among(silent.x[-LATE:]))
    return Verdict(
        claim,
        where,
        found.within(wanted - slack, wanted + slack),
        {
            "exponent": found.value,
            "standard error": found.error,
            "exponent at the largest sizes": late.value,
            "its standard error": late.error,
        },
        f"The exponent is {found.value:.3f} with 95 % interval {found.low:.3f} to {found.high:.3f}; the claim allows "
        f"{wanted - slack:g} to {wanted + slack:g}. Over the {LATE} largest sizes it is "
        f"{late.value:.3f}, standard error {late.error:.3f}.{left_out_sentence(table, of)}",
    )


def too_few_sizes(claim: str, where: str, table: Table, of: str, needed: int) -> Verdict:
    """Return "undecided", because too many counts are limited by the number of rounds."""
    count = int(table.settled.sum())
    return Verdict(
        claim,
        where,
        None,
        {"sizes at which all runs fell silent": float(count)},
        f"All runs settled at {count} of {len(table.x)} sizes; {needed} are needed.{left_out_sentence(table, of)}",
    )


def left_out_sentence(table: Table, of: str) -> str:
    """Return a sentence on sizes left out because some run had not settled, or an empty string."""
    sizes = [f"{x:,.5g}" for x in table.x[~table.settled]]
    return f" Left out because some runs had not settled: {of} = {', '.join(sizes)}." if sizes else ""


def fewer(claim: str, where: str, names: tuple[str, str], a: Sequence[float], b: Sequence[float]) -> Verdict:
    """Judge whether the first learner made fewer mistakes than the second."""
    difference, error = paired(a, b)
    return Verdict(
        claim,
        where,
        less(a, b),
        {"difference": difference, "standard error": error},
        f"{names[0]} makes {sum(a) / len(a):,.1f}, {names[1]} {sum(b) / len(b):,.1f} "
        f"(difference {difference:+,.1f}, standard error {error:.1f}).",
    )


def overtaking(claim: str, where: str, first: Table, second: Table, names: tuple[str, str], unit: str) -> Verdict:
    """Judge whether the second learner makes more mistakes at the largest size."""
    last = float(first.x[-1])
    difference, error = paired(second.at(last), first.at(last))
    place, (before, after) = crossing(first, second), bracket(first, second)
    a, b = (sum(table.at(last)) / len(table.counts) for table in (first, second))
    numbers = {"difference at the largest": difference, "standard error": error}
    if place is not None:
        numbers |= {"turns at": place.value, "low": place.low, "high": place.high}
        told = f"the order changes at {unit} = {place.value:,.3g} (interval {place.low:,.3g} to {place.high:,.3g})"
    elif math.isfinite(after):
        numbers |= {"ahead from": after}
        told = f"{names[1]} is ahead at no size, {names[0]} at all sizes from {unit} = {after:,.3g} on"
    elif before > 0.0:
        numbers |= {"behind up to": before}
        told = f"{names[1]} is ahead up to {unit} = {before:,.3g}"
    else:
        told = "neither is significantly ahead up to this size"
    return Verdict(
        claim,
        where,
        less(first.at(last), second.at(last)),
        numbers,
        f"At {unit} = {last:,.5g}, {names[0]} makes {a:,.1f} mistakes and {names[1]} {b:,.1f} "
        f"(difference {difference:,.1f}, standard error {error:.1f}); {told}.",
    )


def bounds_predict_crossing(claim: str, where: str, pairs: Mapping[str, tuple[Table, Table]], unit: str) -> Verdict:
    """Judge whether the mistakes of two learners cross at the size at which their bounds cross.

    The claim must hold in every place of ``pairs``. It fails if the bounds cross outside the sizes
    between which the mistakes cross. It is undecided if this range is open at one end, if the
    bounds do not cross, or if both learners settled at too few sizes.
    """
    answers: list[bool | None] = []
    numbers: dict[str, float] = {}
    parts = []
    for place, (first, second) in pairs.items():
        bounds_cross = crossing_point(first.x, first.bounds, second.bounds)
        if math.isinf(bounds_cross):
            answers.append(None)
            parts.append(f"{place}: the bounds do not cross in this range")
            continue
        both = first.x[first.settled & second.settled]
        if len(both) < ENOUGH:
            answers.append(None)
            numbers[f"bounds turn at, {place}"] = bounds_cross
            parts.append(
                f"{place}: bounds at {bounds_cross:,.3g}, both settled at only {len(both)} of {len(first.x)} sizes"
            )
            continue
        before, after = bracket(first.among(both), second.among(both))
        closed = True if before > 0.0 and math.isfinite(after) else None
        answers.append(closed if before <= bounds_cross <= after else False)
        numbers[f"bounds turn at, {place}"] = bounds_cross
        numbers |= {f"ahead from, {place}": after} if math.isfinite(after) else {}
        numbers |= {f"behind up to, {place}": before} if before > 0.0 else {}
        start = "from the smallest on" if after == first.x[0] else f"from {after:,.3g} on"
        among = "" if len(both) == len(first.x) else f", among the {len(both)} sizes at which both settled"
        parts.append(
            f"{place}: bounds at {bounds_cross:,.3g}, "
            f"mistakes {start if math.isfinite(after) else 'at no size for good'}{among}"
        )
    return Verdict(
        claim,
        where,
        False if False in answers else None if None in answers else True,
        numbers,
        f"{unit} at which the bounds cross, and from which on the order of the mistakes is decided: "
        f"{'; '.join(parts)}.",
    )


def within_bounds(claim: str, where: str, runs: Runs, part: str, learners: Mapping[str, str]) -> Verdict:
    """Judge whether no run made more mistakes than its bound.

    ``learners`` maps each learner to its name in the numbers of the verdict.
    """
    largest: dict[str, float] = {}
    for name, shown in learners.items():
        for place in runs.places_of(part, name):
            table = runs.table(part, place, name)
            share = float((table.counts.max(axis=0) / table.bounds).max())
            largest[shown] = max(largest.get(shown, 0.0), share)
    told = ", ".join(f"{name} {share:.0%}" for name, share in largest.items())
    return Verdict(
        claim,
        where,
        all(share <= 1.0 for share in largest.values()),
        {f"largest share, {name}": share for name, share in largest.items()},
        f"The largest number of mistakes relative to the bound: {told}.",
    )

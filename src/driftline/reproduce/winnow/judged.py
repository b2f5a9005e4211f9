"""Verdicts that several parts share: the law of a growth, an overtaking, and bounds that are kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import less, paired
from driftline.reproduce.winnow.laws import Found, crossing, exponent, growth, overtaken
from driftline.reproduce.winnow.runs import Runs, Table


def law(claim: str, where: str, table: Table, logarithmic: bool, of: str) -> Verdict:
    """Whether a logarithm, or else a power, foretells the count at the largest size better."""
    found, p = growth(table), exponent(table)
    ahead, mean = found.advantage.sign, float(table.counts[:, -1].mean())
    return Verdict(
        claim,
        where,
        ahead if logarithmic or ahead is None else not ahead,
        {
            "miss of the logarithm": found.logarithm,
            "miss of the power": found.power,
            "difference of misses": found.advantage.value,
            "standard error": found.advantage.error,
            "exponent": p.value,
            "exponent's standard error": p.error,
        },
        f"Fitted to smaller {of}, a + b ln x misses the {mean:,.1f} mistakes at the largest by "
        f"{found.logarithm:+.0%} and a x^p by {found.power:+.0%}; the sizes of these differ by "
        f"{found.advantage.value:.3f} with a standard error of {found.advantage.error:.3f}. "
        f"The exponent over all of these is {p.value:.3f} with a standard error of {p.error:.3f}.",
    )


def power(claim: str, where: str, table: Table, wanted: float, slack: float) -> Verdict:
    """Whether the exponent is what it should be, within so much."""
    found = exponent(table)
    return Verdict(
        claim,
        where,
        found.within(wanted - slack, wanted + slack),
        {"exponent": found.value, "standard error": found.error, "low": found.low, "high": found.high},
        f"The exponent is {found.value:.3f} with the interval {found.low:.3f} to {found.high:.3f}; "
        f"{wanted - slack:g} to {wanted + slack:g} would be as claimed.",
    )


def fewer(
    claim: str, where: str, names: tuple[str, str], counts: Sequence[tuple[str, Sequence[float], Sequence[float]]]
) -> Verdict:
    """Whether the first made fewer than the second, by each way of counting: undecided where these disagree."""
    answers = {less(a, b) for _, a, b in counts}
    numbers: dict[str, float] = {}
    parts = []
    for what, a, b in counts:
        difference, error = paired(a, b)
        first, second = sum(a) / len(a), sum(b) / len(b)
        numbers |= {f"{what}, difference": difference, f"{what}, standard error": error}
        parts.append(f"{first:,.1f} {what} against {second:,.1f} (difference {difference:+,.1f} ± {error:.1f})")
    return Verdict(
        claim,
        where,
        answers.pop() if len(answers) == 1 else None,
        numbers,
        f"{names[0]} against {names[1]}: {'; '.join(parts)}; ± is a standard error.",
    )


def overtaking(claim: str, where: str, first: Table, second: Table, names: tuple[str, str], unit: str) -> Verdict:
    """Whether at the largest size the second makes more mistakes than the first, and from where on."""
    last = float(first.x[-1])
    difference, error = paired(second.at(last), first.at(last))
    place, bounds = crossing(first, second), overtaken(first.x, first.bounds, second.bounds)
    a, b = (sum(table.at(last)) / len(table.counts) for table in (first, second))
    if place is not None:
        told = f"the order turns at {unit} = {place.value:,.3g} (interval {place.low:,.3g} to {place.high:,.3g})"
    elif a < b:
        told = f"{names[0]} is ahead at every size, from {unit} = {first.x[0]:,.3g} on"
    else:
        told = "the order does not turn"
    if math.isfinite(bounds):
        told += f", that of the bounds at {bounds:,.3g}"
    return Verdict(
        claim,
        where,
        less(first.at(last), second.at(last)),
        {"difference at the largest": difference, "standard error": error, **turns(place, bounds)},
        f"At {unit} = {last:,.5g}, {names[0]} makes {a:,.1f} mistakes and {names[1]} {b:,.1f} "
        f"(difference {difference:,.1f}, standard error {error:.1f}); {told}.",
    )


def foretold(claim: str, where: str, first: Table, second: Table, unit: str) -> Verdict:
    """Whether the second's mistakes overtake the first's where its bound overtakes."""
    place, bounds = crossing(first, second), overtaken(first.x, first.bounds, second.bounds)
    if math.isinf(bounds):
        holds, told = None, "The order of the bounds does not turn in this range"
    elif place is None:
        ends = {less(first.at(float(x)), second.at(float(x))) for x in (first.x[0], first.x[-1])}
        holds = False if len(ends) == 1 and None not in ends else None
        told = f"The order of the bounds turns at {unit} = {bounds:,.3g}, that of the mistakes does not"
    else:
        holds = None if math.isnan(place.low) else place.low <= bounds <= place.high
        told = (
            f"The order of the bounds turns at {unit} = {bounds:,.3g}, that of the mistakes at {place.value:,.3g} "
            f"(interval {place.low:,.3g} to {place.high:,.3g})"
        )
    return Verdict(claim, where, holds, turns(place, bounds), f"{told}.")


def turns(place: Found | None, bounds: float) -> dict[str, float]:
    """Where the orders turn, as far as they do."""
    numbers = {"bounds turn at": bounds}
    if place is not None:
        numbers |= {"turns at": place.value, "low": place.low, "high": place.high}
    return {name: value for name, value in numbers.items() if math.isfinite(value)}


def kept(claim: str, where: str, runs: Runs, part: str, learners: Mapping[str, str]) -> Verdict:
    """Whether no run made more mistakes than its bound; learners by the name that they have in the numbers."""
    largest: dict[str, float] = {}
    for name, shown in learners.items():
        for place in runs.places(part):
            if name in runs.learners(part, place):
                table = runs.table(part, place, name)
                share = float((table.counts.max(axis=0) / table.bounds).max())
                largest[shown] = max(largest.get(shown, 0.0), share)
    told = ", ".join(f"{name} {share:.0%}" for name, share in largest.items())
    return Verdict(
        claim,
        where,
        all(share <= 1.0 for share in largest.values()),
        {f"largest share, {name}": share for name, share in largest.items()},
        f"The most that any run used of its bound: {told}.",
    )

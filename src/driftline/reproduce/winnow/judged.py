"""Verdicts that several parts share: the law of a growth, an exponent, who makes fewer, and what bounds foretell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import less, paired
from driftline.reproduce.winnow.laws import bracket, crossing, exponent, growth, overtaken
from driftline.reproduce.winnow.runs import Runs, Table

LATE = 3
"""Of the largest sizes, an exponent is given for so many by themselves."""


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
    found, late = exponent(table), exponent(table.among(table.x[-LATE:]))
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
        f"The exponent is {found.value:.3f} with the interval {found.low:.3f} to {found.high:.3f}, where "
        f"{wanted - slack:g} to {wanted + slack:g} would be as claimed; over the {LATE} largest sizes it is "
        f"{late.value:.3f} with a standard error of {late.error:.3f}.",
    )


def fewer(claim: str, where: str, names: tuple[str, str], a: Sequence[float], b: Sequence[float]) -> Verdict:
    """Whether the first made fewer than the second."""
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
    """Whether at the largest size the second makes more mistakes than the first, and from where on."""
    last = float(first.x[-1])
    difference, error = paired(second.at(last), first.at(last))
    place, (before, after) = crossing(first, second), bracket(first, second)
    a, b = (sum(table.at(last)) / len(table.counts) for table in (first, second))
    numbers = {"difference at the largest": difference, "standard error": error}
    if place is not None:
        numbers |= {"turns at": place.value, "low": place.low, "high": place.high}
        told = f"the order turns at {unit} = {place.value:,.3g} (interval {place.low:,.3g} to {place.high:,.3g})"
    elif math.isfinite(after):
        numbers |= {"ahead from": after}
        told = f"{names[1]} is ahead at no size, {names[0]} at all from {unit} = {after:,.3g} on"
    elif before > 0.0:
        numbers |= {"behind up to": before}
        told = f"{names[1]} is ahead up to {unit} = {before:,.3g}"
    else:
        told = "nobody is decidedly ahead up to there"
    return Verdict(
        claim,
        where,
        less(first.at(last), second.at(last)),
        numbers,
        f"At {unit} = {last:,.5g}, {names[0]} makes {a:,.1f} mistakes and {names[1]} {b:,.1f} "
        f"(difference {difference:,.1f}, standard error {error:.1f}); {told}.",
    )


def foretold(claim: str, where: str, pairs: Mapping[str, tuple[Table, Table]], unit: str) -> Verdict:
    """Whether the second's mistakes overtake the first's where its bound does, in every place that has such a pair.

    Not so where the bounds turn outside the sizes between which the order of the mistakes does; undecided where one
    end of these is open, or the bounds do not turn.
    """
    answers: list[bool | None] = []
    numbers: dict[str, float] = {}
    parts = []
    for place, (first, second) in pairs.items():
        turn, (before, after) = overtaken(first.x, first.bounds, second.bounds), bracket(first, second)
        if math.isinf(turn):
            answers.append(None)
            parts.append(f"{place}: the order of the bounds does not turn in this range")
            continue
        closed = True if before > 0.0 and math.isfinite(after) else None
        answers.append(closed if before <= turn <= after else False)
        numbers[f"bounds turn at, {place}"] = turn
        numbers |= {f"ahead from, {place}": after} if math.isfinite(after) else {}
        numbers |= {f"behind up to, {place}": before} if before > 0.0 else {}
        start = "from the smallest on" if after == first.x[0] else f"from {after:,.3g} on"
        parts.append(
            f"{place}: bounds at {turn:,.3g}, mistakes {start if math.isfinite(after) else 'nowhere for good'}"
        )
    return Verdict(
        claim,
        where,
        False if False in answers else None if None in answers else True,
        numbers,
        f"{unit} at which the order of the bounds turns, and from which on that of the mistakes is decided: "
        f"{'; '.join(parts)}.",
    )


def kept(claim: str, where: str, runs: Runs, part: str, learners: Mapping[str, str]) -> Verdict:
    """Whether no run made more mistakes than its bound; learners by the name that they have in the numbers."""
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
        f"The most that any run used of its bound: {told}.",
    )

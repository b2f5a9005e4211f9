"""Verdicts that several parts share: the law of a growth, an exponent, who makes fewer, and what bounds foretell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.intervals import less, paired
from driftline.reproduce.winnow.laws import HELD_OUT, NEAR, bracket, crossing, exponent, growth, overtaken
from driftline.reproduce.winnow.runs import Runs, Table

LATE = 3
"""Of the largest sizes, an exponent is given for so many by themselves."""
ENOUGH = 4
"""Sizes at which all seeds must have fallen silent, for an exponent or a turn to be judged."""
ENOUGH_TO_FIT = HELD_OUT + 3
"""And for a law: it has two numbers, so through two sizes any law goes."""


def law(claim: str, where: str, table: Table, logarithmic: bool, of: str) -> Verdict:
    """Whether a logarithm, or else a power, foretells the count at the largest size, and better than the other."""
    silent = table.silent
    if len(silent.x) < ENOUGH_TO_FIT:
        return too_few(claim, where, table, of, ENOUGH_TO_FIT)
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
        f"{found.logarithm.value:+.0%} and a x^p by {found.power.value:+.0%}, where at most {NEAR:.0%} is near; the "
        f"sizes of these differ by {found.advantage.value:.3f} with a standard error of {found.advantage.error:.3f}. "
        f"The exponent over all of these is {p.value:.3f} with a standard error of {p.error:.3f}.{left_out(table, of)}",
    )


def power(claim: str, where: str, table: Table, wanted: float, slack: float, of: str) -> Verdict:
    """Whether the exponent is what it should be, within so much."""
    silent = table.silent
    if len(silent.x) < ENOUGH:
        return too_few(claim, where, table, of, ENOUGH)
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
        f"The exponent is {found.value:.3f} with the interval {found.low:.3f} to {found.high:.3f}, where "
        f"{wanted - slack:g} to {wanted + slack:g} would be as claimed; over the {LATE} largest sizes it is "
        f"{late.value:.3f} with a standard error of {late.error:.3f}.{left_out(table, of)}",
    )


def too_few(claim: str, where: str, table: Table, of: str, needed: int) -> Verdict:
    """Undecided, as too many counts are set by the rounds and not by the learner."""
    count = int(table.settled.sum())
    return Verdict(
        claim,
        where,
        None,
        {"sizes at which all runs fell silent": float(count)},
        f"All runs fell silent at {count} of {len(table.x)} sizes, and {needed} are needed.{left_out(table, of)}",
    )


def left_out(table: Table, of: str) -> str:
    """A sentence on the sizes at which counts are those of the rounds; nothing where there is none."""
    sizes = [f"{x:,.5g}" for x in table.x[~table.settled]]
    return f" Left out, as some runs had not fallen silent: {of} = {', '.join(sizes)}." if sizes else ""


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
    end of these is open, the bounds do not turn, or both fall silent at too few sizes.
    """
    answers: list[bool | None] = []
    numbers: dict[str, float] = {}
    parts = []
    for place, (first, second) in pairs.items():
        turn = overtaken(first.x, first.bounds, second.bounds)
        if math.isinf(turn):
            answers.append(None)
            parts.append(f"{place}: the order of the bounds does not turn in this range")
            continue
        both = first.x[first.settled & second.settled]
        if len(both) < ENOUGH:
            answers.append(None)
            numbers[f"bounds turn at, {place}"] = turn
            parts.append(
                f"{place}: bounds at {turn:,.3g}, both fell silent at {len(both)} of {len(first.x)} sizes only"
            )
            continue
        before, after = bracket(first.among(both), second.among(both))
        closed = True if before > 0.0 and math.isfinite(after) else None
        answers.append(closed if before <= turn <= after else False)
        numbers[f"bounds turn at, {place}"] = turn
        numbers |= {f"ahead from, {place}": after} if math.isfinite(after) else {}
        numbers |= {f"behind up to, {place}": before} if before > 0.0 else {}
        start = "from the smallest on" if after == first.x[0] else f"from {after:,.3g} on"
        among = "" if len(both) == len(first.x) else f", of {len(both)} sizes at which both fell silent"
        parts.append(
            f"{place}: bounds at {turn:,.3g}, mistakes {start if math.isfinite(after) else 'nowhere for good'}{among}"
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

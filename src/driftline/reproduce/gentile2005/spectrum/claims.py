"""Where the second order wins, and whether that is where its bound is the smaller one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.judged import always, fewer
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.spectrum.runs import AS, FIRST, SECOND, named
from driftline.reproduce.gentile2005.spectrum.stream import DIMENSIONS, GAP, UNIT

FLAT = 1.0


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """For each a of the second-order Perceptron."""
    records = Records.of(answers.values())
    return [one for a in AS for one in _of(records, named(a))] if records.all else []


def _of(records: Records, second: str) -> Iterator[Verdict]:
    widest = records.parameters("small", FIRST)[-1]
    for axis, spread, place in (
        ("small", FLAT, "all variances equal"),
        ("small", widest, f"variances spread by {widest:g}, target along the smallest"),
        ("large", widest, f"variances spread by {widest:g}, target along the largest"),
    ):
        yield _as_foreseen(records, second, axis, spread, place)
    flat, wide = (_gain(records, second, spread) for spread in (FLAT, widest))
    yield fewer(
        "The gain of the second order grows with the spread of the eigenvalues",
        f"{second}; target along the smallest variance",
        (f"spread {FLAT:g}", f"spread {widest:g}"),
        flat,
        wide,
        "first-order mistakes for each of second order",
    )
    runs = [one.found for one in records.all if one.learner in (FIRST, second)]
    yield always(
        "Mistakes stay within the bounds for separable examples",
        f"{FIRST} and {second}; all streams",
        [found["mistakes"] for found in runs],
        [found["bound"] for found in runs],
    )


def _as_foreseen(records: Records, second: str, axis: str, spread: float, place: str) -> Verdict:
    """The one with the smaller bound has fewer mistakes."""
    bounds = {name: float(np.mean(records.values("bound", axis, name, spread))) for name in (FIRST, second)}
    best, other = sorted(bounds, key=bounds.__getitem__)
    made, more = (records.values("mistakes", axis, name, spread) for name in (best, other))
    order = SECOND if best == second else FIRST
    found = fewer(
        f"The bounds favour the {order}, and it makes fewer mistakes", f"{second}; {place}", (best, other), made, more
    )
    numbers = {**found.numbers, "first bound": bounds[best], "second bound": bounds[other]}
    says = f"Bounds {bounds[best]:,.0f} and {bounds[other]:,.0f}. {found.says}"
    return Verdict(found.claim, found.where, found.holds, numbers, says)


def _gain(records: Records, second: str, spread: float) -> list[float]:
    """First-order mistakes for each of second order, the target along the smallest variance."""
    made = [records.values("mistakes", "small", name, spread) for name in (FIRST, second)]
    return [first / other for first, other in zip(*made, strict=True)]


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """The streams."""
    return [
        f"Spectrum: normal examples of {DIMENSIONS} dimensions, variances in geometric progression, scaled to length 1 "
        f"as the theorem asks. The target is the sign along one axis, from which examples keep {GAP / UNIT:.2f} "
        "deviations away. The tutorial leaves a open: a = 1, the length of an example, and a = 0.01 were taken. What "
        "is claimed of a stream is what the bounds of both orders, at the margin of the target, foresee for it."
    ]

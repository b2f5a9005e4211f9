"""Verdicts on where the second order wins, and whether its bound is smaller there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.spectrum.runs import AS, FIRST, SECOND, second_order_name
from driftline.reproduce.gentile2005.spectrum.stream import DIMENSIONS, GAP, UNIT
from driftline.reproduce.gentile2005.verdict_forms import fewer, within_limits

FLAT = 1.0


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """Return the verdicts for each parameter a of the second-order Perceptron."""
    records = Records.of(answers.values())
    return [one for a in AS for one in _of(records, second_order_name(a))] if records.all else []


def _of(records: Records, second: str) -> Iterator[Verdict]:
    widest = records.parameters("small", FIRST)[-1]
    for axis, spread, place in (
        ("small", FLAT, "all variances equal"),
        ("small", widest, f"variances spread by {widest:g}, target along the smallest"),
        ("large", widest, f"variances spread by {widest:g}, target along the largest"),
    ):
        yield _as_bounds_predict(records, second, axis, spread, place)
    flat, wide = (_gain(records, second, spread) for spread in (FLAT, widest))
    yield fewer(
        "The gain of the second order grows with the spread of the eigenvalues",
        f"{second}; target along the smallest variance",
        (f"spread {FLAT:g}", f"spread {widest:g}"),
        flat,
        wide,
        "first-order mistakes per second-order mistake",
    )
    runs = [one.found for one in records.all if one.learner in (FIRST, second)]
    yield within_limits(
        "Mistakes stay within the bounds for separable examples",
        f"{FIRST} and {second}; all streams",
        [found["mistakes"] for found in runs],
        [found["bound"] for found in runs],
    )


def _as_bounds_predict(records: Records, second: str, axis: str, spread: float, place: str) -> Verdict:
    """Judge whether the learner with the smaller bound makes fewer mistakes."""
    bounds = {name: float(np.mean(records.values("bound", axis, name, spread))) for name in (FIRST, second)}
    best, other = sorted(bounds, key=bounds.__getitem__)
    made, more = (records.values("mistakes", axis, name, spread) for name in (best, other))
    order = SECOND if best == second else FIRST
    found = fewer(
        f"The {order} has the smaller bound and makes fewer mistakes", f"{second}; {place}", (best, other), made, more
    )
    numbers = {**found.numbers, "first bound": bounds[best], "second bound": bounds[other]}
    says = f"Bounds {bounds[best]:,.0f} and {bounds[other]:,.0f}. {found.says}"
    return Verdict(found.claim, found.where, found.holds, numbers, says)


def _gain(records: Records, second: str, spread: float) -> list[float]:
    """Return first-order mistakes per second-order mistake, target along the smallest variance."""
    made = [records.values("mistakes", "small", name, spread) for name in (FIRST, second)]
    return [first / other for first, other in zip(*made, strict=True)]


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """Return the notes on the streams."""
    return [
        f"Spectrum: normal examples in {DIMENSIONS} dimensions with variances in geometric progression, scaled to "
        f"length 1 as the theorem requires. The label is the sign along one axis. A gap of {GAP / UNIT:.2f} standard "
        "deviations on either side of zero is left empty along this axis. The tutorial does not fix a. Here a = 1, the "
        "length of an example, and a = 0.01 are used. The claim for each stream is that the order with the smaller "
        "bound, at the margin of the target, makes fewer mistakes."
    ]

"""Where the second order wins: the target in a direction of small variance, and a spectrum that is not flat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.reproduce.experiment import Answer, Verdict
from driftline.reproduce.gentile2005.judged import always, fewer, not_fewer
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.spectrum.runs import AS, FIRST, named
from driftline.reproduce.gentile2005.spectrum.stream import DIMENSIONS, GAP, UNIT

FLAT = 1.0


def verdicts(answers: Mapping[str, Answer]) -> list[Verdict]:
    """For each a of the second-order Perceptron."""
    records = Records.of(answers.values())
    return [one for a in AS for one in _of(records, named(a))] if records.all else []


def _of(records: Records, second: str) -> Iterator[Verdict]:
    widest = records.parameters("small", FIRST)[-1]
    names = second, FIRST

    def mistakes(axis: str, spread: float) -> tuple[list[float], list[float]]:
        found = [records.values("mistakes", axis, learner, spread) for learner in names]
        return found[0], found[1]

    yield fewer(
        "Where the target lies in a direction of small variance, the second order makes fewer mistakes",
        f"{second}; variances spread by {widest:g}, target along the smallest",
        names,
        *mistakes("small", widest),
    )
    ratios = [
        [first / other for other, first in zip(*mistakes("small", spread), strict=True)] for spread in (FLAT, widest)
    ]
    yield fewer(
        "There its advantage grows with the spread of the eigenvalues",
        f"{second}; target along the smallest variance",
        (f"spread {FLAT:g}", f"spread {widest:g}"),
        ratios[0],
        ratios[1],
        "first-order mistakes for each of second order",
    )
    yield not_fewer(
        "On a flat spectrum the second order gains nothing",
        f"{second}; all variances equal",
        names,
        *mistakes("small", FLAT),
    )
    yield not_fewer(
        "Where the target lies in the direction of the largest variance, the second order gains nothing",
        f"{second}; variances spread by {widest:g}, target along the largest",
        names,
        *mistakes("large", widest),
    )
    runs = [one.found for one in records.all if one.learner in names]
    yield always(
        "Mistakes stay within the bounds for separable examples",
        f"{FIRST} and {second}; all streams",
        [found["mistakes"] for found in runs],
        [found["bound"] for found in runs],
    )


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """The streams."""
    return [
        f"Spectrum: normal examples of {DIMENSIONS} dimensions, variances in geometric progression, scaled to length 1 "
        f"as the theorem asks. The target is the sign along one axis, from which examples keep {GAP / UNIT:.2f} "
        "deviations away. The tutorial leaves a open: a = 1, the length of an example, and a = 0.01 were fixed before "
        "the runs."
    ]

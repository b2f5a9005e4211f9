"""Text of verdicts: data set, policy, methods and error rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.comparison import Comparison
from driftline.reproduce.shen2009.grids import HALVES, MIXED, NORMA1
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.solve import GAME, RARE

UPDATES = {"mistake": "updates on mistakes", "margin": "updates on small margins", MIXED: "mixed updates"}


def verdict(claim: str, where: str, found: Comparison, rates: str) -> Verdict:
    """Return the verdict on a difference between two error rates."""
    return Verdict(claim, where, found.holds, found.numbers, f"{rates}: {found.said}.")


def place(one: Results, policy: str, tuned: str, learner: str = "") -> str:
    """Return the data set, the update policy and the tuning half as text.

    ``learner`` names the learner that has the policy, if not all compared learners have one.
    """
    judged = ", the judged one" if tuned == HALVES[1] else ""
    return f"{stream(one, policy, learner)}, tuned on the {tuned} half{judged}"


def stream(one: Results, policy: str, learner: str = "") -> str:
    """Return the data set, the passes if more than one, and the update policy as text."""
    passes = f", {one.passes} passes" if one.passes > 1 else ""
    own = "PA updates on mistakes and the others on small margins"
    return f"{one.name}{passes}, {own if policy == MIXED else f'{learner} {UPDATES[policy]}'.lstrip()}"


def reading(one: Results, policy: str) -> str:
    """Return the number of passes and the update policy: a reading of the paper."""
    passes = "one pass" if one.passes == 1 else f"{one.passes} passes"
    return f"{passes}, {UPDATES[policy]}"


def under(one: Results, policy: str, found: Iterable[Verdict]) -> Iterator[Verdict]:
    """Yield the verdicts with the reading in which they were judged."""
    return (replace(verdict, reading=reading(one, policy)) for verdict in found)


def named(method: str) -> str:
    """Return the name of a method for use in a sentence."""
    return {GAME: "the game", RARE: "information gain with the game's schedule", NORMA1: "NORMA with margin 1"}.get(
        method, method
    )


def rates(errors: dict[str, Floats], first: str, second: str) -> str:
    """Return the mean error rates of two methods over the trials that have both, as text."""
    both = ~(np.isnan(errors[first]) | np.isnan(errors[second]))
    if not both.any():
        return f"{named(first)} and {named(second)} have no trial in common"
    means = [percent(errors[method][both].mean()) for method in (first, second)]
    return f"{named(first)} errs in {means[0]}, {named(second)} in {means[1]}"


def percent(share: float) -> str:
    """Return a rate as a percentage."""
    return f"{100 * share:.2f} %"


def points(differences: Floats) -> str:
    """Return a mean difference of rates in percentage points."""
    return f"{100 * float(differences.mean()):+.2f} points"

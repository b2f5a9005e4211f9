"""Text of verdicts: data set, policy, methods and error rates."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.comparison import Comparison
from driftline.reproduce.shen2009.grids import HALVES, NORMA1
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.solve import GAME, RARE


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
    """Return the data set and the update policy as text."""
    updates = "mistakes" if policy == "mistake" else "small margins"
    return f"{one.name}, {f'{learner} ' if learner else ''}updates on {updates}"


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

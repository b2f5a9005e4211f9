"""How verdicts put what was judged: where it was, between whom, and the rates in percent."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.found import Found
from driftline.reproduce.shen2009.grids import HALVES, NORMA1
from driftline.reproduce.shen2009.judge import Judged
from driftline.reproduce.shen2009.solve import GAME, RARE


def verdict(claim: str, where: str, found: Judged, rates: str) -> Verdict:
    """What the difference between two rates says."""
    return Verdict(claim, where, found.holds, found.numbers, f"{rates}: {found.said}.")


def place(one: Found, policy: str, tuned: str, whose: str = "") -> str:
    """The data set, the policy (of whom, where not all have one) and the half of tuning."""
    judged = ", the judged one" if tuned == HALVES[1] else ""
    return f"{stream(one, policy, whose)}, tuned on the {tuned} half{judged}"


def stream(one: Found, policy: str, whose: str = "") -> str:
    """The data set and the policy, where nothing is tuned."""
    return (
        f"{one.name}, {f'{whose} ' if whose else ''}updates on {'mistakes' if policy == 'mistake' else 'small margins'}"
    )


def named(method: str) -> str:
    """As sentences have it."""
    return {GAME: "the game", RARE: "information gain selected as rarely", NORMA1: "NORMA with margin 1"}.get(
        method, method
    )


def rates(errors: dict[str, Floats], first: str, second: str) -> str:
    """The mean error rates of two methods, over the trials that have both."""
    both = ~(np.isnan(errors[first]) | np.isnan(errors[second]))
    if not both.any():
        return f"{named(first)} and {named(second)} have no trial in common"
    means = [percent(errors[method][both].mean()) for method in (first, second)]
    return f"{named(first)} errs in {means[0]}, {named(second)} in {means[1]}"


def percent(share: float) -> str:
    """A rate."""
    return f"{100 * share:.2f} %"

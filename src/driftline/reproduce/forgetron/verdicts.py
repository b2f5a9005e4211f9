"""Verdicts on kernel ShrunkPA with a budget, by stream, budget and update policy.

The policies are two readings. The text of the paper updates on mistakes, as the Forgetron does.
The passive-aggressive rule that it extends updates on small margins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import CONTROL, Verdict
from driftline.reproduce.forgetron.methods import BUDGETS, FORGETRON, PA, PERCEPTRON, POLICIES, SHRUNK
from driftline.reproduce.forgetron.results import Place
from driftline.reproduce.shen2009.comparison import larger, smaller

COST = 0.005
"""A budget that costs less than half a percentage point does not hurt."""
READINGS = {"mistake": "updates on mistakes", "margin": "updates on small margins"}
ANY = "all updates on mistakes"
"""The reading of comparisons without ShrunkPA and PA."""

Errors = Mapping[Place, Floats]


def verdicts(found: Mapping[str, Errors]) -> list[Verdict]:
    """Return the verdicts, grouped by claim."""
    made = [
        verdict
        for stream, errors in found.items()
        for budget in BUDGETS
        if budget is not None
        for verdict in _of_budget(stream, errors, budget)
    ]
    place = {claim: k for k, claim in enumerate(dict.fromkeys(verdict.claim for verdict in made))}
    return sorted(made, key=lambda verdict: place[verdict.claim])


def _of_budget(stream: str, errors: Errors, budget: int) -> Iterator[Verdict]:
    """Yield the verdicts with one budget."""
    forgetron = errors[FORGETRON, "mistake", budget]
    for policy in POLICIES:
        reading, where = READINGS[policy], f"{stream}, budget {budget}, {READINGS[policy]}"
        shrunk, pa = errors[SHRUNK, policy, budget], errors[PA, policy, budget]
        yield _less("Kernel ShrunkPA errs less than the Forgetron", where, reading, shrunk, forgetron)
        yield _unhurt(where, reading, shrunk, errors[SHRUNK, policy, None])
        yield _less(f"{CONTROL}kernel PA errs less than the Forgetron", where, reading, pa, forgetron)
        yield _less(f"{CONTROL}kernel ShrunkPA errs less than kernel PA", where, reading, shrunk, pa)
    claim = f"{CONTROL}the Forgetron errs less than a Perceptron that drops its oldest support vector"
    where = f"{stream}, budget {budget}"
    yield _less(claim, where, ANY, forgetron, errors[PERCEPTRON, "mistake", budget])


def _less(claim: str, where: str, reading: str, first: Floats, second: Floats) -> Verdict:
    """Judge whether the first errs less than the second."""
    found = larger((second - first).tolist())
    says = f"Error rates {_percent(first)} and {_percent(second)}: {found.said}."
    return Verdict(claim, where, found.holds, found.numbers, says, reading)


def _unhurt(where: str, reading: str, limited: Floats, unlimited: Floats) -> Verdict:
    """Judge whether dropping the oldest support vectors costs little."""
    found = smaller((limited - unlimited).tolist(), COST)
    says = f"Error rates {_percent(limited)} with the budget and {_percent(unlimited)} without: {found.said}."
    claim = "Dropping the oldest support vectors does not hurt kernel ShrunkPA (error up by less than half a point)"
    return Verdict(claim, where, found.holds, found.numbers, says, reading)


def _percent(errors: Floats) -> str:
    return f"{100 * float(errors.mean()):.2f} %"

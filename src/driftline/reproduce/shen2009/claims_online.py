"""Figure 1: error rates on the second half of the stream, and how they change along it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.conclusions import every
from driftline.reproduce.experiment import CONTROL, Verdict
from driftline.reproduce.shen2009.comparison import Comparison, larger, within
from driftline.reproduce.shen2009.grids import (
    HALVES,
    L1,
    L2,
    METHODS,
    MIXED,
    NORMA,
    NORMA1,
    PA,
    POLICIES,
    REGULARISED,
    SHRUNK,
)
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.tuning_bias import only_failure_counts, only_success_counts
from driftline.reproduce.shen2009.verdict_text import named, place, points, rates, under, verdict

EARLY = 0.1
""""Early" means after this fraction of the second half."""
SAME = 0.0025
""""About equal" means within a quarter of a percentage point."""
NEAR = 0.01
""""Close early" means within one percentage point. So few examples cannot resolve less."""
ON_MISTAKES, ON_MARGINS = "PA with updates on mistakes", "PA with updates on small margins"
ONCE = "PA with one pass"


def online(one: Results) -> Iterator[Verdict]:
    """Yield the verdicts on the error curves of a data set."""
    for policy, tuned in one.settings:
        yield from under(one, policy, _against_pa(one, policy, tuned))
        yield from under(one, policy, _others(one, policy, tuned))
    for tuned in one.mixed:
        yield from under(one, MIXED, _against_pa(one, MIXED, tuned))
        yield from under(one, MIXED, [_policy_alone(one, tuned)] if tuned == HALVES[0] else [])
    for policy, tuned in one.settings if one.passes > 1 else []:
        yield from under(one, policy, _against_one_pass(one, policy, tuned))


def _against_pa(one: Results, policy: str, tuned: str) -> Iterator[Verdict]:
    """Compare the regularised rules with PA, at the end and early."""
    where = place(one, policy, tuned)
    curves = {method: one.curves(policy, tuned, method) for method in (PA, *REGULARISED)}
    last = {method: curve[:, -1] for method, curve in curves.items()}
    for method in REGULARISED:
        lead = larger((last[PA] - last[method]).tolist())
        found = verdict(f"{method} errs less than PA", where, lead, rates(last, PA, method))
        if policy == MIXED:
            alone = last[PA] - one.curves(POLICIES[1], tuned, PA)[:, -1]
            found = replace(found, says=f"{found.says} PA with updates on small margins gains {points(alone)}.")
        yield only_failure_counts(
            found, tuned, "The parameter was tuned on the judged half, so the learner can hardly lose"
        )
    for method in REGULARISED:
        found = _shrinks(method, where, curves[PA] - curves[method], _early(one))
        yield only_success_counts(found, tuned, "The parameter was tuned for the fewest mistakes at the end")


def _others(one: Results, policy: str, tuned: str) -> Iterator[Verdict]:
    """Compare the regularised rules with each other and with NORMA."""
    where = place(one, policy, tuned)
    curves = {method: one.curves(policy, tuned, method) for method in METHODS}
    last = {method: curve[:, -1] for method, curve in curves.items()}
    slightly = larger((last[SHRUNK] - last[L2]).tolist())
    yield verdict("L2PA errs slightly less than ShrunkPA", where, slightly, rates(last, SHRUNK, L2))
    alike = within((last[L1] - last[L2]).tolist(), SAME)
    yield verdict(
        "L1PA and L2PA err about equally often (within a quarter of a point)", where, alike, rates(last, L1, L2)
    )
    if one.key == "news":
        slightly = larger((last[L1] - last[L2]).tolist())
        yield verdict("L2PA errs slightly less than L1PA", where, slightly, rates(last, L1, L2))
    where = place(one, policy, tuned, L2)
    for method in (NORMA, NORMA1):
        less = larger((last[method] - last[L2]).tolist())
        yield verdict(f"L2PA errs less than {named(method)}", where, less, rates(last, method, L2))
        yield _falls_behind(method, where, curves[method] - curves[L2], _early(one))


def _policy_alone(one: Results, tuned: str) -> Verdict:
    """Judge, as a control of the mixed reading, what the policy gains without regularisation."""
    last = {
        name: one.curves(policy, tuned, PA)[:, -1]
        for name, policy in zip((ON_MISTAKES, ON_MARGINS), POLICIES, strict=True)
    }
    found = larger((last[ON_MISTAKES] - last[ON_MARGINS]).tolist())
    claim = f"{CONTROL}PA with updates on small margins errs less than PA with updates on mistakes"
    return verdict(claim, place(one, MIXED, tuned), found, rates(last, ON_MISTAKES, ON_MARGINS))


def _against_one_pass(one: Results, policy: str, tuned: str) -> Iterator[Verdict]:
    """Judge, as a control of many passes, whether they are of any use."""
    for method in REGULARISED:
        last = {
            ONCE: one.curves_once(policy, tuned, PA)[:, -1],
            f"{method} with {one.passes} passes": one.curves(policy, tuned, method)[:, -1],
        }
        first, second = last
        claim = f"{CONTROL}{method} trained with many passes errs less than PA trained with one"
        found = larger((last[first] - last[second]).tolist())
        yield verdict(claim, place(one, policy, tuned), found, rates(last, first, second))


def _early(one: Results) -> int:
    """Return the position of the early point of a curve."""
    return int(np.searchsorted(one.at, EARLY * one.at[-1]))


def _shrinks(method: str, where: str, gap: Floats, early: int) -> Verdict:
    """Judge whether a method leads early and by less at the end."""
    judged = {
        "early": larger(gap[:, early].tolist()),
        "end": larger(gap[:, -1].tolist()),
        "change": larger((gap[:, early] - gap[:, -1]).tolist()),
    }
    says = (
        f"The lead is {_interval(judged['early'])} after a tenth of the second half and {_interval(judged['end'])} at "
        f"the end. It shrinks by {_interval(judged['change'])}; 95 % intervals, {len(gap)} trials."
    )
    holds = every([judged["early"].holds, judged["change"].holds])
    return Verdict(
        f"The lead of {method} over PA is larger early than at the end", where, holds, _numbers(judged), says
    )


def _falls_behind(method: str, where: str, gap: Floats, early: int) -> Verdict:
    """Judge whether a method is close to L2PA early and behind it, by more, at the end."""
    judged = {
        "early": within(gap[:, early].tolist(), NEAR),
        "end": larger(gap[:, -1].tolist()),
        "change": larger((gap[:, -1] - gap[:, early]).tolist()),
    }
    says = (
        f"The lag is {_interval(judged['early'])} after a tenth of the second half and {_interval(judged['end'])} at "
        f"the end. It grows by {_interval(judged['change'])}; 95 % intervals, {len(gap)} trials."
    )
    holds = every([one.holds for one in judged.values()])
    claim = f"{named(method)} is close to L2PA early (within a point) and falls behind later"
    return Verdict(claim, where, holds, _numbers(judged), says)


def _numbers(judged: Mapping[str, Comparison]) -> dict[str, float]:
    """Return the numbers of all comparisons, prefixed with their names."""
    return {
        part if name == "difference" else f"{part} {name}": value
        for part, one in judged.items()
        for name, value in one.numbers.items()
    }


def _interval(judged: Comparison) -> str:
    """Return the difference and its interval in percentage points."""
    return f"{100 * judged.difference:+.2f} points ({100 * judged.low:+.2f} to {100 * judged.high:+.2f})"

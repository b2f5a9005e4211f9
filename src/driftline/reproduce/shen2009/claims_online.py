"""Figure 1: error rates on the second half of the stream, and how they change along it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.comparison import Comparison, every, larger, within
from driftline.reproduce.shen2009.grids import L1, L2, NORMA, NORMA1, PA, REGULARISED, SHRUNK
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.tuning_bias import only_failure_counts, only_success_counts
from driftline.reproduce.shen2009.verdict_text import named, place, rates, verdict

EARLY = 0.1
""""Early" means after this fraction of the second half."""
SAME = 0.0025
""""About equal" means within a quarter of a percentage point."""
NEAR = 0.01
""""Close early" means within one percentage point. So few examples cannot resolve less."""


def online(one: Results) -> Iterator[Verdict]:
    """Yield the verdicts on the error curves of a data set."""
    early = int(np.searchsorted(one.at, EARLY * one.at[-1]))
    for policy, tuned in one.settings:
        where = place(one, policy, tuned)
        curves = {method: one.curves(policy, tuned, method) for p, t, method in one.runs if (p, t) == (policy, tuned)}
        last = {method: curve[:, -1] for method, curve in curves.items()}
        for method in REGULARISED:
            found = verdict(
                f"{method} errs less than PA",
                where,
                larger((last[PA] - last[method]).tolist()),
                rates(last, PA, method),
            )
            yield only_failure_counts(
                found, tuned, "The parameter was tuned on the judged half, so the learner can hardly lose"
            )
        for method in REGULARISED:
            found = _shrinks(method, where, curves[PA] - curves[method], early)
            yield only_success_counts(found, tuned, "The parameter was tuned for the fewest mistakes at the end")
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
            yield _falls_behind(method, where, curves[method] - curves[L2], early)


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

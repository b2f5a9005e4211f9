"""Figure 2: the error with few features, with parameters tuned on either half with all features.

A parameter tuned on the judged half has seen the labels on which it is judged. This affects the
claims as follows:

* L1PA against L2PA: both are tuned in this way, so they are compared as usual.
* L1PA or L2PA against feature selection: selection has no parameter, so it cannot profit. Only a
  failure of the claim that the learner errs less is judged.
* A learner with half of its features against itself with all of them: the parameter was tuned for
  the fewest mistakes with all features, which puts half of them at a disadvantage. Only success of
  the claim that the learner is not hurt is judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.comparison import DIGITS, larger, surely_larger, surely_smaller
from driftline.reproduce.shen2009.feature_removal import IGNORED, READINGS
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, PA
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.solve import GAIN, GAME, RARE
from driftline.reproduce.shen2009.threshold_refinement import interpolate
from driftline.reproduce.shen2009.tuning_bias import only_failure_counts, only_success_counts
from driftline.reproduce.shen2009.verdict_text import named, percent, place, rates, stream, under, verdict

MUCH = 0.02
""""Much" means by two percentage points."""
UNHURT = 0.005
""""Not hurt" means an increase of less than half a percentage point."""
ALL = "PA with all features"
SEEN = "The parameter was tuned on the judged half, and feature selection has no parameter to tune"


def features(one: Results) -> Iterator[Verdict]:
    """Yield the verdicts on numbers of features for a data set."""
    for policy, tuned in one.settings:
        yield from under(one, policy, _tuned(one, policy, tuned))
    for policy in one.policies:
        yield from under(one, policy, _selection(one, policy))


def _tuned(one: Results, policy: str, tuned: str) -> Iterator[Verdict]:
    """Yield the verdicts on learners with a parameter."""
    for reading in READINGS:
        yield from _balls(one, policy, tuned, reading)
        for method in (L1, L2):
            yield _half(one, policy, tuned, method, reading)
        for method in (L1, L2):
            yield from _against_selection(one, policy, tuned, method, reading)
    yield _fewest(one, policy, tuned)


def _balls(one: Results, policy: str, tuned: str, reading: str) -> Iterator[Verdict]:
    """Compare L1PA and L2PA without small weights."""
    where, small = place(one, policy, tuned), f"small weights {reading}"
    few, many = (
        {method: one.errors_at(policy, tuned, method, reading, size) for method in (L1, L2)}
        for size in (one.few, one.many)
    )
    claim = f"With few features L2PA errs much less than L1PA (by more than two points; {small})"
    yield _unless_slack(_compared(claim, where, one.few, few, (L1, L2), MUCH), few)
    claim = f"With many features L1PA errs slightly less than L2PA ({small})"
    yield _unless_slack(_compared(claim, where, one.many, many, (L2, L1)), many)


def _compared(
    claim: str, where: str, size: int, errors: dict[str, Floats], pair: tuple[str, str], than: float = 0.0
) -> Verdict:
    """Judge whether the first of a pair errs more with about ``size`` features.

    If the error had to be interpolated over a gap, the errors at both ends of the gap are used.
    """
    first, second = (errors[name] for name in pair)
    found = surely_larger(np.stack([first[0] - second[0], first[1] - second[2], first[2] - second[1]]), than)
    likely = {name: rows[0] for name, rows in errors.items()}
    said = verdict(claim, where, found, f"With about {size} features {rates(likely, *pair)}")
    gaps = int(((first[1] < first[2]) | (second[1] < second[2])).sum())
    if not gaps:
        return said
    says = f"{said.says} In {gaps} trials this is interpolated over a gap, and the ends of the gap decide."
    return replace(said, numbers={**said.numbers, "gaps": float(gaps)}, says=says)


def _measured(errors: list[float]) -> Floats:
    """Return measured errors in the form of ``Results.errors_at``, with equal bounds."""
    return np.tile(np.array(errors), (3, 1))


def _unless_slack(found: Verdict, errors: dict[str, Floats]) -> Verdict:
    """Mark the verdict as undecided if L1PA and L2PA coincide because neither constraint binds."""
    apart = np.abs(errors[L1][0] - errors[L2][0])
    alike = int((apart < 10.0**-DIGITS).sum())
    if 2 * alike <= len(apart):
        return found
    says = f"{found.says} In {alike} trials their errors are identical, because neither constraint binds: not judged."
    return replace(found, holds=None, judged=False, numbers={**found.numbers, "alike": float(alike)}, says=says)


def _half(one: Results, policy: str, tuned: str, method: str, reading: str) -> Verdict:
    """Judge whether half of the features can be dropped without harm."""
    points = one.thresholds(policy, tuned, method, reading)
    whole = np.array([trial[0].error for trial in points])
    sizes = np.array([trial[0].features for trial in points])
    halved = np.array([interpolate(trial, size / 2) for trial, size in zip(points, sizes, strict=True)]).T
    found = surely_smaller(halved - whole, UNHURT)
    says = (
        f"With all {sizes.mean():.0f} features the error rate is {percent(whole.mean())}, "
        f"with half of them {percent(float(np.nanmean(halved[0])))}: {found.said}."
        if found.trials
        else "No threshold keeps about half of the features."
    )
    claim = (
        f"{method} is not hurt by dropping half of its features "
        f"(error up by less than half a point; small weights {reading})"
    )
    unhurt = Verdict(claim, place(one, policy, tuned), found.holds, found.numbers, says)
    return only_success_counts(
        unhurt, tuned, "The parameter was tuned for the fewest mistakes with all features on the judged half"
    )


def _against_selection(one: Results, policy: str, tuned: str, method: str, reading: str) -> Iterator[Verdict]:
    """Compare a learner without small weights with both methods of feature selection."""
    for selected in (GAIN, GAME):
        rivals = {
            selected: _measured(one.selected[policy, selected, one.few]),
            method: one.errors_at(policy, tuned, method, reading, one.few),
        }
        claim = f"With few features {method} errs less than selection by {named(selected)} (small weights {reading})"
        found = _compared(claim, place(one, policy, tuned), one.few, rivals, (selected, method))
        yield only_failure_counts(found, tuned, SEEN)


def _fewest(one: Results, policy: str, tuned: str) -> Verdict:
    """Judge selection by information gain with the fewest features."""
    least = {
        GAIN: _measured(one.selected[policy, GAIN, one.fewest]),
        L2: one.errors_at(policy, tuned, L2, IGNORED, one.fewest),
    }
    claim = (
        "With the fewest features information gain errs much more than L2PA "
        "(by more than two points; small weights ignored)"
    )
    found = _compared(claim, place(one, policy, tuned), one.fewest, least, (GAIN, L2), MUCH)
    return only_failure_counts(found, tuned, SEEN)


def _selection(one: Results, policy: str) -> Iterator[Verdict]:
    """Compare the methods of selection with each other and with all features. Nothing is tuned."""
    where = stream(one, policy)
    for method in (GAIN, RARE):
        rivals = {name: np.array(one.selected[policy, name, one.few]) for name in (method, GAME)}
        yield verdict(
            f"With few features selection by the game errs less than selection by {named(method)}",
            where,
            larger((rivals[method] - rivals[GAME]).tolist()),
            f"With {one.few} features {rates(rivals, method, GAME)}",
        )
    sizes = {GAIN: np.array(one.selected[policy, GAIN, one.many]), ALL: one.curves(policy, HALVES[0], PA)[:, -1]}
    helped = larger((sizes[ALL] - sizes[GAIN]).tolist())
    says = f"With {one.many} of {one.features:,} features {rates(sizes, GAIN, ALL)}"
    if one.key == "news":
        yield verdict("PA on many features selected by information gain errs less than on all", where, helped, says)
    else:
        turned = replace(helped, holds=None if helped.holds is None else not helped.holds)
        yield verdict("PA on many features selected by information gain errs no less than on all", where, turned, says)

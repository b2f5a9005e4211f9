"""Figure 2: what few features cost; the parameter is the one that the first half chose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from driftline.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.found import Found
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, PA
from driftline.reproduce.shen2009.judge import DIGITS, larger, smaller
from driftline.reproduce.shen2009.removing import IGNORED, READINGS
from driftline.reproduce.shen2009.solve import GAIN, GAME, RARE
from driftline.reproduce.shen2009.worded import named, percent, place, rates, stream, verdict

MUCH = 0.02
"""Much better is by two points."""
UNHURT = 0.005
"""Not hurt is by less than half a point."""
ALL = "PA with all features"


def features(one: Found) -> Iterator[Verdict]:
    """All claims on numbers of features of a data set."""
    for policy in one.policies:
        for reading in READINGS:
            yield from _small_weights(one, policy, reading)
        yield from _selection(one, policy)


def _small_weights(one: Found, policy: str, reading: str) -> Iterator[Verdict]:
    """Without the small weights: the two balls, and each of them beside selection."""
    where, small = place(one, policy, HALVES[0]), f"small weights {reading}"
    few, many = (
        {method: one.errors_at(policy, method, reading, size) for method in (L1, L2)} for size in (one.few, one.many)
    )
    found = verdict(
        f"With few features L2PA errs much less than L1PA ({small}; by two points)",
        where,
        larger((few[L1] - few[L2]).tolist(), MUCH),
        f"With {one.few} features {rates(few, L1, L2)}",
    )
    yield _unless_slack(found, few)
    found = verdict(
        f"With many features L1PA errs slightly less than L2PA ({small})",
        where,
        larger((many[L2] - many[L1]).tolist()),
        f"With {one.many} features {rates(many, L1, L2)}",
    )
    yield _unless_slack(found, many)
    for method in (L1, L2):
        yield _half(one, policy, method, reading)
    for method in (L1, L2):
        for selected in (GAIN, GAME):
            rivals = {selected: np.array(one.selected[policy, selected, one.few]), method: few[method]}
            yield verdict(
                f"With few features {method} errs less than selection by {named(selected)} ({small})",
                where,
                larger((rivals[selected] - rivals[method]).tolist()),
                f"With {one.few} features {rates(rivals, selected, method)}",
            )


def _unless_slack(found: Verdict, errors: dict[str, Floats]) -> Verdict:
    """Two balls that hold nothing back are one learner: there is nothing to compare."""
    alike = int((np.abs(errors[L1] - errors[L2]) < 10.0**-DIGITS).sum())
    if 2 * alike <= len(errors[L1]):
        return found
    says = f"{found.says} In {alike} trials they err alike to the last digit, for neither ball binds: not judged."
    return replace(found, holds=None, numbers={**found.numbers, "alike": float(alike)}, says=says)


def _half(one: Found, policy: str, method: str, reading: str) -> Verdict:
    """Whether half of the features can go."""
    points = one.points[policy, method, reading]
    whole = np.array([trial[0][2] for trial in points])
    sizes = np.array([trial[0][1] for trial in points])
    halved = np.array(
        [one.errors_at(policy, method, reading, size / 2)[k] if size > 0 else np.nan for k, size in enumerate(sizes)]
    )
    found = smaller((halved - whole).tolist(), UNHURT)
    says = (
        f"It has {sizes.mean():.0f} features and errs in {percent(whole.mean())}; "
        f"with half of them in {percent(float(np.nanmean(halved)))}: {found.said}."
        if found.trials
        else "No threshold left half of the features."
    )
    claim = f"Without half of its features {method} is not hurt (small weights {reading}; by half a point)"
    return Verdict(claim, place(one, policy, HALVES[0]), found.holds, found.numbers, says)


def _selection(one: Found, policy: str) -> Iterator[Verdict]:
    """Selection by gain: beside the game, with hardly any features, and beside all features."""
    where = stream(one, policy)
    for method in (GAIN, RARE):
        rivals = {name: np.array(one.selected[policy, name, one.few]) for name in (method, GAME)}
        yield verdict(
            f"With few features selection by the game errs less than by {named(method)}",
            where,
            larger((rivals[method] - rivals[GAME]).tolist()),
            f"With {one.few} features {rates(rivals, method, GAME)}",
        )
    least = {
        GAIN: np.array(one.selected[policy, GAIN, one.fewest]),
        L2: one.errors_at(policy, L2, IGNORED, one.fewest),
    }
    yield verdict(
        "With the fewest features information gain errs much more than L2PA (small weights ignored; by two points)",
        place(one, policy, HALVES[0]),
        larger((least[GAIN] - least[L2]).tolist(), MUCH),
        f"With {one.fewest} features {rates(least, GAIN, L2)}",
    )
    sizes = {GAIN: np.array(one.selected[policy, GAIN, one.many]), ALL: one.curves(policy, HALVES[0], PA)[:, -1]}
    helped = larger((sizes[ALL] - sizes[GAIN]).tolist())
    says = f"With {one.many} of {one.features:,} features {rates(sizes, GAIN, ALL)}"
    if one.key == "news":
        yield verdict("PA with many features by information gain errs less than with all", where, helped, says)
    else:
        turned = replace(helped, holds=None if helped.holds is None else not helped.holds)
        yield verdict("PA with many features by information gain errs no less than with all", where, turned, says)

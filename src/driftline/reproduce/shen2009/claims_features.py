"""Figure 2: what few features cost; the parameter is the one that either half chose with all features.

Chosen on the judged half, it has seen the labels by which it is judged. Of two balls both have, and they are compared
all the same. Selection has no parameter to choose: that a ball errs less is then not judged, that it errs more even so
is. With half of its features a learner is compared with itself, but the choice was for the fewest mistakes with all of
them, which alone makes half look worse: that it is not hurt is judged, that it is hurt is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.found import Found
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, PA
from driftline.reproduce.shen2009.judge import DIGITS, larger, surely_larger, surely_smaller
from driftline.reproduce.shen2009.narrowing import between
from driftline.reproduce.shen2009.peeking import favoured, hindered
from driftline.reproduce.shen2009.removing import IGNORED, READINGS
from driftline.reproduce.shen2009.solve import GAIN, GAME, RARE
from driftline.reproduce.shen2009.worded import named, percent, place, rates, stream, verdict

MUCH = 0.02
"""Much better is by two points."""
UNHURT = 0.005
"""Not hurt is by less than half a point."""
ALL = "PA with all features"
SEEN = "The parameter was chosen on the judged half, and selection has none to choose"


def features(one: Found) -> Iterator[Verdict]:
    """All claims on numbers of features of a data set."""
    for policy, tuned in one.settings:
        for reading in READINGS:
            yield from _balls(one, policy, tuned, reading)
            for method in (L1, L2):
                yield _half(one, policy, tuned, method, reading)
            for method in (L1, L2):
                yield from _beside_selection(one, policy, tuned, method, reading)
        yield _fewest(one, policy, tuned)
    for policy in one.policies:
        yield from _selection(one, policy)


def _balls(one: Found, policy: str, tuned: str, reading: str) -> Iterator[Verdict]:
    """Without the small weights: one ball beside the other."""
    where, small = place(one, policy, tuned), f"small weights {reading}"
    few, many = (
        {method: one.errors_at(policy, tuned, method, reading, size) for method in (L1, L2)}
        for size in (one.few, one.many)
    )
    claim = f"With few features L2PA errs much less than L1PA ({small}; by two points)"
    yield _unless_slack(_compared(claim, where, one.few, few, (L1, L2), MUCH), few)
    claim = f"With many features L1PA errs slightly less than L2PA ({small})"
    yield _unless_slack(_compared(claim, where, one.many, many, (L2, L1)), many)


def _compared(
    claim: str, where: str, size: int, errors: dict[str, Floats], pair: tuple[str, str], than: float = 0.0
) -> Verdict:
    """Whether with about so many features the first errs more; where a gap is left about that, by its ends."""
    first, second = (errors[name] for name in pair)
    found = surely_larger(np.stack([first[0] - second[0], first[1] - second[2], first[2] - second[1]]), than)
    likely = {name: rows[0] for name, rows in errors.items()}
    said = verdict(claim, where, found, f"With about {size} features {rates(likely, *pair)}")
    gaps = int(((first[1] < first[2]) | (second[1] < second[2])).sum())
    if not gaps:
        return said
    says = f"{said.says} In {gaps} trials that is interpolated over a gap, whose ends decide."
    return replace(said, numbers={**said.numbers, "gaps": float(gaps)}, says=says)


def _known(errors: list[float]) -> Floats:
    """Errors that are measured: they are what they are."""
    return np.tile(np.array(errors), (3, 1))


def _unless_slack(found: Verdict, errors: dict[str, Floats]) -> Verdict:
    """Two balls that hold nothing back are one learner: there is nothing to compare."""
    apart = np.abs(errors[L1][0] - errors[L2][0])
    alike = int((apart < 10.0**-DIGITS).sum())
    if 2 * alike <= len(apart):
        return found
    says = f"{found.says} In {alike} trials they err alike to the last digit, for neither ball binds: not judged."
    return replace(found, holds=None, numbers={**found.numbers, "alike": float(alike)}, says=says)


def _half(one: Found, policy: str, tuned: str, method: str, reading: str) -> Verdict:
    """Whether half of the features can go."""
    points = one.thresholds(policy, tuned, method, reading)
    whole = np.array([trial[0].error for trial in points])
    sizes = np.array([trial[0].features for trial in points])
    halved = np.array([between(trial, size / 2) for trial, size in zip(points, sizes, strict=True)]).T
    found = surely_smaller(halved - whole, UNHURT)
    says = (
        f"It has {sizes.mean():.0f} features and errs in {percent(whole.mean())}; "
        f"with half of them in {percent(float(np.nanmean(halved[0])))}: {found.said}."
        if found.trials
        else "No thresholds left about half of the features."
    )
    claim = f"Without half of its features {method} is not hurt (small weights {reading}; by half a point)"
    unhurt = Verdict(claim, place(one, policy, tuned), found.holds, found.numbers, says)
    return hindered(
        unhurt, tuned, "The parameter was chosen for the fewest mistakes with all of them on the judged half"
    )


def _beside_selection(one: Found, policy: str, tuned: str, method: str, reading: str) -> Iterator[Verdict]:
    """Without the small weights: a ball beside either selection."""
    for selected in (GAIN, GAME):
        rivals = {
            selected: _known(one.selected[policy, selected, one.few]),
            method: one.errors_at(policy, tuned, method, reading, one.few),
        }
        claim = f"With few features {method} errs less than selection by {named(selected)} (small weights {reading})"
        found = _compared(claim, place(one, policy, tuned), one.few, rivals, (selected, method))
        yield favoured(found, tuned, SEEN)


def _fewest(one: Found, policy: str, tuned: str) -> Verdict:
    """Selection by gain with hardly any features."""
    least = {
        GAIN: _known(one.selected[policy, GAIN, one.fewest]),
        L2: one.errors_at(policy, tuned, L2, IGNORED, one.fewest),
    }
    claim = "With the fewest features information gain errs much more than L2PA (small weights ignored; by two points)"
    found = _compared(claim, place(one, policy, tuned), one.fewest, least, (GAIN, L2), MUCH)
    return favoured(found, tuned, SEEN)


def _selection(one: Found, policy: str) -> Iterator[Verdict]:
    """Nothing is tuned: selection by gain beside the game, and beside all features."""
    where = stream(one, policy)
    for method in (GAIN, RARE):
        rivals = {name: np.array(one.selected[policy, name, one.few]) for name in (method, GAME)}
        yield verdict(
            f"With few features selection by the game errs less than by {named(method)}",
            where,
            larger((rivals[method] - rivals[GAME]).tolist()),
            f"With {one.few} features {rates(rivals, method, GAME)}",
        )
    sizes = {GAIN: np.array(one.selected[policy, GAIN, one.many]), ALL: one.curves(policy, HALVES[0], PA)[:, -1]}
    helped = larger((sizes[ALL] - sizes[GAIN]).tolist())
    says = f"With {one.many} of {one.features:,} features {rates(sizes, GAIN, ALL)}"
    if one.key == "news":
        yield verdict("PA with many features by information gain errs less than with all", where, helped, says)
    else:
        turned = replace(helped, holds=None if helped.holds is None else not helped.holds)
        yield verdict("PA with many features by information gain errs no less than with all", where, turned, says)

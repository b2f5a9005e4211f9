"""The claims of section 4, and what the numbers say of each: by data set, policy and half of tuning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from driftline.compiled import Floats
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.found import Found
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, NORMA, NORMA1, PA, REGULARISED, SHRUNK
from driftline.reproduce.shen2009.judge import Judged, every, larger, smaller, within
from driftline.reproduce.shen2009.removing import READINGS
from driftline.reproduce.shen2009.solve import GAIN, GAME, RARE

EARLY = 0.1
"""Early is this part of the second half."""
SAME = 0.01
"""Error rates are about the same within a point."""
MUCH = 0.02
"""Much better is by two points."""
UNHURT = 0.005
"""Not hurt is by less than half a point."""


def verdicts(found: Sequence[Found]) -> list[Verdict]:
    """All claims on all data sets, claim by claim."""
    made = [verdict for one in found for part in (_online, _features, _images) for verdict in part(one)]
    place = {claim: k for k, claim in enumerate(dict.fromkeys(verdict.claim for verdict in made))}
    return sorted(made, key=lambda verdict: place[verdict.claim])


def _online(one: Found) -> Iterator[Verdict]:
    """Figure 1."""
    early = int(np.searchsorted(one.at, EARLY * one.at[-1]))
    for policy, tuned in one.settings:
        where = _where(one, policy, tuned)
        curves = {method: one.curves(policy, tuned, method) for p, t, method in one.runs if (p, t) == (policy, tuned)}
        last = {method: curve[:, -1] for method, curve in curves.items()}
        for method in REGULARISED:
            found = larger((last[PA] - last[method]).tolist())
            yield _verdict(f"{method} errs less than PA", where, found, _rates(last, PA, method))
        for method in REGULARISED:
            gap = curves[PA] - curves[method]
            yield _shrinks(f"The lead of {method} over PA is largest early and then shrinks", where, gap, early)
        found = larger((last[SHRUNK] - last[L2]).tolist())
        yield _verdict("L2PA errs slightly less than ShrunkPA", where, found, _rates(last, SHRUNK, L2))
        found = within((last[L1] - last[L2]).tolist(), SAME)
        yield _verdict("L1PA and L2PA err about as often (within a point)", where, found, _rates(last, L1, L2))
        for method in (NORMA, NORMA1):
            gap = curves[method] - curves[L2]
            yield _grows(f"{_named(method)} is near L2PA early and falls behind", where, gap, early)


def _shrinks(claim: str, where: str, gap: Floats, early: int) -> Verdict:
    """A lead that is there early, and smaller in the end."""
    first, less = larger(gap[:, early].tolist()), larger((gap[:, early] - gap[:, -1]).tolist())
    return _moves(claim, where, first, less, gap, early)


def _grows(claim: str, where: str, gap: Floats, early: int) -> Verdict:
    """A lag that is there in the end, and smaller early."""
    last, more = larger(gap[:, -1].tolist()), larger((gap[:, -1] - gap[:, early]).tolist())
    return _moves(claim, where, last, more, gap, early)


def _moves(claim: str, where: str, there: Judged, moved: Judged, gap: Floats, early: int) -> Verdict:
    says = (
        f"The difference is {_points(gap[:, early].mean())} after a tenth of the second half and "
        f"{_points(gap[:, -1].mean())} at its end; it changes by {moved.said}."
    )
    numbers = {**moved.numbers, "early": float(gap[:, early].mean()), "end": float(gap[:, -1].mean())}
    return Verdict(claim, where, every([there.holds, moved.holds]), numbers, says)


def _features(one: Found) -> Iterator[Verdict]:
    """Figure 2: the parameter is the one that the first half chose."""
    for policy in one.policies:
        where = _where(one, policy, HALVES[0])
        for reading in READINGS:
            small = f"small weights {reading}"
            few = {method: one.errors_at(policy, method, reading, one.few) for method in (L1, L2)}
            found = larger((few[L1] - few[L2]).tolist(), MUCH)
            yield _verdict(
                f"With few features L2PA errs much less than L1PA ({small}; by two points)",
                where,
                found,
                f"With {one.few} features {_rates(few, L1, L2)}",
            )
            for method in (L1, L2):
                yield _half(one, policy, method, reading, where)
            for method in (GAIN, GAME):
                rivals = {method: np.array(one.selected[policy, method, one.few]), L2: few[L2]}
                found = larger((rivals[method] - rivals[L2]).tolist())
                yield _verdict(
                    f"With few features L2PA errs less than selection by {_named(method)} ({small})",
                    where,
                    found,
                    f"With {one.few} features {_rates(rivals, method, L2)}",
                )
        for method in (GAIN, RARE):
            rivals = {name: np.array(one.selected[policy, name, one.few]) for name in (method, GAME)}
            found = larger((rivals[method] - rivals[GAME]).tolist())
            yield _verdict(
                f"With few features selection by the game errs less than by {_named(method)}",
                f"{one.name}, updates on {_policy(policy)}",
                found,
                f"With {one.few} features {_rates(rivals, method, GAME)}",
            )


def _half(one: Found, policy: str, method: str, reading: str, where: str) -> Verdict:
    """Whether half of the features can go."""
    points = one.points[policy, method, reading]
    whole = np.array([trial[0][2] for trial in points])
    sizes = np.array([trial[0][1] for trial in points])
    halved = np.array(
        [one.errors_at(policy, method, reading, size / 2)[k] if size > 0 else np.nan for k, size in enumerate(sizes)]
    )
    found = smaller((halved - whole).tolist(), UNHURT)
    says = (
        f"It has {sizes.mean():.0f} features and errs in {_percent(whole.mean())}; "
        f"with half of them in {_percent(float(np.nanmean(halved)))}: {found.said}."
        if found.trials
        else "No threshold left half of the features."
    )
    claim = f"Without half of its features {method} is not hurt (small weights {reading}; by half a point)"
    return Verdict(claim, where, found.holds, found.numbers, says)


def _images(one: Found) -> Iterator[Verdict]:
    """Figure 3."""
    for policy, tuned in one.settings if one.models else []:
        where = _where(one, policy, tuned)
        share = {
            (method, what): np.array([model[what] for model in one.models[policy, tuned, method]])
            for method in (PA, *REGULARISED)
            for what in ("old", "new", "pixels")
        }
        for method in REGULARISED:
            found = larger((share[PA, "old"] - share[method, "old"]).tolist())
            says = _shares(share[PA, "old"], share[method, "old"], method, "pixels that tell 3 from 8", found)
            yield Verdict(
                f"PA keeps more of its weight than {method} on pixels that tell 3 from 8",
                where,
                found.holds,
                found.numbers,
                says,
            )
            found = larger((share[method, "new"] - share[PA, "new"]).tolist())
            says = _shares(share[PA, "new"], share[method, "new"], method, "pixels that tell 7 from 9", found)
            yield Verdict(
                f"{method} has more of its weight than PA on pixels that tell 7 from 9",
                where,
                found.holds,
                found.numbers,
                says,
            )
        others = {
            method: larger((share[method, "pixels"] - share[L1, "pixels"]).tolist()) for method in (PA, SHRUNK, L2)
        }
        nearest = min(others, key=lambda method: others[method].difference)
        yield Verdict(
            "L1PA has its weight on the fewest pixels",
            where,
            every([judged.holds for judged in others.values()]),
            others[nearest].numbers,
            f"Nine tenths of its weight are on {_percent(share[L1, 'pixels'].mean())} of the pixels; next is "
            f"{nearest} with {_percent(share[nearest, 'pixels'].mean())}: {others[nearest].said}.",
        )


def _verdict(claim: str, where: str, found: Judged, rates: str) -> Verdict:
    return Verdict(claim, where, found.holds, found.numbers, f"{rates}: {found.said}.")


def _where(one: Found, policy: str, tuned: str) -> str:
    judged = ", the judged one" if tuned == HALVES[1] else ""
    return f"{one.name}, updates on {_policy(policy)}, tuned on the {tuned} half{judged}"


def _policy(policy: str) -> str:
    return "mistakes" if policy == "mistake" else "small margins"


def _named(method: str) -> str:
    """As sentences have it."""
    return {GAME: "the game", RARE: "information gain selected as rarely", NORMA1: "NORMA with margin 1"}.get(
        method, method
    )


def _rates(errors: dict[str, Floats], first: str, second: str) -> str:
    """The mean error rates of two methods, over the trials that have both."""
    both = ~(np.isnan(errors[first]) | np.isnan(errors[second]))
    if not both.any():
        return f"{_named(first)} and {_named(second)} have no trial in common"
    rates = [_percent(errors[method][both].mean()) for method in (first, second)]
    return f"{_named(first)} errs in {rates[0]}, {_named(second)} in {rates[1]}"


def _shares(pa: Floats, other: Floats, method: str, pixels: str, found: Judged) -> str:
    return f"PA has {_percent(pa.mean())} and {method} {_percent(other.mean())} of |w| on {pixels}: {found.said}."


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _points(share: float) -> str:
    return f"{100 * share:+.2f} points"

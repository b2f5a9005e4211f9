"""Figure 3: the pixels that carry the final weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.conclusions import every
from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.comparison import Comparison, larger
from driftline.reproduce.shen2009.grids import L1, L2, PA, REGULARISED, SHRUNK
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.verdict_text import percent, place, under


def images(one: Results) -> Iterator[Verdict]:
    """Yield the verdicts on the final models of an image data set."""
    for policy, tuned in one.settings if one.models else []:
        yield from under(one, policy, _tuned(one, policy, tuned))


def _tuned(one: Results, policy: str, tuned: str) -> Iterator[Verdict]:
    where = place(one, policy, tuned)
    share = {
        (method, what): np.array([model[what] for model in one.models[policy, tuned, method]])
        for method in (PA, *REGULARISED)
        for what in ("old", "new", "pixels")
    }
    for method in REGULARISED:
        found = larger((share[PA, "old"] - share[method, "old"]).tolist())
        says = _shares(share[PA, "old"], share[method, "old"], method, "pixels that distinguish 3 from 8", found)
        yield Verdict(
            f"PA keeps more of its weight than {method} on pixels that distinguish 3 from 8",
            where,
            found.holds,
            found.numbers,
            says,
        )
        found = larger((share[method, "new"] - share[PA, "new"]).tolist())
        says = _shares(share[PA, "new"], share[method, "new"], method, "pixels that distinguish 7 from 9", found)
        yield Verdict(
            f"{method} has more of its weight than PA on pixels that distinguish 7 from 9",
            where,
            found.holds,
            found.numbers,
            says,
        )
    others = {method: larger((share[method, "pixels"] - share[L1, "pixels"]).tolist()) for method in (PA, SHRUNK, L2)}
    nearest = min(others, key=lambda method: others[method].difference)
    yield Verdict(
        "L1PA concentrates its weight on the fewest pixels",
        where,
        every([judged.holds for judged in others.values()]),
        others[nearest].numbers,
        f"Nine tenths of its weight lie on {percent(share[L1, 'pixels'].mean())} of the pixels. Next is "
        f"{nearest} with {percent(share[nearest, 'pixels'].mean())}: {others[nearest].said}.",
    )


def _shares(pa: Floats, other: Floats, method: str, pixels: str, found: Comparison) -> str:
    return f"PA has {percent(pa.mean())} and {method} {percent(other.mean())} of |w| on {pixels}: {found.said}."

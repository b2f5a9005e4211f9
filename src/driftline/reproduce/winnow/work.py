"""The pieces of work, and how one is done: streams of one part, for some seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.winnow import alternating, growing, moving, shrinking
from driftline.reproduce.winnow.runs import LISTED
from driftline.reproduce.winnow.sizes import FULL, NEEDED, QUICK, RELEVANT, Sizes

MANY = 3000
"""Irrelevant attributes from which on a few seeds are a piece of work of their own."""
SEVERAL = 500
"""Irrelevant attributes up to which all sizes are one piece of work."""
FEW = 4
APART = 1000
"""More than there are seeds."""
Raced = tuple[str, str, float, int, Mapping[str, Mapping[str, float | None]]]
"""Part, place, size and seed of a stream, and what each learner counted on it."""


def sizes_of(setting: Setting) -> Sizes:
    """How large everything is."""
    return QUICK if setting.quick else FULL


def tasks(setting: Setting) -> list[Task]:
    """All pieces of work, long ones first."""
    sizes = sizes_of(setting)
    return [*_growing(sizes), *_moving(sizes), *_shrinking(sizes)]


def _growing(sizes: Sizes) -> Iterator[Task]:
    every = list(range(sizes.seeds))
    large = [[count] for count in sorted(sizes.irrelevant, reverse=True) if count > SEVERAL]
    for counts in (*large, [count for count in sizes.irrelevant if count <= SEVERAL]):
        together = FEW if counts[0] > MANY else sizes.seeds
        for r in NEEDED:
            for start in range(0, sizes.seeds, together):
                what = {"part": growing.PART, "r": r, "irrelevant": counts, "seeds": every[start : start + together]}
                yield Task(f"growing-{r}of{RELEVANT}-{max(counts)}-{start}", what)


def _moving(sizes: Sizes) -> Iterator[Task]:
    for k in sizes.relevant:
        yield Task(f"moving-{k}", {"part": moving.PART, "k": k, "seeds": list(range(sizes.seeds + sizes.tuning))})


def _shrinking(sizes: Sizes) -> Iterator[Task]:
    what = {"margins": list(sizes.margins), "seeds": list(range(sizes.seeds))}
    for d in sizes.dimensions:
        yield Task(f"shrinking-{d}", {"part": shrinking.PART, "d": d, **what})
    yield Task("alternating-2", {"part": alternating.PART, "d": 2, **what})


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """The runs of one piece of work: of each learner at each size, lists over the seeds."""
    parts = {
        growing.PART: _solve_growing,
        moving.PART: _solve_moving,
        shrinking.PART: _solve_shrinking,
        alternating.PART: _solve_shrinking,
    }
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for part, where, x, seed, counts in parts[what["part"]](what, setting):
        for learner, count in counts.items():
            place = {"part": part, "where": where, "x": x, "learner": learner, "bound": count["bound"]}
            group = found.setdefault((part, where, x, learner), {**place, **{name: [] for name in LISTED}})
            for name in LISTED:
                group[name].append(seed if name == "seed" else count[name])
    return {"runs": list(found.values())}


def _solve_growing(what: Mapping[str, Any], setting: Setting) -> Iterator[Raced]:
    r = what["r"]
    for irrelevant in what["irrelevant"]:
        target = growing.Threshold(r, RELEVANT, irrelevant)
        for seed in what["seeds"]:
            counts = growing.raced(target, _rng(setting, 1, r, irrelevant, seed), sizes_of(setting))
            yield growing.PART, growing.where(r, RELEVANT), target.n, seed, counts


def _solve_moving(what: Mapping[str, Any], setting: Setting) -> Iterator[Raced]:
    sizes = sizes_of(setting)
    target = moving.Majority(sizes.attributes, what["k"])
    for seed in what["seeds"]:
        part = moving.PART if seed < sizes.seeds else moving.TUNING
        yield part, moving.WHERE, target.k, seed, moving.raced(target, _rng(setting, 2, target.k, seed))


def _solve_shrinking(what: Mapping[str, Any], setting: Setting) -> Iterator[Raced]:
    part, kind = what["part"], {shrinking.PART: shrinking.Discs, alternating.PART: alternating.Alternating}
    for gamma in what["margins"]:
        stream = kind[part](what["d"], gamma)
        for seed in what["seeds"]:
            counts = shrinking.raced(stream, _rng(setting, 3, stream.d, round(1e6 * gamma), seed), coins(setting, seed))
            yield part, shrinking.where(stream.d), 1.0 / gamma, seed, counts


def coins(setting: Setting, seed: int) -> int:
    """The seed of a learner that draws numbers itself: another one for another setting."""
    return seed + APART * setting.seed


def _rng(setting: Setting, *key: int) -> np.random.Generator:
    """A generator of its own for each stream."""
    return np.random.default_rng([setting.seed, *key])

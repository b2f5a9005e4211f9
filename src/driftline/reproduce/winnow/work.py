"""The pieces of work, and how one is done: streams of one part, for some seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.winnow import growing, moving, shrinking
from driftline.reproduce.winnow.sizes import FULL, NEEDED, QUICK, RELEVANT, Sizes

MANY = 3000
"""Irrelevant attributes from which on a few seeds are a piece of work of their own."""
FEW = 4
SLOW = 0.011
"""A margin from which down it is a piece of work of its own."""


def sizes_of(setting: Setting) -> Sizes:
    """How large everything is."""
    return QUICK if setting.quick else FULL


def tasks(setting: Setting) -> list[Task]:
    """All pieces of work, long ones first."""
    sizes = sizes_of(setting)
    return [*_growing(sizes), *_shrinking(sizes), *_moving(sizes)]


def _growing(sizes: Sizes) -> Iterator[Task]:
    every = list(range(sizes.seeds))
    for count in sorted(sizes.irrelevant, reverse=True):
        together = FEW if count > MANY else sizes.seeds
        for r in NEEDED:
            for start in range(0, sizes.seeds, together):
                what = {"part": growing.PART, "r": r, "irrelevant": count, "seeds": every[start : start + together]}
                yield Task(f"growing-{r}of{RELEVANT}-{count}-{start}", what)


def _shrinking(sizes: Sizes) -> Iterator[Task]:
    slow = [[gamma] for gamma in sorted(sizes.margins) if gamma < SLOW]
    for margins in (*slow, [gamma for gamma in sizes.margins if gamma >= SLOW]):
        for d in sizes.dimensions:
            what = {"part": shrinking.PART, "d": d, "margins": margins, "seeds": list(range(sizes.seeds))}
            yield Task(f"shrinking-{d}-{min(margins):g}", what)


def _moving(sizes: Sizes) -> Iterator[Task]:
    for k in sizes.relevant:
        what = {"part": moving.PART, "k": k, "seeds": list(range(sizes.seeds + sizes.tuning))}
        yield Task(f"moving-{k}", what)


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """The runs of one piece of work."""
    parts = {growing.PART: _solve_growing, moving.PART: _solve_moving, shrinking.PART: _solve_shrinking}
    return {"runs": list(parts[what["part"]](what, setting))}


def _solve_growing(what: Mapping[str, Any], setting: Setting) -> Iterator[dict[str, Any]]:
    r, count = what["r"], what["irrelevant"]
    target = growing.Threshold(r, RELEVANT, count)
    for seed in what["seeds"]:
        counts = growing.raced(target, _rng(setting, 1, r, count, seed), sizes_of(setting))
        yield from _runs(growing.PART, growing.where(r, RELEVANT), target.n, seed, counts)


def _solve_moving(what: Mapping[str, Any], setting: Setting) -> Iterator[dict[str, Any]]:
    sizes = sizes_of(setting)
    target = moving.Majority(sizes.attributes, what["k"])
    for seed in what["seeds"]:
        counts = moving.raced(target, _rng(setting, 2, target.k, seed))
        part = moving.PART if seed < sizes.seeds else moving.TUNING
        yield from _runs(part, moving.WHERE, target.k, seed, counts)


def _solve_shrinking(what: Mapping[str, Any], setting: Setting) -> Iterator[dict[str, Any]]:
    for gamma in what["margins"]:
        stream = shrinking.Discs(what["d"], gamma)
        for seed in what["seeds"]:
            counts = shrinking.raced(stream, _rng(setting, 3, stream.d, round(1e6 * gamma), seed), seed)
            yield from _runs(shrinking.PART, shrinking.where(stream.d), 1.0 / gamma, seed, counts)


def _rng(setting: Setting, *key: int) -> np.random.Generator:
    """A generator of its own for each stream."""
    return np.random.default_rng([setting.seed, *key])


def _runs(
    part: str, where: str, x: float, seed: int, counts: Mapping[str, Mapping[str, float | None]]
) -> Iterable[dict[str, Any]]:
    for learner, count in counts.items():
        yield {"part": part, "where": where, "x": x, "seed": seed, "learner": learner, **count}

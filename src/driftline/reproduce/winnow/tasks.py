"""Tasks: each runs the learners of one part on its streams, for some seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.winnow import alternating, growing, moving, shrinking
from driftline.reproduce.winnow.runs import PER_SEED
from driftline.reproduce.winnow.sizes import FULL, NEEDED, QUICK, RELEVANT, Sizes

MANY = 3000
"""Above this number of irrelevant attributes, a task has only FEW seeds."""
SEVERAL = 500
"""Up to this number of irrelevant attributes, all sizes form one task."""
FEW = 4
APART = 1000
"""Distance between the learner seeds of consecutive settings, more than the number of seeds."""
StreamResult = tuple[str, str, float, int, Mapping[str, Mapping[str, float | None]]]
"""Part, place, size and seed of a stream, and the counts of each learner on it."""


def sizes_of(setting: Setting) -> Sizes:
    """Return the sizes of a quick or full run."""
    return QUICK if setting.quick else FULL


def tasks(setting: Setting) -> list[Task]:
    """Return all tasks, longest first."""
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
    """Solve a task: return for each learner and size its counts as lists over the seeds."""
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
            group = found.setdefault((part, where, x, learner), {**place, **{name: [] for name in PER_SEED}})
            for name in PER_SEED:
                group[name].append(seed if name == "seed" else count[name])
    return {"runs": list(found.values())}


def _solve_growing(what: Mapping[str, Any], setting: Setting) -> Iterator[StreamResult]:
    r = what["r"]
    for irrelevant in what["irrelevant"]:
        target = growing.Threshold(r, RELEVANT, irrelevant)
        for seed in what["seeds"]:
            counts = growing.run_stream(target, _rng(setting, 1, r, irrelevant, seed), sizes_of(setting))
            yield growing.PART, growing.target_name(r, RELEVANT), target.n, seed, counts


def _solve_moving(what: Mapping[str, Any], setting: Setting) -> Iterator[StreamResult]:
    sizes = sizes_of(setting)
    target = moving.Majority(sizes.attributes, what["k"])
    for seed in what["seeds"]:
        part = moving.PART if seed < sizes.seeds else moving.TUNING
        yield part, moving.WHERE, target.k, seed, moving.run_stream(target, _rng(setting, 2, target.k, seed))


def _solve_shrinking(what: Mapping[str, Any], setting: Setting) -> Iterator[StreamResult]:
    part, kind = what["part"], {shrinking.PART: shrinking.Discs, alternating.PART: alternating.Alternating}
    for gamma in what["margins"]:
        stream = kind[part](what["d"], gamma)
        for seed in what["seeds"]:
            counts = shrinking.run_stream(
                stream, _rng(setting, 3, stream.d, round(1e6 * gamma), seed), learner_seed(setting, seed)
            )
            yield part, shrinking.stream_name(stream.d), 1.0 / gamma, seed, counts


def learner_seed(setting: Setting, seed: int) -> int:
    """Return the seed for a randomised learner. It differs between settings."""
    return seed + APART * setting.seed


def _rng(setting: Setting, *key: int) -> np.random.Generator:
    """Return a separate random generator for each stream."""
    return np.random.default_rng([setting.seed, *key])

"""A piece of work: tune a learner at one kernel width, then judge it on streams that the tuning never saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import driftline as dl
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.kivinen2002 import grids, streams

POINTS = 100
"""Of a curve, at most."""


def tasks(setting: Setting) -> list[Task]:
    """Every learner of the paper at every width on either kind of stream, and the two Trackers; long ones first."""
    untuned: list[dict[str, Any]] = [
        {"stream": kind, "learner": name} for name in (grids.WAVES, grids.TRACKER) for kind in streams.KINDS
    ]
    tuned: list[dict[str, Any]] = [
        {"stream": kind, "learner": name, "width": width}
        for name in grids.KERNELS
        for width in grids.widths(setting.quick)
        for kind in streams.KINDS
    ]
    return [Task("-".join(map(str, what.values())), what) for what in (*untuned, *tuned)]


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """What was tried and chosen, and the mistakes and curves on the judged streams with that."""
    kind, learner = what["stream"], what["learner"]
    if "width" in what:
        tried: list[dict[str, Any]] = [
            {"parameters": one, "mistakes": _tuning_mistakes(kind, learner, one, what["width"], setting)}
            for one in grids.grid(learner, setting.quick)
        ]
        best = min(tried, key=lambda one: one["mistakes"])
        found: dict[str, Any] = {"tried": tried, "parameters": best["parameters"], "tuning": best["mistakes"]}
        learners = [grids.made(learner, best["parameters"], what["width"]) for _ in streams.judged(setting)]
    else:
        found = {"tried": [], "parameters": {}, "tuning": None}
        learners = [grids.tracker(learner) for _ in streams.judged(setting)]
    runs = [_run(one, kind, seed, setting) for one, seed in zip(learners, streams.judged(setting), strict=True)]
    return {
        **what,
        **found,
        "seeds": streams.judged(setting),
        "tuning seeds": streams.tuned(setting),
        "mistakes": [run.mistakes for run in runs],
        "trials": [int(at) for at in runs[0].curve["examples"]],
        "curves": [[int(count) for count in run.curve["mistakes"]] for run in runs],
    }


def _tuning_mistakes(kind: str, learner: str, parameters: grids.Parameters, width: float, setting: Setting) -> float:
    """The mean of mistakes on the streams to tune on."""
    seeds = streams.tuned(setting)
    counts = [_run(grids.made(learner, parameters, width), kind, seed, setting).mistakes for seed in seeds]
    return sum(counts) / len(counts)


def _run(learner: dl.Learner, kind: str, seed: int, setting: Setting) -> dl.Run:
    return dl.run(learner, streams.drawn(kind, seed, setting.quick), points=POINTS, progress=False)

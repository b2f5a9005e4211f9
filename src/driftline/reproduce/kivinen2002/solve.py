"""Tasks: tune a learner at one kernel width, then run it on streams not used for tuning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import driftline as dl
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.kivinen2002 import grids, streams

POINTS = 100
"""Largest number of points of a learning curve."""


def tasks(setting: Setting) -> list[Task]:
    """Return the tasks, longest first.

    There is one task for each learner of the paper, width and kind of stream, and one for each of
    the two Trackers and kind of stream.
    """
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
    """Return the settings tried, the chosen one, and its results on the test streams."""
    kind, learner = what["stream"], what["learner"]
    if "width" in what:
        tried: list[dict[str, Any]] = [
            {"parameters": one, "mistakes": _tuning_mistakes(kind, learner, one, what["width"], setting)}
            for one in grids.grid(learner, setting.quick)
        ]
        best = min(tried, key=lambda one: one["mistakes"])
        found: dict[str, Any] = {"tried": tried, "parameters": best["parameters"], "tuning": best["mistakes"]}
        learners = [grids.make_learner(learner, best["parameters"], what["width"]) for _ in streams.test_seeds(setting)]
    else:
        found = {"tried": [], "parameters": {}, "tuning": None}
        learners = [grids.make_tracker(learner) for _ in streams.test_seeds(setting)]
    runs = [_run(one, kind, seed, setting) for one, seed in zip(learners, streams.test_seeds(setting), strict=True)]
    return {
        **what,
        **found,
        "seeds": streams.test_seeds(setting),
        "tuning seeds": streams.tuning_seeds(setting),
        "mistakes": [run.mistakes for run in runs],
        "trials": [int(at) for at in runs[0].curve["examples"]],
        "curves": [[int(count) for count in run.curve["mistakes"]] for run in runs],
    }


def _tuning_mistakes(kind: str, learner: str, parameters: grids.Parameters, width: float, setting: Setting) -> float:
    """Return the mean mistakes on the tuning streams."""
    seeds = streams.tuning_seeds(setting)
    counts = [_run(grids.make_learner(learner, parameters, width), kind, seed, setting).mistakes for seed in seeds]
    return sum(counts) / len(counts)


def _run(learner: dl.Learner, kind: str, seed: int, setting: Setting) -> dl.Run:
    return dl.run(learner, streams.draw(kind, seed, setting.quick), points=POINTS, progress=False)

"""Tasks: run the learners with their grids, many passes or feature selection on some trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners.state import linear_weights
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.shen2009 import feature_removal, feature_selection, images, threshold_refinement
from driftline.reproduce.shen2009.data import DataSet, available, load_data_set
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, NORMA, NORMA1, POLICIES, fewest
from driftline.reproduce.shen2009.many_passes import many_passes
from driftline.reproduce.shen2009.tuned_runs import curve_at, tried_settings
from driftline.rules.rule import When

LEARNERS, SELECTION, REPEATED = "learners", "selection", "passes"
TRIALS, QUICK_TRIALS = 40, 3
TOGETHER = {
    (SELECTION, True): 1,
    (LEARNERS, True): 3,
    (REPEATED, True): 8,
    (SELECTION, False): 2,
    (LEARNERS, False): 10,
    (REPEATED, False): 20,
}
"""Number of trials per task, by kind of task and whether the data are texts."""
HALVED, SPREAD = (4, 1), (2, 4)
"""Rounds of threshold refinement, and thresholds per round.

HALVED is used if every threshold needs a separate run, SPREAD if one run covers all thresholds.
"""
GAIN, RARE, GAME = "information gain", "information gain, rarely", "game"
"""Methods of feature selection.

RARE selects as rarely as the game is played, for a fair comparison.
"""


def tasks(setting: Setting) -> list[Task]:
    """Return the tasks, longest first. Each runs a few trials of one kind on one data set."""
    trials = list(range(QUICK_TRIALS if setting.quick else TRIALS))
    found = []
    for key in reversed(available(setting.sources)):
        for kind in (SELECTION, LEARNERS, REPEATED):
            size = TOGETHER[kind, key != "usps"]
            for start in range(0, len(trials), size):
                what = {"kind": kind, "data": key, "trials": trials[start : start + size]}
                found.append(Task(f"{kind}-{key}-{start:02d}", what))
    return found


def solve(kind: str, key: str, trials: Sequence[int], setting: Setting) -> Answer:
    """Solve one task."""
    data = load_data_set(key, setting)
    work = {LEARNERS: learners, SELECTION: selection, REPEATED: many_passes}[kind]
    facts = {
        "kind": kind,
        "data": key,
        "name": data.name,
        "stands_in": data.collection.stands_in,
        "phase": data.phase,
        "features": data.features,
        "few": data.few,
        "side": data.side,
    }
    return {**facts, "trials": [{"trial": k, **work(data, k, POLICIES, setting)} for k in trials]}


def learners(data: DataSet, trial: int, whens: Sequence[When], setting: Setting) -> Answer:
    """Return the results for Figures 1 and 3, and for the regularised learners of Figure 2."""
    X, y, reused = data.stream(trial, setting.seed)
    at = np.array(curve_at(data.phase)) - 1
    half = 2 * data.phase
    pixels = images.old_and_new(data) if data.side else None
    runs, points, models = [], [], []
    for when in whens:
        for method, tried in tried_settings(X, y, when, setting.quick):
            few: dict[str, list[Answer]] = {}
            for tuned, part in zip(HALVES, (slice(half), slice(half, None)), strict=True):
                best = tried[fewest([int(one.trials.mistaken[part].sum()) for one in tried])]
                where = {"policy": when, "tuned": tuned, "method": method, "parameter": best.choice.text}
                counts = np.cumsum(best.trials.mistaken[half:])[at].tolist()
                stuck = int(best.trials.infeasible.sum())
                runs.append({**where, "edge": best.choice.edge, "mistakes": counts, "infeasible": stuck})
                if pixels is not None and method not in (NORMA, NORMA1):
                    size = np.abs(linear_weights(best.learned())[1])
                    models.append({**where, **images.spread(size, *pixels), **_image(size, trial)})
                if method in (L2, L1):
                    if best.choice.text not in few:
                        few[best.choice.text] = list(_points(best.choice.rule, X, y, data.sizes, setting.quick))
                    points += [{**where, **point} for point in few[best.choice.text]]
    if pixels is not None:
        gains = images.of_stream(data.on(X), y)
        where = {"policy": "", "tuned": "", "method": GAIN, "parameter": "none"}
        models.append({**where, **images.spread(gains, *pixels), **_image(gains, trial)})
    return {"reused": reused, "runs": runs, "points": points, "models": models}


def _points(rule: Any, X: Any, y: Floats, sizes: Sequence[int], quick: bool) -> Iterator[Answer]:
    """Yield numbers of features and errors for both ways of dropping small weights.

    Thresholds are refined around the given sizes and around half of the learner's features.
    """
    step = 2 if quick else 1
    for reading, measure, thresholds, (rounds, inner) in (
        (
            feature_removal.REMOVED,
            feature_removal.removed,
            feature_removal.sigmas(X, feature_removal.STEPS[::step]),
            HALVED,
        ),
        (feature_removal.IGNORED, feature_removal.ignored, feature_removal.SHARES[::step], SPREAD),
    ):
        tried = partial(measure, rule, X, y)
        points = tried(thresholds)
        judged = [*sizes, *(point.features / 2 for point in points[:1])]
        for point in points:
            yield {"reading": reading, "added": False, **point._asdict()}
        for point in threshold_refinement.refine(points, judged, tried, rounds, inner):
            yield {"reading": reading, "added": True, **point._asdict()}


def _image(size: Floats, trial: int) -> Answer:
    """Return the model as an image, for the first trial only."""
    return {"image": np.round(size / max(float(size.max()), 1e-300), 4).tolist()} if trial == 0 else {}


def selection(data: DataSet, trial: int, whens: Sequence[When], setting: Setting) -> Answer:
    """Return the errors of PA with feature selection by information gain and by the game."""
    X, y, reused = data.stream(trial, setting.seed)
    on = data.on(X)
    played = [k for k in data.counts if k < min(feature_selection.CANDIDATES, data.features)]
    runs = []
    game = feature_selection.ByGame(on, y, played)
    for name, selector, counts in (
        (GAIN, feature_selection.ByGain(data.features), data.counts),
        (RARE, feature_selection.ByGain(data.features, feature_selection.EVERY), played),
        (GAME, game, played),
    ):
        for (when, k), wrong in feature_selection.mistakes(X, y, on, selector, counts, whens).items():
            error = float(wrong[2 * data.phase :].mean())
            runs.append({"policy": when, "method": name, "features": k, "error": error})
    return {"reused": reused, "selected": runs, "alike": game.alike(data.few)}

"""The work: the learners with their grids on some trials, or feature selection on some trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import driftline as dl
from driftline.internals.compiled import Floats
from driftline.learners import LearnedBlock, Learner
from driftline.learners.state import linear_weights
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.shen2009 import images, narrowing, removing, selecting
from driftline.reproduce.shen2009.data import Material, available, material
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, METHODS, NORMA, NORMA1, POLICIES, Choice, fewest, grid
from driftline.rules.composed.bank import is_column
from driftline.rules.rule import When

LEARNERS, SELECTION = "learners", "selection"
TRIALS, QUICK_TRIALS = 40, 3
POINTS = 50
"""Of a curve."""
TOGETHER = {(SELECTION, True): 1, (LEARNERS, True): 3, (SELECTION, False): 2, (LEARNERS, False): 10}
"""Trials of a task, by its kind and whether it is about texts."""
HALVED, SPREAD = (4, 1), (2, 4)
"""Rounds of further thresholds, and how many in each: where each is a run of its own, and where one run has all."""
GAIN, RARE, GAME = "information gain", "information gain, rarely", "game"
"""Ways to select features; the second looks as rarely as the game is played, so that the two can be told apart."""


def tasks(setting: Setting) -> list[Task]:
    """Each kind of work on each data set, a few trials at a time; long ones first."""
    trials = list(range(QUICK_TRIALS if setting.quick else TRIALS))
    found = []
    for key in reversed(available(setting.sources)):
        for kind in (SELECTION, LEARNERS):
            size = TOGETHER[kind, key != "usps"]
            for start in range(0, len(trials), size):
                what = {"kind": kind, "data": key, "trials": trials[start : start + size]}
                found.append(Task(f"{kind}-{key}-{start:02d}", what))
    return found


def solve(kind: str, key: str, trials: Sequence[int], setting: Setting) -> Answer:
    """Do one of them."""
    data = material(key, setting)
    whens = POLICIES[:1] if setting.quick else POLICIES
    work = learners if kind == LEARNERS else selection
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
    return {**facts, "trials": [{"trial": k, **work(data, k, whens, setting)} for k in trials]}


def curve_at(phase: int) -> list[int]:
    """After how many examples of the second half a curve has its points."""
    return sorted({round(share * 2 * phase) for share in np.linspace(1.0 / POINTS, 1.0, POINTS)})


@dataclass(frozen=True)
class Tried:
    """A setting that went over the stream."""

    choice: Choice
    trials: LearnedBlock
    learned: Callable[[], Learner]


def learners(data: Material, trial: int, whens: Sequence[When], setting: Setting) -> Answer:
    """Figures 1 and 3, and the regularised learners of Figure 2."""
    X, y, reused = data.stream(trial, setting.seed)
    at = np.array(curve_at(data.phase)) - 1
    half = 2 * data.phase
    pixels = images.old_and_new(data) if data.side else None
    runs, points, models = [], [], []
    for when in whens:
        for method, tried in _tried(X, y, when, setting.quick):
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


def _tried(X: Any, y: Floats, when: When, quick: bool) -> Iterator[tuple[str, list[Tried]]]:
    """Each method with all its settings, run over the whole stream: those of two numbers in one pass."""
    choices = {method: grid(method, when, quick) for method in METHODS}
    columns = {method: some for method, some in choices.items() if is_column(some[0].rule)}
    rules = [one.rule for some in columns.values() for one in some]
    bank = dl.Bank(rules, bias=False)
    each = bank.test_then_train_each(X, y)
    place = 0
    for method, some in choices.items():
        if method in columns:
            yield (
                method,
                [Tried(one, each[place + k], partial(bank.__getitem__, place + k)) for k, one in enumerate(some)],
            )
            place += len(some)
        else:
            yield method, [_alone(one, X, y) for one in some]


def _alone(choice: Choice, X: Any, y: Floats) -> Tried:
    learner = Learner(choice.rule, bias=False)
    return Tried(choice, learner.test_then_train(X, y), lambda: learner)


def _points(rule: Any, X: Any, y: Floats, sizes: Sequence[int], quick: bool) -> Iterator[Answer]:
    """Features and error by both readings of small weights; more of them about these sizes and half of its own."""
    step = 2 if quick else 1
    for reading, measure, thresholds, (rounds, inner) in (
        (removing.REMOVED, removing.removed, removing.sigmas(X, removing.STEPS[::step]), HALVED),
        (removing.IGNORED, removing.ignored, removing.SHARES[::step], SPREAD),
    ):
        tried = partial(measure, rule, X, y)
        points = tried(thresholds)
        judged = [*sizes, *(point.features / 2 for point in points[:1])]
        for point in points:
            yield {"reading": reading, "added": False, **point._asdict()}
        for point in narrowing.added(points, judged, tried, rounds, inner):
            yield {"reading": reading, "added": True, **point._asdict()}


def _image(size: Floats, trial: int) -> Answer:
    """The model itself, of the first trial only."""
    return {"image": np.round(size / max(float(size.max()), 1e-300), 4).tolist()} if trial == 0 else {}


def selection(data: Material, trial: int, whens: Sequence[When], setting: Setting) -> Answer:
    """Feature selection beside PA: by gain, and by the game."""
    X, y, reused = data.stream(trial, setting.seed)
    on = data.on(X)
    played = [k for k in data.counts if k < min(selecting.CANDIDATES, data.features)]
    runs = []
    game = selecting.ByGame(on, y, played)
    for name, selector, counts in (
        (GAIN, selecting.ByGain(data.features), data.counts),
        (RARE, selecting.ByGain(data.features, selecting.EVERY), played),
        (GAME, game, played),
    ):
        for (when, k), wrong in selecting.mistakes(X, y, on, selector, counts, whens).items():
            error = float(wrong[2 * data.phase :].mean())
            runs.append({"policy": when, "method": name, "features": k, "error": error})
    return {"reused": reused, "selected": runs, "alike": game.alike(data.few)}

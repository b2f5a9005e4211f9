"""Runs of each variant at each b, and of the same learner with random labels or all labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import driftline as dl
from driftline.internals.compiled import Floats
from driftline.learners.options import Options
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.gentile2005.labels.data import NAMES, common, stream, streams
from driftline.reproduce.gentile2005.parts import QUICK_SEEDS, SEEDS, generator, learner_seed, tasks_over_seeds
from driftline.reproduce.gentile2005.records import Record, answer
from driftline.rules import Variant

ASKING: dict[Variant, tuple[float, ...]] = {
    "constant": (0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 1.0, 3.0),
    "adaptive": (0.003, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3),
    "second": (0.01, 0.03, 0.1, 0.15, 0.2, 0.3, 1.0),
}
"""The variants of label requests, and their values of b.

At b = 1/2 = R^2 / 2 the bound of "constant" equals that with all labels.
"""
QUICK: dict[Variant, tuple[float, ...]] = {"constant": (0.03, 0.1, 0.5), "adaptive": (0.01, 0.1), "second": (0.03, 0.3)}
PRESCRIBED = 0.5
LIMIT = "limit"
OPTIONS: Options = {"bias": False, "scale": "unit"}


def tasks(setting: Setting) -> Sequence[Task]:
    """Return the tasks: some seeds of one stream at once, and the bound of each stream."""
    found: list[Task] = []
    for name in reversed(streams(setting)):
        seeds, at_once = (QUICK_SEEDS, QUICK_SEEDS) if setting.quick else (SEEDS, 2 if name == "spam" else 4)
        found += tasks_over_seeds("labels", name, seeds, at_once)
        found.append(Task(f"labels-{name}-{LIMIT}", {"part": "labels", "stream": name, "seeds": []}))
    return found


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """Return the records of all variants for these seeds, or the bound if there are no seeds."""
    name, seeds = what["stream"], what["seeds"]
    records = [record for seed in seeds for record in _runs(name, seed, setting)] if seeds else [_limit(name, setting)]
    return answer(records)


def _runs(name: str, seed: int, setting: Setting) -> Iterator[Record]:
    X, y = stream(name, seed, setting)
    rng = generator(setting, f"labels-{name}-at-random", seed)
    for variant, grid in (QUICK if setting.quick else ASKING).items():
        seen = common(X) if variant == "second" else X
        plain = _plain(variant)
        full = mistakes(plain(), seen, y)
        for b in grid:
            asking = dl.LabelEfficient(plain(), b, variant, learner_seed(setting, seed), **OPTIONS)
            trials = asking.test_then_train(seen, y)
            found: dict[str, float] = {
                "rounds": len(y),
                "asked": asking.asked,
                "mistakes": int(trials.mistaken.sum()),
                "at random": mistakes(plain(), seen, y, rng.permutation(len(y)) < asking.asked),
                "all labels": full,
            }
            if variant == "constant":
                found["expected"] = float(np.sum(b / (b + np.abs(trials.scores))))
            yield Record(NAMES[name], variant, b, seed, found)


def _plain(variant: Variant) -> Callable[[], dl.Learner]:
    if variant == "second":
        return lambda: dl.SecondOrderPerceptron(**OPTIONS)
    return lambda: dl.Perceptron(**OPTIONS)


def mistakes(learner: dl.Learner, X: Any, y: Floats, labelled: np.ndarray | None = None) -> int:
    """Return the mistakes in all rounds of a learner that gets the labels of some rounds only."""
    weights = None if labelled is None else labelled.astype(float)
    return int(learner.test_then_train(X, y, weights).mistaken.sum())


def _limit(name: str, setting: Setting) -> Record:
    """Return the bound on expected mistakes at the prescribed b.

    It is evaluated for the best comparator found in hindsight.

    The bound is a sum over all rounds, so it does not depend on the order, and thus not on the
    seed.
    """
    asking = dl.LabelEfficient("perceptron", PRESCRIBED, **OPTIONS)
    best = dl.run(asking, stream(name, 0, setting), certify=True, progress=False).certificate().best
    assert best is not None
    return Record(NAMES[name], LIMIT, PRESCRIBED, 0, {"bound": best.value})

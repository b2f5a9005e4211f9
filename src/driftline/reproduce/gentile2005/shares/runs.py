"""Runs of weighted majority and fixed share on the same advice, and their regret."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.gentile2005.parts import QUICK_SEEDS, SEEDS, generator, tasks_over_seeds
from driftline.reproduce.gentile2005.records import Record, answer
from driftline.reproduce.gentile2005.shares.stream import EXPERTS, ROUNDS, draw

CHANGES, QUICK_CHANGES = (0, 1, 3, 7, 15, 31, 63), (0, 7, 31)
SHOWN = 7
"""Number of changes of the streams for which the regret over rounds is drawn."""
POINTS = 100
MAJORITY, SHARE = "weighted majority", "fixed share"
RATE = 1.0
"""Learning rate of both learners: an error divides a weight by e."""


def tasks(setting: Setting) -> Sequence[Task]:
    """Return the tasks, with a few seeds each."""
    seeds, at_once = (QUICK_SEEDS, QUICK_SEEDS) if setting.quick else (SEEDS, 6)
    return tasks_over_seeds("shares", "experts", seeds, at_once)


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """Return the records of both learners for each number of changes."""
    courses: list[dict[str, Any]] = []
    records = [record for seed in what["seeds"] for record in _runs(seed, setting, courses)]
    return answer(records, courses=courses)


def alpha_of(changes: int) -> float:
    """Return the share that the tutorial prescribes. Without changes, it is that of one change."""
    return max(changes, 1) / (ROUNDS - 1)


def _runs(seed: int, setting: Setting, courses: list[dict[str, Any]]) -> Iterator[Record]:
    for changes in QUICK_CHANGES if setting.quick else CHANGES:
        Z, y, who = draw(changes, ROUNDS, generator(setting, f"shares-{changes}", seed))
        wrong = y[:, None] != Z
        good = wrong[np.arange(ROUNDS), who]
        alpha = alpha_of(changes)
        learners = {
            MAJORITY: dl.WeightedMajority(beta=math.exp(-RATE)),
            SHARE: dl.FixedShare(eta=RATE, alpha=alpha),
        }
        lost = int(good.sum())
        limits = {
            MAJORITY: bounds.WeightedMajorityMistakes(
                n=EXPERTS, L=float(wrong.sum(axis=0).min()), beta=math.exp(-RATE)
            ).value,
            SHARE: bounds.FixedShareVote(n=EXPERTS, L=lost, k=changes, T=ROUNDS, alpha=alpha, eta=RATE).value,
        }
        for name, learner in learners.items():
            mistaken = learner.test_then_train(Z, y).mistaken
            total = int(mistaken.sum())
            found = {"mistakes": total, "regret": total - lost, "bound": limits[name]}
            yield Record("experts", name, float(changes), seed, found)
            if changes == SHOWN:
                regret = np.cumsum(mistaken.astype(int) - good)
                courses.append(
                    {"learner": name, "seed": seed, "regret": regret[ROUNDS // POINTS - 1 :: ROUNDS // POINTS].tolist()}
                )

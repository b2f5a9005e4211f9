"""Tasks: tune every method with every budget on the first half, and judge it on the second."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.forgetron.methods import BUDGETS, METHODS, grid, learner, unit_gamma
from driftline.reproduce.shen2009.data import SEEDS, load_data_set
from driftline.streams import DriftingMixtures, SwitchingMixtures

IMAGES, DRIFTING, SWITCHING = "images", "drifting", "switching"
STREAMS = (IMAGES, DRIFTING, SWITCHING)
TRIALS, QUICK_TRIALS = 20, 3
TOGETHER = 5
"""Number of trials per task."""
LENGTH, QUICK_LENGTH = 3000, 400
"""Number of examples of a drifting or switching stream."""
SWITCHES = 6
"""Number of parts of a switching stream."""


def tasks(setting: Setting) -> list[Task]:
    """Return the tasks. Each runs a few trials of one stream."""
    trials = list(range(QUICK_TRIALS if setting.quick else TRIALS))
    return [
        Task(f"{stream}-{start:02d}", {"stream": stream, "trials": trials[start : start + TOGETHER]})
        for stream in STREAMS
        for start in range(0, len(trials), TOGETHER)
    ]


def solve(stream: str, trials: Sequence[int], setting: Setting) -> Answer:
    """Solve one task."""
    name, runs = stream, []
    for trial in trials:
        name, X, y = draw(stream, trial, setting)
        runs += [{"stream": name, "trial": trial, **run} for run in compared(X, y, setting.quick)]
    return {"stream": name, "runs": runs}


def draw(stream: str, trial: int, setting: Setting) -> tuple[str, Floats, Floats]:
    """Return the name of a stream, and all rows and labels of a trial."""
    if stream == IMAGES:
        data = load_data_set("usps", setting)
        X, y, _ = data.stream(trial, setting.seed)
        return data.name, X, y
    n, seed = QUICK_LENGTH if setting.quick else LENGTH, SEEDS * setting.seed + trial
    mixtures = (
        DriftingMixtures(n, seed=seed) if stream == DRIFTING else SwitchingMixtures(n, every=n // SWITCHES, seed=seed)
    )
    blocks = list(mixtures)
    return f"{stream} mixtures", np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])


def compared(X: Floats, y: Floats, quick: bool) -> list[Answer]:
    """Return each method with each budget: the chosen setting and its error on the second half."""
    half, unit = len(y) // 2, unit_gamma(X[: len(y) // 2])
    found = []
    for budget in BUDGETS:
        for method, when in METHODS:
            tried = []
            for one in grid(method, quick):
                mistaken = learner(method, when, budget, one, unit).test_then_train(X, y).mistaken
                tried.append((int(mistaken[:half].sum()), float(mistaken[half:].mean()), one))
            _, error, chosen = min(tried, key=lambda some: some[0])
            found.append({"method": method, "policy": when, "budget": budget, **chosen._asdict(), "error": error})
    return found

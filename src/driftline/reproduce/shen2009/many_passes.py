"""Train on the first half with many passes, then run over the second half once.

The paper chooses the parameter on the first half and then trains the model on the first half. It
does not say that one pass is meant. Here the setting with the fewest online mistakes in one pass
over the first half is trained from the start with more passes, always in the order of the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners import Learner
from driftline.reproduce.experiment import Answer, Setting
from driftline.reproduce.shen2009.data import DataSet
from driftline.reproduce.shen2009.grids import HALVES, Candidate, fewest
from driftline.reproduce.shen2009.tuned_runs import curve_at, tried_settings
from driftline.rules.rule import When

PASSES, QUICK_PASSES = (10, 30, 100), (10,)


def many_passes(data: DataSet, trial: int, whens: Sequence[When], setting: Setting) -> Answer:
    """Return the mistakes on the second half after each number of passes over the first half."""
    X, y, _ = data.stream(trial, setting.seed)
    half = 2 * data.phase
    at = np.array(curve_at(data.phase)) - 1
    runs = []
    for when in whens:
        for method, tried in tried_settings(X[:half], y[:half], when, setting.quick):
            choice = tried[fewest([int(one.trials.mistaken.sum()) for one in tried])].choice
            where = {"policy": when, "tuned": HALVES[0], "method": method, "parameter": choice.text}
            counts = QUICK_PASSES if setting.quick else PASSES
            for passes, (wrong, stuck) in zip(counts, _runs(choice, X, y, half, counts), strict=True):
                mistakes = np.cumsum(wrong)[at].tolist()
                runs.append({**where, "passes": passes, "edge": choice.edge, "mistakes": mistakes, "infeasible": stuck})
    return {"repeated": runs}


def _runs(choice: Candidate, X: Any, y: Floats, half: int, counts: Sequence[int]) -> list[tuple[Floats, int]]:
    """Return the mistakes on the second half and the number of infeasible steps there."""
    learner = Learner(choice.rule, bias=False)
    found, done = [], 0
    for passes in counts:
        for _ in range(passes - done):
            learner.learn_many(X[:half], y[:half])
        done = passes
        trials = deepcopy(learner).test_then_train(X[half:], y[half:])
        found.append((trials.mistaken, int(trials.infeasible.sum())))
    return found

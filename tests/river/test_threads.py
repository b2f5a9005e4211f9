"""Any number of threads may use one river classifier."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from driftline import river as dlr
from tests.support.threads import in_threads

rng = np.random.default_rng(1)
ROWS = [dict(zip("abcde", row, strict=True)) for row in rng.normal(size=(300, 5)).tolist()]
LABELS = [["no", "yes", "perhaps"][int(np.argmax([x["a"], x["b"], x["c"]]))] for x in ROWS]


@pytest.mark.parametrize("make", [dlr.Tracker, dlr.OneVsRest, dlr.MulticlassPA])
def test_probabilities_are_of_one_moment(make: Any) -> None:
    shared, replay, done = make(), make(), threading.Event()
    seen: list[dict[str, float]] = []

    def learn() -> None:
        for x, y in zip(ROWS, LABELS, strict=True):
            shared.learn_one(x, y)
        done.set()

    def read() -> None:
        while not done.is_set():
            seen.append(shared.predict_proba_one(ROWS[0]))
            shared.predict_one(ROWS[0])

    in_threads(learn, read, read)
    moments = [replay.predict_proba_one(ROWS[0])]
    for x, y in zip(ROWS, LABELS, strict=True):
        replay.learn_one(x, y)
        moments.append(replay.predict_proba_one(ROWS[0]))
    assert shared.predict_proba_one(ROWS[0]) == moments[-1]
    assert seen and all(one in moments for one in seen)

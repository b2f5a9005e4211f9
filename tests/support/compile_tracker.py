"""Compile the paths of the Tracker and the TrackerRegressor, in one process.

    python tests/support/compile_tracker.py

Otherwise all processes of a test run would compile the same code at the same time.
"""

from __future__ import annotations

import io

import numpy as np
from scipy.sparse import csr_matrix

import driftline as dl

ROWS = np.random.default_rng(0).normal(size=(40, 6))
HOLES = np.where(ROWS > 1.5, np.nan, ROWS)
TWO = np.where(ROWS[:, 0] > 0.0, "a", "b")
THREE = np.where(ROWS[:, 1] > 0.5, "c", TWO)


def dicts(rows: np.ndarray) -> list[dict[str, float]]:
    return [{f"f{k}": value for k, value in enumerate(row)} for row in rows.tolist()]


def use(learner: dl.Learner, rows: object, ones: list[object], y: np.ndarray) -> None:
    """Learn and score in blocks and one by one."""
    learner.learn_many(rows, y)
    learner.score_many(rows)
    for one, label in zip(ones, y.tolist(), strict=True):
        learner.learn_one(one, label)
        learner.score_one(one)


def main() -> None:
    sparse = csr_matrix(np.where(np.abs(ROWS) > 1.0, ROWS, 0.0))
    text = "a,b,y\n" + "".join(
        f"{row[0]},{'' if row[1] > 1 else row[1]},{y}\n" for row, y in zip(ROWS, TWO, strict=True)
    )
    for options in ({}, {"bank": "light"}):
        for y in (TWO, THREE):
            use(dl.Tracker(**options), HOLES, list(HOLES), y)
            use(dl.Tracker(**options), sparse, [sparse[[k]] for k in range(40)], y)
            use(dl.Tracker(**options), dicts(ROWS), list(dicts(ROWS)), y)
        use(dl.Tracker(scale=dl.RandomFourier(8, 0.3), **options), ROWS, list(ROWS), TWO)
        dl.run(dl.Tracker(**options), dl.streams.read(io.BytesIO(text.encode()), format="csv", target="y"))
    regressors = [dl.TrackerRegressor() for _ in range(3)]
    use(regressors[0], HOLES, list(HOLES), ROWS[:, 0])
    use(regressors[1], sparse, [sparse[[k]] for k in range(40)], ROWS[:, 0])
    use(regressors[2], dicts(ROWS), list(dicts(ROWS)), ROWS[:, 0])


if __name__ == "__main__":
    main()

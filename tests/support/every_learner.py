"""The scores of every learner on a few rows, to be compared between processes; prints them as JSON.

Each learner gets half of its rows as an array, as sparse rows or as dicts, in blocks and one by one.
"""

from __future__ import annotations

import json

import numpy as np

from tests.support.learner_cases import OTHERS, examples, rows_of
from tests.support.linear_cases import one_of_each

KINDS = ("dense", "csr", "dicts")
ROWS = 12


def scores() -> dict[str, list[float]]:
    """Learner, setting and kind of rows to its scores."""
    found = {}
    for case in [*one_of_each(), *OTHERS]:
        X, y = examples(getattr(case, "feed", "signed"))
        for kind in KINDS:
            learner = case.learner()
            rows = rows_of(kind, X[:ROWS])
            own = learner.learn_many(rows, y[:ROWS]).tolist()
            more = rows_of(kind, X[ROWS : 2 * ROWS])
            for x, label in zip(more, y[ROWS : 2 * ROWS], strict=True):
                own.append(learner.learn_one(x, label))
            own += np.ravel(learner.score_many(rows)).tolist()
            own.append(float(np.ravel(learner.score_one(x)).sum()))
            found[f"{case} {kind}"] = own
    return found


if __name__ == "__main__":
    print(json.dumps(scores()))

"""Run several learners on the same stream and count their mistakes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from driftline.learners import Learner

Block = tuple[np.ndarray, np.ndarray]


def run_learners(
    learners: Mapping[str, Learner], blocks: Iterable[Block], patience: int | None = None, sparse: Collection[str] = ()
) -> dict[str, dict[str, int]]:
    """Return the mistakes, wrong labels, rounds and settled flag of each learner.

    A mistake is a margin of 0 or less, so a tie counts. A wrong label is a wrong prediction as a
    user would see it. Learners named in ``sparse`` receive sparse rows, which are faster and give
    the same mistakes. A learner stops after ``patience`` rounds without a mistake. It has settled
    if it stopped, or if it made no mistakes in the last quarter of its rounds.
    """
    counts = {name: {"mistakes": 0, "wrong": 0, "rounds": 0, "settled": 0} for name in learners}
    quiet = dict.fromkeys(learners, 0)
    active = dict(learners)
    for X, y in blocks:
        forms: dict[bool, Any] = {}
        for name, learner in list(active.items()):
            form = name in sparse
            if form not in forms:
                forms[form] = as_sparse_rows(X) if form else np.asarray(X, float)
            learner.learn_many(forms[form], y)
            count = counts[name]
            quiet[name] = quiet[name] + len(y) if learner.mistakes == count["mistakes"] else 0
            count["rounds"] += len(y)
            count["mistakes"], count["wrong"] = int(learner.mistakes), int(learner.label_errors)
            calmed = patience is not None and quiet[name] >= patience
            count["settled"] = int(calmed or 4 * quiet[name] >= count["rounds"])
            if calmed:
                del active[name]
        if not active:
            break
    return counts


def as_sparse_rows(X: np.ndarray) -> csr_array:
    """Return a matrix of zeros and ones as CSR rows."""
    ends = np.cumsum(np.count_nonzero(X, axis=1))
    starts = np.concatenate([[0], ends]).astype(np.int32)
    columns = np.flatnonzero(X) - np.repeat(np.arange(len(X)) * X.shape[1], np.diff(starts))
    return csr_array((np.ones(columns.size), columns.astype(np.int32), starts), shape=X.shape)

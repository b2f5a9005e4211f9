"""Learners side by side on one stream, each until it is calm or the stream ends."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from driftline.learners import Learner

Block = tuple[np.ndarray, np.ndarray]


def race(
    learners: Mapping[str, Learner], blocks: Iterable[Block], calm: int | None = None, sparse: Collection[str] = ()
) -> dict[str, dict[str, int]]:
    """Mistakes, wrong labels, rounds, and whether it has settled, of each learner.

    A mistake is a margin of 0 or less, so that a tie is one; a wrong label is what a user would have seen. Learners
    named in ``sparse`` are given sparse rows, on which they make the same mistakes sooner. After ``calm`` rounds
    without a mistake a learner is done, and has settled; so has one that made none in the last quarter of its rounds.
    """
    counts = {name: {"mistakes": 0, "wrong": 0, "rounds": 0, "settled": 0} for name in learners}
    quiet = dict.fromkeys(learners, 0)
    active = dict(learners)
    for X, y in blocks:
        forms: dict[bool, Any] = {}
        for name, learner in list(active.items()):
            form = name in sparse
            if form not in forms:
                forms[form] = listed(X) if form else np.asarray(X, float)
            learner.learn_many(forms[form], y)
            count = counts[name]
            quiet[name] = quiet[name] + len(y) if learner.mistakes == count["mistakes"] else 0
            count["rounds"] += len(y)
            count["mistakes"], count["wrong"] = int(learner.mistakes), int(learner.label_errors)
            calmed = calm is not None and quiet[name] >= calm
            count["settled"] = int(calmed or 4 * quiet[name] >= count["rounds"])
            if calmed:
                del active[name]
        if not active:
            break
    return counts


def listed(X: np.ndarray) -> csr_array:
    """The rows of a matrix of 0 and 1, as lists of where the ones are."""
    ends = np.cumsum(np.count_nonzero(X, axis=1))
    starts = np.concatenate([[0], ends]).astype(np.int32)
    columns = np.flatnonzero(X) - np.repeat(np.arange(len(X)) * X.shape[1], np.diff(starts))
    return csr_array((np.ones(columns.size), columns.astype(np.int32), starts), shape=X.shape)

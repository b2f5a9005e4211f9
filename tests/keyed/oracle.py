"""The slow version of ``Keyed``: a dict of whole learners, in a loop."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import numpy as np

import driftline as dl
from tests.support.bitwise import assert_same, snapshot


class DictOfLearners:
    """A learner for each key. ``prior`` is as for ``Keyed``."""

    def __init__(self, learner: dl.Learner, prior: Any = None) -> None:
        self.start = deepcopy(prior if isinstance(prior, dl.Learner) else learner)
        self.shared = prior == "global"
        self.learners: dict[Any, dl.Learner] = {}

    def learn(self, X: Iterable[Any], y: Iterable[Any], keys: Iterable[Any], w: Iterable[float] | None = None) -> Any:
        scores = []
        weights = iter(w) if w is not None else iter([1.0] * len(list(y)))
        for x, label, key, weight in zip(X, y, keys, weights, strict=False):
            learner = self.learners.setdefault(key, deepcopy(self.start) if key not in self.learners else self.start)
            scores.append(learner.learn_one(x, label, weight))
            if self.shared:
                self.start.learn_one(x, label, weight)
        return np.array(scores)


def assert_alike(keyed: dl.Keyed, oracle: DictOfLearners) -> None:
    """Every key has a learner with the same bits."""
    assert sorted(map(repr, keyed)) == sorted(map(repr, oracle.learners))
    for key, learner in oracle.learners.items():
        assert_same(snapshot(learner), snapshot(keyed[key]))

"""Learned blocks with the probabilities of ``predict_proba_one``, for learners that do not record them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.learners.learned_block import LearnedBlock

RECORDED = "keep_probabilities" in inspect.signature(dl.Learner.learn_block).parameters
PLAIN: Callable[..., LearnedBlock] = dl.Learner.learn_block


def keep_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``learn_block`` take ``keep_probabilities``, if it does not."""

    def learn_block(self: dl.Learner, X: Any, y: Any, w: Any = None, **options: Any) -> LearnedBlock:
        if not options.pop("keep_probabilities", False):
            return PLAIN(self, X, y, w, **options)
        rows: list[dict[Any, float]] = []
        blocks: list[LearnedBlock] = []
        for k in range(len(y)):
            known = self.labels
            found = self.predict_proba_many(X[k : k + 1])[0].tolist() if len(known) > 1 else [1.0] * len(known)
            rows.append(dict(zip(known, found, strict=True)))
            blocks.append(PLAIN(self, X[k : k + 1], list(y[k : k + 1]), None if w is None else w[k : k + 1], **options))
        labels = self.labels
        P = np.array([[row.get(label, 0.0) for label in labels] for row in rows])
        first = blocks[0]
        return replace(
            first,
            y=np.concatenate([one.y for one in blocks]),
            scores=np.concatenate([one.scores for one in blocks]),
            events=np.concatenate([one.events for one in blocks]),
            probabilities=P if len(labels) == 2 else np.column_stack([P, 1.0 - P]),
        )

    if not RECORDED:
        monkeypatch.setattr(dl.Learner, "learn_block", learn_block)

"""Every choice from the same run, its risk on fresh examples beside its certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.gentile2005.batch.choices import AVERAGE, CHOSEN, LAST, PRINTED, VOTE, classifier
from driftline.reproduce.gentile2005.batch.stream import NAMES, drawn, streams
from driftline.reproduce.gentile2005.parts import QUICK_SEEDS, tasks_over_seeds
from driftline.reproduce.gentile2005.records import Record, answer

SEEDS = 80
"""Enough to say that a certificate fails for fewer than 1 in 20, if it never does."""


def tasks(setting: Setting) -> Sequence[Task]:
    """Some seeds of one stream at once."""
    seeds, at_once = (QUICK_SEEDS, QUICK_SEEDS) if setting.quick else (SEEDS, 20)
    return [task for name in reversed(streams(setting)) for task in tasks_over_seeds("batch", name, seeds, at_once)]


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """All choices for these seeds."""
    return answer(record for seed in what["seeds"] for record in _runs(what["stream"], seed, setting))


def _runs(stream: str, seed: int, setting: Setting) -> Iterator[Record]:
    data, (X, y) = drawn(stream, seed, setting)
    for choice in (LAST, AVERAGE, VOTE, PRINTED, CHOSEN):
        found, certificate, online = classifier(choice, data)
        risk = float(np.mean((found.score_many(X) >= 0.0) != (y > 0.0)))
        certified = {} if certificate is None else {"certificate": certificate}
        yield Record(NAMES[stream], choice, None, seed, {"risk": risk, "mistakes on line": online, **certified})

"""All choices from the same run, with their risk on fresh examples and their certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.gentile2005.batch.choices import ALL, CHOSEN, LAST, batch, classifier, perceptron
from driftline.reproduce.gentile2005.batch.stream import NAMES, PLUGGED, draw, streams
from driftline.reproduce.gentile2005.parts import QUICK_SEEDS, tasks_over_seeds
from driftline.reproduce.gentile2005.records import Record, answer

SEEDS, PLUGGED_SEEDS = 80, 60
"""Numbers of seeds. If no seed fails, 59 are enough to conclude that fewer than 1 in 20 fail."""
QUICK_PLUGGED = 2


def tasks(setting: Setting) -> Sequence[Task]:
    """Return the tasks, longest first. Each covers some seeds of one stream."""
    found: list[Task] = []
    for name in reversed(streams(setting)):
        quick = QUICK_PLUGGED if name == PLUGGED else QUICK_SEEDS
        many = (PLUGGED_SEEDS, 5) if name == PLUGGED else (SEEDS, 20)
        found += tasks_over_seeds("batch", name, *((quick, quick) if setting.quick else many))
    return found


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """Return the records of all choices for these seeds."""
    return answer(record for seed in what["seeds"] for record in _runs(what["stream"], seed, setting))


def _runs(stream: str, seed: int, setting: Setting) -> Iterator[Record]:
    data, (X, y) = draw(stream, seed, setting)
    learner, choices = (batch, (LAST, CHOSEN)) if stream == PLUGGED else (perceptron, ALL)
    for choice in choices:
        found, certificate, online = classifier(choice, learner(), data)
        risk = float(np.mean((found.score_many(X) >= 0.0) != (y > 0.0)))
        certified = {} if certificate is None else {"certificate": certificate}
        yield Record(NAMES[stream], choice, None, seed, {"risk": risk, "mistakes on line": online, **certified})

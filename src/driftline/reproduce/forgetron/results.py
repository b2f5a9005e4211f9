"""The error rates by stream, method, policy and budget, with trials in order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Answer

Place = tuple[str, str, int | None]
"""Method, update policy and budget."""


def collected(answers: Mapping[str, Answer]) -> dict[str, dict[Place, Floats]]:
    """Return the error rates of each stream by place, one per trial."""
    found: dict[str, dict[Place, list[float]]] = {}
    for answer in sorted(answers.values(), key=lambda one: one["runs"][0]["trial"]):
        some = found.setdefault(answer["stream"], {})
        for run in answer["runs"]:
            some.setdefault((run["method"], run["policy"], run["budget"]), []).append(run["error"])
    return {
        stream: {place: np.array(errors) for place, errors in found[stream].items()}
        for stream in sorted(found, key=lambda name: (" " in name, name))
    }

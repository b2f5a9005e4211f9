"""The learners that ``compare`` and ``sweep`` are given, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from driftline.encode.faults import shortened
from driftline.learners import Learner


def named(where: str, learners: Any) -> dict[str, Learner]:
    """The learners of a list by their repr, those of a dict by their keys."""
    if not isinstance(learners, Mapping | Sequence) or isinstance(learners, str):
        raise ValueError(
            f"{where}: learners must be a list or a dict of learners, got {shortened(learners)}. Put them into a list"
        )
    found = dict(learners) if isinstance(learners, Mapping) else {repr(one): one for one in learners}
    if not found or len(found) < len(learners):
        raise ValueError(
            f"{where}: learners must be a non-empty list of different learners, got {len(learners)} of them, "
            f"{len(found)} different. Leave out those that are there twice, or name them in a dict"
        )
    for one in found.values():
        if not isinstance(one, Learner):
            raise ValueError(
                f"{where}: every learner must be a driftline learner, got {shortened(one)}. Pass dl.PA1(), or "
                "dl.grid('pa1', ...)"
            )
    return found

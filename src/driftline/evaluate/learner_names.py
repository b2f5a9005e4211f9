"""The names of the learners passed to ``compare`` and ``sweep``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from driftline.encode.faults import shortened
from driftline.learners import Learner


def named(where: str, learners: Any) -> dict[str, Learner]:
    """The learners by name: the repr in a list, the key in a dict."""
    if not isinstance(learners, Mapping | Sequence) or isinstance(learners, str):
        raise ValueError(
            f"{where}: learners must be a list or a dict of learners, got {shortened(learners)}. Pass a list"
        )
    found = dict(learners) if isinstance(learners, Mapping) else {repr(one): one for one in learners}
    if not found or len(found) < len(learners):
        raise ValueError(
            f"{where}: learners must be a non-empty list of different learners, got {len(learners)} of them, "
            f"{len(found)} different. Remove duplicates, or name them in a dict"
        )
    for one in found.values():
        if not isinstance(one, Learner):
            raise ValueError(
                f"{where}: every learner must be a driftline learner, got {shortened(one)}. Pass dl.PA1(), or "
                "dl.grid('pa1', ...)"
            )
    return found

"""The list of tasks that together compile the whole public interface."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from driftline.warm_up.file_calls import FORMATS, evaluations, files
from driftline.warm_up.learner_calls import calls, runs
from driftline.warm_up.settings import settings


class Task(NamedTuple):
    """A part of the work.

    Attributes
    ----------
    name
        What it uses, in words.
    work
        Makes the calls.
    learner
        The name in ``REGISTRY`` of the learner that it uses; empty if it uses several.
    """

    name: str
    work: Callable[[], None]
    learner: str = ""

    def run(self) -> None:
        """Make the calls, without warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.work()


def tasks() -> list[Task]:
    """All tasks, the longest first. They can run in any order and in several processes."""
    found = settings()
    return [
        *(Task(f"calls of {setting}", partial(calls, setting), setting.name) for setting in found),
        *(Task(f"files in the format {kind}", partial(files, kind)) for kind in FORMATS),
        Task("comparisons, sweeps, decisions and detectors", evaluations),
        *(Task(f"runs of {setting}", partial(runs, setting), setting.name) for setting in found),
    ]

"""The task of a stream: whether its target holds classes or the numbers of a regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftline.streams.files.faults import ReadError
from driftline.streams.files.label_task import check_classes, check_targets, continuous
from driftline.streams.schema.recipe import CLASSIFICATION, REGRESSION


class StreamTask:
    """Who has said what the task is: the recipe or an option, the learner, or the first labels.

    Parameters
    ----------
    source : str
        The name of the files.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.said: str | None = None
        """The task of the option or of the recipe."""
        self.positive = False
        """Whether the labels are reduced to two."""
        self.expected: str | None = None
        """The task of the learner that reads the stream."""
        self.continuous = ""
        """What makes the first labels look like the targets of a regression."""

    @property
    def task(self) -> str:
        """The task: "classification" or "regression"."""
        found = REGRESSION if self.continuous and not self.positive else CLASSIFICATION
        return self.said or self.expected or found

    def expect(self, task: str, learner: str) -> None:
        """Take the task of the learner; ``ReadError`` if an option or the recipe says something else."""
        if self.said is not None and self.said != task:
            choice = (
                "a regressor such as trackerregressor" if task == CLASSIFICATION else "a classifier such as tracker"
            )
            raise ReadError(f"{self.source}: --task must be {task} for {learner}, got {self.said}. Choose {choice}")
        if task == REGRESSION and self.positive:
            raise ReadError(
                f"{self.source}: --positive must come with a classifier, got {learner}, which predicts numbers. "
                "Leave it out"
            )
        self.expected = task

    def look(self, labels: Sequence[Any]) -> None:
        """Find out whether the first labels look like classes."""
        self.continuous = continuous(labels)

    def check(self, target: str | None, labels: Sequence[Any]) -> None:
        """Raise ``ReadError`` if the first labels do not fit the task."""
        if self.task == REGRESSION:
            check_targets(self.source, target, labels)
        elif self.said is None and not self.positive:
            check_classes(self.source, target, labels)

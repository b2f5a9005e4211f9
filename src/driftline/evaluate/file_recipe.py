"""Recipes in a run: files are read by the recipe of the learner, and a new learner gets theirs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from driftline.internals.record_stream import RecordStream
from driftline.learners import Learner
from driftline.learners.state import add_labels
from driftline.streams.schema.recipe import CLASSIFICATION, REGRESSION, Recipe


def expect_task(learners: Iterable[Learner], stream: Any) -> None:
    """Tell the stream whether the learners are classifiers or regressors.

    Parameters
    ----------
    learners
        The learners, all of one task.
    stream
        The stream.
    """
    if isinstance(stream, RecordStream):
        for one in learners:
            stream.expect(REGRESSION if one.rule.regresses else CLASSIFICATION, one.kind)


def read_by_recipe(learners: Iterable[Learner], stream: Any) -> None:
    """Let the stream read its files by the recipe of the learners, if one of them has a recipe.

    A resumed run passes the learner that it was given, not the saved one: the recipe of a checkpoint
    lists only the columns so far, and further ones may appear. Their kinds are held.
    """
    if not isinstance(stream, RecordStream):
        return
    taught = [one for one in learners if one.recipe is not None]
    if not taught:
        return
    first = taught[0]
    for other in taught:
        if other.recipe != first.recipe:
            raise ValueError(
                f"run: learners must have learned from the same columns, got different recipes of {first.kind} and "
                f"{other.kind}. Run them one at a time"
            )
    stream.use(first.recipe)


def keep_recipe(learner: Learner, stream: Any) -> None:
    """Give a learner that has learned the recipe of the stream, unless it says nothing (svmlight, VW)."""
    recipe = told_recipe(stream) if learner.n_seen else None
    if recipe is not None:
        learner.recipe = recipe


def told_recipe(stream: Any) -> Recipe | None:
    """The recipe of the stream; None if it has none, or one that says nothing."""
    recipe: Recipe | None = stream.recipe if isinstance(stream, RecordStream) else None
    return None if recipe is None or replace(recipe, task=CLASSIFICATION) == Recipe() else recipe


def sort_labels(learner: Learner, stream: Any) -> None:
    """Make the smaller of two labels negative, whichever comes first in the files.

    This is done if the learner knows no label yet and the first rows of the files have exactly two
    labels. If one of them is 1 or True, it is positive anyway (``encode.labels``). A label that
    ``read`` was told to be positive is.
    """
    if not isinstance(stream, RecordStream) or learner.rule.several or learner.rule.regresses or learner.labels:
        return
    labels = stream.first_labels
    if len(labels) == 2 and 1 not in labels and type(labels[0]) is type(labels[1]):
        positive = None if stream.recipe is None else stream.recipe.positive
        add_labels(learner, sorted(labels, key=lambda label: (label == positive, label)))

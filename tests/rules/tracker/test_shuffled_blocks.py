"""Every expert of the strong bank on a stream whose labels come in runs, and after shuffling within blocks.

An expert that repeats the last label is good while labels come in runs. Shuffling within blocks of
50 rows takes that away and leaves the drift of the stream. What an expert knows of the examples
must not depend on it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import driftline as dl
from driftline.learners.tracker import Voter
from tests.support.curved_streams import in_runs, shuffled_within_blocks

ROWS, BLOCK, MOST = 6000, 50, 0.025
SHORT_MEMORY = {(view, rule) for view in ("std", "forget", "max", "quad") for rule in ("pa", "norma")}
"""Linear experts that correct every example to a margin of 1, so that their weights hold the last labels.

They serve streams whose labels come in runs. They pass if the Tracker does without them after shuffling.
"""
COMBINED = "read-out"
"""The view of the voters that see the scores of all experts, those of short memory among them."""


@cache
def judged(mixed: bool) -> tuple[dict[tuple[str, str], Voter], int]:
    """The voters by view and rule, and the mistakes of the Tracker."""
    stream = in_runs(ROWS, 0.9)
    stream = shuffled_within_blocks(stream, BLOCK) if mixed else stream
    run = dl.run(dl.Tracker(), (stream.Z, stream.y))
    return {(one.view, one.rule): one for one in run.learner.experts()}, run.mistakes


def loss_by_shuffling(view: str, rule: str) -> float:
    """By how much the error of a voter rises."""
    (given, _), (mixed, _) = judged(False), judged(True)
    return (mixed[view, rule].mistakes - given[view, rule].mistakes) / ROWS


def test_the_control_takes_the_runs_away() -> None:
    stream = in_runs(ROWS, 0.9)
    mixed = shuffled_within_blocks(stream, BLOCK)
    repeated, after = (np.mean(y[1:] == y[:-1]) for y in (stream.y, mixed.y))
    assert repeated > 0.9 and after < 0.6


def test_all_experts_are_listed() -> None:
    voters = judged(False)[0].keys()
    assert voters == judged(True)[0].keys() and len(voters) > 35 and voters > SHORT_MEMORY


@pytest.mark.parametrize("family", ["forest", "paths", "waves", "neighbours", "arow", "pa1", "label", "rest"])
def test_experts_do_not_live_on_the_last_labels(family: str) -> None:
    others = [
        (view, rule)
        for view, rule in judged(False)[0]
        if view != COMBINED and (view, rule) not in SHORT_MEMORY and family_of(view, rule) == family
    ]
    losses = {one: loss_by_shuffling(*one) for one in others}
    assert (family == "rest") == (not losses)
    assert all(abs(loss) < MOST for loss in losses.values()), losses


def family_of(view: str, rule: str) -> str:
    """The family of an expert; "rest" if it is new and must be added to a family, or to the short ones."""
    if view == "label":
        return "label"
    return next((name for name in ("forest", "paths", "waves", "neighbours", "arow", "pa1") if name in rule), "rest")


@pytest.mark.parametrize(("view", "rule"), sorted(SHORT_MEMORY))
def test_the_tracker_does_without_short_memories(view: str, rule: str) -> None:
    """They gain from runs, and have no weight where there are none."""
    (given, _), (mixed, _) = judged(False), judged(True)
    assert loss_by_shuffling(view, rule) > MOST
    assert mixed[view, rule].weight < 0.002
    assert given["max", "pa"].mistakes < 0.5 * mixed["max", "pa"].mistakes


def test_the_vote_is_as_good_as_the_best_expert_that_passes() -> None:
    mixed, mistakes = judged(True)
    best = min(one.mistakes for key, one in mixed.items() if key not in SHORT_MEMORY and one.view != COMBINED)
    assert mistakes <= 1.01 * best + best**0.5

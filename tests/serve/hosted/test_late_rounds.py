"""Rounds that a replay makes only if they are still in the window at its end."""

from __future__ import annotations

import random
from functools import partial

import pytest

from driftline.serve.hosted.scoreboard import Round, Scoreboard
from driftline.serve.log.events import Answer


@pytest.mark.parametrize("seed", range(20))
def test_the_window_is_that_of_rounds_made_at_once(seed: int) -> None:
    rng = random.Random(seed)
    at_once, later = Scoreboard(50, False), Scoreboard(50, False)
    made: list[int] = []

    def make(rounds: list[Round]) -> list[Round]:
        made.append(len(rounds))
        return rounds

    numbers = iter(range(10_000))
    for size in rng.choices([0, 1, 8, 20, 49, 50, 51, 120], k=30):
        at = 1.0
        if size == 0:
            answer = Answer(0, "a", {"a": 0.5, "b": 0.5}, float(next(numbers)))
            at_once.judge(answer, "b", at, None)
            later.judge(answer, "b", at, None)
            continue
        answers = [Answer(0, "a", {"a": 0.75, "b": 0.25}, float(next(numbers))) for _ in range(size)]
        ys, ats = [rng.choice("ab") for _ in range(size)], [at] * size
        rounds: list[Round] = [(y, one.label, one.score, one.shares) for y, one in zip(ys, answers, strict=True)]
        at_once.judge_many(answers, ys, ats)
        later.judge_many(answers, ys, ats, partial(make, rounds))
        if rng.random() < 0.2:
            assert later.window == at_once.window
    assert later.state() == at_once.state()
    assert later.window is later.window and not later._unread


def test_rounds_that_left_the_window_are_never_made() -> None:
    def refuse() -> list[Round]:
        raise AssertionError

    board = Scoreboard(10, False)
    answers, ys, ats = [Answer(0, "a", {"a": 1.0}, 1.0)] * 8, ["a"] * 8, [1.0] * 8
    board.judge_many(answers, ys, ats, refuse)
    for score in (2.0, 3.0):
        board.judge_many(answers, ys, ats, lambda score=score: [("a", "a", score, None)] * 8)  # type: ignore[misc]
    assert [one[2] for one in board.window] == [2.0] * 2 + [3.0] * 8

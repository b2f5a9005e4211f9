"""The scoreboard: counts over time, fine for the last hour and coarse before it."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from driftline.serve.hosted import scoreboard
from driftline.serve.hosted.scoreboard import Scoreboard
from driftline.serve.hosted.views import latency_of
from driftline.serve.log.answer_columns import columns_of_examples
from driftline.serve.log.events import Answer, encode
from driftline.serve.spec import Label

LABELS = ("no", "yes")


def rounds(n: int, seed: int) -> list[tuple[Answer, str, float]]:
    rng, at, found = random.Random(seed), 1000.0, []
    for _ in range(n):
        at += rng.expovariate(0.2)
        share = rng.random()
        answer = Answer(0, rng.choice(LABELS), {"yes": share, "no": 1.0 - share}, rng.gauss(0.0, 1.0))
        found.append((answer, rng.choice(LABELS), at))
    return found


@pytest.fixture(autouse=True)
def few_recent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "RECENT", 8)


def test_older_buckets_have_the_sums_of_their_minute() -> None:
    board, minutes = Scoreboard(5, False), defaultdict(lambda: [0, 0, 0])
    for answer, y, at in rounds(400, 1):
        board.judge(answer, y, at, 2.0)
        minutes[at // 60 * 60][0] += 1
        minutes[at // 60 * 60][1] += answer.label != y
        minutes[at // 60 * 60][2] += y == "yes"
    assert len(board.recent) == 8 and len(board.older) > 10
    assert {tally.start % 10 for tally, _ in board.recent} == {0.0}
    for tally, classes in list(board.older)[:-1]:  # the last one may have recent buckets too
        assert [tally.labelled, tally.errors, classes.get("yes", 0)] == minutes[tally.start]
        assert tally.latency == 2.0 * tally.waited == 2.0 * tally.labelled
    assert sum(tally.labelled for tally, _ in (*board.older, *board.recent)) == 400


def test_latencies_are_those_of_the_last_labels_of_tickets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "LATENCIES", 200)
    board = Scoreboard(5, False)
    assert latency_of(board) is None
    for k, (answer, y, at) in enumerate(rounds(500, 3)):
        board.judge(answer, y, at, float(k) if k % 2 else None)  # the last ones are 101, 103, ..., 499
    assert latency_of(Scoreboard.of(board.state(), 5, False)) == {
        "labels": 200,
        "p50": 299.0,
        "p90": 459.0,
        "p99": 495.0,
    }


@pytest.mark.parametrize("cut", [0, 1, 130, 400])
def test_many_rounds_at_once_and_a_snapshot_have_the_same_bits(cut: int) -> None:
    given = rounds(400, 2)
    one = Scoreboard(50, False)
    for answer, y, at in given:
        one.judge(answer, y, at, None)
    many = Scoreboard(50, False)
    for part in (given[:cut], given[cut:]):
        many = Scoreboard.of(many.state(), 50, False)
        many.judge_many([a for a, _, _ in part], [y for _, y, _ in part], [at for _, _, at in part])
    assert many.state() == one.state()


@pytest.mark.parametrize("labels", [(False, True), (True, False), ("yes", "no"), (0, 1), ("yes", "other")])
def test_columns_of_answers_have_the_same_bits(labels: tuple[Label, Label]) -> None:
    given, ys = [], []
    for k, (answer, _, at) in enumerate(rounds(400, 4)):
        p = 0.0 if k == 30 else (answer.shares or {})["yes"]
        given.append((Answer(0, labels[k % 3 == 0], {labels[0]: p, labels[1]: 1.0 - p}, 1.0), at))
        ys.append("no" if labels[0] == "yes" and k % 7 == 0 else labels[k % 5 == 0])
    one, many = Scoreboard(50, False), Scoreboard(50, False)
    for (answer, at), y in zip(given, ys, strict=True):
        one.judge(answer, y, at, None)
    for part in (slice(0, 150), slice(150, 160), slice(160, 400)):
        columns = columns_of_examples([encode([answer]) for answer, _ in given[part]])
        assert columns is not None
        made = [
            (y, answer.label, answer.score, answer.shares) for (answer, _), y in zip(given[part], ys[part], strict=True)
        ]
        many.judge_columns(columns, ys[part], [at for _, at in given[part]], lambda made=made: made)  # type: ignore[misc]
    assert many.state() == one.state()
    assert encode(many.state()) == encode(one.state())

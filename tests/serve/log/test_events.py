"""Events keep their bytes: a log that was written once must be read by later versions."""

from __future__ import annotations

from struct import pack
from typing import Any

import pytest
from msgspec import Raw

from driftline.serve.log.events import (
    Answer,
    Asked,
    AskedMany,
    ContenderAdded,
    ContenderRemoved,
    Created,
    Dismissed,
    Expired,
    Imported,
    Learned,
    LearnedMany,
    Limits,
    Noted,
    Opened,
    Promoted,
    RolledBack,
    Told,
    TwoLabelAnswers,
    decode,
    described,
    encode,
)
from driftline.serve.spec import Budget, Efficient, Spec

X = {"a": 1.0, "n": 3, "s": "red", "t": True, "none": None}
ANSWER = Answer(0, True, {True: 0.75, False: 0.25}, 1.5, b"\x00" * 8, False)
COLUMNS = TwoLabelAnswers(0, "no", "yes", pack("<2d", -1.5, 0.0), pack("<2d", 0.25, 0.75))
EVENTS: list[Any] = [
    Asked(1.0, 5, X, [ANSWER, Answer(3, "x", {"x": 1.0}, 0.0)], True, 0.5),
    Asked(1.0, "id", [1.0, 2.0], [Answer(0, 1.5, None, 1.5)], False, 0.0),
    Told(1.0, 5, "yes", "me"),
    Learned(1.0, None, X, False, "me", [ANSWER]),
    Dismissed(1.0, "id", "me"),
    Expired(2.0, 1.0, 0.5),
    ContenderAdded(1.0, "c", Spec(asking=Efficient(b=2.0), options={"C": 1.0}), b"model", "me"),
    ContenderRemoved(1.0, "c", "me"),
    Promoted(1.0, "c", "me"),
    RolledBack(1.0, 7, "me"),
    Imported(1.0, b"model", "me"),
    Opened(1.0, 1 << 32),
    Created(1.0, Spec(learner="pa1", labels=[0, 1], asking=Budget(share=0.2)), "me", None, Limits()),
    Noted(1.0, "me", "create", "m", "pa1"),
    AskedMany(1.0, [5, "id"], [Raw(encode(X)), Raw(encode([1.0, 2.0]))], [COLUMNS]),
    LearnedMany(1.0, [X, [1.0, 2.0]], [True, 1], "me", [COLUMNS]),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: Any) -> None:
    again = decode(encode(event))
    assert again == event and encode(again) == encode(event)
    assert {*map(type, getattr(again, "x", {"": 0.0}) or ())} <= {str, float}
    shown = described(event)
    assert shown["kind"] == type(event).__name__.lower() and shown["at"] == event.at


def test_labels_keep_their_types() -> None:
    for y in (True, 1, 1.0, "1"):
        again = decode(encode(Told(1.0, 1, y, "me")))
        assert isinstance(again, Told) and type(again.y) is type(y)


def test_the_bytes_of_the_first_version_are_read() -> None:
    told, asked = bytes.fromhex("9502cb3ff000000000000005a3796573a26d65"), "9701cb3ff000000000000005"
    asked += "81a161cb3ff0000000000000" + "9196 00a3796573 81a3796573cb3ff0000000000000 cb4000000000000000 c0 c3"
    asked += "c3cb3fe0000000000000"
    assert decode(told) == Told(1.0, 5, "yes", "me")
    event = Asked(1.0, 5, {"a": 1.0}, [Answer(0, "yes", {"yes": 1.0}, 2.0)], True, 0.5)
    assert decode(bytes.fromhex(asked)) == event
    assert encode(event) == bytes.fromhex(asked)


def test_answers_in_columns_are_those_of_one_example() -> None:
    answers = [COLUMNS.answer(k) for k in range(2)]
    assert answers == [
        Answer(0, "no", {"no": 0.75, "yes": 0.25}, -1.5),
        Answer(0, "yes", {"yes": 0.75, "no": 0.25}, 0.0),
    ]
    assert [next(iter(one.shares or {})) for one in answers] == ["no", "yes"]
    assert COLUMNS.at([1]).answer(0) == answers[1]
    for event in EVENTS[-2:]:
        shown = described(event)
        assert shown["xs"] == [X, [1.0, 2.0]] and shown["answers"][0][1][:2] == [0, "yes"]

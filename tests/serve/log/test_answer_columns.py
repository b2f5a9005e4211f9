"""The answers of examples in columns are those that decoding gives."""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.serve.log.answer_columns import columns_of_batch, columns_of_examples
from driftline.serve.log.events import Answer, TwoLabelAnswers, encode

PAIRS: list[tuple[Any, Any]] = [
    (False, True),
    ("no", "yes"),
    ("ham", "bad"),
    (0, 1),
    (0, 1000),
    (1.5, 3.5),
    (True, "x"),
]
SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0, float.fromhex("0x1.cbcbcbcbcbcbcp-2")])


@dataclass
class Case:
    labels: tuple[Any, Any]
    answers: list[Answer]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    labels = draw(st.sampled_from(PAIRS))
    by = draw(st.sampled_from([0, 1, 200]))
    answers = []
    for _ in range(draw(st.integers(1, 30))):
        p, first, said = draw(SHARES), draw(st.integers(0, 1)), draw(st.integers(0, 1))
        shares = {labels[first]: p, labels[1 - first]: 1.0 - p}
        answers.append(Answer(by, labels[said], shares, draw(st.floats(-9.0, 9.0))))
    return Case(labels, answers)


@given(case=cases())
def test_columns_are_those_of_the_decoded_answers(case: Case) -> None:
    found = columns_of_examples([encode([one]) for one in case.answers])
    assert found is not None and {*found.labels} == {*case.labels}
    assert [found.labels[k] for k in found.said.tolist()] == [one.label for one in case.answers]
    for k in range(2):
        expected = [(one.shares or {})[found.labels[k]] for one in case.answers]
        assert found.shares[k].tolist() == expected
        assert found.part(1, 3).shares[k].tolist() == expected[1:3]


@pytest.mark.parametrize(
    "other",
    [
        [],
        [Answer(0, "no", {"no": 1.0}, 0.5)],
        [Answer(0, None, {"no": 0.5, "yes": 0.5}, 0.5)],
        [Answer(1, "no", {"no": 0.5, "yes": 0.5}, 0.5)],
        [Answer(0, "no", {"no": 0.5, "on": 0.5}, 0.5)],
        [Answer(0, "yes", {"no": 0.5, "maybe": 0.5}, 0.5)],
        [Answer(0, "no", {"no": 0.5, "yes": 0.5}, 0.5, bytes(8))],
        [Answer(0, "no", {"no": 0.5, "yes": 0.5}, 0.5, None, False)],
        [Answer(0, "no", None, 0.5)],
        [Answer(0, "no", {"no": 0.5, "yes": 0.5}, 0.5)] * 2,
    ],
)
def test_answers_of_another_form_must_be_decoded(other: list[Answer]) -> None:
    usual = [Answer(0, y, {"no": 0.25, "yes": 0.75}, 1.0) for y in ("no", "yes")]
    for place in range(3):
        events = [encode([one]) for one in usual]
        events.insert(place, encode(other))
        assert columns_of_examples(events) is None


def test_the_answers_of_a_batch() -> None:
    batch = TwoLabelAnswers(0, "no", "yes", pack("<3d", -1.5, 0.0, 2.0), pack("<3d", 0.25, 0.5, 0.75))
    found = columns_of_batch(batch)
    answers = [batch.answer(k) for k in range(3)]
    assert [found.labels[k] for k in found.said.tolist()] == [one.label for one in answers]
    for k in range(2):
        assert found.shares[k].tolist() == [(one.shares or {})[found.labels[k]] for one in answers]

"""The bytes of a model are those of its file: the same round trip, the same checks, other places in messages."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.saved import ModelError, container, model
from tests.support.bitwise import FORM, assert_same, snapshot
from tests.support.crafted_models import MAKE, dumped, header_of, learner_of, parts_of, rows_of, signed

LABELS = (0, 1, 0, 1)
SEVERAL: dict[str, Callable[[], dl.Learner]] = {
    "bank": lambda: dl.Bank([dl.PA1(), dl.Perceptron()]),
    "committee": lambda: dl.Committee(["pa1", "perceptron"]),
    "one vs rest": lambda: dl.OneVsRest("pa1"),
    "tracker": lambda: dl.Tracker(bank="light"),
    "regressor": lambda: dl.PA1Regressor(),
}


@pytest.fixture(params=list(MAKE))
def kind(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


def refused(data: Any) -> str:
    with pytest.raises(ModelError) as caught:
        dl.from_bytes(data)
    message = str(caught.value)
    assert message.startswith("from_bytes: data must be "), message
    assert FORM.match(message), message
    assert "\n" not in message and "file" not in message and "path" not in message
    return message


# round trips ----------------------------------------------------------------------------------------------------------
def test_bytes_are_those_of_the_file(kind: str, tmp_path: Path) -> None:
    learner = learner_of(kind)
    learner.save(tmp_path / "a.dl")
    data = learner.to_bytes()
    assert data == (tmp_path / "a.dl").read_bytes()
    assert_same(snapshot(dl.from_bytes(data)), snapshot(dl.load(tmp_path / "a.dl")))
    (tmp_path / "b.dl").write_bytes(data)
    assert dl.load(tmp_path / "b.dl").to_bytes() == data


def test_a_learner_from_bytes_learns_on_as_before(kind: str) -> None:
    learner = learner_of(kind)
    again, labels = dl.from_bytes(learner.to_bytes()), learner.labels
    for x, k in zip(rows_of(kind), LABELS, strict=True):
        assert again.learn_one(x, labels[k]) == learner.learn_one(x, labels[k])
    assert_same(snapshot(again), snapshot(learner))


@pytest.mark.parametrize("name", SEVERAL)
def test_learners_of_learners(name: str, tmp_path: Path) -> None:
    learner, X = SEVERAL[name](), np.linspace(-1.0, 1.0, 60).reshape(20, 3)
    y = (X[:, 0] > 0.0).astype(float)
    learner.learn_many(X, y)
    learner.save(tmp_path / "a.dl")
    again, loaded = dl.from_bytes(learner.to_bytes()), dl.load(tmp_path / "a.dl")
    assert again.to_bytes() == learner.to_bytes() == (tmp_path / "a.dl").read_bytes()
    assert_same(snapshot(again), snapshot(loaded))
    assert again.score_many(X).tolist() == loaded.score_many(X).tolist()


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_any_buffer_is_data_and_is_not_kept(form: Callable[[bytes], Any]) -> None:
    learner = learner_of("names")
    data = form(learner.to_bytes())
    again = dl.from_bytes(data)
    if type(data) is bytearray:
        data[:] = bytes(len(data))
    assert_same(snapshot(again), snapshot(learner))
    strided = memoryview(b"".join(bytes((one, 0)) for one in learner.to_bytes()))[::2]
    assert_same(snapshot(dl.from_bytes(strided)), snapshot(learner))


# refusals -------------------------------------------------------------------------------------------------------------
def test_every_flipped_byte_and_missing_end_is_noticed(kind: str) -> None:
    good = learner_of(kind).to_bytes()
    for place, byte in enumerate(good):
        bad = bytearray(good)
        bad[place] = byte ^ (1 << place % 8)
        refused(bad)
    for size in range(len(good)):
        assert ("an empty buffer" if size == 0 else "a buffer that is damaged or cut short") in refused(good[:size])
    for more in (b"\0", b" ", good):
        assert "damaged or cut short" in refused(good + more)


@given(st.binary(max_size=300))
def test_other_bytes(data: bytes) -> None:
    refused(data)


@pytest.mark.parametrize("data", [None, "text", 3, [1, 2], dl.PA1(), Path("a.dl")], ids=lambda one: type(one).__name__)
def test_no_bytes(data: Any) -> None:
    with pytest.raises(ModelError, match=r"^from_bytes: data must be bytes, got .*\. Pass the bytes that to_bytes\(\)"):
        dl.from_bytes(data)


def test_messages() -> None:
    assert "got a buffer of another format. Pass the bytes that to_bytes() returned" in refused(b"no model" * 40)
    with pytest.raises(ModelError, match=r"a driftline pending, got a buffer of kind 'model'\. Check its source"):
        container.from_bytes(dl.PA1().to_bytes(), "pending")
    meta, arrays = parts_of("names")
    newer, data = header_of(meta, arrays, version="2")
    assert "a buffer written by a newer driftline (format 2, this one reads 1). Upgrade" in refused(
        signed(dumped(newer), data)
    )
    arrays["v"][-1] = math.nan
    meta["learner"] = "unknown"
    assert "got an unknown learner 'unknown'" in refused(container.to_bytes("model", meta, arrays))
    assert "damaged" in refused(struct.pack("<Q", 1 << 60) + dl.PA1().to_bytes()[8:])


def test_what_cannot_be_saved() -> None:
    learner = dl.PA1()
    learner.learn_one({"a": 1.0}, (0, 1))
    with pytest.raises(ModelError, match=r"^to_bytes: a label must be a str, int, float or bool, got \(0, 1\)"):
        learner.to_bytes()

    class Own(dl.PA1):  # type: ignore[misc, valid-type]
        pass

    with pytest.raises(ModelError, match=r"^to_bytes: a learner must be one of driftline\.REGISTRY, got Own"):
        Own().to_bytes()


def test_containers_of_any_kind() -> None:
    arrays = {"one": np.arange(5.0), "two": np.zeros((2, 0), np.uint8)}
    data = container.to_bytes("pending", {"a": [1, 2.5, None]}, arrays)
    meta, found = container.from_bytes(data, "pending")
    assert meta == {"a": [1, 2.5, None]}
    assert_same(found, arrays)
    assert all(array.flags.writeable and array.flags.aligned for array in found.values())
    assert model.KIND == "model"

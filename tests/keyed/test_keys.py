"""Which keys there are, hostile ones among them, and what happens without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.keyed import stable_hash
from driftline.keyed.keys import decoded, encoded

HOSTILE = [
    "", "\0", "../../etc/passwd", "/", ".", "a/b\\c", "'; DROP TABLE keys; --", "\ud800", "é", "e\u0301", "x" * 20000,
    b"", b"\0", b"a", "a", 0, -1, 1 << 80, "0", "i0",
]  # fmt: skip


def test_hostile_keys_stay_apart_in_memory_in_the_spill_file_and_in_a_saved_file(tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    keyed = dl.Keyed(dl.PA1(), max_keys_in_memory=2, spill=spill)
    for n, key in enumerate(HOSTILE):
        keyed.learn_one({"a": float(n + 1)}, 1, key=key)
    path = tmp_path / "saved"
    keyed.save(path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["saved", "spill"]  # no key is a file name
    for one in (keyed, dl.Keyed.load(path)):
        assert len(one) == len(HOSTILE)
        assert set(one) == set(HOSTILE)
        for n, key in enumerate(HOSTILE):
            assert one[key].weights() == pytest.approx(
                {"(bias)": 1 / (1 + (n + 1) ** 2), "a": (n + 1) / (1 + (n + 1) ** 2)}
            )
    keyed.close()
    assert list(spill.iterdir()) == []


@pytest.mark.parametrize("key", HOSTILE, ids=[str(n) for n in range(len(HOSTILE))])
def test_a_key_survives_its_form_as_bytes(key: Any) -> None:
    assert decoded(encoded(key)) == key
    assert type(decoded(encoded(key))) is type(key)
    assert 0 <= stable_hash(key) < 1 << 64


def test_the_hash_is_the_same_forever() -> None:
    assert stable_hash("customer 7") == stable_hash(np.str_("customer 7")) == 16158046064242267454
    assert stable_hash(7) == stable_hash(np.int64(7))
    assert len({stable_hash(key) for key in HOSTILE}) == len(HOSTILE)


@pytest.mark.parametrize(
    "key", [None, float("nan"), np.nan, True, 1.5, ("a",), np.datetime64("NaT"), "x" * 70000, 1 << 5000]
)
def test_what_cannot_be_a_key_is_refused(key: Any) -> None:
    keyed = dl.Keyed(dl.PA1(), key="k")
    with pytest.raises(ValueError, match=r"^Keyed: .*key.* must .*, got .*\. [A-Z]"):
        keyed.learn_one({"a": 1.0, "k": key}, 1)
    with pytest.raises(ValueError, match=r"^Keyed: row 1, .*key.* must .*, got .*\. [A-Z]"):
        keyed.learn_many([{"a": 1.0, "k": "x"}, {"a": 1.0, "k": key}], [1, 1])
    with pytest.raises(ValueError, match=r"^Keyed: row 1, .*key.* must .*, got .*\. [A-Z]"):
        keyed.learn_many([{"a": 1.0}, {"a": 1.0}], [1, 1], keys=["x", key])
    assert len(keyed) == 0
    with pytest.raises(ValueError, match="key"):
        key in keyed  # noqa: B015


def test_missing_keys_are_refused() -> None:
    keyed = dl.Keyed(dl.PA1(), key="k")
    with pytest.raises(ValueError, match="must have the feature 'k'"):
        keyed.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match="row 1, x must have the feature 'k'"):
        keyed.learn_many([{"k": 1}, {"a": 1.0}], [1, 1])
    with pytest.raises(ValueError, match=r"a key must be given for each row, got none\. Pass dicts with 'k'"):
        keyed.learn_many(np.ones((2, 2)), [1, 1])
    with pytest.raises(ValueError, match=r"a key must be given for each row, got none\. Pass key= or keys="):
        dl.Keyed(dl.PA1()).score_many(np.ones((2, 2)))
    with pytest.raises(ValueError, match="keys, X, y must have the same length, got 1, 2, 2"):
        keyed.learn_many(np.ones((2, 2)), [1, 1], keys=["a"])


def test_a_dropped_key_is_new_again() -> None:
    keyed = dl.Keyed(dl.PA1())
    keyed.learn_one({"a": 1.0}, 1, key="x")
    keyed.drop("x")
    assert "x" not in keyed
    assert len(keyed) == 0
    assert keyed.dropped() == {"x"}
    for call in (lambda: keyed["x"], lambda: keyed.drop("x"), lambda: keyed.counts("x")):
        with pytest.raises(KeyError):
            call()
    assert keyed.learn_one({"a": 1.0}, 0, key="x") == 0.0
    assert keyed.dropped() == set()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"learner": 3}, "learner must be a driftline learner"),
        ({"prior": "shared"}, "prior must be"),
        ({"prior": dl.PA1(C=3.0)}, "prior must have the parameters"),
        ({"max_keys_in_memory": 5}, "must be given together"),
        ({"spill": "x"}, "must be given together"),
        ({"max_keys_in_memory": 0, "spill": "x"}, "max_keys_in_memory must be"),
        ({"key": 1.5}, "key must be"),
    ],
)
def test_bad_arguments_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dl.Keyed(**({"learner": dl.PA1()} | given))


def test_a_learner_that_has_learned_is_a_prior() -> None:
    learner = dl.PA1()
    learner.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match=r"learner must be new, got .*Pass it as prior="):
        dl.Keyed(learner)

"""Names behind hashes: stored when they are learned, bounded, saved, and undone after an error."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.encode import kept_names
from driftline.saved.container import read, write
from tests.support.bitwise import assert_same, refused, snapshot


def keeping(bits: int = 18, **options: Any) -> dl.PA1:
    return dl.PA1(hashing=dl.Hashing(bits, keep_names=True), **options)


def kept(learner: dl.Learner) -> list[Any]:
    hashing = learner._encoder.names
    assert isinstance(hashing, dl.Hashing) and hashing.kept is not None
    assert all(hashing.add_all([name])[0] == index for name, index in hashing.kept.index.items())
    return list(hashing.kept.index)


ROUTES: dict[str, tuple[Any, list[Any]]] = {
    "dicts": ([{"a": 1.0, "b": "x"}, {"c": 2.0, "a": None}], ["a", "b=x", "c"]),
    "frame": (pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 1.5]}), ["a", "b"]),
    "frame with missing values": (pd.DataFrame({"a": [1.0, np.nan], "b": [0.5, 1.5]}), ["a", "b"]),
    "frame with words": (pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), ["a", "b=x", "b=y"]),
    "array": (np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]), [0, 1, 2]),
    "sparse": (csr_matrix([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0]]), [0, 2]),
}


@pytest.mark.parametrize("route", ROUTES)
def test_names_are_stored_when_they_are_learned(route: str) -> None:
    X, names = ROUTES[route]
    learner = keeping()
    learner.score_many(X)
    assert kept(learner) == []
    learner.learn_many(X, [True, False])
    assert kept(learner) == names
    assert set(learner.weights()) <= {*names, "(bias)"}
    assert {name for name, _ in learner.largest(9)} == set(learner.weights())
    plain = dl.PA1(hashing=dl.Hashing())
    plain.learn_many(X, [True, False])
    assert sorted(plain.weights().values()) == sorted(learner.weights().values())


def test_one_by_one_and_after_scoring() -> None:
    learner = keeping()
    for x in ({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}, {"c": 1.0}):
        learner.score_one(x)  # the row buffer now has the names of x
        learner.explain_one(x)
        learner.learn_one(x, True)
    assert kept(learner) == ["a", "b", "c"]
    arrays = keeping()
    arrays.learn_one(np.array([1.0, 2.0]), True)
    arrays.learn_one(csr_matrix([[0.0, 0.0, 1.0]]), True)
    arrays.learn_one(pd.Series({"s": 1.0}), True)
    assert kept(arrays) == [0, 1, 2, "s"]


def test_files(tmp_path: Path) -> None:
    table, words = tmp_path / "a.csv", tmp_path / "b.svm"
    table.write_text("n,word,y\n" + "".join(f"{k},w{k % 3},{k % 2}\n" for k in range(20)))
    learner = keeping()
    dl.run(learner, dl.streams.read(str(table), target="y"))
    assert set(kept(learner)) == {"n", "word=w0", "word=w1", "word=w2"}
    words.write_text("1 3:1 7:2\n-1 7:1 9:1\n")
    columns = keeping()
    dl.run(columns, dl.streams.read(str(words)))
    assert set(kept(columns)) == {3, 7, 9}


@pytest.mark.parametrize("x", [{"new": 1.0, "bad": float("inf")}, np.array([1.0, np.inf])], ids=["dict", "array"])
def test_a_call_that_raises_stores_no_names(x: Any) -> None:
    learner = keeping()
    learner.learn_one({"a": 1.0}, True)
    with refused(learner):
        learner.learn_one(x, False)
    with refused(learner):
        learner.learn_many([{"a": 1.0, "b": 1.0}, {"c": 2.0}], [True, "third", "fourth"])
    with refused(learner):
        learner.learn_many([{"d": 1.0}, {"e": [2.0]}], [True, False])
    assert kept(learner) == ["a"]
    learner.learn_one({"d": 1.0}, False)
    assert kept(learner) == ["a", "d"]


def test_names_that_collide_are_shown_together() -> None:
    learner = keeping(1, bias=False)
    names = [f"f{k}" for k in range(12)]
    learner.learn_one(dict.fromkeys(names, 1.0), True)
    index = {name: dl.Hashing(1).add(name) for name in names}
    expected = {f"{' | '.join([name for name in names if index[name] == slot][:3])} (slot {slot})" for slot in (0, 1)}
    assert set(learner.weights()) == expected
    assert len(kept(learner)) == 6


def test_weights_of_different_slots_never_share_a_name() -> None:
    names = kept_names.NamesOfIndices({"slot 1": 0, 5: 2, "a": 3, "b": 3, "a | b (slot 3)": 4}, 6)
    assert list(names) == ["slot 1", "slot 1 (slot 1)", 5, "a | b (slot 3) (slot 3)", "a | b (slot 3)", "slot 5"]
    assert names[1:3] == ["slot 1 (slot 1)", 5]
    with pytest.raises(IndexError):
        names[6]


def test_the_number_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_names, "MOST_NAMES", 5)
    learner = keeping()
    for k in range(20):
        learner.learn_one({f"f{k}": 1.0}, k % 2 == 0)
    assert kept(learner) == [f"f{k}" for k in range(5)]
    assert any(str(name).startswith("slot ") for name in learner.weights())


def test_learners_do_not_share_names() -> None:
    hashing = dl.Hashing(10, keep_names=True)
    one, other = dl.PA1(hashing=hashing), dl.PA1(hashing=hashing)
    one.learn_one({"a": 1.0}, True)
    assert kept(one) == ["a"] and kept(other) == []
    assert one.options["hashing"] is hashing and repr(hashing) == "Hashing(bits=10, keep_names=True)"
    assert hashing == dl.Hashing(10, keep_names=True) != dl.Hashing(10)
    for value in (1, "yes", None):
        with pytest.raises(ValueError, match=r"^Hashing: keep_names must be True or False, got"):
            dl.Hashing(10, keep_names=value)  # type: ignore[arg-type]


# copies and model files -----------------------------------------------------------------------
def trained() -> dl.PA1:
    learner = keeping(4)
    learner.learn_many([{"a": 1.0, "ü": 2.0}, {3: 1.0, "c": "x\ud800"}], [True, False])
    learner.learn_one([1.0, 2.0], True)
    return learner


def test_copies_and_files_keep_the_names(tmp_path: Path) -> None:
    learner, path = trained(), tmp_path / "m.dl"
    learner.save(path)
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner)), dl.load(path)):
        assert_same(snapshot(learner), snapshot(twin))
        assert twin.weights() == learner.weights()
        x = {"new": 1.0, "a": 1.0}
        assert twin.learn_one(x, False) == copy.deepcopy(learner).learn_one(x, False)
        assert kept(twin) == [*kept(learner), "new"]
    for other in (
        dl.Tracker(hashing=dl.Hashing(8, keep_names=True)),
        dl.OneVsRest(hashing=dl.Hashing(8, keep_names=True)),
    ):
        other.learn_many([{"a": 1.0}, {"b": 1.0}, {"c": 1.0}], ["x", "y", "z"])
        other.save(path)
        assert kept(dl.load(path)) == ["a", "b", "c"]


def test_a_file_without_names_is_as_before(tmp_path: Path) -> None:
    plain = dl.PA1(hashing=dl.Hashing(4))
    plain.learn_one({"a": 1.0}, True)
    plain.save(tmp_path / "m.dl")
    meta, arrays = read(tmp_path / "m.dl", "model")
    assert "kept_names" not in meta and meta["options"]["hashing"] == 4 and "names" not in arrays


def changed(name: str, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Damage the content of a file in one way."""
    if name == "too few":
        meta["kept_names"] -= 1
    elif name == "negative":
        meta["kept_names"] = -1
    elif name == "huge":
        meta["kept_names"] = 1 << 40
    elif name == "a word":
        meta["kept_names"] = "7"
    elif name == "no arrays":
        del arrays["name_ends"]
    elif name == "no number":
        del meta["kept_names"]
    elif name == "not hashed":
        meta |= {"vocabulary": "columns", "options": meta["options"] | {"hashing": None}}
    elif name == "twice the same":
        arrays["names"][:2] = arrays["names"][2:4] = ord("a")
        arrays["name_ends"][:2] = 1, 2
    elif name == "crowded":  # more names of one index than are stored
        every = [word for k in range(200) if dl.Hashing(4).add(word := f"w{k:03d}") == 0][:4]
        letters = np.frombuffer("".join(every).encode(), np.uint8).copy()
        arrays |= {
            "names": letters,
            "name_ends": np.array([4, 8, 12, 16], np.uint64),
            "name_types": np.zeros(4, np.uint8),
        }
        meta["kept_names"] = 4


@pytest.mark.parametrize(
    "damage",
    ["too few", "negative", "huge", "a word", "no arrays", "no number", "not hashed", "twice the same", "crowded"],
)
def test_damaged_names_are_refused(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "m.dl"
    trained().save(path)
    meta, arrays = read(path, "model")
    arrays = {name: array.copy() for name, array in arrays.items()}
    changed(damage, meta, arrays)
    write(path, "model", meta, arrays)
    with pytest.raises(dl.ModelError, match=r"^load: .* must be a driftline model, got .+\. [A-Z]"):
        dl.load(path)

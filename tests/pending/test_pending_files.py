"""Saved tickets continue to the bit, and a damaged or hostile file is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import driftline as dl
from driftline.pending.pending_files import KIND
from driftline.saved.container import read, write


def tickets(learner: dl.Learner) -> dl.Pending:
    pending = dl.Pending(learner, limit=30, remember=9)
    rng = np.random.default_rng(0)
    for k in range(60):
        x = {f"f{j}": float(rng.normal()) for j in range(1 + k % 4)} | ({"kind": "ab"[k % 2]} if k % 5 else {2: None})
        pending.ask(x, id=f"n{k}" if k % 3 == 0 else None, at=None if k % 4 == 0 else k / 2 if k % 4 == 1 else k)
        if k % 2 and pending.open:
            pending.tell(pending.open[len(pending) // 2], ["no", "yes"][k % 3 == 1])
    return pending


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pending.dl"
    tickets(dl.PA1(labels=("no", "yes"))).save(path)
    return path


@pytest.mark.parametrize("make", [dl.PA1, dl.Tracker, dl.MulticlassPA, dl.LabelEfficient])
def test_saved_tickets_continue_to_the_bit(tmp_path: Path, make: Any) -> None:
    one, path, other_path = tickets(make()), tmp_path / "a.dl", tmp_path / "b.dl"
    one.save(path)
    other = dl.Pending.load(path)
    assert repr(one) == repr(other) and one.open == other.open and one._closed == other._closed
    assert other.expire(20) == one.expire(20)
    for key in one.open[::2]:
        assert one.tell(key, "no") and other.tell(key, "no")
    assert one.ask({"f0": 1.0}) == other.ask({"f0": 1.0})
    one.save(path)
    other.save(other_path)
    assert path.read_bytes() == other_path.read_bytes()


def test_arrays_and_sparse_rows_are_saved(tmp_path: Path) -> None:
    for rows in (
        [np.array([1.0, 2.0]), np.zeros(2)],
        [csr_array([[0.0, 2.0, 0.0]]), csr_array([[1.0, 0.0, 0.0, 0.5]])],
    ):
        pending, learner = dl.Pending(dl.PA1()), dl.PA1()
        for x in rows:
            pending.ask(x)
        pending.save(tmp_path / "p.dl")
        loaded = dl.Pending.load(tmp_path / "p.dl")
        for k, x in enumerate(rows):
            loaded.tell(k, k)
            learner.learn_one(x, k)
        assert loaded.learner.weights() == learner.weights()


def test_labels_that_cannot_be_saved(tmp_path: Path) -> None:
    pending = dl.Pending(dl.PA1())
    pending.tell(pending.ask({"a": 1.0}), ("a", "tuple"))
    with pytest.raises(dl.ModelError, match="a label must be a str, int, float or bool"):
        pending.save(tmp_path / "p.dl")
    assert not (tmp_path / "p.dl").exists()


def test_files_of_other_kinds_are_refused(tmp_path: Path, file: Path) -> None:
    dl.PA1().save(tmp_path / "model.dl")
    with pytest.raises(
        dl.ModelError, match=r"must be a driftline pending, got a file of kind 'model'\. Load it with dl\.load\(path\)"
    ):
        dl.Pending.load(tmp_path / "model.dl")
    with pytest.raises(dl.ModelError, match=r"got a file of kind 'pending'\. Load it with dl\.Pending\.load\(path\)"):
        dl.load(file)
    with pytest.raises(dl.ModelError, match="no such file"):
        dl.Pending.load(tmp_path / "none.dl")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(dl.ModelError, match="damaged or cut short"):
        dl.Pending.load(file)


def changed(meta: dict[str, Any], arrays: dict[str, np.ndarray], how: np.random.Generator) -> None:
    """Change one value somewhere."""
    names = [name for name in arrays if not name.startswith("model ")]
    place = int(how.integers(len(names) + 3))
    if place < len(names):
        name = names[place]
        array = arrays[name].copy()
        kind = how.integers(4)
        if kind == 0 and array.size:
            array[how.integers(array.size)] = how.choice([0, 1, 2, 255, array.size])
        elif kind == 1:
            array = array[:-1]
        elif kind == 2:
            array = np.concatenate([array, array[-1:]])
        elif array.size:
            array = array.astype(np.float64)
        arrays[name] = array
    elif place == len(names):
        name = str(how.choice(list(meta["counts"])))
        meta["counts"][name] = [None, -1, 0, 1, 2, 10**30, "a", 1.5][how.integers(8)]
    elif place == len(names) + 1:
        meta["labels"] = [[], ["no"], [None], "no", [1, True], [["no"]]][how.integers(6)]
    else:
        meta.pop(str(how.choice(list(meta))))


def test_changed_files_are_refused_or_usable(file: Path) -> None:
    """A file with a valid checksum and any content gives an error or an object that works."""
    refused = 0
    for seed in range(400):
        how = np.random.default_rng(seed)
        meta, arrays = read(file, KIND)
        arrays = dict(arrays)
        changed(meta, arrays, how)
        write(file.with_name("changed.dl"), KIND, meta, arrays)
        try:
            pending = dl.Pending.load(file.with_name("changed.dl"))
        except dl.ModelError as error:
            refused += 1
            assert "must be a driftline pending, got" in str(error)
            continue
        for key in pending.open:
            try:
                pending.tell(key, "no")
            except ValueError:
                continue
        pending.ask({"f0": 1.0})
        pending.save(file.with_name("again.dl"))
    assert refused > 200

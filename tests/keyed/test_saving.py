"""Saved files, checkpoints and single states bring back the same bits."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.keyed.files import KeyedFile, is_blank
from driftline.saved import ModelError
from tests.keyed.oracle import DictOfLearners, assert_alike
from tests.support.learner_cases import examples

ROWS, KEYS, BLOCK = 6000, 500, 200


def data() -> tuple[np.ndarray, np.ndarray, list[str]]:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(ROWS, 4))
    y = np.where(X @ rng.normal(size=4) > 0.0, 1.0, -1.0)
    return X, y, [f"customer {k}" for k in np.minimum(rng.zipf(1.3, ROWS), KEYS)]


def learned(prior: Any = None, **options: Any) -> tuple[dl.Keyed, DictOfLearners]:
    X, y = examples("signed")
    keys = [f"k{n % 7}" for n in range(60)]
    keyed, oracle = dl.Keyed(dl.PA1(), prior=prior, **options), DictOfLearners(dl.PA1(), prior)
    keyed.learn_many(X[:40], y[:40], keys=keys[:40])
    oracle.learn(X[:40], y[:40], keys[:40])
    return keyed, oracle


def continues(keyed: dl.Keyed, oracle: DictOfLearners) -> None:
    X, y = examples("signed")
    keys = [f"k{n % 9}" for n in range(20)]
    assert keyed.learn_many(X[40:], y[40:], keys=keys).tobytes() == oracle.learn(X[40:], y[40:], keys).tobytes()
    assert_alike(keyed, oracle)


@pytest.mark.parametrize("prior", [None, "global"])
@pytest.mark.parametrize("spilled", [False, True])
def test_a_saved_file_continues_bit_for_bit(prior: Any, spilled: bool, tmp_path: Path) -> None:
    options = {"max_keys_in_memory": 2, "spill": tmp_path / "spill"} if spilled else {}
    keyed, oracle = learned(prior, **options)
    path = tmp_path / "keyed.dl"
    keyed.save(path)
    for again in ({}, {"max_keys_in_memory": 3, "spill": tmp_path / "spill"}):
        loaded = dl.Keyed.load(path, **again)
        assert (loaded.key, loaded.prior) == (keyed.key, keyed.prior)
        continues(loaded, deepcopy(oracle))
    continues(keyed, oracle)
    keyed.save(path)
    assert_alike(dl.Keyed.load(path), oracle)


def test_copies_and_pickles_share_nothing() -> None:
    keyed, oracle = learned()
    for twin in (deepcopy(keyed), pickle.loads(pickle.dumps(keyed))):
        continues(twin, deepcopy(oracle))
    continues(keyed, oracle)


def test_a_spilled_one_is_neither_copied_nor_pickled(tmp_path: Path) -> None:
    keyed, _ = learned(max_keys_in_memory=2, spill=tmp_path)
    for call in (deepcopy, pickle.dumps):
        with pytest.raises(ValueError, match="Save it, and load the file"):
            call(keyed)


def test_a_checkpoint_writes_only_what_changed(tmp_path: Path) -> None:
    keyed, oracle = learned()
    path = tmp_path / "run"
    assert keyed.checkpoint(path, 40) == 7
    assert keyed.changed() == set()
    X, y = examples("signed")
    keyed.learn_one(X[0], y[0], key="k3")
    oracle.learn(X[:1], y[:1], ["k3"])
    keyed.drop("k5")
    del oracle.learners["k5"]
    assert (keyed.changed(), keyed.dropped()) == ({"k3"}, {"k5"})
    assert keyed.checkpoint(path, 41) == 1
    loaded = dl.Keyed.load(path)
    assert loaded.next == 41
    assert_alike(loaded, oracle)
    loaded.learn_one(X[1], y[1], key="k9")
    oracle.learn(X[1:2], y[1:2], ["k9"])
    assert loaded.checkpoint(path) == 1
    assert_alike(dl.Keyed.load(path), oracle)
    with pytest.raises(ModelError, match="a checkpoint of another run or state"):
        keyed.checkpoint(path)  # the other object has gone on
    loaded.mark_clean()
    assert loaded.checkpoint(path) == 7  # what was clean before says nothing about the file
    assert_alike(dl.Keyed.load(path), oracle)


def test_a_checkpoint_replaces_no_other_file(tmp_path: Path) -> None:
    keyed, _ = learned()
    path = tmp_path / "other"
    path.write_bytes(b"text, and no database")
    with pytest.raises(ModelError, match="another format"):
        keyed.checkpoint(path)
    assert path.read_bytes() == b"text, and no database"
    path.unlink()
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE keys (a)")
    with pytest.raises(ModelError, match="another application"):
        keyed.checkpoint(path)
    with pytest.raises(ModelError, match="a folder"):
        keyed.save(tmp_path)


@pytest.mark.parametrize("prior", [None, "global"])
def test_states_move_to_another_object(prior: Any) -> None:
    keyed, oracle = learned(prior)
    other = dl.Keyed(dl.from_bytes(keyed.options_bytes()))
    for key, state in keyed.states(["k1", "k4"]):
        other.put_state(key, state)
    assert other.changed() == {"k1", "k4"}
    assert_alike(other, type("Some", (), {"learners": {key: oracle.learners[key] for key in ("k1", "k4")}}))  # type: ignore[arg-type]
    for key, state in keyed.states():
        other.put_state(key, state)
    assert_alike(other, oracle)
    assert dict(other.states()) == dict(keyed.states())
    assert other.counts("k1") == keyed.counts("k1")


def test_a_changed_state_is_refused() -> None:
    keyed, _ = learned()
    ((_, state),) = keyed.states(["k1"])
    other = dl.Keyed(dl.PA1())
    for place in range(0, len(state), 7):
        broken = state[:place] + bytes([state[place] ^ 1]) + state[place + 1 :]
        with pytest.raises(ModelError, match="damaged or cut short"):
            other.put_state("k1", broken)
    with pytest.raises(ModelError, match="damaged or cut short"):
        other.put_state("k1", b"")
    with pytest.raises(ModelError, match=r"the state of key 'k1' must be one of states\(\)"):
        dl.Keyed(dl.AROW()).put_state("k1", state)
    with pytest.raises(ModelError, match=r"the state of key 'k1' must be one of states\(\)"):
        dl.Keyed(dl.PARegressor()).put_state("k1", state)
    assert len(other) == 0


def test_a_changed_file_is_refused_or_gives_the_same(tmp_path: Path) -> None:
    keyed, oracle = learned()
    path, broken = tmp_path / "keyed.dl", tmp_path / "broken.dl"
    keyed.save(path)
    content = path.read_bytes()
    for place in np.random.default_rng(3).integers(0, len(content), 60).tolist():
        broken.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            found = dl.Keyed.load(broken)
        except ModelError:
            continue
        assert_alike(found, oracle)
    broken.write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError):
        dl.Keyed.load(broken)
    for other in (b"", b"text"):
        broken.write_bytes(other)
        with pytest.raises(ModelError):
            dl.Keyed.load(broken)
    with pytest.raises(ModelError, match="no such file"):
        dl.Keyed.load(tmp_path / "none")


def test_the_loader_of_models_says_how_to_load_keyed_learners(tmp_path: Path) -> None:
    keyed, _ = learned()
    keyed.save(tmp_path / "keyed.dl")
    with pytest.raises(ModelError, match=r"dl\.Keyed\.load\(path\)"):
        dl.load(tmp_path / "keyed.dl")


RUN = """
import sys
import driftline as dl
from tests.keyed.test_saving import BLOCK, ROWS, data
from pathlib import Path
path, spill = Path(sys.argv[1]), sys.argv[2]
options = {"max_keys_in_memory": 40, "spill": spill}
keyed = dl.Keyed.load(path, **options) if path.exists() else dl.Keyed(dl.PA1(), prior="global", **options)
X, y, keys = data()
for start in range(keyed.next or 0, ROWS, BLOCK):
    part = slice(start, start + BLOCK)
    keyed.learn_many(X[part], y[part], keys=keys[part])
    keyed.checkpoint(path, start + BLOCK)
    print(start, flush=True)
"""


def test_a_killed_run_resumes_bit_for_bit(tmp_path: Path) -> None:
    path, spill = tmp_path / "run", tmp_path / "spill"
    command = [sys.executable, "-c", RUN, str(path), str(spill)]
    for blocks in (3, 7):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as run:
            assert run.stdout is not None
            for _ in range(blocks):
                assert run.stdout.readline()
            os.kill(run.pid, signal.SIGKILL)
    X, y, keys = data()
    once = dl.Keyed(dl.PA1(), prior="global")
    once.learn_many(X, y, keys=keys)
    resumed = dl.Keyed.load(path)
    start = resumed.next
    assert start is not None
    assert 10 * BLOCK <= start < ROWS
    resumed.learn_many(X[start:], y[start:], keys=keys[start:])
    assert dict(resumed.states()) == dict(once.states())
    assert dict(resumed.states()).keys() == set(keys)


def test_a_transaction_that_fails_leaves_the_checkpoint_before(tmp_path: Path, monkeypatch: Any) -> None:
    keyed, oracle = learned()
    path = tmp_path / "run"
    keyed.checkpoint(path, 40)
    before = deepcopy(oracle)
    X, y = examples("signed")
    keyed.learn_many(X[:5], y[:5], keys=["k1", "k2", "k3", "k1", "new"])
    oracle.learn(X[:5], y[:5], ["k1", "k2", "k3", "k1", "new"])

    def fails(self: KeyedFile, *_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(KeyedFile, "set_about", fails)
        with pytest.raises(ModelError, match="disk is full"):
            keyed.checkpoint(path, 45)
    loaded = dl.Keyed.load(path)
    assert loaded.next == 40
    assert_alike(loaded, before)
    assert keyed.checkpoint(path, 45) == 4
    assert_alike(dl.Keyed.load(path), oracle)


def test_a_first_checkpoint_that_was_cut_off_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert is_blank(path)
    path.touch()
    assert is_blank(path)
    KeyedFile(path, new=True).close()  # the tables without content
    assert is_blank(path)
    keyed = dl.Keyed(dl.PA1())
    keyed.learn_one({"a": 1.0}, True, key="k")
    keyed.checkpoint(path, next=1)
    assert not is_blank(path) and dl.Keyed.load(path).next == 1
    other = tmp_path / "other"
    other.write_bytes(b"text" * 100)
    assert not is_blank(other)

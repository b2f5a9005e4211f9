"""driftline replay: the model of a log, with the bits of the live one."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.serve.recovery import state_at
from driftline.serve.storage.opening import open_storage
from tests.support.doc_blocks import run
from tests.support.service_log import write_log


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return write_log(tmp_path / "service.db")


def test_the_replayed_model_has_the_bits_of_the_live_one(database: Any) -> None:
    live = database.champion.learner.to_bytes()
    code, said = run(["replay", "service.db", "--model", "mails", "--to", "mails.dl"])
    assert code == 0
    assert said.splitlines() == [
        "mails: PA1 at position 100 of the log",
        f"sha256 of the model: {hashlib.sha256(live).hexdigest()}",
        "written to mails.dl",
    ]
    assert Path("mails.dl").read_bytes() == live
    assert dl.load("mails.dl").n_seen == database.champion.learner.n_seen


def test_a_replay_ends_at_a_position(database: Any) -> None:
    code, said = run(["replay", "service.db", "--until", "50", "--to", "early.dl", "--json"])
    found = json.loads(said)
    assert code == 0 and found["position"] == 50 and found["from_snapshot"] is None
    storage = open_storage("service.db")
    early = state_at(storage, 1, 50, use_snapshots=False).model.champion.learner
    storage.close()
    assert Path("early.dl").read_bytes() == early.to_bytes() != database.champion.learner.to_bytes()
    assert found["digest"] == hashlib.sha256(early.to_bytes()).hexdigest()


@pytest.mark.parametrize("until", [[], ["--until", "64"], ["--until", "80"]], ids=str)
def test_the_snapshot_is_verified(until: list[str], database: Any) -> None:
    code, said = run(["replay", "service.db", "--verify", *until])
    assert code == 0 and "the snapshot at position 64 has the same bits as the replay\n" in said
    whole = run(["replay", "service.db", *until])[1]
    assert whole.splitlines()[:2] == said.splitlines()[:2]


def change(statement: str, *values: Any) -> None:
    with sqlite3.connect("service.db") as connection:
        assert connection.execute(statement, values).rowcount == 1
    connection.close()


def test_a_snapshot_with_other_bits_is_an_error(database: Any, tmp_path: Path) -> None:
    """A snapshot whose own digest is right, of another model."""
    other = write_log(tmp_path / "other.db", events=64, options={"C": 0.01})
    from driftline.serve.hosted.state import state_bytes
    from driftline.serve.storage.storage import Batch, NewSnapshot

    storage = open_storage("service.db")
    storage.commit(Batch(snapshots=[NewSnapshot(1, 70, 2.0, "auto", state_bytes(other))]))
    storage.close()
    code, said = run(["replay", "service.db", "--verify"])
    assert code == 2 and "the snapshot at position 70 must have the bits of the replay, got others" in said
    assert run(["replay", "service.db", "--verify", "--until", "69"])[0] == 0


def test_without_a_snapshot_there_is_nothing_to_verify(database: Any) -> None:
    code, said = run(["replay", "service.db", "--verify", "--until", "63"])
    assert code == 2 and "--verify must have a snapshot and the whole log, got no snapshot up to this position" in said


def test_a_damaged_log_is_an_error_that_names_the_last_good_position(database: Any) -> None:
    connection = sqlite3.connect("service.db")
    (events,) = connection.execute("SELECT events FROM pages WHERE model = 1 AND first = 33").fetchone()
    connection.close()
    assert b"size" in events
    change("UPDATE pages SET events = ? WHERE model = 1 AND first = 33", events.replace(b"size", b"sizf", 1))
    code, said = run(["replay", "service.db", "--to", "mails.dl"])
    assert code == 2 and "model 'mails': log of model 1: must agree with its digests, got a changed event" in said
    assert not Path("mails.dl").exists()
    good = int(said.rpartition("--until ")[2].split(".")[0])
    assert 32 <= good < 48
    assert run(["replay", "service.db", "--to", "mails.dl", "--until", "32"])[0] == 0
    assert dl.load("mails.dl").n_seen > 0


def test_events_that_were_removed_are_replaced_by_the_snapshot(database: Any) -> None:
    storage = open_storage("service.db")
    assert storage.forget_before(1, 40) == 32
    storage.close()
    code, said = run(["replay", "service.db", "--to", "mails.dl"])
    assert code == 0 and "replayed from the snapshot at position 64: earlier events were removed" in said
    assert Path("mails.dl").read_bytes() == database.champion.learner.to_bytes()
    code, said = run(["replay", "service.db", "--verify"])
    assert code == 2 and "got a log whose first events were removed" in said


def test_the_model_must_be_named_if_there_are_several(database: Any, tmp_path: Path) -> None:
    write_log(tmp_path / "service.db", events=10, name="shop")
    for options, got in (([], "none"), (["--model", "x"], "'x'")):
        code, said = run(["replay", "service.db", *options])
        assert code == 2 and f"--model must be one of mails, shop, got {got}" in said
    assert run(["replay", "service.db", "--model", "shop"])[1].startswith("shop: PA1 at position 10 of the log\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nowhere.db"], "nowhere.db"),
        (["service.db", "--until", "0"], "--until must be >= 1, got 0"),
        (["service.db", "--until", "101"], "position must be from 1 to 100, got 101"),
        (
            ["service.db", "--to", "no/folder.dl"],
            "must be a file that can be written, got a folder that does not exist",
        ),
    ],
    ids=str,
)
def test_wrong_requests_are_one_line(options: list[str], said: str, database: Any) -> None:
    code, text = run(["replay", *options])
    assert code == 2 and said in text and text.count("\n") == 1
    assert not Path("nowhere.db").exists()


def test_a_server_may_use_the_database(database: Any) -> None:
    storage = open_storage("service.db")
    try:
        assert run(["replay", "service.db"])[0] == 0
    finally:
        storage.close()

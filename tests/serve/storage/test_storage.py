"""What SQLite and PostgreSQL do alike."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from driftline.serve.chain import START, checked_log, next_page
from driftline.serve.storage import log_rows
from driftline.serve.storage.opening import attach_storage, open_storage
from driftline.serve.storage.storage import (
    SERVER_LOG,
    Batch,
    DamagedError,
    IdRow,
    ModelRow,
    NewSnapshot,
    SnapshotRow,
    Storage,
    StorageError,
    TokenRow,
)


def add(storage: Storage, model: int, *events: bytes) -> None:
    storage.commit(Batch([next_page(model, storage.head(model), events)]))


def events(storage: Storage, model: int, after: int = 0, until: int | None = None) -> list[bytes | None]:
    return [event for page in storage.pages(model, after, until) for event in page.events]


def snapshot(storage: Storage, model: int, position: int, content: bytes = b"state", kind: str = "auto") -> None:
    storage.commit(Batch(snapshots=[NewSnapshot(model, position, 5.0, kind, content)]))


@pytest.fixture
def model(storage: Storage) -> int:
    return storage.create_model("shop", "{}", 1.0)


def test_a_log_is_read_as_it_was_written_and_after_reopening(address: str) -> None:
    storage = open_storage(address)
    model = storage.create_model("shop", "{}", 1.0)
    assert storage.head(model) == (0, START)
    add(storage, model, b"a", b"\x00\xff")
    add(storage, model, b"")
    add(storage, SERVER_LOG, b"server")
    head = storage.head(model)
    storage.close()
    storage = open_storage(address)
    assert storage.head(model) == head
    assert head[0] == 3
    assert events(storage, model) == [b"a", b"\x00\xff", b""]
    assert [page.last for page in checked_log(storage, model)] == [2, 3]
    assert events(storage, SERVER_LOG) == [b"server"]
    storage.close()


def test_pages_of_a_range_are_whole_and_each_is_read_once(storage: Storage, model: int) -> None:
    for first in range(1, 200, 2):
        add(storage, model, b"%d" % first, b"%d" % (first + 1))
    every = [b"%d" % n for n in range(1, 201)]
    assert events(storage, model) == every
    assert events(storage, model, 100) == every[100:]
    assert events(storage, model, 101) == every[100:]
    assert events(storage, model, 101, 103) == every[100:104]
    assert events(storage, model, 200) == []
    for after in (0, 1, 2, 101, 199):
        assert [page.last for page in checked_log(storage, model, after)][-1] == 200


def test_large_pages_are_read_few_at_a_time(storage: Storage, model: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_rows, "PIECE", 1000)
    for n in range(40):
        add(storage, model, b"%03d" % n * 300)
    assert events(storage, model) == [b"%03d" % n * 300 for n in range(40)]


def test_a_page_that_does_not_follow_the_log_is_refused_with_its_whole_batch(storage: Storage, model: int) -> None:
    add(storage, model, b"a")
    head = storage.head(model)
    follower = next_page(model, head, [b"b"])
    for wrong in (
        next_page(model, (5, head[1]), [b"b"]),
        next_page(model, (1, START), [b"b"]),
        next_page(model, (0, START), [b"b"]),
        replace(follower, chain=START),
        replace(follower, digests=b""),
    ):
        with pytest.raises(StorageError, match="must follow event 1 and its chain"):
            storage.commit(Batch([wrong], [IdRow(model, "i", "x", 2, "")], [NewSnapshot(model, 1, 1.0, "auto", b"s")]))
    assert storage.head(model) == head
    assert storage.find_ids(model, ["i"], "x") == {}
    assert storage.snapshots(model) == []
    storage.commit(Batch([follower, next_page(model, (2, follower.chain), [b"c"])]))
    assert events(storage, model) == [b"a", b"b", b"c"]


def test_an_id_is_used_once(storage: Storage, model: int) -> None:
    other = storage.create_model("other", "{}", 1.0)
    rows = [IdRow(model, "1", "x", 1, "digest"), IdRow(model, "1", "y", 2, '"é\\"'), IdRow(other, "1", "x", 9, "")]
    storage.commit(Batch(ids=rows))
    assert storage.find_ids(model, ["1", "2", "' OR 1=1"], "x") == {"1": rows[0]}
    assert storage.find_ids(model, ["1"], "y") == {"1": rows[1]}
    assert storage.find_ids(other, ["1"], "x") == {"1": rows[2]}
    with pytest.raises(StorageError, match="written once"):
        storage.commit(Batch([next_page(model, (0, START), [b"a"])], [rows[0]]))
    assert storage.head(model) == (0, START)


def test_models_have_numbers_that_are_never_used_twice(storage: Storage) -> None:
    first = storage.create_model("a", '{"learner": "pa1"}', 1.5)
    assert storage.models() == [ModelRow(first, "a", 1.5, '{"learner": "pa1"}')]
    with pytest.raises(ValueError, match="name must be new and not empty, got 'a'"):
        storage.create_model("a", "{}", 2.0)
    storage.commit(Batch(specs={first: "{}"}))
    assert storage.models()[0].spec == "{}"
    add(storage, first, b"x")
    snapshot(storage, first, 1)
    storage.commit(Batch(ids=[IdRow(first, "i", "x", 1, "")]))
    storage.delete_model(first, 3.0)
    assert storage.models() == []
    assert (storage.head(first), storage.snapshots(first)) == ((0, START), [])
    assert storage.find_ids(first, ["i"], "x") == {}
    with pytest.raises(StorageError, match="must hold model 1, got none"):
        add(storage, first, b"x")
    second = storage.create_model("a", "{}", 2.0)
    assert second > first > SERVER_LOG
    storage.renew()
    add(storage, second, b"y")


def test_snapshots_are_found_by_position_and_by_number(storage: Storage, model: int) -> None:
    assert storage.snapshot(model) is None
    snapshot(storage, model, 10, b"ten")
    snapshot(storage, model, 20, b"twenty", "manual")
    snapshot(storage, model, 20, b"again", "rollback")
    rows = storage.snapshots(model)
    assert [(row.position, row.kind, row.size) for row in rows] == [
        (10, "auto", 3),
        (20, "manual", 6),
        (20, "rollback", 5),
    ]
    assert rows[0] == SnapshotRow(rows[0].id, model, 10, 5.0, "auto", 3)
    assert storage.snapshot(model) == (rows[2], b"again")
    assert storage.snapshot(model, 19) == (rows[0], b"ten")
    assert storage.snapshot(model, 9) is None
    assert storage.snapshot_by_id(model, rows[1].id) == (rows[1], b"twenty")
    assert storage.snapshot_by_id(model + 1, rows[1].id) is None
    storage.drop_snapshot(rows[2].id)
    assert storage.snapshot(model) == (rows[1], b"twenty")
    with pytest.raises(ValueError, match="id must be that of a snapshot"):
        storage.drop_snapshot(rows[2].id)
    snapshot(storage, model, 30)
    assert storage.snapshots(model)[-1].id > rows[2].id


def test_a_redacted_log_still_verifies(storage: Storage, model: int) -> None:
    add(storage, model, b"a", b"b", b"c")
    add(storage, model, b"d", b"e")
    storage.commit(Batch(ids=[IdRow(model, str(n), "x", n, "") for n in range(1, 6)]))
    with pytest.raises(ValueError, match=r"a snapshot at event 4 or later must exist .* got none"):
        storage.redact(model, [2, 4])
    snapshot(storage, model, 3)
    with pytest.raises(ValueError, match="got the last one at event 3"):
        storage.redact(model, [2, 4])
    assert events(storage, model) == [b"a", b"b", b"c", b"d", b"e"]
    snapshot(storage, model, 4)
    storage.redact(model, [4, 2, 2])
    assert events(storage, model) == [b"a", None, b"c", None, b"e"]
    assert set(storage.find_ids(model, list("12345"), "x")) == {"1", "3", "5"}
    pages = list(checked_log(storage, model))
    assert pages[0].digests[32:64] == sha256(b"b").digest()
    assert storage.complete_from(model) == 5
    add(storage, model, b"f")
    assert [page.last for page in checked_log(storage, model, 3)] == [5, 6]
    for wrong in (0, 7):
        with pytest.raises(ValueError, match=f"from 1 to 6, got {wrong}"):
            storage.redact(model, [1, wrong])


def test_forgetting_drops_the_events_of_whole_pages(storage: Storage, model: int) -> None:
    other = storage.create_model("other", "{}", 1.0)
    add(storage, other, b"o")
    assert storage.forget_before(model, 5) == 0
    add(storage, model, b"a", b"b")
    add(storage, model, b"c", b"d")
    add(storage, model, b"e")
    storage.commit(Batch(ids=[IdRow(model, str(n), "x", n, "") for n in range(1, 6)]))
    assert storage.complete_from(model) == 1
    with pytest.raises(ValueError, match="a snapshot at event 2 or later"):
        storage.forget_before(model, 4)
    assert storage.forget_before(model, 2) == 0
    snapshot(storage, model, 3)
    assert storage.forget_before(model, 4) == 2
    assert events(storage, model) == [None, None, b"c", b"d", b"e"]
    assert events(storage, other) == [b"o"]
    assert set(storage.find_ids(model, list("12345"), "x")) == {"3", "4", "5"}
    assert storage.complete_from(model) == 3
    assert [page.last for page in checked_log(storage, model)] == [2, 4, 5]
    snapshot(storage, model, 5)
    storage.redact(model, [1])
    assert storage.forget_before(model, 100) == 5
    assert events(storage, model) == [None] * 5
    add(storage, model, b"f")
    assert storage.complete_from(model) == 6
    assert len(list(checked_log(storage, model))) == 4


def test_a_snapshot_that_replaces_removed_events_cannot_be_dropped(storage: Storage, model: int) -> None:
    add(storage, model, b"a", b"b", b"c")
    for position in (1, 2, 3):
        snapshot(storage, model, position)
    first, second, third = (row.id for row in storage.snapshots(model))
    storage.redact(model, [2])
    storage.drop_snapshot(third)
    with pytest.raises(ValueError, match="a snapshot at event 2 or later must remain"):
        storage.drop_snapshot(second)
    storage.drop_snapshot(first)
    assert [row.id for row in storage.snapshots(model)] == [second]


def test_tokens_are_added_replaced_and_revoked(storage: Storage) -> None:
    web = TokenRow("web", b"\x00digest", "predict learn", 1.0, 9.0, None, 50.0)
    storage.put_token(TokenRow("web", b"old", "admin", 0.5))
    storage.put_token(web)
    storage.put_token(TokenRow("app", b"d", "admin", 2.0))
    storage.revoke_token("app", 3.0)
    assert storage.tokens() == [TokenRow("app", b"d", "admin", 2.0, None, 3.0), web]
    with pytest.raises(ValueError, match="name must be that of a token, got 'none'"):
        storage.revoke_token("none", 3.0)


def test_an_attached_process_reads_and_changes_tokens_but_writes_no_log(address: str, storage: Storage) -> None:
    model = storage.create_model("shop", "{}", 1.0)
    add(storage, model, b"a")
    beside = attach_storage(address)
    assert events(beside, model) == [b"a"]
    beside.put_token(TokenRow("web", b"d", "predict", 1.0))
    assert [token.name for token in storage.tokens()] == ["web"]
    for refused in (
        lambda: add(beside, model, b"b"),
        lambda: beside.create_model("other", "{}", 1.0),
        lambda: beside.redact(model, [1]),
        lambda: beside.forget_before(model, 2),
        beside.renew,
    ):
        with pytest.raises(StorageError, match="must be opened as a server"):
            refused()
    beside.close()
    add(storage, model, b"b")
    assert events(storage, model) == [b"a", b"b"]


def test_a_snapshot_with_other_content_is_refused(address: str, storage: Storage, model: int) -> None:
    snapshot(storage, model, 7)
    with storage.transaction() as run:  # type: ignore[attr-defined]
        run("UPDATE snapshots SET content = ?", (b"State",))
    with pytest.raises(DamagedError, match="snapshot 1 of model 1: must agree with its digest"):
        storage.snapshot(model)


def test_changed_pages_are_damage_from_their_first_event(storage: Storage, model: int) -> None:
    add(storage, model, b"a")
    add(storage, model, b"b", b"c")
    with storage.transaction() as run:  # type: ignore[attr-defined]
        run("UPDATE pages SET events = ? WHERE first = 2", (log_rows.encode_events([b"b", b"C"]),))
    with pytest.raises(DamagedError, match="driftline replay DB --until 2") as caught:
        list(checked_log(storage, model))
    assert caught.value.position == 3
    with storage.transaction() as run:  # type: ignore[attr-defined]
        run("UPDATE pages SET events = ? WHERE first = 2", (b"\xff\xff",))
    with pytest.raises(DamagedError, match="must hold encoded events") as caught:
        list(checked_log(storage, model))
    assert caught.value.position == 2
    with storage.transaction() as run:  # type: ignore[attr-defined]
        run("UPDATE pages SET events = NULL", ())
        run("DELETE FROM pages WHERE first = 1", ())
    with pytest.raises(DamagedError, match="must be complete after event 0, got event 2") as caught:
        list(checked_log(storage, model))
    assert caught.value.position == 1


def test_a_later_format_is_refused(address: str) -> None:
    storage = open_storage(address)
    with storage.transaction() as run:  # type: ignore[attr-defined]
        run("UPDATE meta SET value = '3'", ())
    storage.close()
    for opening in (open_storage, attach_storage):
        with pytest.raises(StorageError, match=r"format must be at most 2, got 3. Upgrade driftline"):
            opening(address)


@pytest.mark.parametrize("change", ["fence = fence + 1", "owner = 'another server'"])
def test_a_server_that_lost_its_lease_cannot_write(storage: Storage, model: int, change: str) -> None:
    add(storage, model, b"a")
    snapshot(storage, model, 1)
    with storage.transaction() as run:  # type: ignore[attr-defined]
        run(f"UPDATE models SET {change}", ())
    number = storage.snapshots(model)[0].id
    for refused in (
        lambda: add(storage, model, b"b"),
        lambda: storage.redact(model, [1]),
        lambda: storage.forget_before(model, 2),
        lambda: storage.drop_snapshot(number),
        lambda: storage.create_model("other", "{}", 1.0),
        lambda: storage.commit(Batch(deleted={model: 1.0})),
        lambda: storage.commit(Batch()),
        storage.renew,
    ):
        with pytest.raises(StorageError, match=r"this server must own model [01]"):
            refused()
    assert events(storage, model) == [b"a"]

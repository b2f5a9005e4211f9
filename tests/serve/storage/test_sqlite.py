"""What holds for a SQLite file: its lock, its faults, the loss of space, damage and backups."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from driftline.serve.chain import checked_log, next_page
from driftline.serve.storage.opening import attach_storage, open_storage
from driftline.serve.storage.storage import Batch, DamagedError, IdRow, NewSnapshot, Storage, StorageError


def add(storage: Storage, model: int, *events: bytes) -> None:
    storage.commit(Batch([next_page(model, storage.head(model), events)]))


def log(storage: Storage, model: int = 1) -> list[bytes | None]:
    return [event for page in storage.pages(model) for event in page.events]


def child(code: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Run code with a storage opened at the first argument."""
    start = (
        "import os, sys, resource\n"
        "from driftline.serve.storage.opening import open_storage\n"
        "from driftline.serve.storage.storage import Batch, StorageError\n"
        "from driftline.serve.chain import next_page\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", start + code, *arguments],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        **options,
    )


def test_the_settings_make_every_commit_durable(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "log.db"))
    writer = storage._writer  # type: ignore[attr-defined]
    assert writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert writer.execute("PRAGMA synchronous").fetchone() == (2,)
    assert writer.execute("PRAGMA secure_delete").fetchone() == (1,)
    assert (tmp_path / "log.db").stat().st_mode & 0o77 == 0
    storage.close()


def test_a_commit_takes_few_statements_for_any_number_of_events(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "log.db"))
    model = storage.create_model("shop", "{}", 1.0)
    counts = []
    for size in (1, 1000):
        first = storage.head(model)[0] + 1
        ids = [IdRow(model, str(n), "x", n, "") for n in range(first, first + size)]
        batch = Batch([next_page(model, storage.head(model), [b"event"] * size)], ids)
        seen: list[str] = []
        storage._writer.set_trace_callback(seen.append)  # type: ignore[attr-defined]
        storage.commit(batch)
        storage._writer.set_trace_callback(None)  # type: ignore[attr-defined]
        counts.append(len([line for line in seen if not line.startswith("--")]))
    assert counts[0] == counts[1] <= 6
    assert storage.head(model)[0] == 1001
    assert len(storage.find_ids(model, [str(n) for n in range(1, 1002)], "x")) == 1001
    storage.close()


def test_a_second_server_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    link = tmp_path / "link.db"
    first = child(
        "open_storage(sys.argv[1]).create_model('shop', '{}', 1.0); print('open', flush=True); input()", str(path)
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "open\n"
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(StorageError, match=f"no other server may use this database, got process {first.pid} on "):
            open_storage(str(name))
    beside = attach_storage(str(path))
    assert [row.name for row in beside.models()] == ["shop"]
    beside.close()
    first.send_signal(signal.SIGKILL)
    first.communicate()
    storage = open_storage(f"sqlite:///{path}")
    add(storage, 1, b"a")
    storage.close()


def test_commits_before_kill_9_are_there_and_the_log_is_intact(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    code = (
        "storage = open_storage(sys.argv[1])\n"
        "model = storage.create_model('shop', '{}', 1.0)\n"
        "while True:\n"
        "    storage.commit(Batch([next_page(model, storage.head(model), [b'event'] * 3)]))\n"
        "    print(storage.head(model)[0], flush=True)\n"
    )
    process = child(code, str(path))
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(50)]
    process.send_signal(signal.SIGKILL)
    confirmed = int((lines + process.communicate()[0].split())[-1])
    storage = open_storage(str(path))
    assert sum(len(page.events) for page in checked_log(storage, 1)) >= confirmed >= 150
    storage.close()


@pytest.mark.parametrize("content", [b"not a database, but long enough to have a header", b"x", b"\x00" * 4096])
def test_a_file_of_another_kind_is_refused_and_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.db"
    path.write_bytes(content)
    for opening in (open_storage, attach_storage):
        with pytest.raises(StorageError, match="must be a SQLite database, got a file of another kind"):
            opening(str(path))
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path], "a file next to a foreign one may have a meaning, as /etc/passwd.lock"


def test_a_database_of_another_program_is_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE songs (name)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="must be a database of driftline, got one with the table songs"):
        open_storage(str(path))
    assert path.read_bytes() == before


def test_paths_that_cannot_hold_a_database_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="got no such file"):
        attach_storage(str(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StorageError, match="must be in a folder that can be written, got No such file or directory"):
        open_storage(str(tmp_path / "none" / "log.db"))
    with pytest.raises(StorageError, match="got Is a directory"):
        open_storage(str(tmp_path))
    for address in ("mysql://host/x", "sqlite://log.db"):
        with pytest.raises(ValueError, match="address must be a path, sqlite:///path or postgresql"):
            open_storage(address)


def test_a_folder_and_a_file_without_write_permission_are_refused(tmp_path: Path) -> None:
    """In a process without the rights of root."""
    code = (
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "try: open_storage(sys.argv[1])\n"
        "except StorageError as error: print(error)\n"
    )
    shared = Path("/tmp") / f"driftline-{os.getpid()}"
    shared.mkdir(mode=0o755)
    try:
        open_storage(str(shared / "log.db")).close()
        (shared / "log.db").chmod(0o444)
        shared.chmod(0o555)
        assert (
            "must be in a folder that can be written, got Permission denied"
            in child(code, str(shared / "new.db")).communicate()[0]
        )
        (shared / "log.db.lock").chmod(0o666)
        assert "the file and its folder must be writable" in child(code, str(shared / "log.db")).communicate()[0]
    finally:
        shared.chmod(0o755)
        shutil.rmtree(shared)


def test_a_full_database_refuses_whole_commits_and_recovers(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "log.db"))
    model = storage.create_model("shop", "{}", 1.0)
    add(storage, model, b"a")
    writer = storage._writer  # type: ignore[attr-defined]
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")
    page = next_page(model, storage.head(model), [b"b" * 100_000])
    for _ in range(2):
        with pytest.raises(StorageError, match=r"the disk must have free space, got .*full. Free some space"):
            storage.commit(Batch([page], [IdRow(model, "b", "x", 2, "")]))
    assert log(storage) == [b"a"]
    assert storage.find_ids(model, ["b"], "x") == {}
    writer.execute("PRAGMA max_page_count = 1000000")
    storage.commit(Batch([page], [IdRow(model, "b", "x", 2, "")]))
    assert [len(event or b"") for event in log(storage)] == [1, 100_000]
    storage.close()


def test_a_disk_that_refuses_to_grow_a_file_loses_no_confirmed_commit(tmp_path: Path) -> None:
    code = (
        "storage = open_storage(sys.argv[1])\n"
        "model = storage.create_model('shop', '{}', 1.0)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    for n in range(100):\n"
        "        storage.commit(Batch([next_page(model, storage.head(model), [b'e' * 20_000])]))\n"
        "except StorageError as error: print(storage.head(model)[0], error)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "storage.commit(Batch([next_page(model, storage.head(model), [b'last'])]))\n"
    )
    if resource.getrlimit(resource.RLIMIT_FSIZE)[1] != resource.RLIM_INFINITY:
        pytest.skip("RLIMIT_FSIZE")
    position, _, message = child(code, str(tmp_path / "log.db")).communicate()[0].partition(" ")
    assert "the disk must accept reads and writes, got disk I/O error. Check the disk" in message
    storage = open_storage(str(tmp_path / "log.db"))
    assert [page.last for page in checked_log(storage, 1)] == list(range(1, int(position) + 2))
    assert int(position) > 5
    assert log(storage)[-1] == b"last"
    storage.close()


def test_flipped_bytes_are_found(tmp_path: Path) -> None:
    """Each 4 kB of the file in turn: opening or reading refuses, or the content is as written."""
    path = tmp_path / "log.db"
    storage = open_storage(str(path))
    model = storage.create_model("shop", "{}", 1.0)
    written = [bytes([n]) * 3000 for n in range(30)]
    for event in written:
        add(storage, model, event)
    storage.commit(Batch(snapshots=[NewSnapshot(model, 30, 1.0, "auto", b"s" * 9000)]))
    storage.close()
    intact = path.read_bytes()
    refused = 0
    for start in range(0, len(intact), 4096):
        damaged = bytearray(intact)
        for offset in range(start + 100, start + 4096, 97):
            damaged[offset] ^= 0x55
        path.write_bytes(damaged)
        try:
            storage = open_storage(str(path))
        except StorageError:
            refused += 1
            continue
        try:
            head = storage.head(model)[0]
            assert [event for page in checked_log(storage, model) for event in page.events] == written[:head]
            assert head == 30
            assert storage.snapshot(model) is not None
        except StorageError:
            refused += 1
        finally:
            storage.close()
    assert refused > 25


def test_damage_that_sqlite_reports_names_the_event(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    storage = open_storage(str(path))
    model = storage.create_model("shop", "{}", 1.0)
    for _ in range(3):
        add(storage, model, b"e" * 50_000)
    (root,) = storage._writer.execute("SELECT rootpage FROM sqlite_master WHERE name = 'pages'").fetchone()  # type: ignore[attr-defined]
    storage.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 4096)
    storage = open_storage(str(path))
    with pytest.raises(DamagedError, match=r"must be intact, got .*malformed. Restore a backup") as caught:
        list(checked_log(storage, model))
    assert caught.value.position == 1
    storage.close()


def test_removed_events_are_gone_from_the_files(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "log.db"))
    model = storage.create_model("shop", "{}", 1.0)
    add(storage, model, b"first-secret", b"kept")
    add(storage, model, b"second-secret" * 2000)
    add(storage, model, b"open")
    storage.commit(Batch(ids=[IdRow(model, "third-secret", "x", 1, "")]))
    storage.commit(Batch(snapshots=[NewSnapshot(model, 4, 1.0, "manual", b"state")]))
    storage.redact(model, [1])
    storage.forget_before(model, 4)
    assert log(storage) == [None, None, None, b"open"]
    for file in tmp_path.iterdir():
        assert b"-secret" not in file.read_bytes()
    storage.close()


def test_removed_events_are_gone_after_a_reader_of_another_process_has_ended(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "log.db"))
    model = storage.create_model("shop", "{}", 1.0)
    add(storage, model, b"a-secret")
    storage.commit(Batch(snapshots=[NewSnapshot(model, 1, 1.0, "manual", b"state")]))
    reader = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM pages").fetchall()
    storage.redact(model, [1])
    reader.execute("COMMIT")
    add(storage, model, b"kept")
    for file in tmp_path.iterdir():
        assert b"-secret" not in file.read_bytes()
    reader.close()
    storage.close()


def test_a_read_does_not_wait_for_a_commit(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "log.db"))
    model = storage.create_model("shop", "{}", 1.0)
    add(storage, model, b"a")
    with storage.transaction() as run:  # type: ignore[attr-defined]
        run("DELETE FROM pages", ())
        seen: list[Any] = []
        reader = threading.Thread(target=lambda: seen.extend(log(storage)))
        reader.start()
        reader.join(60)
        assert seen == [b"a"]
    assert log(storage) == []
    storage.close()


def test_a_backup_during_commits_is_a_prefix_of_the_log(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "log.db"))
    model = storage.create_model("shop", "{}", 1.0)
    add(storage, model, b"x" * 500_000)
    running, stop = threading.Event(), threading.Event()

    def write() -> None:
        for n in range(1_000_000):
            add(storage, model, b"%d" % n, b"e" * 1000)
            running.set()
            if stop.is_set():
                return

    writer = threading.Thread(target=write)
    writer.start()
    running.wait()
    beside = attach_storage(str(tmp_path / "log.db"))
    beside.backup(str(tmp_path / "copy.db"))
    copied = storage.head(model)[0]
    stop.set()
    writer.join()
    beside.close()
    every = log(storage)
    storage.close()
    copy = open_storage(str(tmp_path / "copy.db"))
    pages = [event for page in checked_log(copy, model) for event in page.events]
    assert 3 <= len(pages) <= copied
    assert pages == every[: len(pages)]
    assert not (tmp_path / "copy.db.partial").exists()
    assert (tmp_path / "copy.db").stat().st_mode & 0o77 == 0
    add(copy, model, b"more")
    with pytest.raises(ValueError, match="backup must be a new file, got one that exists"):
        copy.backup(str(tmp_path / "copy.db"))
    with pytest.raises(StorageError, match="must be a file that can be written, got No such file"):
        copy.backup(str(tmp_path / "none" / "copy.db"))
    copy.close()

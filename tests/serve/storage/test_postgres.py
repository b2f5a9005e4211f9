"""What holds for PostgreSQL: leases by its clock, fences, lost connections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from driftline.serve.chain import next_page
from driftline.serve.storage.opening import attach_storage, open_storage
from driftline.serve.storage.storage import Batch, Storage, StorageError


@pytest.fixture
def admin(postgres: str) -> Iterator[Any]:
    """A connection that sees the same tables."""
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("SET search_path TO driftline")
        yield connection


def page(storage: Storage, event: bytes) -> Batch:
    return Batch([next_page(1, storage.head(1), [event])])


def log(storage: Storage) -> list[bytes | None]:
    return [event for page in storage.pages(1) for event in page.events]


def end_lease(admin: Any) -> None:
    admin.execute("UPDATE models SET lease_until = extract(epoch FROM clock_timestamp()) - 1")


def lose_connections(admin: Any) -> None:
    admin.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'driftline'")


def test_a_second_server_is_refused_while_the_lease_lasts(postgres: str) -> None:
    first = open_storage(postgres)
    assert first.renew_every == 10.0
    with pytest.raises(StorageError) as caught:
        open_storage(postgres)
    assert re.search(
        r"^postgresql://\S+/postgres: no other server may use this database, got process \d+ on \S+, [0-9a-f-]{36} "
        r"with a lease until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00\. Stop that server, or wait",
        str(caught.value),
    )
    first.close()
    open_storage(postgres).close()


def test_renewing_extends_the_lease(postgres: str, admin: Any) -> None:
    first = open_storage(postgres)
    end_lease(admin)
    first.renew()
    with pytest.raises(StorageError, match="with a lease until"):
        open_storage(postgres)
    first.close()


def test_the_holder_of_an_ended_lease_cannot_write_after_another_server_took_over(postgres: str, admin: Any) -> None:
    first = open_storage(postgres)
    first.create_model("shop", "{}", 1.0)
    end_lease(admin)
    first.commit(page(first, b"nobody else took it"))
    late = page(first, b"late")
    second = open_storage(postgres)
    for refused in (lambda: first.commit(late), first.renew, lambda: first.create_model("b", "{}", 1.0)):
        with pytest.raises(StorageError, match=r"this server must own model [01], got owner process \d+"):
            refused()
    second.commit(page(second, b"second"))
    first.close()
    second.renew()
    second.commit(page(second, b"third"))
    assert log(second) == [b"nobody else took it", b"second", b"third"]
    second.close()


def test_a_takeover_waits_for_the_commit_in_progress(postgres: str, admin: Any) -> None:
    """The rows that a commit compares stay locked until its end."""
    import psycopg

    first = open_storage(postgres)
    first.create_model("shop", "{}", 1.0)
    end_lease(admin)
    with first.transaction() as run:  # type: ignore[attr-defined]
        first._lease.check(run, [1])  # type: ignore[attr-defined]
        admin.execute("SET lock_timeout TO '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            admin.execute("UPDATE models SET owner = 'other', fence = fence + 1 WHERE model = 1")
    admin.execute("UPDATE models SET owner = 'other', fence = fence + 1 WHERE model = 1")
    first.close()


def test_lost_connections_are_replaced(postgres: str, admin: Any) -> None:
    storage = open_storage(postgres)
    storage.create_model("shop", "{}", 1.0)
    storage.commit(page(storage, b"a"))
    pages = storage.pages(1)
    lose_connections(admin)
    assert [event for read in pages for event in read.events] == [b"a"]
    batch = page(storage, b"b")
    with pytest.raises(StorageError, match="PostgreSQL must answer, got"):
        storage.commit(batch)
    assert log(storage) == [b"a"]
    storage.commit(batch)
    assert log(storage) == [b"a", b"b"]
    storage.close()


def test_a_closed_storage_does_not_connect_again(postgres: str) -> None:
    """A thread may still read when a server stops; its connection would stay open."""
    storage = open_storage(postgres)
    storage.close()
    with pytest.raises(StorageError, match="must be open, got a storage that was closed"):
        storage.models()
    with pytest.raises(StorageError, match="must be open"):
        storage.renew()


def test_a_connection_lost_inside_a_commit_writes_nothing(postgres: str, admin: Any) -> None:
    storage = open_storage(postgres)
    storage.create_model("shop", "{}", 1.0)
    batch = page(storage, b"a")
    with pytest.raises(StorageError), storage.transaction() as run:  # type: ignore[attr-defined]
        run("DELETE FROM models", ())
        lose_connections(admin)
        run("SELECT 1", ())
    storage.commit(batch)
    assert [row.name for row in storage.models()] == ["shop"]
    storage.close()


def test_commits_are_durable_where_the_database_says_otherwise(postgres: str, admin: Any) -> None:
    admin.execute("ALTER DATABASE postgres SET synchronous_commit TO off")
    try:
        storage = open_storage(postgres)
        with storage.transaction() as run:  # type: ignore[attr-defined]
            assert run("SHOW synchronous_commit", ()) == [("on",)]
        storage.close()
    finally:
        admin.execute("ALTER DATABASE postgres RESET synchronous_commit")


def test_addresses_and_messages_show_no_password(postgres: str) -> None:
    with pytest.raises(StorageError, match=r"^postgresql://127.0.0.1/none: PostgreSQL must answer") as caught:
        open_storage("postgresql://user:secret@127.0.0.1:1/none")
    assert "secret" not in str(caught.value)
    with pytest.raises(ValueError, match="address must be postgresql://user:password@host/database") as refused:
        attach_storage("postgresql://user:sec ret@127.0.0.1:1x/none?who=1")
    assert "ret@" not in str(refused.value)


def test_a_backup_is_refused_and_names_the_tool(postgres: str, tmp_path: Any) -> None:
    storage = open_storage(postgres)
    with pytest.raises(ValueError, match="Use pg_dump"):
        storage.backup(str(tmp_path / "copy.db"))
    storage.close()

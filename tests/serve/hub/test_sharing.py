"""Several servers on one PostgreSQL database: who holds which model, and how models move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from driftline.serve import recovery
from driftline.serve.errors import Conflict, Elsewhere, ServeError, UnknownModel, Unready
from driftline.serve.hosted.state import state_bytes
from driftline.serve.hub import Hub
from driftline.serve.settings import Settings
from driftline.serve.spec import Spec
from driftline.serve.storage.opening import attach_storage, open_storage
from driftline.serve.storage.shared_lease import Holding, Look
from driftline.serve.storage.storage import StorageError
from tests.support.memory_storage import MemoryStorage

PA1 = Spec(learner="pa1", labels=["no", "yes"])
FAST = Settings(tick_seconds=0.02, retry_seconds=0.01, snapshot_events=10_000)
LEASE = 6.0
LONG = 3000.0
"""A lease that does not end during a test."""


@asynccontextmanager
async def joined(postgres: str, address: str, lease: float = LEASE) -> AsyncIterator[Hub]:
    """A hub that shares the database, with an address of its own."""
    storage = await asyncio.to_thread(open_storage, postgres, lease_seconds=lease, advertise=address)
    hub = Hub.open(storage, FAST)
    await hub.start()
    try:
        yield hub
    finally:
        await hub.close()
        await asyncio.to_thread(storage.close)


async def until(what: Callable[[], Any], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.01)


async def learned(hub: Hub, name: str, count: int, tag: str = "") -> None:
    """Learn examples, wherever the model is at the moment."""
    for k in range(count):
        await hub.model(name).learn({"a": k % 7 - 3.0, "b": 1.0}, "yes" if k % 3 else "no", f"{tag}{k}")


def run(test: Awaitable[None]) -> None:
    asyncio.run(test)  # type: ignore[arg-type]


def names(hub: Hub) -> list[str]:
    return [one.name for one in hub.models()]


def test_models_are_shared_out_and_move_with_their_bits(postgres: str) -> None:
    async def test() -> None:
        async with joined(postgres, "http://a:1") as a:
            for name in ("m1", "m2", "m3", "m4"):
                await a.create(name, PA1, "me")
                await learned(a, name, 20)
            before = {name: state_bytes(a.model(name).hosted) for name in names(a)}
            async with joined(postgres, "http://b:2") as b:
                await until(lambda: len(b.models()) == 2)
                await until(lambda: len(a.sharing.elsewhere()) == 2)  # type: ignore[union-attr]
                assert sorted(names(a) + names(b)) == ["m1", "m2", "m3", "m4"]
                with pytest.raises(Elsewhere) as caught:
                    a.model(names(b)[0])
                assert caught.value.address == "http://b:2" and "the server at http://b:2 holds it" in str(caught.value)
                assert set(b.sharing.elsewhere().values()) == {"http://a:1"}  # type: ignore[union-attr]
                for name in names(b):
                    await b.durable(b.model(name))
                    moved = attach_storage(postgres)
                    number = b.model(name).number
                    assert state_bytes(recovery.state_at(moved, number, 21).model) == before[name]
                    moved.close()
                    await learned(b, name, 5, "later")
            await until(lambda: len(a.models()) == 4, 3 * LEASE)  # given back when b closed
            with pytest.raises(UnknownModel):
                a.model("m5")

    run(test())


def test_a_server_that_does_not_renew_is_replaced_and_can_write_no_more(postgres: str) -> None:
    async def test() -> None:
        async with joined(postgres, "http://a:1") as a:
            await a.create("m", PA1, "me")
            await learned(a, "m", 10)
            a.sharing.stop()  # type: ignore[union-attr]
            held = a.model("m")
            async with joined(postgres, "http://b:2") as b:
                assert not b.models()
                with pytest.raises(Elsewhere):
                    b.model("m")
                await until(lambda: not a.ready, 2 * LEASE)
                with pytest.raises(Unready, match="the leases of this server may have ended"):
                    held.predict({"a": 1.0})
                await until(lambda: names(b) == ["m"])
                a.sharing.lease._until = float("inf")  # type: ignore[union-attr]
                with pytest.raises(ServeError):  # as a process that was suspended before it looked at the clock
                    await held.learn({"a": 1.0}, "yes", "late")
                await until(lambda: a.ready)
                assert not a.models()
                with pytest.raises(Elsewhere):
                    a.model("m")
                await learned(b, "m", 12)
                await b.durable(b.model("m"))
                assert b.model("m").info().contenders[0].examples == 12

    run(test())


def test_one_round_after_the_end_of_a_lease_the_next_server_answers(postgres: str) -> None:
    import psycopg

    async def test() -> None:
        async with joined(postgres, "http://a:1", LONG) as a, joined(postgres, "http://b:2", LONG) as b:
            await a.create("m", PA1, "me")
            await learned(a, "m", 10)
            held = a.model("m")
            for one in (a, b):
                one.sharing.stop()  # type: ignore[union-attr]  # from here on only this test does rounds
            b.sharing._stopped = False  # type: ignore[union-attr]
            await b.sharing.round()  # type: ignore[union-attr]  # it may not have met the model before
            await until(lambda: held.number in b.sharing._warmed)  # type: ignore[union-attr]
            await b.sharing.round()  # type: ignore[union-attr]
            assert not b.models()
            with psycopg.connect(postgres, autocommit=True) as connection:  # what passing time would do
                connection.execute("UPDATE driftline.servers SET lease_until = 0 WHERE address = 'http://a:1'")
                connection.execute("UPDATE driftline.models SET lease_until = 0 WHERE model > 0")
            await b.sharing.round()  # type: ignore[union-attr]
            await b.sharing.loaded()  # type: ignore[union-attr]
            assert names(b) == ["m"] and b.model("m").info().contenders[0].examples == 10
            assert a.ready and names(a) == ["m"], "by its own clock, a still has its lease"
            with pytest.raises(ServeError):
                await held.learn({"a": 1.0}, "yes", "late")
            await learned(b, "m", 12)
            assert b.model("m").info().contenders[0].examples == 12

    run(test())


def test_a_third_of_the_lease_is_left_for_the_next_server(postgres: str) -> None:
    import psycopg

    storage = open_storage(postgres, lease_seconds=LONG, advertise="http://a:1")
    lease = storage.sharing
    assert lease is not None

    def longest() -> float:
        rows = "SELECT lease_until FROM driftline.servers UNION SELECT lease_until FROM driftline.models"
        with psycopg.connect(postgres) as connection:
            found = connection.execute(
                f"SELECT max(lease_until) - extract(epoch FROM now())::float8 FROM ({rows}) AS t"
            )
            return float(found.fetchone()[0])  # type: ignore[index]

    assert longest() <= LONG * 2 / 3
    number = storage.create_model("m", "{}", 1.0)
    assert longest() <= LONG * 2 / 3
    lease.give(number)
    lease.claim([number])
    assert lease.held() == {number} and longest() <= LONG * 2 / 3
    lease.renew()
    assert longest() <= LONG * 2 / 3
    other = open_storage(postgres, lease_seconds=LONG, advertise="http://b:2")
    seen = other.sharing
    assert seen is not None and 0.0 < seen.look().next_end <= LONG * 2 / 3 and lease.look().next_end == float("inf")
    other.close()
    storage.close()


def test_the_next_round_comes_when_a_lease_may_have_ended(postgres: str) -> None:
    storage = open_storage(postgres, lease_seconds=LONG, advertise="http://a:1")
    sharing = Hub(storage, Settings(), lambda: 0.0).sharing
    assert sharing is not None
    usual = sharing.pause()
    assert usual == Settings().tick_seconds
    own, other = Holding(1, "m", sharing.lease.owner), Holding(2, "n", "b")
    sharing.look = Look({}, [own, other], next_end=0.25 * usual)
    assert 0.25 * usual < sharing.pause() < 0.5 * usual
    sharing.look = Look({}, [own, other], next_end=20.0 * usual)
    assert sharing.pause() == usual
    sharing.look = Look({}, [own, Holding(2, "n", "")])
    assert sharing.pause() < usual, "another server may claim it first, but not for long"
    storage.close()


def test_creation_deletion_tokens_and_audit_are_seen_by_all(postgres: str) -> None:
    async def test() -> None:
        async with joined(postgres, "http://a:1") as a, joined(postgres, "http://b:2") as b:
            await a.create("m", PA1, "ann")
            with pytest.raises(Elsewhere):
                b.model("m")
            with pytest.raises(Conflict):
                await b.create("m", PA1, "bob")
            await b.create("n", PA1, "bob")
            await b.note("bob", "token added")
            await a.delete("m", "ann")
            await until(lambda: "m" not in b.sharing.elsewhere())  # type: ignore[union-attr]
            with pytest.raises(UnknownModel):
                b.model("m")
            seen = [(one.who, one.what, one.model) for one in await a.whole_audit()]
            assert seen == [
                ("ann", "delete", "m"),
                ("bob", "token added", ""),
                ("bob", "create", "n"),
                ("ann", "create", "m"),
            ]
            assert [one.position for one in await b.whole_audit(2)] == [4, 3]

    run(test())


def test_a_lost_database_ends_the_readiness_and_acknowledges_nothing(postgres: str) -> None:
    async def test() -> None:
        async with joined(postgres, "http://a:1") as a:
            await a.create("m", PA1, "me")
            storage: Any = a.storage
            real, storage.commit = storage.commit, _away
            storage.renew = _away
            with pytest.raises(ServeError):
                await a.model("m").learn({"a": 1.0}, "yes", "lost")
            assert not a.ready
            storage.commit = real
            del storage.renew
            await until(lambda: a.ready)
            outcome = await a.model("m").learn({"a": 1.0}, "yes", "lost")
            assert outcome.kind == "learned"

    run(test())


def _away(*given: Any) -> None:
    raise StorageError("postgresql://host: PostgreSQL must answer, got nothing. Check the server")


def test_an_unfinished_creation_is_cleared_by_the_next_owner(postgres: str) -> None:
    async def test() -> None:
        dead = open_storage(postgres, lease_seconds=LEASE, advertise="http://dead:1")
        dead.create_model("half", "{}", 1.0)
        async with joined(postgres, "http://a:1") as a:
            await until(lambda: not a.sharing.look.models, 3 * LEASE)  # type: ignore[union-attr]
            await a.create("half", PA1, "me")
        dead.close()

    run(test())


def test_a_damaged_log_holds_up_its_own_model_only(postgres: str) -> None:
    import psycopg

    async def test() -> None:
        async with joined(postgres, "http://a:1") as a:
            await a.create("good", PA1, "me")
            await a.create("bad", PA1, "me")
            await learned(a, "bad", 3)
            number = a.model("bad").number
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("DELETE FROM driftline.snapshots")
            connection.execute("DELETE FROM driftline.pages WHERE model = %s AND first = 2", (number,))
        async with joined(postgres, "http://a:1") as a:
            assert names(a) == ["good"]
            with pytest.raises(Unready, match="model 'bad': log of model 2: must be complete after event 1"):
                a.model("bad")

    run(test())


def test_servers_that_share_and_a_server_alone_refuse_each_other(postgres: str) -> None:
    alone = open_storage(postgres)
    with pytest.raises(StorageError, match="all servers must share this database, got process"):
        open_storage(postgres, advertise="http://a:1")
    alone.close()
    shared = open_storage(postgres, advertise="http://a:1")
    with pytest.raises(StorageError, match="no other server may use this database, got process"):
        open_storage(postgres)
    shared.close()
    open_storage(postgres).close()


def test_a_server_alone_that_took_over_stops_the_others(postgres: str) -> None:
    import psycopg

    shared = open_storage(postgres, advertise="http://a:1")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("UPDATE driftline.servers SET lease_until = 0")
    alone = open_storage(postgres)
    with pytest.raises(StorageError, match="took it for itself"):
        shared.create_model("m", "{}", 1.0)
    shared.close()
    alone.create_model("m", "{}", 1.0)
    alone.close()


def test_files_cannot_be_shared(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match=r"must use PostgreSQL, got .*a\.db\. Give postgresql://"):
        open_storage(str(tmp_path / "a.db"), advertise="http://a:1")


def test_a_server_alone_shares_nothing() -> None:
    assert Hub.open(MemoryStorage(), FAST).sharing is None

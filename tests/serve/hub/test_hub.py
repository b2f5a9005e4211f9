"""The hub: acknowledgements, failures of the storage, restarts."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from driftline.serve import recovery
from driftline.serve.errors import (
    Busy,
    Conflict,
    Refused,
    ServeError,
    UnknownContender,
    UnknownModel,
    UnknownTicket,
    Unready,
)
from driftline.serve.hosted.state import state_bytes
from driftline.serve.hub import Hub
from driftline.serve.log.events import Learned, Told, decode
from driftline.serve.settings import Settings
from driftline.serve.spec import Budget, Spec
from driftline.serve.storage.storage import DamagedError, Page
from tests.support.memory_storage import MemoryStorage

PA1 = Spec(learner="pa1", labels=["no", "yes"])
FAST = Settings(tick_seconds=0.01, retry_seconds=0.001, snapshot_events=20, remember=50)


def served(test: Callable[[Hub, Any], Awaitable[None]], storage: Any = None, settings: Settings = FAST) -> Any:
    """Run a test with a hub that has the model m, and return the storage."""
    storage = MemoryStorage() if storage is None else storage

    async def run() -> None:
        hub = Hub.open(storage, settings)
        await hub.start()
        try:
            if "m" not in [one.name for one in hub.models()]:
                await hub.create("m", PA1, "me")
            await test(hub, hub.model("m"))
        finally:
            await hub.close()

    asyncio.run(run())
    return storage


def example(k: int) -> dict[str, float]:
    return {"a": k % 7 - 3.0, "b": float(k % 3)}


def test_a_label_is_acknowledged_after_its_commit() -> None:
    async def test(hub: Hub, m: Any) -> None:
        p = m.predict(example(1))
        assert m.position > m.durable_position
        outcome = await m.label(p.ticket, "yes", "me")
        assert outcome.kind == "learned" and m.durable_position == m.position == outcome.position
        await hub.durable(m)
        assert [entry.what for entry in hub.audit()] == ["create"]

    served(test)


def test_challengers_are_compiled_before_the_hub_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(hub: Hub, m: Any) -> None:
        await m.add_challenger("c", Spec(learner="perceptron", labels=["no", "yes"]), "me")

    storage = served(test)
    warmed: list[str] = []
    monkeypatch.setattr("driftline.serve.hub.warm", lambda spec: warmed.append(spec.learner))
    Hub.open(storage, FAST).pool.shutdown()
    assert warmed == ["pa1", "perceptron"]


def test_unexpected_errors_of_regular_work_are_logged_and_the_work_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise RuntimeError("a bug of a task")

    async def test(hub: Hub, m: Any) -> None:
        def bug() -> None:
            raise KeyError("a bug of the tick")

        m.expire = bug
        hub.spawn(fails())
        while len(caplog.records) < 3:  # two ticks and the task
            await asyncio.sleep(0.001)
        del m.expire

    with caplog.at_level(logging.WARNING, "driftline"):
        served(test)
    assert "a bug of the tick" in caplog.text and "a bug of a task" in caplog.text


def test_a_challenger_goes_on_without_what_it_refuses() -> None:
    async def test(hub: Hub, m: Any) -> None:
        await m.add_challenger("c", Spec(learner="pa1", labels=["maybe", "yes"]), "me")
        await m.learn_many([(example(k), "yes" if k % 2 else "no", None) for k in range(10)])
        champion, challenger = (one.counts for one in m.info().contenders)
        assert (champion.labelled, champion.refused) == (10, 0)
        assert (challenger.labelled, challenger.refused) == (5, 5)

    served(test)


@pytest.mark.parametrize("contender", ["c", "original "])
def test_an_unknown_contender_is_no_unknown_ticket(contender: str) -> None:
    async def test(hub: Hub, m: Any) -> None:
        with pytest.raises(UnknownContender, match="must be one of original, got"):
            m.metrics(contender)

    served(test)


def test_tickets_gather_until_somebody_waits() -> None:
    storage = MemoryStorage()
    commits: list[int] = []
    plain = storage.commit

    def commit(batch: Any) -> None:
        commits.append(sum(len(page.events) for page in batch.pages if page.model))
        plain(batch)

    storage.commit = commit  # type: ignore[method-assign]

    async def test(hub: Hub, m: Any) -> None:
        commits.clear()
        tickets = [m.predict(example(k)).ticket for k in range(5)]
        for _ in range(20):
            await asyncio.sleep(0)
        assert commits == []
        await m.label(tickets[0], "yes", "me")
        assert commits == [6]
        m.predict(example(5))

    served(test, storage, Settings(gather_seconds=1e6))  # the end does not wait for others either
    assert sum(commits) == 7


def test_batches_return_a_result_or_an_error_for_each_item() -> None:
    async def test(hub: Hub, m: Any) -> None:
        found = await m.predict_many([(example(1), "a"), ([float("inf")], None), (example(1), "a"), (example(2), "a")])
        assert [type(one).__name__ for one in found] == ["Prediction", "Refused", "Prediction", "Conflict"]
        assert found[2].repeated
        found = await m.label_many([("a", "yes", None), ("a", "no", None), (7, "no", None), ("b", "no", None)])
        assert [getattr(one, "kind", type(one).__name__) for one in found] == [
            "learned",
            "Conflict",
            "UnknownTicket",
            "kept",
        ]
        found = await m.learn_many([(example(1), "no", None), (example(1), "maybe", None), (example(2), "no", "b")])
        assert [getattr(one, "kind", type(one).__name__) for one in found] == ["learned", "Refused", "learned"]

    served(test)


def test_large_batches_have_the_results_of_their_items() -> None:
    async def test(hub: Hub, m: Any) -> None:
        events = hub.stats()["events"]
        outcomes = await m.learn_many([(example(k), "yes" if k % 3 else "no", None) for k in range(300)], "me")
        # a new model learns one by one; then 128 examples at a time are one event
        assert [one.position for one in outcomes] == [*range(2, 130), *[130] * 128, *[131] * 44]
        assert m.durable_position == 131
        assert hub.stats()["events"] == events + 130 and hub.stats()["waiting_events"] == 0
        items: list[Any] = [(example(k), None) for k in range(300)]
        items[200] = ([float("inf")], None)
        found = await m.predict_many(items)
        assert [k for k, one in enumerate(found) if isinstance(one, Refused)] == [200]
        assert [one.ticket for one in found if not isinstance(one, Refused)] == list(range(132, 431))
        await m.learn_many([(example(k), "no", f"id{k}" if k == 9 else None) for k in range(20)], "me")
        again = await m.learn_many([(example(9), "no", "id9")] * 20, "me")
        assert {one.kind for one in again} == {"repeated"}
        [repeated] = await m.predict_many([(example(9), "id9")])
        assert repeated.repeated

    storage = served(test)
    replayed = recovery.state_at(storage, 1, use_snapshots=False).model
    assert replayed.position == 280 and state_bytes(replayed) == state_bytes(recovery.state_at(storage, 1).model)


def test_batches_at_the_same_time_are_events_of_their_own() -> None:
    def batch(k: int, size: int = 20) -> list[Any]:
        return [(example(i + k), "yes" if (i + k) % 3 else "no", None) for i in range(size)]

    async def test(hub: Hub, m: Any) -> None:
        await m.learn_many(batch(0))
        before, calls, guarded = m.position, [], m.guarded
        m.guarded = lambda call: calls.append(1) or guarded(call)
        found = await asyncio.gather(*(m.learn_many(batch(k), f"caller {k}") for k in range(3)))
        assert [{one.position for one in each} for each in found] == [{before + k + 1} for k in range(3)]
        asked = await asyncio.gather(*(m.predict_many([(x, None) for x, _, _ in batch(k)]) for k in range(3)))
        assert len({one.ticket for each in asked for one in each}) == 60
        assert len(calls) == 1 + 3
        bad = [*batch(5, 9), (example(1), "maybe", None)]
        good, mixed, short = await asyncio.gather(m.learn_many(batch(6)), m.learn_many(bad), m.learn_many(batch(7, 2)))
        assert {one.kind for one in (*good, *mixed[:-1], *short)} == {"learned"} and isinstance(mixed[-1], Refused)
        many = await asyncio.gather(*(m.learn_many(batch(k, 100)) for k in range(20)))  # more than one call takes
        assert [len(each) for each in many] == [100] * 20
        assert m.durable_position == m.position and hub.stats()["waiting_events"] == 0

    storage = served(test, settings=Settings(tick_seconds=1000.0))
    replayed = recovery.state_at(storage, 1, use_snapshots=False).model
    assert state_bytes(replayed) == state_bytes(recovery.state_at(storage, 1).model)


def test_a_batch_whose_commit_fails_before_it_returns_is_not_acknowledged() -> None:
    broken, failed = [False], threading.Event()
    storage = MemoryStorage(lambda: "before" if broken[0] else "")

    async def test(hub: Hub, m: Any) -> None:
        items = [(example(k), "yes" if k % 3 else "no", None) for k in range(20)]
        await m.learn_many(items)
        put, on_failure = m.put, hub._writer._on_failure

        def put_and_fail(event: bytes, size: int = 1) -> None:
            put(event, size)
            assert failed.wait(60.0)

        def fail(error: BaseException) -> None:
            on_failure(error)
            failed.set()

        m.put, hub._writer._on_failure = put_and_fail, fail
        broken[0] = True
        with pytest.raises(Unready, match="must take the whole batch"):
            await m.learn_many(items)
        broken[0] = False
        while not hub.ready:
            await asyncio.sleep(0.001)
        total = m.hosted.champion.board.total
        assert total.labelled == 20

    served(test, storage, Settings(tick_seconds=1000.0, retry_seconds=0.001))


def test_each_example_of_a_batch_counts_towards_a_snapshot() -> None:
    async def test(hub: Hub, m: Any) -> None:
        for wanted in (False, True):
            assert not m.wants_snapshot(hub.now())
            await m.learn_many([(example(k), "yes" if k % 3 else "no", None) for k in range(200)])
            assert m.wants_snapshot(hub.now()) is wanted
        assert m.position < 300
        await m.snapshot()
        assert m.unsaved == 0

    served(test, settings=Settings(tick_seconds=1000.0, snapshot_events=300))


def test_a_restart_continues_with_the_same_bits_and_new_ticket_numbers() -> None:
    states: list[bytes] = []
    tickets: list[Any] = []

    async def first(hub: Hub, m: Any) -> None:
        for k in range(90):
            p = m.predict(example(k))
            tickets.append(p.ticket)
            if k % 3:
                await m.label(p.ticket, "yes" if k % 7 > 3 else "no")
        await m.add_challenger("c", Spec(learner="perceptron", labels=["no", "yes"]), "me")
        await m.learn(example(1), "no")
        await m.promote("c", "me")
        states.append(state_bytes(m.hosted))

    storage = served(first)

    async def second(hub: Hub, m: Any) -> None:
        info = m.info()
        assert [one.name for one in info.contenders] == ["c", "original"]
        assert await m.label(tickets[0], "no") and m.predict(example(1)).ticket > 1 << 32
        assert [entry.what for entry in hub.audit()] == ["promote", "add challenger", "create"]

    number = storage.models()[0].model
    assert state_bytes(recovery.state_at(storage, number).model) == states[0]
    assert state_bytes(recovery.state_at(storage, number, use_snapshots=False).model) == states[0]
    assert recovery.state_at(storage, number).snapshot > 0
    served(second, storage)


@pytest.mark.parametrize("seed", range(12))
def test_failed_commits_lose_nothing_acknowledged_and_learn_nothing_twice(seed: int) -> None:
    rng = random.Random(seed)
    broken = [False]
    storage = MemoryStorage(lambda: rng.choice(["before", "after", "", "", "", ""]) if broken[0] else "")
    acknowledged: dict[str, str] = {}

    async def until_taken(call: Callable[[], Awaitable[Any]]) -> Any:
        """Repeat a request with the same id until it is answered, as a client does."""
        while True:
            try:
                return await call()
            except (Unready, Busy):
                await asyncio.sleep(0.002)

    async def client(m: Any, name: str) -> None:
        for k in range(25):
            key, x, y = f"{name}{k}", example(k + len(name)), "yes" if k % 7 > 3 else "no"
            if k % 3 == 0:
                await until_taken(lambda x=x, y=y, key=key: m.learn(x, y, key))
            else:
                await until_taken(lambda x=x, key=key: durably(m, x, key))
                outcome = await until_taken(lambda key=key, y=y: m.label(key, y))
                assert outcome.kind in ("learned", "repeated"), outcome
            acknowledged[key] = y

    async def durably(m: Any, x: Any, key: str) -> None:
        m.predict(x, key)
        await m.hub.durable(m)

    async def test(hub: Hub, m: Any) -> None:
        broken[0] = True
        await asyncio.gather(*(client(m, name) for name in ("u", "vv", "www")))
        broken[0] = False
        while not hub.ready:
            await asyncio.sleep(0.002)
        assert hub.stats()["failures"] > 0
        await until_taken(lambda: m.learn({"a": 1.0}, "no", "last"))
        live = state_bytes(m.hosted)
        assert live == state_bytes(recovery.state_at(storage, m.number).model)
        assert live == state_bytes(recovery.state_at(storage, m.number, use_snapshots=False).model)

    served(test, storage)
    number = storage.models()[0].model
    learned: dict[Any, list[Any]] = {}
    for page in storage.pages(number):
        for event in map(decode, page.events):
            if isinstance(event, Told | Learned):
                learned.setdefault(event.ticket, []).append(event.y)
    assert {key: ys for key, ys in learned.items() if key != "last"} == {key: [y] for key, y in acknowledged.items()}
    model = recovery.state_at(storage, number).model
    assert model.champion.learner.n_seen == len(acknowledged) + 1


def test_the_hub_is_not_ready_while_the_storage_fails_and_recovers_by_itself() -> None:
    failing = [False]
    storage = MemoryStorage(lambda: "before" if failing[0] else "")

    async def test(hub: Hub, m: Any) -> None:
        await m.learn(example(1), "no")
        before = state_bytes(m.hosted)
        failing[0] = True
        lost = m.predict(example(2)).ticket
        with pytest.raises(Unready, match="room"):
            await m.learn(example(2), "yes")
        assert not hub.ready and "room" in hub.why_not_ready
        with pytest.raises(Unready):
            m.predict(example(1))
        failing[0] = False
        while not hub.ready:
            await asyncio.sleep(0.001)
        assert m.hosted.champion.learner.n_seen == 1 and len(state_bytes(m.hosted)) - len(before) < 10
        with pytest.raises(UnknownTicket):
            await m.label(lost, "yes")
        assert m.predict(example(3)).ticket != lost
        assert (await m.label(lost, "yes", x=example(2))).kind == "learned"

    served(test, storage)


def test_a_full_queue_is_busy() -> None:
    async def test(hub: Hub, m: Any) -> None:
        with pytest.raises(Busy) as found:
            for k in range(200):
                m.predict(example(k))
        assert found.value.retry_after > 0.0
        await hub.durable(m)
        m.predict(example(1))

    served(test, settings=Settings(queue_events=100))


def test_rollback_goes_back_and_is_itself_replayed() -> None:
    async def test(hub: Hub, m: Any) -> None:
        for k in range(30):
            await m.learn(example(k), "no", f"k{k}")
        at, middle = m.position, state_bytes(m.hosted)
        row = await m.snapshot("me")
        assert row.position == at
        for k in range(30, 60):
            await m.learn(example(k), "yes", f"k{k}")
        position = m.position
        info = await m.rollback(to=at, who="me")
        assert info.position == position + 1 and info.contenders[0].examples == 30
        assert (await m.learn(example(40), "no", "k40")).kind == "learned"
        assert (await m.learn(example(4), "no", "k4")).kind == "repeated"
        await m.rollback(snapshot=row.id)
        learner = m.hosted.champion.learner.to_bytes()
        assert learner == recovery.state_at(hub.storage, m.number, at).model.champion.learner.to_bytes()
        assert state_bytes(recovery.state_at(hub.storage, m.number, at, use_snapshots=False).model) == middle
        live = state_bytes(m.hosted)
        assert live == state_bytes(recovery.state_at(hub.storage, m.number, use_snapshots=False).model)
        for wrong in ({"to": 0}, {"to": m.position}, {"snapshot": 99}, {}):
            with pytest.raises(Refused):
                await m.rollback(**wrong)

    served(test)


def test_models_are_created_described_and_deleted() -> None:
    async def test(hub: Hub, m: Any) -> None:
        with pytest.raises(Conflict):
            await hub.create("m", PA1)
        for name, spec in (("../x", PA1), ("n", Spec(learner="nobody")), ("n", Spec(learner="pa1", options={"Z": 1}))):
            with pytest.raises(ServeError):
                await hub.create(name, spec)
        await hub.create("n", Spec(learner="pa1", asking=Budget(share=0.5)), "me")
        assert [one.name for one in hub.models()] == ["m", "n"]
        other = hub.model("n")
        await hub.delete("n", "me")
        with pytest.raises(UnknownModel, match=r"got 'n'\. GET /v1/models lists them"):
            hub.model("n")
        with pytest.raises(UnknownModel):
            other.predict(example(1))
        assert [one.what for one in hub.audit()] == ["delete", "create", "create"]
        await hub.create("n", PA1)

    served(test)


def test_people_see_metrics_series_questions_weights_and_updates() -> None:
    async def test(hub: Hub, m: Any) -> None:
        updates = hub.subscribe()
        for k in range(50):
            p = m.predict(example(k))
            if k < 40:
                await m.label(p.ticket, "yes" if k % 7 > 3 else "no")
        metrics = m.metrics()
        assert metrics["counts"].labelled == 40 and metrics["window"]["examples"] == 40
        assert metrics["window"]["log_loss"] == pytest.approx(metrics["counts"].log_loss)
        assert metrics["window"]["accuracy"] == 1.0 - metrics["counts"].error
        assert sum(n for _, _, n in metrics["confusion"]) == 40
        buckets = m.series()[0].buckets
        assert sum(bucket.labelled for bucket in buckets) == 40 and {bucket.seconds for bucket in buckets} == {10.0}
        worths = [one.worth for one in m.questions(5)]
        assert len(worths) == 5 and worths == sorted(worths, reverse=True)
        assert m.example_of(m.questions(1)[0].ticket)
        assert m.largest_weights(2) and m.leaders() == [] and m.alarms() == []
        assert m.explain(example(1))["score"] is not None
        assert (await anext(updates)).model == "m"
        data = await m.export()
        await m.import_(data, "me")
        assert m.log(0, 3)[1].event["kind"] == "asked"

    served(test)


def test_a_rising_error_raises_an_alarm_also_after_a_restart() -> None:
    async def test(hub: Hub, m: Any) -> None:
        for k in range(900):
            y = (k % 7 > 3) != (k > 600)
            await m.learn({"a": k % 7 - 3.0 if k < 600 else 0.0}, "yes" if y else "no")
            if k % 50 == 0:
                m.look_for_alarms()
        assert m.alarms() and m.alarms()[0].contender == "original"

    async def again(hub: Hub, m: Any) -> None:
        assert m.alarms()

    served(again, served(test, settings=Settings()), settings=Settings())


def damaged(*others: str) -> tuple[MemoryStorage, str]:
    """A storage with the model m, whose log is damaged, and others; and what must be said of m."""

    async def test(hub: Hub, m: Any) -> None:
        for k in range(10):
            await m.learn(example(k), "no")
        for name in others:
            await hub.create(name, PA1, "me")

    storage = served(test, settings=Settings())
    number = storage.models()[0].model
    storage.kept = [one for one in storage.kept if one[0].model != number]
    log = storage.logs[number]
    page: Page = log[5]
    log[5] = Page(page.model, page.first, page.last, [b"x" + (page.events[0] or b"")], page.digests, page.chain)
    return storage, f"model 'm'.*event {page.first}.*--until {page.first - 1}"


def test_a_damaged_log_is_refused_with_the_model_the_event_and_a_remedy() -> None:
    storage, told = damaged()
    with pytest.raises(DamagedError, match=told):
        Hub.open(storage)


def test_a_damaged_log_does_not_stop_the_other_models() -> None:
    storage, told = damaged("good")

    async def run() -> None:
        hub = Hub.open(storage)
        await hub.start()
        assert hub.ready and [one.name for one in hub.models()] == ["good"]
        assert (await hub.model("good").learn(example(1), "no")).kind == "learned"
        with pytest.raises(Unready, match=told):
            hub.model("m")
        with pytest.raises(Conflict, match="must be new"):
            await hub.create("m", PA1, "me")
        await hub.delete("m", "me")
        await hub.create("m", PA1, "me")
        assert (await hub.model("m").learn(example(1), "no")).kind == "learned"
        await hub.close()
        again = Hub.open(storage)
        assert not again.broken and [one.name for one in again.models()] == ["good", "m"]

    asyncio.run(run())


def test_closing_writes_everything_that_waits_and_a_last_snapshot() -> None:
    async def test(hub: Hub, m: Any) -> None:
        for k in range(500):
            m.predict(example(k))

    storage = served(test, settings=Settings())
    number = storage.models()[0].model
    assert storage.head(number)[0] == 501
    assert storage.snapshots(number)[-1].position == 501

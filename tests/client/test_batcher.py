"""The batcher sends groups by size and age, in order, and loses no error."""

from __future__ import annotations

import json
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from driftline.client import Batcher, BatchError, Client
from tests.client.fake_service import FakeService, refused

LONG = 3600.0


def model(service: Any) -> Any:
    return Client("http://service", transport=httpx.MockTransport(service), retries=0).model("spam")


def groups(service: FakeService) -> list[tuple[str, int]]:
    return [(one.url.path.rpartition("/")[2], len(json.loads(one.content)["items"])) for one in service.requests]


def test_a_group_is_sent_when_it_is_full_and_the_rest_at_the_end() -> None:
    service = FakeService()
    with Batcher(model(service), size=4, age=LONG) as batcher:
        for k in range(10):
            batcher.learn({"a": k}, "ham")
    assert sum(size for _, size in groups(service)) == 10 and max(size for _, size in groups(service)) == 4
    assert [x["a"] for x, _ in service.learned] == list(range(10))
    assert batcher.sent == 10 and batcher.refused == []


def test_an_old_item_is_sent_before_the_group_is_full() -> None:
    came = Event()

    def service(request: httpx.Request) -> httpx.Response:
        came.set()
        return httpx.Response(200, json={"items": [{"kind": "learned"}]})

    with Batcher(model(service), size=100, age=0.01) as batcher:
        batcher.label(1, "ham")
        assert came.wait(30.0)


def test_labels_and_examples_keep_their_order() -> None:
    service = FakeService()
    service.open = {1: {"t": 1}, 2: {"t": 2}, 3: {"t": 3}}
    with Batcher(model(service), size=100, age=LONG) as batcher:
        batcher.label(1, "ham")
        batcher.label(2, "ham")
        batcher.learn({"a": 1}, "ham")
        batcher.label(3, "ham")
    assert groups(service) == [("label:batch", 2), ("learn:batch", 1), ("label:batch", 1)]
    assert [x for x, _ in service.learned] == [{"t": 1}, {"t": 2}, {"a": 1}, {"t": 3}]


def test_refused_items_are_raised_at_the_end_with_their_content() -> None:
    service = FakeService()
    with pytest.raises(BatchError, match="1 of 1 items were refused") as error, Batcher(model(service)) as batcher:
        batcher.learn({"a": 1}, "ham")
        batcher.label("nobody", "ham")
    assert error.value.items == [{"route": "label", "ticket": "nobody", "y": "ham"}]
    assert error.value.results[0].status == 404 and batcher.sent == 1


def test_items_that_could_not_be_sent_are_kept_with_their_ids() -> None:
    service = FakeService(refused(503))
    with Batcher(model(service), age=LONG) as batcher:
        batcher.learn({"a": 1}, "ham")
        with pytest.raises(BatchError) as error:
            batcher.flush()
        assert error.value.status == 503
        (item,) = error.value.items
        batcher.learn(item["x"], item["y"], item["id"])
        batcher.flush()
    assert service.learned == [({"a": 1}, "ham")] and batcher.sent == 1


def test_an_error_in_the_block_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError) as error, Batcher(model(FakeService())) as batcher:
        batcher.label("nobody", "ham")
        raise ZeroDivisionError
    assert "items were refused" in error.value.__notes__[0]


def test_an_answer_that_breaks_the_rules_does_not_end_the_thread() -> None:
    """A wrong number of results, then an error that is no ServiceError."""
    answers = iter([lambda: httpx.Response(200, json={"items": []}), lambda: 1 / 0])
    service = FakeService(*[lambda request, answer: next(answers)()] * 2)  # type: ignore[arg-type, list-item, return-value]
    with Batcher(model(service), age=LONG) as batcher:
        for _ in range(2):
            batcher.learn({"a": 1}, "ham")
            with pytest.raises(BatchError):
                batcher.flush()
        batcher.learn({"a": 1}, "ham")
    assert batcher.sent == 1


def test_a_full_backlog_waits_for_the_service() -> None:
    going, entered = Event(), Event()

    def service(request: httpx.Request) -> httpx.Response:
        entered.set()
        assert going.wait(30.0)
        return httpx.Response(200, json={"items": [{"kind": "learned"}]})

    batcher = Batcher(model(service), size=1, age=LONG)
    added: list[int] = []

    def adding() -> None:
        for k in range(30):
            batcher.learn({"a": k}, "ham")
            added.append(k)

    thread = Thread(target=adding)
    thread.start()
    assert entered.wait(30.0)
    thread.join(0.2)
    assert thread.is_alive() and len(added) <= 22
    going.set()
    thread.join(30.0)
    batcher.close()
    assert batcher.sent == 30


def test_a_closed_batcher_takes_nothing() -> None:
    batcher = Batcher(model(FakeService()))
    batcher.close()
    batcher.close()
    with pytest.raises(RuntimeError, match="must be open to add items"):
        batcher.label(1, "ham")
    with pytest.raises(ValueError, match="size must be >= 1 and age > 0, got 0 and 1"):
        Batcher(model(FakeService()), size=0, age=1)

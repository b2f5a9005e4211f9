"""The load generator is bounded, counts what it sends, and cleans up."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from driftline.client import ServiceError
from driftline.client.load import Load, LoadRun
from tests.client.fake_service import FakeService, answer_lost, problem, refused


class Service(FakeService):
    """A fake service in which the model exists, or is created; it counts requests at the same time."""

    def __init__(self, *faults: Any, exists: bool = True) -> None:
        super().__init__(*faults)
        self.exists = exists
        self.changes: list[str] = []
        self.now = self.most = 0

    async def serve(self, request: httpx.Request) -> httpx.Response:
        if request.method == "DELETE" or request.url.path == "/v1/models":
            self.changes.append(request.method)
            self.exists = request.method == "POST"
            return httpx.Response(200, json={"name": "stress"})
        if request.method == "GET":
            return httpx.Response(200, json={"name": "stress"}) if self.exists else problem(404, "Unknown model", "")
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        return self(request)


def run(service: Service, **load: Any) -> dict[str, Any]:
    some = LoadRun(Load("http://127.0.0.1:1", **load), httpx.MockTransport(service.serve))
    asyncio.run(some.run())
    return json.loads(json.dumps(some.to_dict()))  # type: ignore[no-any-return]


def test_the_number_of_requests_and_clients_is_bounded() -> None:
    service = Service()
    found = run(service, requests=40, clients=3)
    assert len(service.requests) == 40 and service.most == 3
    assert sum(one["requests"] for one in found["routes"].values()) == 40
    assert 0 < found["routes"]["label"]["requests"] < 20
    assert found["per_second"] > 0 and 0 < found["routes"]["predict"]["p50_ms"] <= found["routes"]["predict"]["p99_ms"]
    assert service.changes == []


def test_the_time_is_bounded() -> None:
    service = Service()
    found = run(service, seconds=0.05, clients=2)
    assert found["seconds"] >= 0.05 and service.requests


@pytest.mark.parametrize(("share", "labels"), [(0.0, 0), (1.0, 10)])
def test_the_share_of_labels(share: float, labels: int) -> None:
    assert run(Service(), requests=20, clients=1, label_share=share)["routes"]["label"]["requests"] == labels


def test_batches() -> None:
    service = Service()
    found = run(service, requests=4, clients=1, batch=5, label_share=1.0)
    assert [one.url.path.rpartition("/")[2] for one in service.requests] == ["predict:batch", "label:batch"] * 2
    assert all(len(json.loads(one.content)["items"]) == 5 for one in service.requests) and found["batch"] == 5


def test_errors_are_counted_by_kind_and_nothing_is_sent_again() -> None:
    service = Service(refused(503), answer_lost, refused(503), refused(429))
    found = run(service, requests=10, clients=1, label_share=0.0)
    assert found["routes"]["predict"]["errors"] == {"503 Later": 2, "ReadError": 1, "429 Later": 1}
    assert found["routes"]["predict"]["requests"] == 6 and len(service.requests) == 10


def test_a_model_that_was_created_is_deleted_also_after_an_error() -> None:
    service = Service(exists=False)
    run(service, requests=2)
    assert service.changes == ["POST", "DELETE"]

    def broken(request: httpx.Request, answer: Any) -> httpx.Response:
        raise ZeroDivisionError

    service = Service(broken, exists=False)
    with pytest.raises(ZeroDivisionError):
        run(service, requests=2, clients=1)
    assert service.changes == ["POST", "DELETE"]


def test_a_service_that_refuses_the_token_is_an_error() -> None:
    transport = httpx.MockTransport(lambda request: problem(401, "Unauthorized", "token: must be known"))
    with pytest.raises(ServiceError, match="401 Unauthorized"):
        asyncio.run(LoadRun(Load("http://127.0.0.1:1"), transport).run())

"""Following a model to the server that holds it."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from driftline.client import AsyncClient, Client, ServiceError, UnreachableError
from driftline.client.retries import Retries

INFO = {"name": "spam", "contenders": [{"name": "original"}]}


class Fleet:
    """Servers a, b and c; ``holder`` has the model, ``down`` do not answer."""

    def __init__(self, holder: str, scheme: str = "http") -> None:
        self.holder, self.scheme = holder, scheme
        self.down: set[str] = set()
        self.asked: list[str] = []
        self.tokens: set[str] = set()
        self.errors: list[httpx.TransportError] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        self.asked.append(host)
        self.tokens.add(request.headers.get("authorization", ""))
        if host in self.down:
            raise httpx.ConnectError("refused")
        if host == self.holder and self.errors:
            raise self.errors.pop()
        if request.url.path == "/v1/models":
            return httpx.Response(200, json={"models": [], "elsewhere": {"spam": f"http://{self.holder}"}})
        if host != self.holder:
            target = f"{self.scheme}://{self.holder}{request.url.raw_path.decode()}"
            problem = {"title": "Held by another server", "status": 307}
            return httpx.Response(307, headers={"location": target}, json=problem)
        return httpx.Response(200, json=INFO)

    def client(self, url: str = "http://a") -> Client:
        client = Client(url, token="t", retries=2, transport=httpx.MockTransport(self))
        client._sleep = lambda seconds: None
        return client


def test_a_request_follows_with_its_token_and_the_next_goes_there_at_once() -> None:
    fleet = Fleet("b")
    model = fleet.client().model("spam")
    assert model.info().name == "spam" and fleet.asked == ["a", "b"]
    model.info()
    assert fleet.asked == ["a", "b", "b"] and fleet.tokens == {"Bearer t"}


def test_a_server_that_answers_no_more_is_forgotten() -> None:
    fleet = Fleet("b")
    model = fleet.client().model("spam")
    model.info()
    fleet.holder, fleet.down = "c", {"b"}
    model.info()
    assert fleet.asked == ["a", "b", "b", "a", "c"]
    fleet.down = {"a", "c"}
    with pytest.raises(UnreachableError):
        model.info()


def test_a_refused_connection_costs_neither_a_pause_nor_a_retry() -> None:
    fleet = Fleet("b")
    client = fleet.client()
    client._retries = Retries(0)
    model = client.model("spam")
    model.info()
    fleet.holder, fleet.down = "c", {"b"}
    assert model.info().name == "spam" and fleet.asked == ["a", "b", "b", "a", "c"]
    fleet.asked.clear()
    fleet.down = {"c"}  # a still refers to it
    with pytest.raises(UnreachableError):
        model.info()
    assert fleet.asked == ["c", "a", "c"]

    async def asked() -> list[str]:
        fleet = Fleet("b")
        async with AsyncClient("http://a", retries=0, transport=httpx.MockTransport(fleet)) as client:
            await client.model("spam").info()
            fleet.holder, fleet.down = "c", {"b"}
            await client.model("spam").info()
        return fleet.asked

    assert asyncio.run(asked()) == ["a", "b", "b", "a", "c"]


@pytest.mark.parametrize(
    ("error", "asked"),
    [
        (httpx.ReadTimeout("late"), ["b"]),  # it has waited enough, and the next server may refer to the same one
        (httpx.ConnectTimeout("late"), ["b"]),
        (httpx.ReadError("broken"), ["b", "a", "b"]),
    ],
)
def test_a_broken_connection_is_tried_elsewhere_and_a_time_out_is_an_error(
    error: httpx.TransportError, asked: list[str]
) -> None:
    fleet = Fleet("b")
    client = fleet.client()
    client._retries = Retries(0)
    model = client.model("spam")
    model.info()
    fleet.asked.clear()
    fleet.errors = [error]
    if len(asked) == 1:
        with pytest.raises(UnreachableError):
            model.info()
    else:
        model.info()
    assert fleet.asked == asked


def test_a_request_that_may_have_been_applied_is_not_sent_elsewhere() -> None:
    fleet = Fleet("b")
    client = fleet.client()
    model = client.model("spam")
    model.info()
    fleet.asked.clear()
    fleet.errors = [httpx.ReadError("broken")]
    with pytest.raises(UnreachableError):
        model.delete()
    assert fleet.asked == ["b"]


def test_all_models_are_listed() -> None:
    assert [one.name for one in Fleet("b").client().models()] == ["spam"]

    async def listed() -> list[str]:
        fleet = Fleet("b")
        async with AsyncClient("http://a", transport=httpx.MockTransport(fleet)) as client:
            return [one.name for one in await client.models()]

    assert asyncio.run(listed()) == ["spam"]


def test_servers_that_send_a_request_around_are_an_error() -> None:
    fleet = Fleet("nowhere")
    fleet.holder = "b"
    around = httpx.MockTransport(lambda request: httpx.Response(307, headers={"location": str(request.url)}))
    with Client("http://a", retries=0, transport=around) as client, pytest.raises(ServiceError) as caught:
        client.model("spam").info()
    assert caught.value.status == 307


def test_a_token_does_not_follow_from_https_to_http() -> None:
    fleet = Fleet("b")
    with pytest.raises(ServiceError) as caught:
        fleet.client("https://a").model("spam").info()
    assert caught.value.status == 307 and fleet.asked == ["a"]
    assert Fleet("b", "https").client("https://a").model("spam").info().name == "spam"

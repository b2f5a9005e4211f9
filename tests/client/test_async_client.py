"""The asynchronous client does what the synchronous one does."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from driftline.client import AsyncClient, AsyncModel, BatchError, Client, Model, ServiceError
from tests.client.fake_service import FakeService, answer_lost, refused

ONE_MODEL = {"name": "m"}


@pytest.mark.parametrize(("one", "other"), [(Client, AsyncClient), (Model, AsyncModel)])
def test_both_have_the_same_methods_with_the_same_arguments(one: type, other: type) -> None:
    def methods(some: type) -> dict[str, list[Any]]:
        return {
            name: [(each.name, each.default, each.kind) for each in inspect.signature(method).parameters.values()]
            for name, method in inspect.getmembers(some, inspect.isfunction)
            if not name.startswith("_") or name == "__init__"
        }

    assert methods(one) == methods(other)


def test_many_tasks_share_a_client_and_nothing_is_learned_twice() -> None:
    service = FakeService(answer_lost, refused(503), answer_lost)
    pauses: list[float] = []

    async def noted(seconds: float) -> None:
        pauses.append(seconds)

    async def all_of_it() -> None:
        async with AsyncClient("http://service", transport=service.transport()) as client:
            client._sleep = noted
            model = client.model("spam")
            found = await asyncio.gather(*(model.learn({"a": k}, "ham") for k in range(10)))
            assert {one.kind for one in found} == {"learned", "repeated"}
            ticket = (await model.predict({"b": 1})).ticket
            assert (await model.label(ticket, "spam")).learned
            tickets = [one.ticket for one in await model.predict_many([{"c": 1}] * 3, ids=["x", "y", "z"], chunk=2)]
            assert len(await model.label_many([(ticket, "ham") for ticket in tickets])) == 3
            with pytest.raises(BatchError):
                await model.label_many([("unknown", "ham")])
            with pytest.raises(ServiceError, match="404"):
                await model.label("unknown", "ham")

    asyncio.run(all_of_it())
    assert len(service.learned) == 14 and len(pauses) == 3

"""Labels that would share a key in JSON are refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from driftline.serve.errors import Refused
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.state import state_bytes
from driftline.serve.hub import Hub
from driftline.serve.log.events import Created, Limits, Told
from driftline.serve.settings import Settings
from driftline.serve.spec import Spec
from tests.support.memory_storage import MemoryStorage

LIMITS = Limits(max_open=40, remember=10, window=30)
X = {"a": 1.0}
PAIRS = [("1", 1), (1, "1"), ("1.5", 1.5), ("true", True), (False, "false")]


def model(learner: str = "pa1", labels: Any = None) -> HostedModel:
    return HostedModel.created(Created(0.0, Spec(learner=learner, labels=labels), "", None, LIMITS))


@pytest.mark.parametrize("learner", ["pa1", "multiclasspa"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_second_one_is_refused_and_changes_nothing(learner: str, first: Any, second: Any) -> None:
    made = model(learner)
    made.learn(X, first, None, "me", 1.0)
    ticket = made.ask(X, None, 2.0)[0].ticket
    before = state_bytes(made)
    for call in (
        lambda: made.learn(X, second, None, "me", 3.0),
        lambda: made.tell(ticket, second, "me", 3.0),
        lambda: made.tell("unknown", second, "me", 3.0),
    ):
        with pytest.raises(Refused, match=r"^label: the labels of a model must have different keys in JSON, got"):
            call()
        assert state_bytes(made) == before
    made.tell(ticket, first, "me", 3.0)
    assert made.ask(X, None, 4.0)[0].label in (first, None)


def test_labels_that_are_equal_or_have_other_keys_are_learned() -> None:
    made = model("multiclasspa", [1, "2", "1.0"])
    for y in (1, "2", 1.0, "1.0", 3, "true"):
        made.learn(X, y, None, "me", 1.0)
    regressor = model("paregressor")
    regressor.learn(X, 1, None, "me", 1.0)


def test_a_log_with_both_labels_is_replayed() -> None:
    made = model("multiclasspa", [1, 2])
    ticket = made.ask(X, None, 1.0)[0].ticket
    made.apply(Told(2.0, ticket, "1", "me"))
    assert list(made.champion.learner.labels) == [1, 2, "1"]


def test_a_specification_with_both_is_refused() -> None:
    async def run() -> None:
        hub = Hub.open(MemoryStorage(), Settings())
        await hub.start()
        both = Spec(learner="pa1", labels=[1, "1"])
        try:
            with pytest.raises(Refused, match=r"^spec: labels must have different keys in JSON, got '1' next to 1"):
                await hub.create("m", both, "me")
            await hub.create("m", Spec(learner="pa1"), "me")
            with pytest.raises(Refused, match=r"^spec: labels must have different keys in JSON, got '1' next to 1"):
                await hub.model("m").add_challenger("other", both, "me")
        finally:
            await hub.close()

    asyncio.run(run())


def test_in_batches_only_its_item_is_refused() -> None:
    async def run() -> None:
        hub = Hub.open(MemoryStorage(), Settings())
        await hub.start()
        try:
            await hub.create("m", Spec(learner="pa1"), "me")
            served = hub.model("m")
            await served.learn_many([(X, k % 2, None) for k in range(20)], "me")
            items: list[Any] = [(X, "1" if k == 3 else 0, None) for k in range(20)]
            for found in (
                await served.learn_many(items, "me"),
                await served.label_many([(f"t{k}", y, X) for k, (_, y, _) in enumerate(items)], "me"),
            ):
                assert isinstance(found[3], Refused)
                assert "must have different keys in JSON, got '1' next to 1" in str(found[3])
                assert [getattr(one, "kind", "") for one in found] == ["learned"] * 3 + [""] + ["learned"] * 16
            assert served.hosted.champion.board.total.labelled == 58
            assert list(served.hosted.champion.learner.labels) == [0, 1]
        finally:
            await hub.close()

    asyncio.run(run())

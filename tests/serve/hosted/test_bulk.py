"""Many examples at once: the answers and bits of one by one, in one event."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from driftline.serve.errors import Refused, UnknownTicket
from driftline.serve.hosted import bulk
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.open_items import ITEM_BYTES, asked_of
from driftline.serve.hosted.replay import replay
from driftline.serve.hosted.state import model_of, state_bytes
from driftline.serve.log.events import ContenderAdded, Created, Limits, decode
from driftline.serve.spec import Budget, Efficient, Spec

LIMITS = Limits(max_open=40, remember=10, window=30)
PLAIN = {
    "pa1": Spec(learner="pa1"),
    "declared": Spec(learner="pa1", labels=["no", "yes"]),
    "scaled": Spec(learner="arow", options={"scale": "standard"}),
    "weighted": Spec(learner="pa1", options={"class_weight": {"no": 0.0}}),
}
OTHERS = {
    "efficient": Spec(learner="pa1", asking=Efficient(b=0.5)),
    "budget": Spec(learner="pa1", asking=Budget(share=0.5)),
    "classes": Spec(learner="multiclasspa"),
    "regressor": Spec(learner="paregressor"),
}


def row(rng: random.Random, listed: bool) -> tuple[Any, str]:
    values = [rng.gauss(0.0, 1.0) for _ in range(4)]
    y = "yes" if values[0] + 0.3 * rng.gauss(0.0, 1.0) > 0.2 else "no"
    if listed:
        return values, y
    return dict(zip(rng.sample("abcdefg", 4), [*values[:3], rng.choice(["red", "blue", 1, True])], strict=True)), y


def model(spec: Spec, rounds: int = 30, listed: bool = False) -> HostedModel:
    made, rng = HostedModel.created(Created(0.0, spec, "", None, LIMITS)), random.Random(2)
    for k in range(rounds):
        x, y = row(rng, listed)
        made.learn(x, y, None, "me", 1.0 + k)
    return made


def plain_state(one: HostedModel) -> Any:
    """What a batch shares with its examples one by one: all but positions, and how open tickets are kept."""
    state = msgspec.msgpack.decode(state_bytes(one))
    state[3], state[5], state[11] = None, state[3] + state[5], None
    return state, [asked_of(ticket, opened) for ticket, opened in one.tickets.open.items()]


def at_once(many: HostedModel, X: list[Any], ys: list[str], at: float) -> tuple[Any, Any, list[bytes]]:
    rows = bulk.rows_for(many, X)
    assert rows is not None
    [(asked, event)] = bulk.ask(many, rows, [X], at)
    [(learned, other)] = bulk.learn(many, rows, [(X, ys, "me")], at)
    return asked, learned, [event, other]


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("spec", PLAIN.values(), ids=PLAIN)
def test_results_and_bits_are_those_of_one_by_one(spec: Spec, listed: bool) -> None:
    one, many = model(spec, listed=listed), model(spec, listed=listed)
    rng = random.Random(3)
    for size in (1, 7, 60, 1, 90, 2000):  # beyond the open tickets, and the rounds of the calibrator
        X, ys = (list(column) for column in zip(*(row(rng, listed) for _ in range(size)), strict=True))
        at = 40.0 + size
        before = many.position
        asked, learned, events = at_once(many, X, ys, at)
        assert asked == [replace(one.ask(x, None, at)[0], position=before) for x in X]
        found = [one.learn(x, y, None, "me", at)[0] for x, y in zip(X, ys, strict=True)]
        assert learned == [replace(outcome, position=many.position) for outcome in found]
        assert len(events) == many.position - before == 2
        many.tickets_above += size - 1  # one by one, learned examples have positions without tickets
        assert plain_state(one) == plain_state(many)
        ticket = asked[-1].ticket
        told = [each.tell(ticket, ys[-1], "me", at + 1.0)[0] for each in (one, many)]
        assert replace(told[0], position=0) == replace(told[1], position=0) and told[0].kind == "learned"
        assert plain_state(one) == plain_state(many)


@pytest.mark.parametrize("spec", PLAIN.values(), ids=PLAIN)
def test_a_restart_after_batches_continues_with_the_same_bits(spec: Spec) -> None:
    live, log = model(spec), []
    begun, rng = state_bytes(live), random.Random(4)
    for k in range(6):
        X, ys = (list(column) for column in zip(*(row(rng, False) for _ in range(12 + k)), strict=True))
        asked, _, events = at_once(live, X, ys, 50.0 + 12.0 * k)
        log += events
        if k % 2:  # batches of learned examples follow each other
            log.append(bulk.learn(live, X, [(X, ys, "me")], 51.0 + 12.0 * k)[0][1])
        for found, y in list(zip(asked, ys, strict=True))[3 : 3 + 4 * k]:
            if found.ticket in live.tickets.open:
                log.append(live.tell(found.ticket, y, "me", 52.0 + 12.0 * k)[1] or b"")
        for cut in (0, len(log) // 2, len(log)):
            again = model_of(begun)
            replay(again, [decode(data) for data in log[:cut]], log[:cut])
            again = model_of(state_bytes(again))  # a snapshot, in which some items of a batch are open
            replay(again, [decode(data) for data in log[cut:]], log[cut:])
            assert state_bytes(again) == state_bytes(live)
            assert again.tickets.open_bytes == live.tickets.open_bytes > 0


def test_the_oldest_tickets_of_batches_close_at_the_limit_of_bytes() -> None:
    X: Any = [{"word": "a" * 100, "a": float(k)} for k in range(10)]
    made = model(PLAIN["pa1"])
    made.tickets.max_bytes = 3 * (ITEM_BYTES + 130)
    tickets = [one.ticket for one in bulk.ask(made, X, [X], 99.0)[0][0]]
    assert list(made.tickets.open) == tickets[-3:]
    restored = model_of(state_bytes(made))
    assert state_bytes(restored) == state_bytes(made) and restored.tickets.open_bytes == made.tickets.open_bytes
    made.tell(tickets[-1], "yes", "me", 99.0)
    with pytest.raises(UnknownTicket, match="has expired"):
        made.tell(tickets[0], "yes", "me", 99.0)
    made.tickets.expire(100.0, 100.0)
    assert made.tickets.open_bytes == 0 and not made.tickets.open


def test_a_refused_example_or_label_changes_nothing() -> None:
    made = model(PLAIN["pa1"])
    before = state_bytes(made)
    good = {"a": 1.0, "b": 2.0}
    for X, ys in (
        ([good, good, {"a": float("inf")}], ["no", "yes", "no"]),
        ([good] * 3, ["no", "yes", "maybe"]),
        ([good] * 3, ["no", "yes", float("nan")]),
        ([good, {"new": 1.0}, {"a": 10**400}], ["no", "yes", "no"]),
    ):
        with pytest.raises(Refused):
            bulk.learn(made, X, [(X, ys, "me")], 99.0)
        if ys[2] == "no":
            with pytest.raises(Refused):
                bulk.ask(made, X, [X], 99.0)
        assert state_bytes(made) == before


@pytest.mark.parametrize("spec", OTHERS.values(), ids=OTHERS)
def test_other_models_take_examples_one_by_one(spec: Spec) -> None:
    made = HostedModel.created(Created(0.0, spec, "", None, LIMITS))
    for k in range(4):
        made.learn({"a": 1.0 - k}, k % 2, None, "me", 1.0)
    assert bulk.rows_for(made, [{"a": 1.0}] * 9) is None


def test_so_do_new_models_challengers_waiting_labels_and_mixed_kinds() -> None:
    X: Any = [{"a": 1.0}] * 9
    assert bulk.rows_for(model(PLAIN["declared"], 0), X) is None
    assert bulk.rows_for(model(PLAIN["pa1"]), [*X, [1.0]]) is None
    waiting = model(PLAIN["pa1"])
    waiting.tell("later", "yes", "me", 50.0)
    assert bulk.rows_for(waiting, X) is None
    challenged = model(PLAIN["pa1"])
    assert bulk.rows_for(challenged, X) is not None
    challenged.change(ContenderAdded(0.0, "c", PLAIN["pa1"], None, "me"), 50.0)
    assert bulk.rows_for(challenged, X) is None


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("spec", PLAIN.values(), ids=PLAIN)
def test_batches_together_have_the_events_and_bits_of_each_alone(spec: Spec, listed: bool) -> None:
    alone, together = model(spec, listed=listed), model(spec, listed=listed)
    rng, log, begun = random.Random(5), [], state_bytes(model(spec, listed=listed))
    for sizes in ((1,), (8, 100, 30), (40, 1, 9, 50)):
        drawn = [[row(rng, listed) for _ in range(size)] for size in sizes]
        batches = [([x for x, _ in each], [y for _, y in each], f"caller {k}") for k, each in enumerate(drawn)]
        examples = [X for X, _, _ in batches]
        rows = bulk.rows_for(together, [x for X in examples for x in X])
        asked = bulk.ask(together, rows, examples, 50.0)
        learned = bulk.learn(together, rows, batches, 51.0)
        assert asked == [bulk.ask(alone, bulk.rows_for(alone, X), [X], 50.0)[0] for X in examples]
        assert learned == [bulk.learn(alone, bulk.rows_for(alone, one[0]), [one], 51.0)[0] for one in batches]
        log += [event for _, event in (*asked, *learned)]
    assert state_bytes(together) == state_bytes(alone)
    again = model_of(begun)
    replay(again, [decode(data) for data in log], log)
    assert state_bytes(again) == state_bytes(together)

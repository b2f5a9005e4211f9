"""The state of a live model, after a restart, and of a replay from the first event: the same bits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.serve.errors import Conflict, Refused, ServeError, UnknownTicket
from driftline.serve.hosted.state import model_of, state_bytes
from driftline.serve.log.events import ContenderAdded, ContenderRemoved, Imported, Limits, Opened, Promoted
from driftline.serve.spec import Budget, Efficient, Spec
from tests.support.hosted_logs import LoggedModel

VALUES = st.one_of(st.floats(-9.0, 9.0), st.integers(-5, 5), st.sampled_from(["red", "blue"]), st.none(), st.booleans())
EXAMPLES = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)
LABELS = st.sampled_from(["no", "yes", "yes", "no", "maybe"])
IDS = st.none() | st.sampled_from(["k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"])
SPECS = {
    "plain": Spec(learner="pa1", labels=["no", "yes"], expire_after=20.0),
    "efficient": Spec(learner="perceptron", labels=["no", "yes"], asking=Efficient(b=0.5), expire_after=20.0),
    "budget": Spec(learner="arow", labels=["no", "yes"], asking=Budget(share=0.5)),
    "classes": Spec(learner="multiclasspa", expire_after=50.0),
}
CHALLENGERS = [
    Spec(learner="perceptron", labels=["no", "yes"]),
    Spec(learner="pa1", labels=["no", "yes"], asking=Efficient(b=2.0)),
    Spec(learner="pa1", labels=["yes", "maybe"]),  # it refuses some labels
]
OPS = st.one_of(
    st.tuples(st.just("ask"), EXAMPLES, IDS),
    st.tuples(st.just("ask"), EXAMPLES, st.none()),
    st.tuples(st.just("tell"), st.integers(0, 9), LABELS, st.none() | EXAMPLES),
    st.tuples(st.just("tell"), st.integers(0, 9), LABELS, st.none()),
    st.tuples(st.just("tell id"), IDS.filter(bool), LABELS, st.none() | EXAMPLES),
    st.tuples(st.just("learn"), st.lists(st.tuples(EXAMPLES, LABELS), min_size=1, max_size=12), IDS),
    st.tuples(st.just("dismiss"), st.integers(0, 9)),
    st.tuples(st.just("wait"), st.sampled_from([1.0, 7.0, 30.0, -5.0])),
    st.tuples(st.just("expire")),
    st.tuples(st.just("add"), st.sampled_from("xyz"), st.sampled_from(CHALLENGERS)),
    st.tuples(st.just("promote"), st.sampled_from("xyz")),
    st.tuples(st.just("remove"), st.sampled_from("xyz")),
    st.tuples(st.just("import")),
    st.tuples(st.just("snapshot")),
    st.tuples(st.just("rollback"), st.floats(0.0, 1.0)),
    st.tuples(st.just("open")),
)


class Driver:
    """Applies random operations; those that are refused must change nothing."""

    def __init__(self, spec: Spec) -> None:
        self.log = LoggedModel(spec)
        self.now = 1.0
        self.tickets: list[Any] = []

    def do(self, op: tuple[Any, ...]) -> None:
        if op[0] == "learn":
            for k, (x, y) in enumerate(op[1]):
                self.do(("learn one", x, y, op[2] if k == 0 else None))
            return
        before = state_bytes(self.log.model)
        written = self.log.storage.head(self.log.number)
        try:
            self.call(*op)
        except ServeError:
            assert state_bytes(self.log.model) == before
            assert self.log.storage.head(self.log.number) == written
            assert not self.log.model.ids.new

    def call(self, name: str, *given: Any) -> None:
        log, model = self.log, self.log.model
        match name, given:
            case "ask", (x, key):
                self.tickets.append(log.ask(x, key, self.now).ticket)
            case "tell", (k, y, x):
                if self.tickets:
                    log.tell(self.tickets[-1 - k % len(self.tickets)], y, self.now, x)
            case "tell id", (key, y, x):
                log.tell(key, y, self.now, x)
            case "learn one", (x, y, key):
                log.learn(x, y, self.now, key)
            case "dismiss", (k,):
                if self.tickets:
                    log.write(model.dismiss(self.tickets[-1 - k % len(self.tickets)], "t", self.now)[1])
            case "wait", (seconds,):
                self.now += seconds
            case "expire", ():
                log.write(model.expire(self.now))
            case "add", (name, spec):
                if len(model.contenders) < 3:
                    log.write(model.change(ContenderAdded(0.0, name, spec, None, "t"), self.now))
            case "promote", (name,):
                log.write(model.change(Promoted(0.0, name, "t"), self.now))
            case "remove", (name,):
                log.write(model.change(ContenderRemoved(0.0, name, "t"), self.now))
            case "import", ():
                log.write(model.change(Imported(0.0, model.contenders[-1].learner.to_bytes(), "t"), self.now))
            case "snapshot", ():
                log.snapshot()
            case "rollback", (share,):
                if model.position > 1:
                    log.rollback(1 + int(share * (model.position - 2)), self.now)
            case "open", ():
                log.write(model.change(Opened(0.0, model.tickets_above + 1000), self.now))


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from(list(SPECS)), ops=st.lists(OPS, max_size=60))
def test_live_restarted_and_replayed_states_are_the_same_bits(name: str, ops: list[Any]) -> None:
    driver = Driver(SPECS[name])
    for k, op in enumerate(ops):
        driver.do(op)
        if k % 10 == 9:
            driver.log.model = model_of(state_bytes(driver.log.model))  # a restart in between changes nothing
    live = state_bytes(driver.log.model)
    assert state_bytes(driver.log.restarted()) == live
    assert state_bytes(driver.log.restarted(use_snapshots=False)) == live
    times = [
        driver.log.restarted(position=k, use_snapshots=False).last_at
        for k in range(1, min(12, driver.log.model.position))
    ]
    assert times == sorted(times)


@pytest.mark.parametrize("name", SPECS)
def test_examples_with_labels_replay_in_bulk_with_the_same_bits(name: str) -> None:
    log = LoggedModel(SPECS[name], Limits(max_open=50, remember=5, window=30))
    for k in range(200):
        x, y = {"a": k % 7 - 3.0, "b": float(k % 3)}, ["no", "yes"][k % 7 > 3]
        log.learn(x, y, 10.0 * k, f"n{k}" if k % 9 == 0 else None)
        if k == 60:
            added = ContenderAdded(0.0, "x", Spec(learner="pa1", labels=["no", "maybe"]), None, "t")
            log.write(log.model.change(added, 10.0 * k))
    assert log.model.champion.board.total.labelled == 200
    assert log.model.contenders[1].board.total.refused > 50
    assert state_bytes(log.restarted(use_snapshots=False)) == state_bytes(log.model)


def test_a_label_is_learned_once_and_another_one_is_a_conflict() -> None:
    log = LoggedModel()
    ticket = log.ask({"a": 1.0}, None, 1.0).ticket
    assert log.tell(ticket, "yes", 2.0).kind == "learned"
    assert log.tell(ticket, "yes", 3.0).kind == "repeated"
    with pytest.raises(Conflict, match=r"one label, got 'no' for .* after 'yes'\. Correct the first label"):
        log.tell(ticket, "no", 3.0)
    assert log.model.champion.learner.n_seen == 1


def test_a_ticket_that_is_unknown_cannot_be_dismissed() -> None:
    with pytest.raises(
        UnknownTicket, match=r"^dismiss: ticket must be open, got 'lost', which is unknown\. Pass one that predict gave"
    ):
        LoggedModel().model.dismiss("lost", "t", 1.0)


def test_repeated_ids_are_recognised_beyond_memory() -> None:
    log = LoggedModel()
    log.ask({"a": 1.0}, "first", 1.0)
    log.tell("first", "yes", 1.0)
    number = log.ask({"a": 2.0}, None, 1.0).ticket
    log.tell(number, "no", 1.0)
    for k in range(20):
        log.learn({"a": 1.0}, "no", 2.0, f"other{k}")
    assert "first" not in log.model.tickets.closed and number not in log.model.tickets.closed
    assert log.ask({"a": 1.0}, "first", 3.0).repeated
    assert log.tell("first", "yes", 3.0).kind == "repeated"
    assert log.tell(number, "no", 3.0).kind == "repeated"
    for call in (
        lambda: log.ask({"a": 9.0}, "first", 3.0),
        lambda: log.tell("first", "no", 3.0),
        lambda: log.tell(number, "yes", 3.0),
        lambda: log.learn({"a": 9.0}, "yes", 3.0, "other1"),
    ):
        with pytest.raises(Conflict):
            call()


def test_ids_of_events_that_were_rolled_back_no_longer_count() -> None:
    log = LoggedModel()
    log.learn({"a": 1.0}, "yes", 1.0, "kept")
    log.learn({"a": 1.0}, "yes", 1.0, "undone")
    log.rollback(log.model.position - 1, 2.0)
    for k in range(10):
        log.learn({"a": 2.0}, "no", 3.0, f"n{k}")
    assert log.learn({"a": 5.0}, "no", 4.0, "undone").kind == "learned"
    assert log.learn({"a": 1.0}, "yes", 4.0, "kept").kind == "repeated"


def test_a_rollback_to_an_undone_position_lets_its_ids_count_again() -> None:
    log = LoggedModel()
    log.learn({"a": 1.0}, "yes", 1.0, "redone")
    redone = log.model.position
    log.rollback(redone - 1, 2.0)
    log.learn({"a": 1.0}, "yes", 3.0, "undone")
    log.rollback(redone, 4.0)
    for k in range(10):
        log.learn({"a": 2.0}, "no", 5.0, f"n{k}")
    assert log.learn({"a": 5.0}, "no", 6.0, "undone").kind == "learned"
    assert log.learn({"a": 1.0}, "yes", 6.0, "redone").kind == "repeated"
    assert state_bytes(log.restarted()) == state_bytes(log.model) == state_bytes(log.restarted(use_snapshots=False))


def test_an_unknown_option_is_refused_with_the_options_of_the_learner() -> None:
    with pytest.raises(Refused, match=r"an unexpected keyword argument 'D'\). It has C, when, bias, scale, hashing"):
        LoggedModel(Spec(learner="pa1", options={"D": 1}))


def test_a_label_before_its_example_is_kept_and_matched() -> None:
    log = LoggedModel()
    assert log.tell("early", "yes", 1.0).kind == "kept"
    assert log.tell("early", "yes", 1.0).kind == "repeated"
    with pytest.raises(Conflict):
        log.tell("early", "no", 1.0)
    assert log.ask({"a": 1.0}, "early", 2.0).ticket == "early"
    assert log.model.champion.learner.n_seen == 1
    assert log.tell("early", "yes", 3.0).kind == "repeated"
    assert log.tell("with example", "no", 3.0, {"b": 1.0}).kind == "learned"
    assert log.model.champion.learner.n_seen == 2


def test_what_the_learner_refuses_leaves_model_and_log_unchanged() -> None:
    log = LoggedModel()
    log.learn({"a": 1.0}, "yes", 1.0)
    ticket = log.ask({"a": 1.0}, None, 1.0).ticket
    before, head = state_bytes(log.model), log.storage.head(log.number)
    for call in (
        lambda: log.tell(ticket, "maybe", 2.0),
        lambda: log.tell(ticket, float("nan"), 2.0),
        lambda: log.learn({"a": float("inf")}, "yes", 2.0),
        lambda: log.learn({"a": 1e80}, "yes", 2.0),
        lambda: log.learn([1.0, 2.0], "yes", 2.0),
        lambda: log.ask([1.0], None, 2.0),
        lambda: log.ask({"a": object()}, None, 2.0),
    ):
        with pytest.raises(Refused):
            call()
    assert state_bytes(log.model) == before and log.storage.head(log.number) == head
    with pytest.raises(UnknownTicket):
        log.tell(10**6, "yes", 2.0, {"a": 1.0})


def test_expired_tickets_are_closed_but_their_example_may_be_learned() -> None:
    log = LoggedModel()
    old, new = log.ask({"a": 1.0}, None, 1.0).ticket, log.ask({"a": 2.0}, None, 15.0).ticket
    log.write(log.model.expire(22.0))
    assert list(log.model.tickets.open) == [new]
    with pytest.raises(UnknownTicket, match="expired"):
        log.tell(old, "yes", 23.0)
    assert log.tell(old, "yes", 23.0, {"a": 1.0}).kind == "learned"


def test_a_budget_wants_its_share_of_labels() -> None:
    log = LoggedModel(Spec(learner="pa1", labels=["no", "yes"], asking=Budget(share=0.2)), Limits(10**6, 100, 100))
    wanted = 0
    for k in range(2000):
        prediction = log.model.ask({"a": (k * 7919 % 100) / 10.0 - 5.0, "b": 1.0}, None, 1.0)[0]
        wanted += prediction.wanted
        if prediction.wanted:
            log.model.tell(prediction.ticket, ["no", "yes"][k * 7919 % 100 > 50], "t", 1.0)
    assert abs(wanted / 2000 - 0.2) <= 0.03


def test_one_contender_learns_the_bits_of_pending() -> None:
    import driftline as dl

    log, pending = LoggedModel(), dl.Pending(dl.PA1(labels=("no", "yes")))
    for k in range(60):
        x = {"a": k % 5 - 2.0, "colour": ["red", "blue"][k % 2], "b": None if k % 3 else 1.0}
        got, expected = log.ask(x, f"t{k}", 1.0), pending.ask(x, id=f"t{k}")
        assert (got.label, got.score, got.probability) == (expected.label, expected.score, expected.probability)
        if k >= 7:
            y = ["no", "yes"][k % 5 > 2]
            log.tell(f"t{k - 7}", y, 1.0)
            pending.tell(f"t{k - 7}", y)
    assert log.model.champion.learner.to_bytes() == pending.learner.to_bytes()


@pytest.mark.parametrize("labels", [["no", "yes"], None])
def test_a_tracker_with_records_replays_with_the_same_bits(labels: Any) -> None:
    log = LoggedModel(Spec(learner="tracker", labels=labels), Limits(max_open=50, remember=5, window=30))
    tickets: list[Any] = []
    for k in range(40):
        x = {"a": k % 7 - 3.0, "b": float(k % 3)}
        y = ["no", "yes", "maybe" if labels is None and k > 20 else "yes"][k % 3]
        if k == 3:
            restarted = log.restarted(use_snapshots=False)
            assert state_bytes(restarted) == state_bytes(log.model)
        tickets.append((log.ask(x, None, 1.0).ticket, y))
        if k >= 6:
            log.tell(*tickets[k - 6], 2.0)
        if k % 4 == 0:
            for _ in range(9):
                log.learn(x, y, 2.0)
    live = state_bytes(log.model)
    assert state_bytes(log.restarted(use_snapshots=False)) == live == state_bytes(model_of(live))

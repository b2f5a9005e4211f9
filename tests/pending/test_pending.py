"""Tickets against an obvious model: a list of copies of the examples, learned by ``learn_one``."""

from __future__ import annotations

import pickle
import threading
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from scipy.sparse import csr_array

import driftline as dl
from tests.support.bitwise import assert_same, snapshot

VALUES = st.one_of(
    st.floats(-10.0, 10.0), st.integers(-5, 5), st.sampled_from(["red", "blue"]), st.none(), st.booleans()
)
EXAMPLES = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)
LABELS = st.sampled_from(["no", "yes"])


class TicketMachine(RuleBasedStateMachine):
    """Every call on ``Pending``, and the same on plain lists."""

    def __init__(self) -> None:
        super().__init__()
        self.pending = dl.Pending(dl.PA1(labels=("no", "yes")), limit=4, remember=3)
        self.learner = dl.PA1(labels=("no", "yes"))
        self.open: list[tuple[Any, Any, Any, Any]] = []  # id, example, time, predicted label
        self.closed: list[tuple[Any, Any]] = []  # id and answer; None if it has expired
        self.asked = self.told = self.mistakes = self.expired = 0

    def close(self, key: Any, answer: Any) -> None:
        self.closed = [*self.closed, (key, answer)][-3:]

    def expire(self, k: int) -> None:
        self.close(self.open.pop(k)[0], None)
        self.expired += 1

    @rule(x=EXAMPLES, named=st.booleans(), at=st.none() | st.integers(0, 9) | st.floats(0.0, 9.0))
    def ask(self, x: dict[str, Any], named: bool, at: Any) -> None:
        score, label = self.learner.score_one(x), self.learner.predict_one(x)
        ticket = self.pending.ask(x, id=f"n{self.asked}" if named else None, at=at)
        assert (ticket.score, ticket.label, ticket.wanted) == (score, label, True)
        assert ticket.probability == self.learner.predict_proba_one(x)
        self.open.append((ticket.id, dict(x), at, label))
        self.asked += 1
        x["a"] = 1e9  # the caller's dict is not kept
        if len(self.open) > 4:
            self.expire(0)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), y=LABELS)
    def tell(self, data: Any, y: str) -> None:
        key, x, _, label = self.open.pop(data.draw(st.integers(0, len(self.open) - 1)))
        assert self.pending.tell(key, y)
        self.learner.learn_one(x, y)
        self.told += 1
        self.mistakes += label != y
        self.close(key, y)

    @precondition(lambda self: self.closed)
    @rule(data=st.data(), y=LABELS)
    def tell_again(self, data: Any, y: str) -> None:
        key, answer = data.draw(st.sampled_from(self.closed))
        if y == answer:
            assert self.pending.tell(key, y) is False
        else:
            with pytest.raises(ValueError, match="one answer" if answer else "which has expired"):
                self.pending.tell(key, y)

    @rule(before=st.integers(0, 9))
    def expire_by_time(self, before: int) -> None:
        old = [k for k, one in enumerate(self.open) if one[2] is not None and one[2] < before]
        for gone, k in enumerate(old):
            self.expire(k - gone)
        assert self.pending.expire(before) == len(old)

    @precondition(lambda self: self.open)
    @rule()
    def refuse(self) -> None:
        for wrong in (None, float("nan"), "maybe"):
            with pytest.raises(ValueError, match=r"^PA1: "):
                self.pending.tell(self.open[0][0], wrong)
        for key in ("never", -7, 1 << 70):
            with pytest.raises(
                ValueError, match=r"^Pending: a ticket must be open, got .*, which is unknown\. Pass a ticket of ask"
            ):
                self.pending.tell(key, "no")
        with pytest.raises(ValueError, match=r"^Pending: id must be new"):
            self.pending.ask({"a": 1.0}, id=self.open[0][0])
        with pytest.raises(ValueError, match="feature 'a' must be finite"):
            self.pending.ask({"a": float("inf")})

    @rule()
    def copy(self) -> None:
        self.pending = pickle.loads(pickle.dumps(deepcopy(self.pending)))

    @invariant()
    def same(self) -> None:
        pending = self.pending
        assert pending.open == [one[0] for one in self.open]
        assert (len(pending), pending.asked, pending.told) == (len(self.open), self.asked, self.told)
        assert (pending.mistakes, pending.expired) == (self.mistakes, self.expired)
        assert_same(snapshot(self.learner), snapshot(pending.learner))


TestTickets = TicketMachine.TestCase
TestTickets.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


LIGHT = partial(dl.Tracker, bank="light")


@pytest.mark.parametrize("make", [dl.PA1, LIGHT, dl.MulticlassPA, lambda: dl.AROW(scale="standard")])
def test_tickets_learn_like_learn_one_at_the_moment_of_tell(make: Any) -> None:
    rng = np.random.default_rng(0)
    pending, learner, kept = dl.Pending(make()), make(), {}
    for k in range(200):
        x = {f"f{j}": float(rng.normal()) for j in range(1 + k // 20)} | {"kind": "ab"[k % 2]}
        kept[pending.ask(x).id] = dict(x)
        while len(kept) > rng.integers(1, 30):
            key = int(rng.choice(list(kept)))
            y = int(rng.integers(0, 2))
            assert pending.tell(key, y)
            learner.learn_one(kept.pop(key), y)
    assert_same(snapshot(learner), snapshot(pending.learner))


@pytest.mark.parametrize("kind", ["list", "array", "csr", "series", "ints"])
def test_every_kind_of_example_is_copied(kind: str) -> None:
    def examples() -> list[Any]:
        rng = np.random.default_rng(1)
        X = rng.normal(size=(20, 3)) * rng.integers(0, 2, (20, 3))
        return {
            "list": X.tolist(),
            "array": list(X),
            "csr": [csr_array(x.reshape(1, -1)) for x in X],
            "series": [pd.Series(x, index=["a", "b", "c"]) for x in X],
            "ints": [{"a": int(10 * a), "b": np.float32(b), 3: bool(c > 0)} for a, b, c in X.tolist()],
        }[kind]

    pending, learner = dl.Pending(dl.PA1()), dl.PA1()
    given = examples()
    tickets = [pending.ask(x) for x in given]
    for x in given:
        if kind == "array":
            x[:] = 7.0
        elif kind == "csr":
            x.data[:] = 7.0
    for k, (ticket, x) in enumerate(zip(tickets, examples(), strict=True)):
        pending.tell(ticket, k % 2)
        learner.learn_one(x, k % 2)
    assert_same(snapshot(learner), snapshot(pending.learner))


def test_a_string_and_the_feature_that_it_means_add_up() -> None:
    pending, learner = dl.Pending(dl.PA1()), dl.PA1()
    x = {"colour=red": 2.0, "colour": "red", "a": None}
    pending.tell(pending.ask(x), 1)
    learner.learn_one(x, 1)
    assert_same(snapshot(learner), snapshot(pending.learner))


def test_numbers_of_tickets_are_never_used_again(tmp_path: Path) -> None:
    pending = dl.Pending(dl.PA1(), limit=1, remember=1)
    keys = [pending.ask({"a": 1.0}).id for _ in range(3)]
    keys.append(pending.ask({"a": 1.0}, id=np.int64(40)).id)
    pending.save(tmp_path / "p.dl")
    keys += [dl.Pending.load(tmp_path / "p.dl").ask({"a": 1.0}).id, pending.ask({"a": 1.0}).id]
    assert keys == [0, 1, 2, 40, 41, 41]
    with pytest.raises(ValueError, match="got 1, which is unknown or closed long ago"):
        pending.tell(1, 0)


@pytest.mark.parametrize("key", [True, 1.5, None, ("a",), b"a"])
def test_wrong_ids(key: Any) -> None:
    pending = dl.Pending(dl.PA1())
    with pytest.raises(ValueError, match=r"^Pending: an id must be an int or str, got "):
        pending.tell(key, 1)
    if key is not None:
        with pytest.raises(ValueError, match=r"^Pending: an id must be an int or str, got "):
            pending.ask({"a": 1.0}, id=key)


@pytest.mark.parametrize("at", [True, float("nan"), float("inf"), "now", 1 << 63])
def test_wrong_times(at: Any) -> None:
    pending = dl.Pending(dl.PA1())
    with pytest.raises(ValueError, match=r"^Pending\.ask: at must be a finite number, got .*timestamp"):
        pending.ask({"a": 1.0}, at=at)
    with pytest.raises(ValueError, match=r"^Pending\.expire: before must be a finite number, got .*timestamp"):
        pending.expire(at)
    assert (len(pending), pending.asked) == (0, 0)


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": 2.5}, {"remember": 0}, {"remember": True}])
def test_wrong_parameters(given: Any) -> None:
    with pytest.raises(ValueError, match=r"^Pending: \w+ must be a whole number >= 1, got "):
        dl.Pending(dl.PA1(), **given)
    with pytest.raises(
        ValueError, match=r"^Pending: learner must be a driftline learner, got 'pa1'\. Pass dl\.PA1\(\)"
    ):
        dl.Pending("pa1")  # type: ignore[arg-type]


def test_whole_nanoseconds_keep_their_digits() -> None:
    pending = dl.Pending(dl.PA1())
    moment = 1_700_000_000_123_456_789
    pending.ask({"a": 1.0}, at=moment)
    assert pending.expire(moment) == 0 and pending.expire(moment + 1) == 1


def test_memory_is_bounded_by_the_open_tickets() -> None:
    pending = dl.Pending(dl.PA1(hashing=dl.Hashing(4)), limit=10, remember=20)
    for k in range(5000):
        ticket = pending.ask({f"user{k}": 1.0})
        if k % 3:
            pending.tell(ticket, k % 2)
    assert len(pending._closed) == 20 and len(pending) == 9
    assert len(pending._shapes.all) <= 11 and len(pending._line) <= 2 * 10 + 1025


def test_many_threads_ask_and_tell() -> None:
    pending = dl.Pending(dl.PA1(labels=(0, 1)))

    def work(start: int) -> None:
        for k in range(300):
            ticket = pending.ask({f"f{k % 7}": 1.0 + start})
            pending.tell(ticket, k % 2)
            pending.tell(ticket, k % 2)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(pending), pending.asked, pending.told, pending.learner.n_seen) == (0, 1200, 1200, 1200)


def test_an_interrupt_after_learning_closes_the_ticket(monkeypatch: pytest.MonkeyPatch) -> None:
    pending = dl.Pending(dl.PA1())
    ticket, learn = pending.ask({"a": 1.0}), pending.learner.learn_one

    def interrupted(x: Any, y: Any) -> None:
        learn(x, y)
        raise KeyboardInterrupt

    monkeypatch.setattr(pending.learner, "learn_one", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pending.tell(ticket, 1)
    assert (len(pending), pending.told, pending.tell(ticket, 1)) == (0, 1, False)


# label-efficient learners -----------------------------------------------------------------------
VARIANTS = [
    {"b": 0.3},
    {"learner": "l2pa(beta=2)", "b": 2, "variant": "adaptive", "seed": 5},
    {"learner": "secondorderperceptron(a=0.5)", "b": 0.2, "variant": "second"},
    {"b": 0.3, "scale": "standard"},
]


@pytest.mark.parametrize("given", VARIANTS, ids=str)
def test_tickets_of_a_learner_that_asks_for_some_labels(given: Any) -> None:
    """Told at once, the tickets are the rounds of ``asks``, ``learn_one`` and ``skip``."""
    rng = np.random.default_rng(3)
    pending, learner = dl.Pending(dl.LabelEfficient(**given)), dl.LabelEfficient(**given)
    for _ in range(300):
        x = dict(zip("abc", rng.normal(size=3).tolist(), strict=True))
        y = int(x["a"] > x["b"])
        ticket = pending.ask(x)
        assert ticket.wanted == learner.asks(x)
        assert pending.tell(ticket, y) is ticket.wanted
        if ticket.wanted:
            learner.learn_one(x, y)
        else:
            learner.skip(x)
    assert 0 < pending.told < 300 and pending.learner.asked == learner.asked == pending.told
    assert_same(snapshot(learner), snapshot(pending.learner))


def test_each_ticket_has_its_own_draw_and_its_label_is_learned() -> None:
    learner = dl.LabelEfficient(b=0.5, labels=(0, 1), bias=False)
    learner.learn_one({"a": 1.0}, 1)
    pending = dl.Pending(learner)
    tickets = [pending.ask({"a": 1.0}) for _ in range(200)]
    wanted = [ticket for ticket in tickets if ticket.wanted]
    assert 30 < len(wanted) < 110  # with probability 1/3 each, not all or none
    assert learner.asked == 1 + len(wanted) and pending.open == [ticket.id for ticket in wanted]
    before = learner.updates
    for ticket in wanted:
        pending.tell(ticket, 0)
    assert learner.updates > before and learner.n_seen == 201 and pending.told == len(wanted)


def test_a_refused_example_opens_no_round() -> None:
    pending = dl.Pending(dl.LabelEfficient())
    with pytest.raises(ValueError, match="must be finite"):
        pending.ask({"a": float("inf")})
    assert pending.learner.asked == 0 and pending.asked == 0


def test_a_regressor_makes_no_mistakes_and_its_predictions_are_not_kept() -> None:
    pending = dl.Pending(dl.PA1Regressor())
    for k in range(50):
        pending.tell(pending.ask([1.0, float(k)]).id, 0.5 * k)
    assert (pending.told, pending.mistakes, pending._predicted_labels) == (50, 0, [])
    assert repr(pending).endswith("0 open, 50 asked, 50 told, 0 expired>")

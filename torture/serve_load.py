"""The clients of a server that is killed: they send the same request again until it is answered.

Each client predicts examples of a drifting stream, tells their labels later, learns examples with
labels, alone and in batches, repeats itself, and writes down every acknowledgement.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import sleep
from typing import Any

from serve_client import FULL, Client, Gate
from serve_log import Acknowledged, LossError

from driftline.serve.log.events import TicketId

PLAIN, TRACKED, ASKING, BRIEF = "plain", "tracked", "asking", "brief"
C = 0.1
LABELS = ["ham", "spam"]
MODELS: dict[str, dict[str, Any]] = {
    PLAIN: {"learner": "pa1", "options": {"C": C}, "labels": LABELS},
    TRACKED: {"learner": "tracker", "options": {"bank": "light"}, "labels": LABELS},
    ASKING: {"learner": "pa1", "labels": LABELS, "asking": {"kind": "efficient", "b": 1.0}, "expire_after": 3.0},
}
CHALLENGERS = {"pa1": {"learner": "pa1", "labels": LABELS}, "perceptron": {"learner": "perceptron", "labels": LABELS}}
CONCEPT = 400
"""Examples of a client until the concept changes."""
WORDS = ("loan", "prize", "review", "team", "today", "urgent")
WAITING = 40
"""Tickets of a client without a label yet."""


@dataclass(frozen=True, slots=True)
class Late:
    """A label that is told later."""

    model: str
    ticket: TicketId
    x: Any
    y: str


class Labeller(Client):
    """Predicts, labels and learns."""

    def __init__(self, gate: Gate, name: str, seed: int) -> None:
        super().__init__(gate, name, seed)
        self.number = 0
        self.late: list[Late] = []
        self.told: deque[Late] = deque(maxlen=600)
        self.actions: tuple[tuple[Callable[[str], None], int], ...] = (
            (self.predict, 30),
            (self.label, 30),
            (self.learn, 8),
            (self.learn_without_id, 4),
            (self.predict_batch, 4),
            (self.label_batch, 5),
            (self.learn_batch, 3),
            (self.label_early, 4),
            (self.dismiss, 2),
            (self.repeat, 8),
        )

    def act(self) -> None:
        """Do one thing, with a random model."""
        model = self.rng.choice(tuple(MODELS))
        if len(self.late) > WAITING:
            self.label(model)
            return
        actions, weights = zip(*self.actions, strict=True)
        self.rng.choices(actions, weights)[0](model)

    # the stream --------------------------------------------------------------------------------
    def example(self) -> tuple[dict[str, Any], str]:
        """An example and its label; what decides the label changes now and then."""
        self.number += 1
        draw, concept = self.rng, self.number // CONCEPT
        x: dict[str, Any] = {"size": draw.gauss(0.0, 1.0), "night": draw.random() < 0.5}
        for word in draw.sample(WORDS, 2):
            x[word] = draw.randint(1, 3)
        score = (-1) ** concept * x["size"] + 0.8 * (WORDS[concept % len(WORDS)] in x) - 0.2
        return x, LABELS[score + draw.gauss(0.0, 0.2) > 0]

    def new_id(self) -> str:
        """An id that no client has used."""
        return f"{self.name}-{self.number}"

    def new(self, model: str) -> Late:
        """An example with an id and a label."""
        x, y = self.example()
        return Late(model, self.new_id(), x, y)

    # requests ----------------------------------------------------------------------------------
    def post(self, model: str, action: str, body: Any, *, again: bool = True) -> tuple[int, Any]:
        """Send a request about a model."""
        return self.send("POST", f"/v1/models/{model}/{action}", body, again=again)

    def predict(self, model: str) -> None:
        """Predict an example; its label comes later."""
        x, y = self.example()
        body = {"x": x} | ({"id": self.new_id()} if self.rng.random() < 0.4 else {})
        durable = self.rng.random() < 0.3
        reply = self.must(200, self.post(model, "predict", body | ({"durable": True} if durable else {})))
        self.predicted(model, x, y, reply, durable)

    def predicted(self, model: str, x: Any, y: str, reply: Any, durable: bool) -> None:
        """Write down a prediction."""
        self.gate.count("predictions")
        if durable:
            kind = "repeated" if reply["repeated"] else "durable"
            self.acknowledge(Acknowledged(model, "predict", kind, reply["position"], reply["ticket"], x))
        if reply["wanted"]:
            self.late.append(Late(model, reply["ticket"], x, y))

    def label(self, _model: str) -> None:
        """Tell the label of a random ticket."""
        if self.late:
            self.tell(self.late.pop(self.rng.randrange(len(self.late))))

    def tell(self, one: Late, *, x: bool = False) -> None:
        """Tell a label; with the example if the ticket was lost."""
        body = {"ticket": one.ticket, "y": one.y} | ({"x": one.x} if x else {})
        status, reply = self.post(one.model, "label", body)
        if status == 404 and not x:
            self.gate.count("lost tickets")
            self.tell(one, x=True)
            return
        reply = self.must(200, (status, reply))
        self.outcome(one, "label", reply)
        if reply["kind"] == "kept":
            self.tell(one, x=True)

    def outcome(self, one: Late, what: str, reply: Any) -> None:
        """Write down what became of a label."""
        found = Acknowledged(one.model, what, reply["kind"], reply["position"], reply["ticket"], one.x, one.y)
        self.acknowledge(found)
        if one.ticket:
            self.told.append(one)

    def learn(self, model: str) -> None:
        """Learn an example under an id."""
        self.learn_again(self.new(model))

    def learn_again(self, one: Late) -> None:
        """Send an example and its label."""
        reply = self.must(200, self.post(one.model, "learn", {"x": one.x, "y": one.y, "id": one.ticket}))
        self.outcome(one, "learn", reply)

    def learn_without_id(self, model: str) -> None:
        """Learn an example without an id. It is not sent again: it might be learned twice."""
        x, y = self.example()
        status, reply = self.post(model, "learn", {"x": x, "y": y}, again=False)
        if status == 200:
            self.outcome(Late(model, 0, x, y), "learn", reply)

    def predict_batch(self, model: str) -> None:
        """Predict a batch, with or without ids."""
        own = self.rng.random() < 0.5
        rows = [(*self.example(), self.new_id()) for _ in range(self.rng.randint(1, 40))]
        durable = self.rng.random() < 0.5
        items = [{"x": x, "durable": durable} | ({"id": key} if own else {}) for x, _, key in rows]
        replies = self.must(200, self.post(model, "predict:batch", {"items": items}))["items"]
        for (x, y, _), reply in zip(rows, replies, strict=True):
            if "status" not in reply:
                self.predicted(model, x, y, reply, durable)
            elif reply["status"] not in FULL:
                raise LossError(f"predict:batch must predict every item, got {reply}")

    def label_batch(self, model: str) -> None:
        """Tell a batch of labels of one model."""
        rows = [one for one in self.late if one.model == model][: self.rng.randint(1, 40)]
        if not rows:
            return
        self.late = [one for one in self.late if one not in rows]
        items = [{"ticket": one.ticket, "y": one.y} for one in rows]
        replies = self.must(200, self.post(model, "label:batch", {"items": items}))["items"]
        for one, reply in zip(rows, replies, strict=True):
            if reply.get("status") in (404, *FULL):
                self.tell(one, x=reply["status"] == 404)
            elif "status" in reply:
                raise LossError(f"label:batch must take every label, got {reply}")
            else:
                self.outcome(one, "label", reply)
                if reply["kind"] == "kept":
                    self.tell(one, x=True)

    def learn_batch(self, model: str) -> None:
        """Learn a batch of examples, under ids or not. Without ids it is not sent again."""
        own = self.rng.random() < 0.5
        rows = [self.new(model) for _ in range(self.rng.randint(1, 60))]
        if not own:
            rows = [replace(one, ticket=0) for one in rows]
        items = [{"x": one.x, "y": one.y} | ({"id": one.ticket} if own else {}) for one in rows]
        status, found = self.post(model, "learn:batch", {"items": items}, again=own)
        if not own and status in (0, *FULL):
            return
        for one, reply in zip(rows, self.must(200, (status, found))["items"], strict=True):
            if reply.get("status") in FULL:
                if own:
                    self.learn_again(one)
            elif "status" in reply:
                raise LossError(f"learn:batch must learn every item, got {reply}")
            else:
                self.outcome(one, "learn", reply)

    def label_early(self, model: str) -> None:
        """Tell a label before its example is predicted."""
        one = self.new(model)
        reply = self.must(200, self.post(model, "label", {"ticket": one.ticket, "y": one.y}))
        self.outcome(one, "label", reply)
        reply = self.must(200, self.post(model, "predict", {"x": one.x, "id": one.ticket, "durable": True}))
        kind = "repeated" if reply["repeated"] else "durable"
        self.acknowledge(Acknowledged(model, "predict", kind, reply["position"], reply["ticket"], one.x))
        self.tell(one)

    def dismiss(self, _model: str) -> None:
        """Close a ticket without a label."""
        if self.late:
            one = self.late.pop(self.rng.randrange(len(self.late)))
            status, reply = self.post(one.model, "dismiss", {"ticket": one.ticket})
            if status == 200:
                what = "dismissed" if reply["kind"] == "dismissed" else "again"
                if what == "dismissed":
                    self.acknowledge(Acknowledged(one.model, "dismiss", what, reply["position"], one.ticket))
            else:
                self.must(404, (status, reply))

    def repeat(self, _model: str) -> None:
        """Send a label again that was acknowledged, perhaps by a server before."""
        if self.told:
            one = self.rng.choice(self.told)
            if isinstance(one.ticket, str) and self.rng.random() < 0.5:
                self.learn_again(one)
            else:
                self.tell(one, x=self.rng.random() < 0.5)

    def must(self, status: int, found: tuple[int, Any]) -> Any:
        """Return the reply; LossError if it has another status."""
        if found[0] != status:
            raise LossError(f"{self.name}: a request must be answered {status}, got {found[0]}: {found[1]}")
        return found[1]


class Changer(Client):
    """Makes snapshots, promotes challengers and rolls models back. A lost request is not repeated."""

    def act(self) -> None:
        """Wait a little, and change a model."""
        self.wait()
        sleep(self.rng.uniform(0.02, 0.25))
        change = self.rng.choice(
            (self.snapshot, self.snapshot, self.contender, self.contender, self.roll_back, self.create)
        )
        self.gate.changing.set()
        try:
            change()
        finally:
            self.gate.changing.clear()

    def snapshot(self) -> None:
        """Make a snapshot of a random model."""
        model = self.rng.choice(tuple(MODELS))
        status, reply = self.send("POST", f"/v1/models/{model}/snapshot", {}, again=False)
        if status == 201:
            self.acknowledge(Acknowledged(model, "snapshot", "stored", reply["position"], y=reply["id"]))

    def contender(self) -> None:
        """Add, promote or remove a challenger of the Tracker."""
        status, reply = self.send("GET", f"/v1/models/{TRACKED}", again=False)
        if status != 200:
            return
        names = [one["name"] for one in reply["contenders"]]
        missing = [name for name in CHALLENGERS if name not in names]
        if missing and self.rng.random() < 0.6:
            body = {"name": missing[0]} | CHALLENGERS[missing[0]]
            self.changed("add", missing[0], "POST", f"/v1/models/{TRACKED}/challengers", body)
        elif len(names) > 1 and (self.rng.random() < 0.7 or names[-1] == "original"):
            name = self.rng.choice(names[1:])
            self.changed("promote", name, "POST", f"/v1/models/{TRACKED}/promote", {"challenger": name})
        elif len(names) > 1:
            self.changed("remove", names[-1], "DELETE", f"/v1/models/{TRACKED}/challengers/{names[-1]}", None)

    def changed(self, what: str, name: str, method: str, path: str, body: Any) -> None:
        """Send a change of the contenders."""
        status, reply = self.send(method, path, body, again=False)
        if status in (200, 201):
            self.acknowledge(Acknowledged(TRACKED, what, "done", reply["position"], y=name))

    def create(self) -> None:
        """Create a model, or delete it."""
        existed, self.gate.brief = self.gate.brief, None
        if existed is None:
            existed = self.send("GET", f"/v1/models/{BRIEF}", again=False)[0] == 200
        if existed:
            status, _ = self.send("DELETE", f"/v1/models/{BRIEF}", again=False)
        else:
            status, _ = self.send("POST", "/v1/models", {"name": BRIEF, "learner": "pa1"}, again=False)
            if status == 201:
                self.send("POST", f"/v1/models/{BRIEF}/learn", {"x": {"a": 1.0}, "y": True, "id": "a"}, again=False)
        if status in (201, 204):
            self.gate.brief = not existed
            self.gate.count("deletion" if existed else "creation")

    def roll_back(self) -> None:
        """Go back a few hundred events."""
        model = self.rng.choice((PLAIN, TRACKED))
        status, reply = self.send("GET", f"/v1/models/{model}", again=False)
        if status != 200 or reply["position"] < 400 or self.rng.random() < 0.5:
            return
        to = reply["position"] - self.rng.randint(1, 300)
        status, reply = self.send("POST", f"/v1/models/{model}/rollback", {"position": to}, again=False)
        if status == 200:
            self.acknowledge(Acknowledged(model, "rollback", "done", reply["position"], y=to))

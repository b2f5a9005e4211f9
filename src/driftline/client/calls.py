"""The requests of the API, and what their answers mean. Both clients send these calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from driftline.client.errors import ServiceError
from driftline.client.problems import problem_of
from driftline.client.results import Explanation, Label, ModelInfo, Outcome, Prediction, Question, Snapshot, Ticket

T = TypeVar("T")
R = TypeVar("R", covariant=True)
Example = Mapping[str, Any] | Sequence[float]
"""A dict of features, or a list of numbers."""
MODELS = "/v1/models"
JSON, BYTES = "application/json", "application/octet-stream"
LONG = 120.0
"""Seconds that rare requests may take."""


@dataclass(frozen=True)
class Call(Generic[R]):
    """One request.

    Attributes
    ----------
    method, path, body, content_type
        What is sent.
    parse
        Reads the body of a successful answer.
    repeatable
        Whether a second identical request changes nothing.
    seconds
        The shortest time-out: a service may compile a learner, or replay a log, before it answers.
    """

    method: str
    path: str
    parse: Callable[[bytes], R]
    body: bytes | None = None
    content_type: str = JSON
    repeatable: bool = False
    seconds: float = 0.0

    @property
    def headers(self) -> dict[str, str]:
        """The headers of this request."""
        return {} if self.body is None else {"Content-Type": self.content_type}


class Listing(msgspec.Struct, frozen=True):
    """The models of one server, and the names of those that other servers hold, with their addresses."""

    models: list[ModelInfo]
    elsewhere: dict[str, str] = {}


def models() -> Call[Listing]:
    """List the models."""
    return Call("GET", MODELS, _one(Listing), repeatable=True)


def create(name: str, spec: Mapping[str, Any]) -> Call[ModelInfo]:
    """Create a model."""
    return Call("POST", MODELS, _one(ModelInfo), _json({"name": name} | dict(spec)), seconds=LONG)


class ModelCalls:
    """The requests about one model.

    Parameters
    ----------
    name : str
        The name of the model.
    """

    def __init__(self, name: str) -> None:
        self.path = f"{MODELS}/{quote(name, safe='')}"

    def info(self) -> Call[ModelInfo]:
        """Describe the model."""
        return Call("GET", self.path, _one(ModelInfo), repeatable=True)

    def delete(self) -> Call[None]:
        """Delete the model."""
        return Call("DELETE", self.path, _nothing)

    def predict(self, x: Example, id: str | None, durable: bool) -> Call[Prediction]:  # noqa: A002
        """Predict one example."""
        body = predict_item(x, id, durable)
        return Call("POST", f"{self.path}/predict", _one(Prediction), _json(body), repeatable=id is not None)

    def label(self, ticket: Ticket, y: Label, x: Example | None) -> Call[Outcome]:
        """Give the label of a ticket."""
        return Call("POST", f"{self.path}/label", _one(Outcome), _json(label_item(ticket, y, x)), repeatable=True)

    def learn(self, x: Example, y: Label, id: str) -> Call[Outcome]:  # noqa: A002
        """Learn an example whose label is known."""
        return Call("POST", f"{self.path}/learn", _one(Outcome), _json(learn_item(x, y, id)), repeatable=True)

    def dismiss(self, ticket: Ticket) -> Call[None]:
        """Close a ticket without a label."""
        return Call("POST", f"{self.path}/dismiss", _nothing, _json({"ticket": ticket}), repeatable=True)

    def batch(self, route: str, items: Sequence[Mapping[str, Any]], result: type[T]) -> Call[list[T | ServiceError]]:
        """Send the items of one route; a refused item has a ``ServiceError`` in the answer."""
        repeatable = route != "predict" or all("id" in item for item in items)
        body = _json({"items": items})
        return Call("POST", f"{self.path}/{route}:batch", _items(result, len(items)), body, repeatable=repeatable)

    def explain(self, x: Example | None, ticket: Ticket | None) -> Call[Explanation]:
        """Explain the score of an example, or of the example of a ticket."""
        if (x is None) == (ticket is None):
            raise ValueError(f"explain: must be given x or a ticket, got {'neither' if x is None else 'both'}")
        body = {"ticket": ticket} if x is None else {"x": checked(x)}
        return Call("POST", f"{self.path}/explain", _one(Explanation), _json(body), repeatable=True)

    def metrics(self) -> Call[dict[str, Any]]:
        """Read the metrics."""
        return Call("GET", f"{self.path}/metrics", _one(dict[str, Any]), repeatable=True)

    def questions(self, limit: int | None) -> Call[list[Question]]:
        """List the open questions."""
        query = "" if limit is None else "?" + urlencode({"limit": limit})
        return Call("GET", f"{self.path}/questions{query}", _listed("questions", Question), repeatable=True)

    def snapshot(self) -> Call[Snapshot]:
        """Store the state."""
        return Call("POST", f"{self.path}/snapshot", _one(Snapshot), b"{}", seconds=LONG)

    def snapshots(self) -> Call[list[Snapshot]]:
        """List the stored states."""
        return Call("GET", f"{self.path}/snapshots", _listed("snapshots", Snapshot), repeatable=True)

    def rollback(self, position: int | None, snapshot: int | None) -> Call[None]:
        """Return to an earlier state."""
        if (position is None) == (snapshot is None):
            got = "neither" if position is None else "both"
            raise ValueError(f"rollback: must be given a position or a snapshot, got {got}")
        body = {"snapshot": snapshot} if position is None else {"position": position}
        return Call("POST", f"{self.path}/rollback", _nothing, _json(body), seconds=LONG)

    def export(self) -> Call[bytes]:
        """Read the model file."""
        return Call("GET", f"{self.path}/export", bytes, repeatable=True, seconds=LONG)

    def import_(self, model: bytes) -> Call[None]:
        """Replace the learner by that of a model file."""
        return Call("POST", f"{self.path}/import", _nothing, model, BYTES, seconds=LONG)

    def add_challenger(self, name: str, spec: Mapping[str, Any]) -> Call[None]:
        """Add a challenger."""
        return Call("POST", f"{self.path}/challengers", _nothing, _json({"name": name} | dict(spec)), seconds=LONG)

    def remove_challenger(self, name: str) -> Call[None]:
        """Remove a challenger."""
        return Call("DELETE", f"{self.path}/challengers/{quote(name, safe='')}", _nothing)

    def promote(self, challenger: str) -> Call[None]:
        """Let a challenger answer."""
        return Call("POST", f"{self.path}/promote", _nothing, _json({"challenger": challenger}))


# items of batches -------------------------------------------------------------------------------
def predict_item(x: Example, id: str | None, durable: bool = False) -> dict[str, Any]:  # noqa: A002
    """The body of ``predict``."""
    item: dict[str, Any] = {"x": checked(x)}
    if id is not None:
        item["id"] = id
    if durable:
        item["durable"] = True
    return item


def label_item(ticket: Ticket, y: Label, x: Example | None) -> dict[str, Any]:
    """The body of ``label``."""
    item: dict[str, Any] = {"ticket": ticket, "y": y}
    return item if x is None else item | {"x": checked(x)}


def learn_item(x: Example, y: Label, id: str) -> dict[str, Any]:  # noqa: A002
    """The body of ``learn``."""
    return {"x": checked(x), "y": y, "id": id}


def checked(x: Example) -> Example:
    """Return the example; a NaN or infinity is an error, since JSON would turn it into null."""
    pairs: Iterable[tuple[Any, Any]] = x.items() if isinstance(x, Mapping) else enumerate(x)
    for name, value in pairs:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"feature {name!r}: must be finite, got {value}. Give None for a missing value")
    return x


# bodies and answers -----------------------------------------------------------------------------
def _json(body: Any) -> bytes:
    return msgspec.json.encode(body, enc_hook=_plain)


def _plain(value: Any) -> Any:
    """Values of numpy and pandas as plain ones; a missing or infinite one is found here."""
    if hasattr(value, "tolist"):
        plain = value.tolist()
        checked(plain if isinstance(plain, list) else [plain])
        return plain
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"values must be numbers, texts, True, False or None, got {type(value).__name__}")


def _nothing(body: bytes) -> None:
    return None


def _one(kind: Any) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(kind).decode


def _listed(name: str, kind: Any) -> Callable[[bytes], Any]:
    """Read a list that stands under this name."""
    decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    return lambda body: msgspec.json.decode(decode(body)[name], type=list[kind])


def _items(kind: type[T], count: int) -> Callable[[bytes], list[T | ServiceError]]:
    """Read the results of a batch of this many items."""

    def parse(body: bytes) -> list[T | ServiceError]:
        raw = msgspec.json.decode(body, type=_Batch).items
        if len(raw) != count:
            raise msgspec.ValidationError(f"a batch of {count} items must have as many results, got {len(raw)}")
        return [_item(one, kind) for one in raw]

    return parse


class _Batch(msgspec.Struct):
    items: list[msgspec.Raw]


def _item(raw: msgspec.Raw, kind: type[T]) -> T | ServiceError:
    problem = problem_of(bytes(raw))
    return msgspec.json.decode(raw, type=kind) if problem is None else problem

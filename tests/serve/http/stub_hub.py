"""A hub of canned answers: the tests of the HTTP layer need no learner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from driftline.serve.errors import Conflict, Elsewhere, Refused, ServeError, UnknownModel, UnknownTicket, Unready
from driftline.serve.results import (
    AuditEntry,
    ContenderInfo,
    Counts,
    LogEntry,
    ModelInfo,
    Outcome,
    Prediction,
    Question,
    Redacted,
    SnapshotInfo,
    Update,
)
from driftline.serve.settings import Settings
from driftline.serve.spec import Spec
from driftline.serve.storage.storage import TokenRow

COUNTS = Counts(3, 2, 1, 0.5, 0.25, 1.5)
FIRST = Prediction(7, "spam", {"spam": 0.75, "ham": 0.25}, 1.5, 6)


def info(name: str = "mail") -> ModelInfo:
    spec = Spec(learner="pa1")
    one = ContenderInfo("original", "champion", spec, ["ham", "spam"], 3, 2, COUNTS)
    return ModelInfo(name, spec, 1.0, 9, 8, 1, 0, False, [one])


class StubModel:
    """Learns tickets below 100; ticket 404 is unknown, the label 409 is in conflict, 422 is refused."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.gate: asyncio.Event | None = None

    def predict(self, x: Any, id: str | None = None) -> Prediction:  # noqa: A002
        self.calls.append(("predict", x, id))
        if x == {"bools": True}:
            return Prediction(8, True, {True: 0.75, False: 0.25}, 1.5, 6)  # type: ignore[dict-item]
        if x == {"bug": True}:
            raise RuntimeError("a bug")
        return FIRST

    async def label(self, ticket: Any, y: Any, who: str = "", x: Any = None) -> Outcome:
        if self.gate is not None:
            await self.gate.wait()
        self.calls.append(("label", ticket, y, who, x))
        if ticket == 404:
            raise UnknownTicket("ticket: must be open, got 404. Send the example too")
        if y == 409:
            raise Conflict("label: must be that of before, got 409. Keep the first")
        if y == 422:
            raise Refused("label: must be known, got 422. Use one of two")
        return Outcome("learned", ticket, 9, "spam")

    async def learn(self, x: Any, y: Any, id: str | None = None, who: str = "") -> Outcome:  # noqa: A002
        self.calls.append(("learn", x, y, id, who))
        return Outcome("learned", id, 9, "spam")

    async def dismiss(self, ticket: Any, who: str = "") -> Outcome:
        return Outcome("dismissed", ticket, 9)

    async def predict_many(self, items: Any, *, text_keys: bool = False) -> list[Any]:
        found = [self.predict(*item) for item in items]
        return [one.with_text_keys() for one in found] if text_keys else found

    async def label_many(self, items: Any, who: str = "") -> list[Any]:
        found: list[Any] = []
        for ticket, y, x in items:
            try:
                found.append(await self.label(ticket, y, who, x))
            except ServeError as error:
                found.append(error)
        return found

    async def learn_many(self, items: Any, who: str = "") -> list[Any]:
        return [await self.learn(*item, who) for item in items]

    def info(self) -> ModelInfo:
        return info()

    def example_of(self, ticket: Any) -> Any:
        return {"a": float(ticket)}

    def explain(self, x: Any, contender: Any = None) -> dict[str, Any]:
        return {"score": 1.0, "contributions": x}

    def metrics(self, contender: Any = None) -> dict[str, Any]:
        return {"counts": COUNTS}

    def questions(self, limit: int = 20) -> list[Question]:
        return [Question(7, {"a": 1.0}, "spam", None, 1.0, 0.5, 1.0)] * limit

    def nothing(self, *_: Any) -> list[Any]:
        return []

    series = alarms = largest_weights = leaders = snapshots = nothing

    async def changed(self, *args: Any, **named: Any) -> ModelInfo:
        self.calls.append(("change", args, named))
        return info()

    add_challenger = remove_challenger = promote = rollback = import_ = changed

    async def snapshot(self, who: str = "") -> SnapshotInfo:
        return SnapshotInfo(1, 9, 1.0, "manual", 10)

    async def export(self) -> bytes:
        return b"model"

    def log(self, after: int = 0, limit: int = 100) -> list[LogEntry]:
        return [LogEntry(1, {"kind": "asked"}, "00")]

    async def redact(self, ticket: Any, who: str = "") -> Redacted:
        self.calls.append(("redact", ticket))
        return Redacted(1, 1)


class StubHub:
    def __init__(self) -> None:
        self.settings = Settings(max_batch=5)
        self.mail = StubModel()
        self.why_not_ready = ""
        self.notes: list[tuple[str, ...]] = []
        self.updates: asyncio.Queue[Update | None] = asyncio.Queue()
        self.waited = 0
        self.sharing: Any = None
        self.broken: dict[str, tuple[int, str]] = {}

    @property
    def ready(self) -> bool:
        return not self.why_not_ready

    def model(self, name: str) -> StubModel:
        if self.why_not_ready:
            raise Unready(f"server: must be ready, got: {self.why_not_ready}")
        if name == "far":
            raise Elsewhere("model 'far': another server holds it", "http://10.0.0.2:8000")
        if name != "mail":
            raise UnknownModel(f"model: must exist, got {name!r}. Create it")
        return self.mail

    def models(self) -> list[ModelInfo]:
        return [info()]

    async def create(self, name: str, spec: Spec, who: str = "", model: bytes | None = None) -> ModelInfo:
        return info(name)

    async def delete(self, name: str, who: str = "") -> None:
        self.model(name)

    async def durable(self, model: Any) -> None:
        self.waited += 1

    async def note(self, who: str, what: str, model: str = "", detail: str = "") -> None:
        self.notes.append((who, what, model, detail))

    def audit(self, limit: int = 100) -> list[AuditEntry]:
        return [AuditEntry(1, 1.0, "ops", "created", "mail", "")][:limit]

    async def whole_audit(self, limit: int = 100) -> list[AuditEntry]:
        return self.audit(limit)

    def served(self) -> list[StubModel]:
        return [self.mail]

    async def subscribe(self) -> AsyncIterator[Update]:
        while (update := await self.updates.get()) is not None:
            yield update

    def stats(self) -> dict[str, float]:
        return {"commits": 3.0}


class StubStore:
    """Tokens in memory. It counts how often they are read."""

    def __init__(self) -> None:
        self.rows: dict[str, TokenRow] = {}
        self.broken = False

    def tokens(self) -> list[TokenRow]:
        if self.broken:
            raise OSError("the database is away")
        return list(self.rows.values())

    def put_token(self, token: TokenRow) -> None:
        self.rows[token.name] = token

    def revoke_token(self, name: str, at: float) -> None:
        row = self.rows[name]
        self.rows[name] = TokenRow(row.name, row.digest, row.scopes, row.created_at, row.expires_at, at, row.per_second)

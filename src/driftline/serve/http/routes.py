"""The table of routes. The dispatch, the authorisation and the OpenAPI document read it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from driftline.serve.http import learning, managing, serving, sse, types
from driftline.serve.http.exchange import Exchange, Reply
from driftline.serve.http.service import Service
from driftline.serve.results import ModelInfo, Outcome, Prediction, Redacted, SnapshotInfo

Scope = Literal["predict", "learn", "admin"]
Handler = Callable[[Service, Exchange, Any], Awaitable[Reply]]
JSON, NDJSON, OCTETS = "application/json", "application/x-ndjson", "application/octet-stream"


@dataclass(frozen=True)
class Route:
    """One route.

    Parameters
    ----------
    method : str
        GET, POST or DELETE.
    path : str
        The path. ``{...}`` stands for one part of it.
    scope : str or None
        What the token must allow; None if the route is open to all.
    handler : callable
        Answers a request. It gets the decoded body, or bytes if ``raw``.
    takes, gives : type or None
        The types of the bodies.
    status : int
        The status of success.
    media : tuple of str
        The media types that the body may have.
    replies : str
        The media type of the reply.
    query : tuple of str
        The parameters of the query.
    raw : bool
        Whether the handler decodes the body.
    """

    method: str
    path: str
    scope: Scope | None
    handler: Handler
    takes: Any = None
    gives: Any = None
    status: int = 200
    media: tuple[str, ...] = (JSON,)
    replies: str = JSON
    query: tuple[str, ...] = ()
    raw: bool = False
    decode: Callable[[bytes], Any] = field(init=False, repr=False, compare=False, default=bytes)
    media_bytes: frozenset[bytes] = field(init=False, repr=False, compare=False, default=frozenset())

    def __post_init__(self) -> None:
        if self.takes is not None and not self.raw:
            object.__setattr__(self, "decode", msgspec.json.Decoder(self.takes).decode)
        object.__setattr__(self, "media_bytes", frozenset(one.encode() for one in self.media))

    @property
    def has_body(self) -> bool:
        """Whether requests have a body."""
        return self.method == "POST"

    @property
    def summary(self) -> str:
        """The first line of the handler's docstring."""
        return (self.handler.__doc__ or "").strip().partition("\n")[0].rstrip(".")


BATCH = (JSON, NDJSON)
M = "/v1/models/{model}"
ROUTES = (
    Route("GET", "/v1/models", "predict", managing.list_models, gives=types.Models),
    Route("POST", "/v1/models", "admin", managing.create_model, types.NewModel, ModelInfo, 201),
    Route("GET", M, "predict", managing.get_model, gives=ModelInfo),
    Route("DELETE", M, "admin", managing.delete_model, status=204),
    Route("POST", f"{M}/predict", "predict", learning.predict, types.Predict, Prediction),
    Route("POST", f"{M}/label", "learn", learning.label, types.Tell, Outcome),
    Route("POST", f"{M}/learn", "learn", learning.learn, types.Learn, Outcome),
    Route("POST", f"{M}/dismiss", "learn", learning.dismiss, types.Dismiss, Outcome),
    Route(
        "POST", f"{M}/predict:batch", "predict", learning.predict_batch,
        types.PredictBatch, types.PredictionResults, media=BATCH, raw=True,
    ),
    Route(
        "POST", f"{M}/label:batch", "learn", learning.label_batch,
        types.TellBatch, types.OutcomeResults, media=BATCH, raw=True,
    ),
    Route(
        "POST", f"{M}/learn:batch", "learn", learning.learn_batch,
        types.LearnBatch, types.OutcomeResults, media=BATCH, raw=True,
    ),
    Route("POST", f"{M}/explain", "predict", managing.explain, types.Explain, dict[str, Any]),
    Route("GET", f"{M}/metrics", "predict", managing.metrics, gives=dict[str, Any], query=("contender",)),
    Route("GET", f"{M}/series", "predict", managing.series, gives=types.AllSeries),
    Route("GET", f"{M}/alarms", "predict", managing.alarms, gives=types.Alarms),
    Route("GET", f"{M}/weights", "predict", managing.weights, gives=types.Weights, query=("limit", "contender")),
    Route("GET", f"{M}/leaders", "predict", managing.leaders, gives=types.Leaders, query=("limit", "contender")),
    Route("GET", f"{M}/questions", "predict", managing.questions, gives=types.Questions, query=("limit",)),
    Route("GET", f"{M}/export", "admin", managing.export, gives=bytes, replies=OCTETS),
    Route("POST", f"{M}/import", "admin", managing.import_model, bytes, ModelInfo, media=(OCTETS,), raw=True),
    Route("POST", f"{M}/snapshot", "admin", managing.snapshot, types.Nothing, SnapshotInfo, 201),
    Route("GET", f"{M}/snapshots", "admin", managing.snapshots, gives=types.Snapshots),
    Route("POST", f"{M}/rollback", "admin", managing.rollback, types.Rollback, ModelInfo),
    Route("POST", f"{M}/challengers", "admin", managing.add_challenger, types.NewModel, ModelInfo, 201),
    Route("DELETE", f"{M}/challengers/{{challenger}}", "admin", managing.remove_challenger, status=204),
    Route("POST", f"{M}/promote", "admin", managing.promote, types.Promote, ModelInfo),
    Route("GET", f"{M}/log", "admin", managing.log, gives=types.Log, query=("after", "limit")),
    Route("DELETE", f"{M}/log/{{ticket}}", "admin", managing.redact, gives=Redacted, query=("id",)),
    Route("GET", "/v1/audit", "admin", serving.audit, gives=types.Audit, query=("limit",)),
    Route("GET", "/v1/events", "predict", sse.events, gives=str, replies="text/event-stream"),
    Route("GET", "/v1/tokens", "admin", serving.list_tokens, gives=types.Tokens),
    Route("POST", "/v1/tokens", "admin", serving.add_token, types.NewToken, types.MadeToken, 201),
    Route("DELETE", "/v1/tokens/{token}", "admin", serving.revoke_token, status=204),
    Route("POST", "/v1/session", None, serving.login, types.Login, types.Session),
    Route("GET", "/v1/session", "predict", serving.session, gives=types.Session),
    Route("DELETE", "/v1/session", None, serving.logout, status=204),
    Route("GET", "/healthz", None, serving.health, gives=types.Health),
    Route("GET", "/readyz", None, serving.readiness, gives=types.Health),
    Route("GET", "/metrics", "predict", serving.figures, gives=str, replies="text/plain"),
    Route("GET", "/openapi.json", None, serving.openapi, gives=dict[str, Any]),
)  # fmt: skip


def shape(parts: list[str]) -> tuple[str, ...]:
    """Return the key of a path in the table: names at the third and fifth place become a star.

    >>> shape("/v1/models/spam/predict".split("/"))
    ('v1', 'models', '*', 'predict')
    """
    size = len(parts)
    if size == 5:
        return (parts[1], parts[2], "*", parts[4])
    if size == 4:
        return (parts[1], parts[2], "*")
    if size == 6:
        return (parts[1], parts[2], "*", parts[4], "*")
    return tuple(parts[1:])


TABLE: dict[tuple[str, ...], dict[str, Route]] = {}
for _route in ROUTES:
    TABLE.setdefault(shape(_route.path.split("/")), {})[_route.method] = _route

"""A small service with the routes of the real one, in memory, that fails when it is told to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx

Fault = Callable[[httpx.Request, Callable[[httpx.Request], httpx.Response]], httpx.Response]
ROUTE = re.compile(r"/v1/models/(?P<model>[^/]+)/(?P<route>[\w:]+)")


class FakeService:
    """Answers requests; each request takes the next fault, if there is one.

    ``learned`` lists what was learned, ``requests`` what came.
    """

    def __init__(self, *faults: Fault) -> None:
        self.faults = list(faults)
        self.requests: list[httpx.Request] = []
        self.learned: list[tuple[Any, Any]] = []
        self.open: dict[Any, Any] = {}
        self.told: dict[Any, Any] = {}

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        fault = self.faults.pop(0) if self.faults else None
        return self.answer(request) if fault is None else fault(request, self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        found = ROUTE.fullmatch(request.url.path)
        if not found:
            return problem(404, "Not Found", f"no route {request.url.path}")
        body = json.loads(request.content or b"{}")
        route, _, batch = found["route"].partition(":")
        one = getattr(self, f"_{route}")
        if not batch:
            return one(body)
        results = [one(item) for item in body["items"]]
        return httpx.Response(200, json={"items": [each.json() for each in results]})

    def _predict(self, body: dict[str, Any]) -> httpx.Response:
        ticket = body.get("id", len(self.open) + 1)
        repeated = ticket in self.open
        self.open[ticket] = body["x"]
        answer = {"ticket": ticket, "label": "ham", "probability": {"ham": 0.75, "spam": 0.25}, "score": -1.5}
        return httpx.Response(200, json=answer | {"position": 7, "wanted": True, "repeated": repeated, "new": 1})

    def _label(self, body: dict[str, Any]) -> httpx.Response:
        ticket, y = body["ticket"], body["y"]
        if ticket not in self.open and "x" not in body:
            return problem(404, "Unknown ticket", f"ticket: must be open, got {ticket!r}. Send the example too")
        return self._once(ticket, body.get("x", self.open.get(ticket)), y)

    def _learn(self, body: dict[str, Any]) -> httpx.Response:
        return self._once(body["id"], body["x"], body["y"])

    def _once(self, ticket: Any, x: Any, y: Any) -> httpx.Response:
        if ticket in self.told:
            if self.told[ticket] != y:
                return problem(409, "Conflict", f"label: must be {self.told[ticket]!r} as before, got {y!r}")
            return httpx.Response(200, json={"kind": "repeated", "ticket": ticket, "position": 8})
        self.told[ticket] = y
        self.learned.append((x, y))
        return httpx.Response(200, json={"kind": "learned", "ticket": ticket, "position": 8})


def problem(status: int, title: str, detail: str, **headers: str) -> httpx.Response:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "instance": "urn:request:r-1"}
    return httpx.Response(status, json=body, headers={"content-type": "application/problem+json"} | headers)


# faults -----------------------------------------------------------------------------------------
def refused(status: int, **headers: str) -> Fault:
    """The service refuses, and applies nothing."""
    return lambda request, answer: problem(status, "Later", "queue: must have room", **headers)


def unreachable(request: httpx.Request, answer: Any) -> httpx.Response:
    """The connection is refused."""
    raise httpx.ConnectError("connection refused", request=request)


def answer_lost(request: httpx.Request, answer: Callable[[httpx.Request], httpx.Response]) -> httpx.Response:
    """The service applies the request, and the connection breaks before its answer."""
    answer(request)
    raise httpx.ReadError("connection reset", request=request)

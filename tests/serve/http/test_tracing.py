"""Spans of OpenTelemetry. A small stand-in takes the place of the package, which tests do not need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from driftline.serve.http.tracing import Tracing
from tests.serve.http.conftest import Desk


class Span(dict[str, Any]):
    """A span that keeps its attributes and exceptions."""

    set_attribute = dict.__setitem__

    def record_exception(self, error: Exception) -> None:
        self["exception"] = repr(error)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any, Span]]:
    found: list[tuple[str, Any, Span]] = []

    @contextmanager
    def start(name: str, *, context: Any, attributes: dict[str, Any], **more: Any) -> Iterator[Span]:
        assert more == {"kind": "server", "record_exception": False, "set_status_on_exception": False}
        found.append((name, context, Span(attributes)))
        yield found[-1][2]

    package: Any = ModuleType("opentelemetry")
    package.__spec__ = ModuleSpec("opentelemetry", None)
    package.propagate = SimpleNamespace(extract=lambda carrier: carrier.get("traceparent"))
    tracer = SimpleNamespace(start_as_current_span=start)
    package.trace = SimpleNamespace(SpanKind=SimpleNamespace(SERVER="server"), get_tracer=lambda name: tracer)
    monkeypatch.setitem(sys.modules, "opentelemetry", package)
    return found


def test_each_request_has_a_span_with_its_route_and_status(desk: Desk, spans: list[Any]) -> None:
    desk.app.tracing = Tracing()
    answer = desk.post("/v1/models/mail/predict", {"x": [1]}, headers={"traceparent": "parent"})
    desk.post("/v1/models/mail/label", {"ticket": 404, "y": 1})
    desk.post("/v1/models/mail/predict", {"x": {"bug": True}})
    assert [(name, span["http.response.status_code"]) for name, _, span in spans] == [
        ("POST /v1/models/{model}/predict", 200),
        ("POST /v1/models/{model}/label", 404),
        ("POST /v1/models/{model}/predict", 500),
    ]
    assert spans[0][1] == "parent" and spans[0][2]["driftline.request"] == answer.headers["x-request-id"]
    assert ["exception" in span for _, _, span in spans] == [False, False, True]


def test_the_package_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftline.serve.http.tracing.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install opentelemetry-distro"):
        Tracing()

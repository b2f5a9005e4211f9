"""A span of OpenTelemetry for each request, if the package is installed and the server has --otel.

The server makes spans with the API only. ``opentelemetry-instrument driftline serve --otel`` sets up
the exporter that the variables OTEL_... name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from driftline.serve.errors import ServeError

if TYPE_CHECKING:
    from driftline.serve.http.exchange import Exchange
    from driftline.serve.http.routes import Route

STATUS = "http.response.status_code"


class Tracing:
    """Makes spans.

    Raises
    ------
    ImportError
        If opentelemetry is not installed.
    """

    def __init__(self) -> None:
        if find_spec("opentelemetry") is None:
            raise ImportError("--otel needs opentelemetry: pip install opentelemetry-distro")
        from opentelemetry import propagate, trace  # type: ignore[import-not-found, attr-defined, unused-ignore]

        self._propagate: Any = propagate
        self._kind: Any = trace.SpanKind.SERVER
        self._tracer: Any = trace.get_tracer("driftline.serve")

    @contextmanager
    def span(self, route: Route, exchange: Exchange) -> Iterator[Any]:
        """A span around a request, a child of the caller's span if it sent one. It has the status of errors."""
        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in exchange.headers.items()}
        attributes = {
            "http.request.method": exchange.method,
            "http.route": route.path,
            "url.path": exchange.path,
            "driftline.request": exchange.id,
        }
        with self._tracer.start_as_current_span(
            f"{route.method} {route.path}",
            context=self._propagate.extract(carrier),
            kind=self._kind,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except Exception as error:
                status = error.status if isinstance(error, ServeError) else 500
                span.set_attribute(STATUS, status)
                if status >= 500:
                    span.record_exception(error)
                raise

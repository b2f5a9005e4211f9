"""The figures of the server in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

from driftline.serve.results import ModelInfo

MEDIA = b"text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram of latencies, in seconds."""
STATS = {
    "commits": ("counter", "Transactions of the storage."),
    "events": ("counter", "Events, snapshots and notes that were stored."),
    "bytes": ("counter", "Bytes that were stored."),
    "failures": ("counter", "Failures of the storage."),
    "commit_seconds": ("counter", "Seconds that the transactions took."),
    "waiting_events": ("gauge", "Events, snapshots and notes that wait for the storage."),
    "waiting_bytes": ("gauge", "Bytes that wait for the storage."),
}
"""The figures of the hub, with kind and meaning."""


class Tally:
    """The requests of one route.

    Parameters
    ----------
    method, route : str
        The method and the path with placeholders.
    """

    __slots__ = ("buckets", "method", "route", "seconds", "statuses")

    def __init__(self, method: str, route: str) -> None:
        self.method = method
        self.route = route
        self.statuses: dict[int, int] = {}
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def add(self, status: int, seconds: float) -> None:
        """Count a request."""
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds


def exposition(tallies: Iterable[Tally], models: Iterable[ModelInfo], stats: Mapping[str, float], ready: bool) -> bytes:
    """Return all figures as text."""
    used = [one for one in tallies if one.statuses]
    lines = [*_requests(used), *_models(list(models)), *_stats(stats)]
    lines += _head("driftline_ready", "gauge", "Whether requests are answered.")
    lines.append(f"driftline_ready {int(ready)}")
    return ("\n".join(lines) + "\n").encode()


def _requests(tallies: list[Tally]) -> Iterator[str]:
    yield from _head("driftline_http_requests_total", "counter", "Requests by route and status.")
    for one in tallies:
        for status, count in sorted(one.statuses.items()):
            labels = _labels(method=one.method, route=one.route, status=str(status))
            yield f"driftline_http_requests_total{labels} {count}"
    name = "driftline_http_request_seconds"
    yield from _head(name, "histogram", "Time from the headers of a request to the end of its reply.")
    for one in tallies:
        total = 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), one.buckets, strict=True):
            total += count
            yield f"{name}_bucket{_labels(method=one.method, route=one.route, le=bound)} {total}"
        labels = _labels(method=one.method, route=one.route)
        yield f"{name}_sum{labels} {one.seconds!r}"
        yield f"{name}_count{labels} {total}"


def _models(models: list[ModelInfo]) -> Iterator[str]:
    gauges = {
        "driftline_model_position": ("counter", "Events in the log of a model."),
        "driftline_model_durable_position": ("counter", "Events of a model that are on disk."),
        "driftline_model_open_tickets": ("gauge", "Predictions that wait for their label."),
        "driftline_model_unmatched_labels": ("gauge", "Labels that wait for their example."),
    }
    for name, (kind, text) in gauges.items():
        yield from _head(name, kind, text)
        for model in models:
            value = getattr(model, name.removeprefix("driftline_model_"))
            yield f"{name}{_labels(model=model.name)} {value}"
    counts = {
        "asked": ("counter", "Predictions of a contender."),
        "labelled": ("counter", "Labels that a contender learned."),
        "errors": ("counter", "Wrong predictions among the labelled ones."),
        "refused": ("counter", "Examples and labels that the learner of a challenger refused."),
        "log_loss": ("gauge", "Mean log loss since the contender was added."),
        "latency": ("gauge", "Mean seconds from a prediction to its label."),
    }
    for field, (kind, text) in counts.items():
        name = f"driftline_contender_{field}" + ("_total" if kind == "counter" else "")
        yield from _head(name, kind, text)
        for model in models:
            for one in model.contenders:
                value = getattr(one.counts, field)
                if value is not None:
                    yield f"{name}{_labels(model=model.name, contender=one.name, role=one.role)} {value!r}"


def _stats(stats: Mapping[str, float]) -> Iterator[str]:
    for key, value in sorted(stats.items()):
        kind, text = STATS[key]
        name = f"driftline_hub_{key}" + ("_total" if kind == "counter" else "")
        yield from _head(name, kind, text)
        yield f"{name} {value!r}"


def _head(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _labels(**labels: str) -> str:
    return "{" + ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    r"""Escape a label value.

    >>> _escaped('a"b\\')
    'a\\"b\\\\'
    """
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

"""A service with canned answers, for tests of the dashboard in a browser."""

from __future__ import annotations

import json
import math
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from driftline.serve.dashboard import POLICY, static_files

TOKEN = "dl_admin_secret"
COOKIE = "driftline_session=key"
SECONDS = 10.0


class FakeService:
    """Models and their figures as plain JSON values; what the page sent is recorded."""

    def __init__(self, models: list[dict[str, Any]], *, open: bool = True) -> None:  # noqa: A002
        self.open = open
        self.scopes = ["predict", "learn", "admin"]
        self.models = {one["name"]: one for one in models}
        self.series: dict[str, list[dict[str, Any]]] = {}
        self.questions: dict[str, list[dict[str, Any]]] = {}
        self.alarms: list[dict[str, Any]] = []
        self.leaders: list[dict[str, Any]] = []
        self.weights: list[list[Any]] = []
        self.snapshots: list[dict[str, Any]] = []
        self.audit: list[dict[str, Any]] = []
        self.contributions: list[list[Any]] = []
        self.refusals: dict[Any, tuple[int, str]] = {}
        """Ticket to the status and detail with which its label is refused."""
        self.received: list[tuple[str, str, Any]] = []
        """(method, path, body) of each call that changes something."""
        self.failing = 0
        """If not 0, calls that change something are answered with this status."""
        self.streams: list[queue.Queue[str | None]] = []
        self.server = self._listen(0)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def _listen(self, port: int) -> ThreadingHTTPServer:
        service = self

        class Handler(_Handler):
            fake = service

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False
            allow_reuse_address = True

        server = Server(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return server

    def stop(self) -> None:
        """Close all connections."""
        for stream in self.streams:
            stream.put(None)
        self.streams.clear()
        self.server.shutdown()
        self.server.server_close()

    def start_again(self) -> None:
        """Listen on the same port as before."""
        self.server = self._listen(self.port)

    def send(self, model: str, kind: str = "counts", **data: Any) -> None:
        """Send an update to all pages."""
        for stream in self.streams:
            stream.put(f"event: {kind}\ndata: {json.dumps({'model': model, 'kind': kind, 'data': data})}\n\n")

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """The status and the JSON of a route."""
        parts = [unquote(part) for part in path.split("/")[2:]]
        match method, parts:
            case "GET", ["models"]:
                return 200, {"models": list(self.models.values())}
            case "GET", ["audit"]:
                return 200, {"entries": self.audit}
            case _, ["models", name, *_] if name not in self.models:
                return 404, {"detail": f"model: must exist, got {name!r}. GET /v1/models lists all"}
            case "GET", ["models", name]:
                return 200, self.models[name]
            case "GET", ["models", name, "series"]:
                return 200, {"series": self.series.get(name, [])}
            case "GET", ["models", name, "questions"]:
                return 200, {"questions": self.questions.get(name, [])[:20]}
            case "GET", ["models", name, ("alarms" | "leaders" | "weights" | "snapshots") as what]:
                return 200, {what: getattr(self, what)}
            case "POST", ["models", name, "explain"]:
                label = self.models[name]["contenders"][0]["labels"][-1:]
                return 200, {"label": label[0] if label else None, "contributions": self.contributions}
            case "POST", ["models", name, what]:
                return self._change(method, path, name, what, body)
        return 404, {"detail": f"no route {method} {path}"}

    def _change(self, method: str, path: str, name: str, what: str, body: Any) -> tuple[int, Any]:
        if self.failing:
            return self.failing, {"detail": "storage: must take events, got a full disk. Make room"}
        ticket = (body or {}).get("ticket")
        if ticket in self.refusals:
            return self.refusals[ticket][0], {"detail": self.refusals[ticket][1]}
        self.received.append((method, path, body))
        if what in ("label", "dismiss"):
            self.questions[name] = [one for one in self.questions[name] if one["ticket"] != ticket]
            return 200, {"kind": "learned", "ticket": ticket, "position": 1}
        return 200, self.models[name]


class _Handler(BaseHTTPRequestHandler):
    fake: FakeService
    files = static_files()

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path in self.files:
            media, content = self.files[path]
            self._reply(200, content, media)
        elif path == "/v1/events" and self._allowed():
            self._stream()
        else:
            self._route("GET", path)

    def do_POST(self) -> None:
        self._route("POST", urlsplit(self.path).path)

    def do_DELETE(self) -> None:
        self._route("DELETE", urlsplit(self.path).path)

    def _allowed(self) -> bool:
        return self.fake.open or COOKIE in (self.headers.get("Cookie") or "")

    def _route(self, method: str, path: str) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")
        session = {"name": "ana", "scopes": self.fake.scopes, "open": self.fake.open}
        if (method, path) == ("POST", "/v1/session"):
            if body["token"] == TOKEN:
                self._json(200, session, f"{COOKIE}; HttpOnly; SameSite=Strict; Path=/")
            else:
                self._json(401, {"detail": "authorization: the token must be one of this server, got an unknown one"})
        elif not self._allowed():
            self._json(401, {"detail": "authorization: a token must be given, got none"})
        elif (method, path) == ("GET", "/v1/session"):
            self._json(200, session)
        elif (method, path) == ("DELETE", "/v1/session"):
            self._json(200, {}, "driftline_session=; Max-Age=0; Path=/")
        else:
            self._json(*self.fake.answer(method, path, body))

    def _json(self, status: int, value: Any, cookie: str = "") -> None:
        media = "application/json" if status < 400 else "application/problem+json"
        self._reply(status, json.dumps(value).encode(), media, cookie)

    def _reply(self, status: int, content: bytes, media: str, cookie: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(content)

    def _stream(self) -> None:
        mine: queue.Queue[str | None] = queue.Queue()
        self.fake.streams.append(mine)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b": hello\n\n")
        self.wfile.flush()
        while (message := mine.get()) is not None:
            try:
                self.wfile.write(message.encode())
                self.wfile.flush()
            except OSError:
                return


# canned data --------------------------------------------------------------------------------------
def counts(asked: int = 0, labelled: int = 0, errors: int = 0) -> dict[str, Any]:
    known = labelled > 0
    return {
        "asked": asked,
        "labelled": labelled,
        "errors": errors,
        "error": errors / labelled if known else None,
        "log_loss": 0.41 if known else None,
        "latency": 312.0 if known else None,
    }


def contender(name: str, role: str, labels: list[Any], learner: str = "pa1", **figures: int) -> dict[str, Any]:
    return {
        "name": name,
        "role": role,
        "spec": {"learner": learner, "options": {}, "labels": labels or None, "asking": None},
        "labels": labels,
        "features": 1234,
        "examples": figures.get("labelled", 0),
        "counts": counts(**figures),
    }


def model(name: str, contenders: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "spec": contenders[0]["spec"],
        "created_at": time.time() - 90_000,
        "position": 81_234,
        "durable_position": 81_234,
        "open_tickets": 17,
        "unmatched_labels": 3,
        "regresses": False,
        "contenders": contenders,
        "ready": True,
        **fields,
    }


def series(
    name: str, labels: list[Any], *, buckets: int = 240, level: float = 0.08, drift: bool = True
) -> dict[str, Any]:
    """Counts of a contender whose error rises in the middle and falls again."""
    start = math.floor(time.time() / SECONDS) * SECONDS - SECONDS * (buckets - 1)
    found = []
    for k in range(buckets):
        labelled = 60 + int(30 * math.sin(k / 9)) + k * 7 % 11
        risen = 0.22 * math.exp(-(k - buckets / 2) / 25) if drift and k >= buckets / 2 else 0.0
        errors = round(labelled * (level + risen + 0.02 * math.sin(k * 1.7)))
        part = 0.5 + 0.3 * math.sin(k / 40)
        split = [part, *([(1 - part) / max(1, len(labels) - 1)] * (len(labels) - 1))]
        found.append(
            {
                "start": start + SECONDS * k,
                "asked": labelled + 12,
                "labelled": labelled,
                "errors": errors,
                "loss": float(errors),
                "log_loss": labelled * (0.2 + 1.4 * errors / labelled),
                "judged": labelled,
                "waited": labelled,
                "latency": labelled * (280 + 120 * math.sin(k / 30)),
                "classes": [[label, round(labelled * share)] for label, share in zip(labels, split, strict=False)],
            }
        )
    return {"contender": name, "seconds": SECONDS, "buckets": found}


def question(ticket: Any, x: Any, label: Any = None, probability: dict[str, float] | None = None) -> dict[str, Any]:
    return {
        "ticket": ticket,
        "x": x,
        "label": label,
        "probability": probability,
        "score": 0.12,
        "worth": 0.87,
        "at": time.time() - 95,
    }

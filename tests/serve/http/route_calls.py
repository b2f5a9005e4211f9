"""A valid call of each route, for tests that go through all of them."""

from __future__ import annotations

from typing import Any

import httpx

from driftline.serve.http.routes import Route
from tests.serve.http.conftest import Desk

BODIES: dict[str, Any] = {
    "predict": {"x": [1]},
    "label": {"ticket": 1, "y": 1},
    "learn": {"x": [1], "y": 1},
    "dismiss": {"ticket": 1},
    "explain": {"x": [1]},
    "rollback": {"position": 1},
    "promote": {"challenger": "b"},
    "models": {"name": "new"},
    "challengers": {"name": "new"},
    "tokens": {"name": "new", "scopes": ["predict"]},
}


def name_of(route: Route) -> str:
    return f"{route.method} {route.path}"


def call(desk: Desk, route: Route, token: str | None, name: str = "victim", **more: Any) -> httpx.Response:
    path = route.path.format(model="mail", challenger="b", ticket="7", token=name) if "{" in route.path else route.path
    last = path.rpartition("/")[2].partition(":")
    if route.method != "POST":
        return desk.send(route.method, path, token, **more)
    if route.path.endswith("/import"):
        headers = more.pop("headers", {}) | {"content-type": "application/octet-stream"}
        return desk.send("POST", path, token, content=b"model", headers=headers, **more)
    body = {"items": []} if last[1] else BODIES.get(last[0], {})
    if last[0] == "session":
        body = {"token": token or "dl_no_thing"}
    return desk.post(path, body, token=token, **more)

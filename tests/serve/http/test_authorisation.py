"""Every route with every scope, without a token and with a wrong one."""

from __future__ import annotations

import json

import pytest

from driftline.serve.http.routes import ROUTES, Route
from driftline.serve.http.tokens import new_token, split_token
from driftline.serve.storage.storage import TokenRow
from tests.serve.http.conftest import Desk
from tests.serve.http.problem_check import check_problem
from tests.serve.http.route_calls import BODIES, call, name_of

ALLOWED = {
    None: {"predict", "learn", "admin"},
    "predict": {"predict", "admin"},
    "learn": {"learn", "admin"},
    "admin": {"admin"},
}
EXPECTED = {
    "GET /v1/models": "predict",
    "POST /v1/models": "admin",
    "GET /v1/models/{model}": "predict",
    "DELETE /v1/models/{model}": "admin",
    "POST /v1/models/{model}/predict": "predict",
    "POST /v1/models/{model}/label": "learn",
    "POST /v1/models/{model}/learn": "learn",
    "POST /v1/models/{model}/dismiss": "learn",
    "POST /v1/models/{model}/predict:batch": "predict",
    "POST /v1/models/{model}/label:batch": "learn",
    "POST /v1/models/{model}/learn:batch": "learn",
    "POST /v1/models/{model}/explain": "predict",
    "GET /v1/models/{model}/metrics": "predict",
    "GET /v1/models/{model}/series": "predict",
    "GET /v1/models/{model}/alarms": "predict",
    "GET /v1/models/{model}/weights": "predict",
    "GET /v1/models/{model}/leaders": "predict",
    "GET /v1/models/{model}/questions": "predict",
    "GET /v1/models/{model}/export": "admin",
    "POST /v1/models/{model}/import": "admin",
    "POST /v1/models/{model}/snapshot": "admin",
    "GET /v1/models/{model}/snapshots": "admin",
    "POST /v1/models/{model}/rollback": "admin",
    "POST /v1/models/{model}/challengers": "admin",
    "DELETE /v1/models/{model}/challengers/{challenger}": "admin",
    "POST /v1/models/{model}/promote": "admin",
    "GET /v1/models/{model}/log": "admin",
    "DELETE /v1/models/{model}/log/{ticket}": "admin",
    "GET /v1/audit": "admin",
    "GET /v1/events": "predict",
    "GET /v1/tokens": "admin",
    "POST /v1/tokens": "admin",
    "DELETE /v1/tokens/{token}": "admin",
    "POST /v1/session": None,
    "GET /v1/session": "predict",
    "DELETE /v1/session": None,
    "GET /healthz": None,
    "GET /readyz": None,
    "GET /metrics": "predict",
    "GET /openapi.json": None,
}
"""The scope of each route, written by hand: a route that is opened by mistake fails here."""


def test_every_route_is_listed() -> None:
    assert {name_of(route): route.scope for route in ROUTES} == EXPECTED


@pytest.mark.parametrize("holder", ["nobody", "wrong", "stranger", "expired", "revoked", "predict", "learn", "admin"])
@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_the_matrix(desk: Desk, route: Route, holder: str) -> None:
    desk.hub.updates.put_nowait(None)  # the stream of events ends
    desk.token("victim", "predict")
    tokens = {
        "nobody": None,
        "wrong": desk.token("ops", "admin")[:-1] + "!",
        "stranger": new_token("stranger")[0],
        "expired": desk.token("old", "admin", expires_at=1001.0),
        "revoked": desk.token("gone", "admin", revoked_at=1.0),
        **{scope: desk.token(scope, scope) for scope in ("predict", "learn", "admin")},
    }
    answer = call(desk, route, tokens[holder])
    scope = EXPECTED[name_of(route)]
    login = name_of(route) == "POST /v1/session"
    if holder in ("predict", "learn", "admin"):
        if holder in ALLOWED[scope]:
            assert answer.status_code == route.status, answer.text
        else:
            check_problem(answer, 403, f"the scope {scope}", f"got {holder} with {holder}")
    elif scope is not None or login:
        check_problem(answer, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")
    else:
        assert answer.status_code == route.status
    if answer.status_code in (401, 403):
        assert not desk.hub.mail.calls and not desk.hub.notes


@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_without_any_token_a_loopback_server_is_open(desk: Desk, route: Route) -> None:
    desk.hub.updates.put_nowait(None)
    answer = call(desk, route, None)
    expected = {"POST /v1/session": 401, "DELETE /v1/tokens/{token}": 404}.get(name_of(route), route.status)
    assert answer.status_code == expected, answer.text


@pytest.mark.parametrize("route", [one for one in ROUTES if one.scope], ids=name_of)
def test_a_public_server_without_tokens_is_closed(route: Route) -> None:
    check_problem(call(Desk(public=True), route, None), 401)


def test_tokens_are_made_used_and_revoked_while_the_server_runs(desk: Desk) -> None:
    admin = desk.token("ops", "admin")
    made = desk.post("/v1/tokens", {"name": "shop", "scopes": ["learn", "predict"]}, token=admin)
    token = made.json()["token"]
    assert made.json()["info"]["scopes"] == ["predict", "learn"]
    assert desk.send("GET", "/v1/models", token).status_code == 200
    listed = desk.send("GET", "/v1/tokens", admin)
    assert [one["name"] for one in listed.json()["tokens"]] == ["ops", "shop"]
    secret = split_token(token)[1]
    stored = [row.digest.hex() for row in desk.store.tokens()]
    assert secret not in listed.text and not any(digest in listed.text for digest in stored)
    check_problem(desk.post("/v1/tokens", {"name": "shop", "scopes": ["learn"]}, token=admin), 409)
    assert desk.send("DELETE", "/v1/tokens/shop", admin).status_code == 204
    check_problem(desk.send("GET", "/v1/models", token), 401, "shop, which was revoked")
    assert [note[:2] for note in desk.hub.notes] == [("ops", "token added"), ("ops", "token revoked")]


@pytest.mark.parametrize("scopes", [[], ["root"], ["predict", "ADMIN"]])
def test_scopes_must_be_known(desk: Desk, scopes: list[str]) -> None:
    check_problem(desk.post("/v1/tokens", {"name": "shop", "scopes": scopes}), 422, "scopes must be some of")


def test_a_token_made_by_another_process_is_known_within_a_second(desk: Desk) -> None:
    assert desk.send("GET", "/v1/models").status_code == 200
    text, digest = new_token("ops")
    desk.store.put_token(TokenRow("ops", digest, "admin", 0.0))
    desk.now += 1.1
    check_problem(desk.send("GET", "/v1/models"), 401, "a token must be given, got none")
    assert desk.send("GET", "/v1/models", text).status_code == 200


def test_a_database_that_is_away_does_not_open_the_server(desk: Desk) -> None:
    token = desk.token("ops", "admin")
    assert desk.send("GET", "/v1/models", token).status_code == 200
    desk.store.broken = True
    desk.now += 5.0
    check_problem(desk.send("GET", "/v1/models"), 401)
    assert desk.send("GET", "/v1/models", token).status_code == 200


def test_a_database_that_was_never_read_does_not_open_the_server(desk: Desk) -> None:
    desk.store.broken = True
    check_problem(desk.send("GET", "/v1/models"), 503)


def test_the_rate_limit_of_a_token(desk: Desk) -> None:
    token = desk.token("shop", "learn", per_second=2.0)
    path = "/v1/models/mail/learn"
    answers = [desk.post(path, BODIES["learn"], token=token) for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    check_problem(answers[2], 429, "token shop: at most 2 examples a second", "Wait 0.5 s")
    assert answers[2].headers["retry-after"] == "1" and len(desk.hub.mail.calls) == 2
    desk.now += 0.5
    assert desk.post(path, BODIES["learn"], token=token).status_code == 200


def test_the_items_of_a_batch_count_against_the_rate_limit(desk: Desk) -> None:
    token = desk.token("shop", "learn", per_second=2.0)
    items = {"items": [BODIES["learn"]] * 5}
    check_problem(desk.post("/v1/models/mail/learn:batch", items, token=token), 429)
    assert not desk.hub.mail.calls
    desk.now += 1.0
    items = {"items": [BODIES["learn"]] * 2}
    assert desk.post("/v1/models/mail/learn:batch", items, token=token).status_code == 200


# browsers ---------------------------------------------------------------------------------------
HOST = {"host": "127.0.0.1:8000"}


def test_login_gives_a_cookie_that_scripts_cannot_read(desk: Desk) -> None:
    token = desk.token("web", "predict learn")
    answer = desk.post("/v1/session", {"token": token})
    assert answer.json() == {"name": "web", "scopes": ["learn", "predict"], "open": False}
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Secure" not in cookie and token not in cookie
    key = {"cookie": cookie.partition(";")[0]}
    assert desk.send("GET", "/v1/session", headers=key).json()["name"] == "web"
    check_problem(desk.send("GET", "/v1/audit", headers=key), 403)
    evil = key | {"origin": "http://evil.example"}
    check_problem(desk.post("/v1/models/mail/label", BODIES["label"], headers=evil), 403, "header Origin")
    own = key | {"origin": "http://127.0.0.1:8000"}
    assert desk.post("/v1/models/mail/label", BODIES["label"], headers=own).status_code == 200
    gone = desk.send("DELETE", "/v1/session", headers=key)
    assert gone.status_code == 204 and "Max-Age=0" in gone.headers["set-cookie"]
    check_problem(desk.send("GET", "/v1/session", headers=key), 401)


@pytest.mark.parametrize("how", ["expiry", "rotation", "revocation"])
def test_a_session_ends_with_its_token(desk: Desk, how: str) -> None:
    token = desk.token("web", "predict")
    key = {"cookie": desk.post("/v1/session", {"token": token}).headers["set-cookie"].partition(";")[0]}
    assert desk.send("GET", "/v1/session", headers=key).status_code == 200
    if how == "expiry":
        desk.now += 13 * 3600.0
    elif how == "rotation":
        desk.token("web", "predict")
    else:
        desk.store.revoke_token("web", 1.0)
        desk.now += 2.0
    check_problem(desk.send("GET", "/v1/session", headers=key), 401)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "0.0.0.0", "10.0.0.1"])
@pytest.mark.parametrize("route", [one for one in ROUTES if one.path not in ("/healthz", "/readyz")], ids=name_of)
def test_a_name_that_resolves_to_this_machine_is_refused(desk: Desk, route: Route, host: str) -> None:
    check_problem(call(desk, route, None, headers={"host": host}), 403, "header Host", host)


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000", "LOCALHOST"])
def test_loopback_names_are_accepted(desk: Desk, host: str) -> None:
    assert desk.send("GET", "/v1/models", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://"])
def test_pages_of_other_sites_are_refused(desk: Desk, origin: str) -> None:
    answer = desk.post("/v1/models/mail/predict", {"x": [1]}, headers={"origin": origin})
    check_problem(answer, 403, "header Origin")
    assert not desk.hub.mail.calls and "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("media", ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded", None])
@pytest.mark.parametrize("route", [one for one in ROUTES if one.method == "POST"], ids=name_of)
def test_a_form_cannot_post(desk: Desk, route: Route, media: str | None) -> None:
    path = route.path.replace("{model}", "mail")
    headers = {} if media is None else {"content-type": media}
    check_problem(desk.send("POST", path, content=json.dumps({}).encode(), headers=headers), 415)

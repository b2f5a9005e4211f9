"""Routes, their documentation, and what every answer has."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import httpx
import pytest

from driftline.serve.dashboard import static_files
from driftline.serve.http.pages import pages
from driftline.serve.http.routes import ROUTES, TABLE, shape
from driftline.serve.results import Update
from tests.serve.http.conftest import Desk
from tests.serve.http.problem_check import check_problem
from tests.serve.http.route_calls import call, name_of


@pytest.fixture
def document(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = desk.send("GET", "/openapi.json").json()
    return found


def test_documented_routes_are_the_real_ones(desk: Desk, document: dict[str, Any]) -> None:
    documented = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    assert documented == {(route.method, route.path) for route in ROUTES}
    real = {(method, key) for key, methods in TABLE.items() for method in methods}
    assert real == {(method, shape(re.sub(r"\{\w+\}", "*", path).split("/"))) for method, path in documented}
    assert len(real) == len(ROUTES)


@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_a_success_is_as_documented(desk: Desk, document: dict[str, Any], route: Any) -> None:
    desk.hub.updates.put_nowait(None)
    token = desk.token("ops", "admin")
    answer = call(desk, route, token, name="ops")
    responses = document["paths"][route.path][route.method.lower()]["responses"]
    said = responses[str(answer.status_code)].get("content", {})
    media = answer.headers.get("content-type", "").partition(";")[0]
    assert answer.status_code == route.status and (media in said if said else not answer.content)


def test_every_reference_in_the_document_exists(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    names = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert {"Predict", "Prediction", "Problem", "NewModel"} <= names <= set(document["components"]["schemas"])
    assert document["openapi"] == "3.1.0"
    operations = [one for item in document["paths"].values() for one in item.values()]
    ids = [one["operationId"] for one in operations]
    assert len(set(ids)) == len(ids) and all(one["summary"] for one in operations)


@pytest.mark.parametrize(
    "path", ["/v2/models", "/v1/models/mail/predictt", "/v1", "/v1/models/mail/log/1/2", "/static/../x", "/%2e%2e/a"]
)
def test_an_unknown_route(desk: Desk, path: str) -> None:
    check_problem(desk.send("GET", path), 404, "the route must exist")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "GET"])
def test_a_wrong_method(desk: Desk, method: str) -> None:
    answer = desk.send(method, "/v1/models/mail/predict")
    check_problem(answer, 405, "the method must be POST", f"got {method}. Repeat the request with POST")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("path", "method", "said", "allow"),
    [
        ("/readyz", "POST", "must be GET or HEAD, got POST. Repeat the request with GET", "GET, HEAD"),
        (
            "/v1/models",
            "DELETE",
            "must be GET, POST or HEAD, got DELETE. Repeat the request with GET or POST",
            "GET, POST, HEAD",
        ),
    ],
)
def test_a_wrong_method_names_the_methods_of_the_path(
    desk: Desk, path: str, method: str, said: str, allow: str
) -> None:
    answer = desk.send(method, path)
    check_problem(answer, 405, said)
    assert answer.headers["allow"] == allow
    assert desk.send("HEAD", path).status_code == 200


@pytest.mark.parametrize("name", ["nope", "..", "MAIL", "a" * 1000, "%00", "é", "%ff"])
def test_an_unknown_model(desk: Desk, name: str) -> None:
    check_problem(desk.send("GET", f"/v1/models/{name}"), 404)


@pytest.mark.parametrize("name", ["", "1a", "A", "a b", "../a", "a" * 65, "a\n", "é"])
def test_names_of_new_models_are_identifiers(desk: Desk, name: str) -> None:
    check_problem(desk.post("/v1/models", {"name": name}), 400, "body.name must be a lower-case letter")


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("limit=0", "from 1 to 1000"),
        ("limit=1001", "from 1 to 1000"),
        ("limit=x", "got 'x'"),
        ("limit=-1", "limit must be"),
        ("limit=1&limit=2", "each parameter once"),
        ("limti=1", "only limit"),
        ("limit=%ff", "UTF-8"),
        ("limit", "limit must be"),
        ("limit=٣", "limit must be"),
    ],
)
def test_a_wrong_query(desk: Desk, query: str, part: str) -> None:
    check_problem(desk.send("GET", f"/v1/models/mail/questions?{query}"), 400, part)


def test_the_query_of_a_route_without_parameters(desk: Desk) -> None:
    check_problem(desk.send("GET", "/v1/models?token=dl_x_y"), 400, "no parameters")


def test_a_query_reaches_the_hub(desk: Desk) -> None:
    assert len(desk.send("GET", "/v1/models/mail/questions?limit=3").json()["questions"]) == 3


@pytest.mark.parametrize(
    "header", [{}, {"x-request-id": "abc-1.Z_"}, {"x-request-id": "a b"}, {"x-request-id": "a" * 65}]
)
def test_the_id_of_a_request(desk: Desk, header: dict[str, str]) -> None:
    answer = desk.send("GET", "/nowhere", headers=header)
    check_problem(answer, 404)
    given, found = header.get("x-request-id"), answer.headers["x-request-id"]
    assert (found == given) == (given == "abc-1.Z_") and re.fullmatch(r"[\w.-]{1,64}", found)
    (line,) = desk.logged()
    assert line["request"] == found and line["status"] == 404 and line["path"] == "/nowhere"


def test_a_header_that_comes_twice(desk: Desk) -> None:
    headers = [("host", "127.0.0.1"), ("host", "evil.example")]

    async def one() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(desk.app), base_url="http://127.0.0.1") as client:
            return await client.get("/v1/models", headers=headers)

    check_problem(asyncio.run(one()), 400, "header host must be sent once")


def test_a_bug_is_logged_and_not_shown(desk: Desk) -> None:
    answer = desk.post("/v1/models/mail/predict", {"x": {"bug": True}})
    assert "RuntimeError" not in check_problem(answer, 500, "an error in the server")
    error = next(line for line in desk.logged() if line["level"] == "error")
    assert "RuntimeError: a bug" in error["traceback"] and error["request"] == answer.headers["x-request-id"]


def test_a_server_that_is_not_ready(desk: Desk) -> None:
    desk.hub.why_not_ready = "the disk is full"
    for answer in (desk.send("GET", "/readyz"), desk.post("/v1/models/mail/predict", {"x": [1]})):
        check_problem(answer, 503, "the disk is full")
        assert answer.headers["retry-after"] == "1"
    assert desk.send("GET", "/healthz").status_code == 200
    assert "driftline_ready 0" in desk.send("GET", "/metrics").text


def test_a_server_that_is_starting(desk: Desk) -> None:
    desk.service.opened = None
    check_problem(desk.send("GET", "/readyz"), 503, "reading its logs")
    check_problem(desk.post("/v1/models/mail/predict", {"x": [1]}), 503)
    assert "driftline_ready 0" in desk.send("GET", "/metrics").text


def test_tickets_of_callers_may_hold_slashes(desk: Desk) -> None:
    assert desk.send("DELETE", "/v1/models/mail/log/a%2Fb%20c").json() == {"events": 1, "examples": 1}
    desk.send("DELETE", "/v1/models/mail/log/12")
    desk.send("DELETE", "/v1/models/mail/log/12?id")
    assert desk.hub.mail.calls == [("redact", "a/b c"), ("redact", 12), ("redact", "12")]


def test_head_has_no_body(desk: Desk) -> None:
    answer = desk.send("HEAD", "/v1/models")
    assert answer.status_code == 200 and not answer.content and int(answer.headers["content-length"]) > 10


@pytest.mark.parametrize("body", [{}, {"x": [1], "ticket": 1}])
def test_explain_takes_an_example_or_a_ticket(desk: Desk, body: object) -> None:
    check_problem(desk.post("/v1/models/mail/explain", body), 400, "either x or ticket")
    assert desk.post("/v1/models/mail/explain", {"ticket": 3}).json()["contributions"] == {"a": 3.0}


def test_export_is_a_file_and_import_takes_one(desk: Desk) -> None:
    answer = desk.send("GET", "/v1/models/mail/export")
    assert answer.content == b"model" and 'filename="mail.dl"' in answer.headers["content-disposition"]
    headers = {"content-type": "application/octet-stream"}
    path = "/v1/models/mail/import"
    assert desk.send("POST", path, content=bytes(3000), headers=headers).status_code == 200
    check_problem(desk.send("POST", path, content=bytes(6000), headers=headers), 413, "at most 5000 bytes")


def test_events_are_streamed(desk: Desk) -> None:
    desk.hub.updates.put_nowait(Update("mail", "alarm", {"error": 0.5}))
    desk.hub.updates.put_nowait(None)
    answer = desk.send("GET", "/v1/events")
    assert answer.headers["content-type"] == "text/event-stream"
    message = 'event: alarm\ndata: {"model":"mail","kind":"alarm","data":{"error":0.5}}\n\n'
    assert answer.text == f"retry: 2000\n\n{message}" and desk.service.streams == 0


def test_streams_have_a_largest_number(desk: Desk) -> None:
    desk.service.streams = desk.limits.streams
    check_problem(desk.send("GET", "/v1/events"), 429, "at most 64 streams")


def test_figures(desk: Desk) -> None:
    desk.send("GET", "/v1/models")
    desk.send("GET", "/nowhere")
    text = desk.send("GET", "/metrics").text
    assert 'driftline_http_requests_total{method="GET",route="/v1/models",status="200"} 1' in text
    assert 'driftline_http_requests_total{method="",route="other",status="404"} 1' in text
    assert 'driftline_http_request_seconds_bucket{method="GET",route="/v1/models",le="+Inf"} 1' in text
    assert 'driftline_model_open_tickets{model="mail"} 1' in text
    assert 'driftline_contender_labelled_total{model="mail",contender="original",role="champion"} 2' in text
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(names) == len(set(names))
    assert all(
        re.fullmatch(r'\w+(\{(\w+="[^"]*",?)+\})? [-+.\deinf]+', one) for one in text.splitlines() if one[0] != "#"
    )


# the dashboard ----------------------------------------------------------------------------------
def test_pages_are_protected(desk: Desk) -> None:
    desk.service.pages = pages(static_files())
    answer = desk.send("GET", "/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8" and "<html" in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-frame-options"] == "DENY" and answer.headers["x-content-type-options"] == "nosniff"
    again = desk.send("GET", "/", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304 and not again.content
    check_problem(desk.send("POST", "/", json={}), 405)
    check_problem(desk.send("GET", "/static/nothing.js"), 404)
    check_problem(desk.send("GET", "/", headers={"host": "evil.example"}), 403)


def test_pages_need_no_token(desk: Desk) -> None:
    desk.service.pages = pages(static_files())
    desk.token("ops", "admin")
    assert all(desk.send("GET", path).status_code == 200 for path in desk.service.pages)


def test_a_model_of_another_server_has_its_address(desk: Desk) -> None:
    answer = desk.send("GET", "/v1/models/far/weights?limit=3")
    check_problem(answer, 307, "another server holds it")
    assert answer.headers["location"] == "http://10.0.0.2:8000/v1/models/far/weights?limit=3"
    desk.hub.sharing = type("Sharing", (), {"elsewhere": lambda self: {"far": "http://10.0.0.2:8000"}})()
    assert desk.send("GET", "/v1/models").json()["elsewhere"] == {"far": "http://10.0.0.2:8000"}
    assert desk.send("GET", "/readyz").json() == {"status": "ready", "reason": "", "holds": 1, "elsewhere": 1}


def test_readiness_names_the_models_whose_logs_cannot_be_read(desk: Desk) -> None:
    assert desk.send("GET", "/readyz").json() == {"status": "ready", "reason": ""}
    desk.hub.broken["mails"] = (7, "model 'mails': log of model 7: must be complete")
    answer = desk.send("GET", "/readyz")
    assert answer.status_code == 200 and answer.json()["unready"] == {"mails": desk.hub.broken["mails"][1]}

"""The synchronous client: what it sends, what it returns, and what it raises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from driftline.client import BatchError, Client, Outcome, Prediction, ServiceError, UnreachableError
from driftline.version import __version__
from tests.client.fake_service import FakeService, problem
from tests.support.processes import printed

URL = "http://service"


def client(service: Any, **options: Any) -> Client:
    return Client(URL, transport=httpx.MockTransport(service), retries=0, **options)


def sent(service: FakeService, k: int = -1) -> Any:
    return json.loads(service.requests[k].content)


def test_a_prediction_is_labelled_and_learned_once() -> None:
    service = FakeService()
    with client(service) as some:
        model = some.model("spam")
        found = model.predict({"free": 1})
        assert found == Prediction(1, "ham", {"ham": 0.75, "spam": 0.25}, -1.5, 7)
        assert model.label(found.ticket, "spam") == Outcome("learned", 1, 8)
        assert model.label(found.ticket, "spam").kind == "repeated"
        with pytest.raises(ServiceError, match=r"^409 Conflict: label: must be 'spam' as before, got 'ham' ") as error:
            model.label(found.ticket, "ham")
    assert service.learned == [({"free": 1}, "spam")]
    told = error.value
    assert (told.status, told.title, told.request_id) == (409, "Conflict", "r-1")
    assert told.detail == "label: must be 'spam' as before, got 'ham'"


def test_fields_that_were_not_given_are_not_sent() -> None:
    service = FakeService()
    model = client(service).model("spam")
    model.predict([1.0, 2.0])
    assert sent(service) == {"x": [1.0, 2.0]}
    model.predict({"a": None}, id="o-1", durable=True)
    assert sent(service) == {"x": {"a": None}, "id": "o-1", "durable": True}
    model.label("o-1", True)
    assert sent(service) == {"ticket": "o-1", "y": True}
    model.label(77, "ham", {"a": 2})
    assert sent(service) == {"ticket": 77, "y": "ham", "x": {"a": 2}}


def test_learn_makes_an_id_of_its_own() -> None:
    service = FakeService()
    model = client(service).model("spam")
    model.learn({"a": 1}, "ham")
    model.learn({"a": 1}, "ham")
    model.learn({"a": 1}, "ham", id="mine")
    ids = [sent(service, k)["id"] for k in range(3)]
    assert len(set(ids)) == 3 and ids[2] == "mine" and all(len(one) == 32 for one in ids[:2])
    assert len(service.learned) == 3


def test_headers_name_the_client_and_carry_the_token() -> None:
    service = FakeService()
    client(service, token="dl_a_b").model("spam").predict({})
    headers = service.requests[0].headers
    assert headers["authorization"] == "Bearer dl_a_b"
    assert headers["user-agent"] == f"driftline-client/{__version__}"
    assert headers["content-type"] == "application/json"
    client(service).model("spam").predict({})
    assert "authorization" not in service.requests[1].headers


def test_the_name_of_a_model_is_one_segment_of_the_path() -> None:
    paths = []

    def service(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path)
        return httpx.Response(200, json={"ticket": 1})

    client(service).model("../a?b").predict({})
    Client(URL + "/prefix/", transport=httpx.MockTransport(service)).model("m").predict({})
    assert paths == [b"/v1/models/..%2Fa%3Fb/predict", b"/prefix/v1/models/m/predict"]


def test_values_of_numpy_are_sent_as_plain_ones() -> None:
    service = FakeService()
    model = client(service).model("spam")
    model.predict(
        {"a": np.int64(3), "b": np.float32(0.5), "c": np.float64(2.5), "d": np.bool_(True), "e": np.str_("x")}
    )
    assert sent(service) == {"x": {"a": 3, "b": 0.5, "c": 2.5, "d": True, "e": "x"}}
    model.predict(np.array([1.0, 2.0]))
    assert sent(service) == {"x": [1.0, 2.0]}


@pytest.mark.parametrize(
    "x",
    [{"a": float("nan")}, {"a": float("inf")}, [1.0, float("-inf")], {"a": np.float32("nan")}, np.array([np.nan, 1.0])],
    ids=str,
)
def test_a_number_that_json_cannot_write_is_an_error(x: Any) -> None:
    service = FakeService()
    with pytest.raises(ValueError, match=r"must be finite, got (nan|inf|-inf). Give None for a missing value"):
        client(service).model("spam").predict(x)
    assert service.requests == []


def test_many_are_sent_in_chunks_and_come_back_in_order() -> None:
    service = FakeService()
    model = client(service).model("spam")
    found = model.predict_many(({"a": k} for k in range(5)), ids=[f"o{k}" for k in range(5)], chunk=2)
    assert [one.ticket for one in found] == ["o0", "o1", "o2", "o3", "o4"]
    assert [len(sent(service, k)["items"]) for k in range(3)] == [2, 2, 1]
    assert [one.kind for one in model.label_many((one.ticket, "ham") for one in found)] == ["learned"] * 5
    assert len(model.learn_many([{"a": 1}] * 3, ["ham"] * 3, chunk=2)) == 3
    assert len(service.told) == 8
    assert model.predict_many([]) == []


def test_refused_items_are_raised_after_all_chunks_and_nothing_is_lost() -> None:
    service = FakeService()
    model = client(service).model("spam")
    ticket = model.predict({"a": 1}).ticket
    with pytest.raises(BatchError, match="2 of 3 items were refused, the first is item 0: 404 Unknown ticket") as error:
        model.label_many([("x", "ham"), ("y", "ham"), (ticket, "ham")], chunk=1)
    first, second, third = error.value.results
    assert first.status == second.status == error.value.status == 404 and third.kind == "learned"


def test_lists_of_different_lengths_are_an_error() -> None:
    model = client(FakeService()).model("spam")
    with pytest.raises(ValueError, match="shorter"):
        model.learn_many([{}, {}], ["ham"])
    with pytest.raises(ValueError, match="shorter"):
        model.learn_many([{}, {}], ["ham", "ham"], ids=["a"])
    with pytest.raises(ValueError, match="chunk must be >= 1, got 0"):
        model.predict_many([{}], chunk=0)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(502, html="<h1>Bad  Gateway</h1>"), "502 Bad Gateway: <h1>Bad Gateway</h1>"),
        (httpx.Response(307, headers={"location": "http://other/"}), "307 Temporary Redirect"),
        (problem(413, "Too large", "body: must have"), "413 Too large: body: must have (request r-1)"),
        (
            httpx.Response(200, html="<h1>Welcome</h1>"),
            "200 not understood: POST /v1/models/m/predict: the answer must",
        ),
        (httpx.Response(200, json={"label": "ham"}), "200 not understood: POST /v1/models/m/predict: the answer must"),
    ],
    ids=["proxy", "redirect", "problem", "page", "other JSON"],
)
def test_every_other_answer_is_a_service_error(answer: httpx.Response, said: str) -> None:
    with pytest.raises(ServiceError) as error:
        client(lambda request: answer).model("m").predict({})
    assert str(error.value).startswith(said) and error.value.status == answer.status_code


def test_the_other_routes(tmp_path: Path) -> None:
    """Method, path and body of each; the answers are read."""
    came: list[tuple[str, str, bytes]] = []
    info = {"name": "m", "contenders": [{"name": "champion"}, {"name": "b", "counts": {"asked": 3}}], "position": 4}
    answers = {
        "GET /v1/models": {"models": [info]},
        "GET /v1/models/m": info,
        "GET /v1/models/m/metrics": {"counts": {}},
        "GET /v1/models/m/questions?limit=2": {"questions": [{"ticket": 3, "x": {"a": 1}, "worth": 0.5}]},
        "GET /v1/models/m/snapshots": {"snapshots": [{"id": 1, "position": 4}]},
        "POST /v1/models/m/snapshot": {"id": 1, "position": 4},
        "POST /v1/models/m/explain": {"score": 1.0, "contributions": [["a", 1.0], [2, 0.5]]},
    }

    def service(request: httpx.Request) -> httpx.Response:
        came.append((request.method, request.url.raw_path.decode(), request.content))
        if request.url.path.endswith("/export"):
            return httpx.Response(200, content=b"model")
        return httpx.Response(200, json=answers.get(f"{request.method} {request.url.raw_path.decode()}", info))

    some = client(service)
    model = some.create("m", "pa1", options={"C": 0.5}, labels=["ham", "spam"])
    assert [one.name for one in some.models()] == ["m"] and model.info().position == 4
    assert [(one.name, one.counts.asked) for one in model.challengers()] == [("b", 3)]
    assert model.metrics() == {"counts": {}}
    assert model.questions(limit=2)[0].worth == 0.5
    assert model.snapshot() == model.snapshots()[0]
    assert model.explain({"a": 1}).contributions == model.explain(ticket=4).contributions == [("a", 1.0), (2, 0.5)]
    model.export(tmp_path / "m.dl")
    assert (tmp_path / "m.dl").read_bytes() == b"model"
    model.import_(tmp_path / "m.dl")
    model.rollback(3)
    model.rollback(snapshot=1)
    model.add_challenger("b", "pa1")
    model.promote("b")
    model.remove_challenger("c d")
    model.dismiss(3)
    model.delete()
    assert came[0] == (
        "POST",
        "/v1/models",
        b'{"name":"m","learner":"pa1","options":{"C":0.5},"labels":["ham","spam"]}',
    )
    assert came[-9:] == [
        ("GET", "/v1/models/m/export", b""),
        ("POST", "/v1/models/m/import", b"model"),
        ("POST", "/v1/models/m/rollback", b'{"position":3}'),
        ("POST", "/v1/models/m/rollback", b'{"snapshot":1}'),
        ("POST", "/v1/models/m/challengers", b'{"name":"b","learner":"pa1"}'),
        ("POST", "/v1/models/m/promote", b'{"challenger":"b"}'),
        ("DELETE", "/v1/models/m/challengers/c%20d", b""),
        ("POST", "/v1/models/m/dismiss", b'{"ticket":3}'),
        ("DELETE", "/v1/models/m", b""),
    ]
    with pytest.raises(ValueError, match="must be given a position or a snapshot, got neither"):
        model.rollback()
    with pytest.raises(ValueError, match="must be given x or a ticket, got both"):
        model.explain({}, ticket=1)


def test_requests_that_may_compile_a_learner_have_more_time() -> None:
    seconds = {}

    def service(request: httpx.Request) -> httpx.Response:
        seconds[request.url.path] = request.extensions["timeout"]["read"]
        return httpx.Response(200, json={"name": "m", "ticket": 1})

    client(service, timeout=3.0).create("m").predict({})
    assert seconds == {"/v1/models": 120.0, "/v1/models/m/predict": 3.0}
    client(service, timeout=300.0).create("m")
    assert seconds["/v1/models"] == 300.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"url": "127.0.0.1:8000"}, "url must begin with http:// or https://, got '127.0.0.1:8000'"),
        ({"url": "http://a:b@host"}, "without user, query and fragment. Pass the token as token="),
        ({"url": URL, "timeout": 0}, "timeout must be > 0, got 0"),
        ({"url": URL, "retries": -1}, "retries must be >= 0, got -1"),
        ({"url": URL, "token": "a\nb"}, "token must be printable ASCII"),
        ({"url": URL, "token": ""}, "token must be printable ASCII"),
    ],
    ids=str,
)
def test_bad_settings_are_errors_that_do_not_show_the_token(arguments: Any, said: str) -> None:
    with pytest.raises(ValueError, match=r"^Client: ") as error:
        Client(**arguments)
    assert said in str(error.value) and "a:b" not in str(error.value)


def test_a_closed_port_is_an_unreachable_service() -> None:
    with Client("http://127.0.0.1:9", retries=0) as some, pytest.raises(UnreachableError) as error:
        some.model("m").predict({})
    assert error.value.status == 0 and "POST /v1/models/m/predict" in str(error.value)


def test_the_client_imports_nothing_heavy_of_the_library() -> None:
    code = "import sys, driftline.client\nprint(*sorted(m for m in sys.modules if m.startswith('driftline.')))"
    others = [name for name in printed(code).split() if not name.startswith("driftline.client")]
    assert others == ["driftline.version"]
    assert printed("import sys, driftline.client\nprint('numpy' in sys.modules)") == "False\n"

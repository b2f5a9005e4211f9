"""What may be in a body, and how faults are reported."""

from __future__ import annotations

import gzip
import json
import zlib

import httpx
import pyarrow as pa
import pytest

from tests.serve.http.conftest import Desk
from tests.serve.http.problem_check import check_problem

PREDICT, LABEL, BATCH = "/v1/models/mail/predict", "/v1/models/mail/label", "/v1/models/mail/label:batch"


def test_a_prediction(desk: Desk) -> None:
    answer = desk.post(PREDICT, {"x": {"a": 1, "b": "c", "d": True, "e": None}, "id": "one"})
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "ticket": 7,
        "label": "spam",
        "probability": {"spam": 0.75, "ham": 0.25},
        "score": 1.5,
        "position": 6,
        "wanted": True,
        "repeated": False,
    }
    assert desk.hub.mail.calls == [("predict", {"a": 1, "b": "c", "d": True, "e": None}, "one")]
    assert answer.headers["cache-control"] == "no-store" and desk.hub.waited == 0


def test_a_durable_prediction_waits_for_the_disk(desk: Desk) -> None:
    assert desk.post(PREDICT, {"x": [1.0], "durable": True}).status_code == 200 and desk.hub.waited == 1


def test_labels_that_are_true_and_false_are_texts_in_probabilities(desk: Desk) -> None:
    found = desk.post(PREDICT, {"x": {"bools": True}}).json()
    assert found["label"] is True and found["probability"] == {"true": 0.75, "false": 0.25}


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        (b"", ["valid JSON"]),
        (b"{", ["valid JSON"]),
        (b'{"x":{"a":NaN}}', ["valid JSON", "NaN and Infinity are not JSON"]),
        (b'{"x":{"a":-Infinity}}', ["valid JSON"]),
        (b'{"x":{"a":1e400}}', ["body.x[...] must be a finite number"]),
        (b'{"x":[1,' + b"9" * 400 + b"]}", ["body.x[1] must be a finite number"]),
        (b'{"x":[1,null]}', ["body.x[1] must be float, got null"]),
        (b'{"x":{"a":[1]}}', ["got array"]),
        (b'{"x":3}', ["body.x must be object | array, got int"]),
        (b'{"x":[1],"y":2}', ["must have known fields only, got 'y'. The fields are x, id, "]),
        (b"{}", ["must have the field x, got none"]),
        (b"[]", ["the body must be object, got array"]),
        (b'{"x":[1],"id":""}', ["body.id must be str of length >= 1"]),
        (b'{"x":[1],"id":"' + b"a" * 201 + b'"}', ["body.id must be str of length <= 200"]),
        (b'{"x":{"\xff":1}}', ["UTF-8"]),
        (b'{"x":{"a":"\\ud800"}}', ["valid JSON"]),
        (b'{"x":[1]} {}', ["trailing characters"]),
        (b"[" * 1900, ["got array"]),
    ],
)
def test_a_body_that_cannot_be_read(desk: Desk, body: bytes, parts: list[str]) -> None:
    detail = check_problem(desk.post(PREDICT, body), 400, *parts)
    assert detail.startswith(f"POST {PREDICT}: ") and not desk.hub.mail.calls


@pytest.mark.parametrize("given", [None, "text/plain", "application/x-www-form-urlencoded", "application/x-ndjson"])
def test_a_wrong_media_type(desk: Desk, given: str | None) -> None:
    headers = {} if given is None else {"content-type": given}
    answer = desk.send("POST", PREDICT, content=b'{"x":[1]}', headers=headers)
    check_problem(answer, 415, "Content-Type must be application/json", f"got {given or 'none'}")


@pytest.mark.parametrize("given", ["application/json; charset=utf-8", "Application/JSON"])
def test_parameters_of_the_media_type_are_ignored(desk: Desk, given: str) -> None:
    answer = desk.send("POST", PREDICT, content=b'{"x":[1]}', headers={"content-type": given})
    assert answer.status_code == 200


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large(desk: Desk, chunked: bool) -> None:
    body = b'{"x":[' + b"1," * 1000 + b"1]}"

    async def pieces():  # type: ignore[no-untyped-def]
        for k in range(0, len(body), 500):
            yield body[k : k + 500]

    answer = desk.send(
        "POST", PREDICT, content=pieces() if chunked else body, headers={"content-type": "application/json"}
    )
    check_problem(answer, 413, "at most 2000 bytes")
    assert answer.headers["connection"] == "close" and not desk.hub.mail.calls


def _zstd(body: bytes) -> bytes:
    return bytes(pa.compress(body, "zstd", asbytes=True))


@pytest.mark.parametrize(
    ("name", "compress"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", _zstd), ("identity", bytes)]
)
class TestCompression:
    def test_a_compressed_body(self, desk: Desk, name: str, compress: object) -> None:
        assert self.send(desk, name, compress(b'{"x":[1]}')).status_code == 200  # type: ignore[operator]
        assert desk.hub.mail.calls == [("predict", [1.0], None)]

    def test_a_bomb(self, desk: Desk, name: str, compress: object) -> None:
        check_problem(self.send(desk, name, compress(bytes(2001))), 413, "at most 2000 bytes")  # type: ignore[operator]

    def test_a_cut_body(self, desk: Desk, name: str, compress: object) -> None:
        body = compress(b'{"x":[1]}')  # type: ignore[operator]
        check_problem(self.send(desk, name, body[: len(body) // 2]), 400, "must be valid")

    def send(self, desk: Desk, name: str, body: bytes) -> httpx.Response:
        return desk.post(PREDICT, body, headers={"content-encoding": name})


def test_an_unknown_encoding(desk: Desk) -> None:
    check_problem(desk.post(PREDICT, b"{}", headers={"content-encoding": "br"}), 415, "got 'br'")


def test_a_gzip_body_of_two_members(desk: Desk) -> None:
    body = gzip.compress(b'{"x":') + gzip.compress(b"[1]}")
    assert desk.post(PREDICT, body, headers={"content-encoding": "gzip"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"ticket": 404, "y": "spam"}, 404),
        ({"ticket": 1, "y": 409}, 409),
        ({"ticket": 1, "y": 422}, 422),
        ({"ticket": 0, "y": 1}, 400),
        ({"ticket": True, "y": 1}, 400),
        ({"ticket": 1, "y": None}, 400),
    ],
)
def test_errors_of_the_hub_keep_their_status(desk: Desk, body: object, status: int) -> None:
    check_problem(desk.post(LABEL, body), status)


def test_a_label_names_the_caller(desk: Desk) -> None:
    token = desk.token("shop", "learn")
    assert desk.post(LABEL, {"ticket": "a/b", "y": 1, "x": [1]}, token=token).status_code == 200
    assert desk.hub.mail.calls == [("label", "a/b", 1, "shop", [1.0])]


# batches ----------------------------------------------------------------------------------------
ITEMS = [{"ticket": 1, "y": "spam"}, {"ticket": 404, "y": 1}, {"ticket": 2, "z": 1}, {"ticket": 3, "y": 0}]


def check_items(found: list[dict[str, object]]) -> None:
    assert [one.get("kind") for one in found] == ["learned", None, None, "learned"]
    assert [one.get("status") for one in found] == [None, 404, 400, None]
    detail = str(found[2]["detail"])
    assert "item 2: the body must have known fields only, got 'z'. The fields are ticket, y, " in detail


def test_a_batch_answers_each_item(desk: Desk) -> None:
    answer = desk.post(BATCH, {"items": ITEMS})
    assert answer.status_code == 200
    check_items(answer.json()["items"])


@pytest.mark.parametrize("route", ["predict:batch", "label:batch", "learn:batch"])
@pytest.mark.parametrize("body", [{"itms": []}, {"items": [], "durable": True}])
def test_a_batch_with_an_unknown_field_names_the_field_that_it_takes(desk: Desk, route: str, body: object) -> None:
    answer = desk.post(f"/v1/models/mail/{route}", body)
    check_problem(answer, 400, "the body must have known fields only, got ", ". The only field is items. ")
    assert not desk.hub.mail.calls


def test_a_batch_of_lines_answers_in_lines(desk: Desk) -> None:
    body = b"\r\n\n".join(json.dumps(one).encode() for one in ITEMS)
    answer = desk.send("POST", BATCH, content=body, headers={"content-type": "application/x-ndjson"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    check_items([json.loads(line) for line in answer.text.splitlines()])


def test_a_line_that_is_no_json_fails_alone(desk: Desk) -> None:
    body = b'{"ticket":1,"y":1}\n{"tick\n{"ticket":2,"y":1}'
    answer = desk.send("POST", BATCH, content=body, headers={"content-type": "application/x-ndjson"})
    assert [json.loads(line).get("status") for line in answer.text.splitlines()] == [None, 400, None]


@pytest.mark.parametrize("path", ["predict:batch", "label:batch", "learn:batch"])
def test_batches_have_a_largest_size(desk: Desk, path: str) -> None:
    item = {"x": [1], "y": 1} if path == "learn:batch" else {"x": [1]} if path == "predict:batch" else ITEMS[0]
    assert len(desk.post(f"/v1/models/mail/{path}", {"items": [item] * 5}).json()["items"]) == 5
    check_problem(desk.post(f"/v1/models/mail/{path}", {"items": [item] * 6}), 413, "at most 5 items, got 6")
    assert desk.post(f"/v1/models/mail/{path}", {"items": []}).json() == {"items": []}


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"items":{}}', b'{"items":[],"more":1}', b'{"items":[{]}', b""])
def test_a_batch_that_cannot_be_read(desk: Desk, body: bytes) -> None:
    check_problem(desk.post(BATCH, body), 400)

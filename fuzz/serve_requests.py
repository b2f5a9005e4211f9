"""Requests for the service, drawn by hypothesis from its OpenAPI document: valid ones and broken ones."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from hypothesis import strategies as st
from serve_values import (
    MODELS,
    POOLS,
    contenders,
    cut,
    hostile_raw,
    hostile_texts,
    many_features,
    new_names,
    odd_values,
    often,
    plain_values,
    rarely,
    spoilt,
    tickets,
    widened,
    written,
)

Pairs = list[tuple[bytes, bytes]]


@dataclass
class Request:
    """A request as an ASGI server passes it on.

    Attributes
    ----------
    method, path, query
        The request line.
    headers
        Name and value, names in lower case.
    body
        The body, compressed if a header says so.
    pieces
        The number of pieces in which the body arrives.
    cut
        Whether the client goes away before the last piece.
    """

    method: str
    path: bytes
    query: bytes = b""
    headers: Pairs = field(default_factory=list)
    body: bytes = b""
    pieces: int = 1
    cut: bool = False


class Document:
    """Strategies from an OpenAPI document.

    Parameters
    ----------
    document
        The document.
    tokens
        Values of the header Authorization. The first one may do everything.
    files
        Model files to import.
    """

    def __init__(self, document: dict[str, Any], tokens: list[bytes], files: list[bytes]) -> None:
        self.document = document
        self.tokens = tokens
        self.files = files
        self._values: dict[int, st.SearchStrategy[Any]] = {}
        self._bodies: dict[tuple[str, str], st.SearchStrategy[tuple[bytes, bytes]]] = {}
        self.operations = [
            (method.upper(), path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def values(self, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
        """Values of a schema, as far as its fields have no pool."""
        schema = self._resolved(schema)
        if id(schema) not in self._values:
            self._values[id(schema)] = self._new_values(schema)
        return self._values[id(schema)]

    def _new_values(self, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
        if "anyOf" in schema:
            return st.one_of([self.values(one) for one in schema["anyOf"]])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        kind = schema.get("type")
        if kind == "object" and "properties" in schema:
            required = set(schema.get("required", ()))
            fields = {name: self._field(name, one) for name, one in schema["properties"].items()}
            needed = {name: one for name, one in fields.items() if name in required}
            return st.fixed_dictionaries(
                needed, optional={name: one for name, one in fields.items() if name not in needed}
            )
        if kind == "object":
            return st.dictionaries(hostile_texts, plain_values | odd_values, max_size=4)
        if kind == "array":
            return st.lists(self.values(schema.get("items", {})), max_size=6)
        if kind == "string":
            if "pattern" in schema:
                return new_names | st.sampled_from(MODELS)
            return st.text(min_size=schema.get("minLength", 0), max_size=min(20, schema.get("maxLength", 20)))
        numbers: dict[str, st.SearchStrategy[Any]] = {
            "integer": st.integers(schema.get("minimum", -5), schema.get("maximum", 100)),
            "number": st.floats(-10, 10) | st.floats(allow_nan=False, allow_infinity=False),
            "boolean": st.booleans(),
            "null": st.none(),
        }
        return numbers.get(str(kind), plain_values | odd_values)

    def _field(self, name: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
        pool = POOLS.get(name)
        return self.values(schema) if pool is None else often(pool, self.values(schema), 6)

    def bodies(self, method: str, path: str, operation: dict[str, Any]) -> st.SearchStrategy[tuple[bytes, bytes]]:
        """The media type and the body of an operation."""
        key = method, path
        if key not in self._bodies:
            kinds = []
            for media, one in operation["requestBody"]["content"].items():
                if media == "application/octet-stream":
                    made: Any = (
                        st.sampled_from(self.files) | st.binary(max_size=200) | st.sampled_from(self.files).flatmap(cut)
                    )
                elif media == "application/x-ndjson":
                    items = self._resolved(operation["requestBody"]["content"]["application/json"]["schema"])
                    item = self.json_of(items["properties"]["items"]["items"])
                    made = st.builds(bytes.join, st.sampled_from([b"\n", b"\r\n", b"\n\n"]), st.lists(item, max_size=6))
                else:
                    made = self.json_of(one["schema"])
                kinds.append(st.tuples(st.just(media.encode()), made))
            self._bodies[key] = st.one_of(kinds)
        return self._bodies[key]

    def json_of(self, schema: dict[str, Any]) -> st.SearchStrategy[bytes]:
        """A value of a schema as JSON: three quarters valid in form."""
        valid = self.values(schema)
        broken = st.tuples(valid, st.integers(0, 20), st.integers(0, 5), hostile_raw | odd_values).map(
            lambda one: spoilt(*one)
        )
        text = st.builds(written, often(valid, broken, 3), st.booleans())
        return st.builds(widened, text, rarely, many_features)

    def requests(self) -> st.SearchStrategy[Request]:
        """Requests to all routes of the document, and to others."""
        known = st.one_of([self._requests(*one) for one in self.operations if one[1] != "/v1/events"])
        loop = st.one_of([self._requests(*one) for one in self.operations if is_loop(one[1])])
        return often(often(known, loop, 1), self._strange_requests(), 12)

    def _requests(self, method: str, path: str, operation: dict[str, Any]) -> st.SearchStrategy[Request]:
        parts = {"model": model_names, "challenger": contenders, "ticket": tickets.map(str), "token": token_names}
        filled = st.fixed_dictionaries({name: one for name, one in parts.items() if f"{{{name}}}" in path})
        target = filled.map(lambda chosen: path_of(path, chosen))
        query = queries(operation)
        body = self.bodies(method, path, operation) if "requestBody" in operation else st.just((b"", b""))
        return st.builds(
            self._request, st.just(method), target, query, body, self._headers(), wrappers, st.integers(1, 3), rarely
        )

    def _request(
        self, method: str, path: bytes, query: bytes, body: tuple[bytes, bytes], headers: Pairs, wrapper: Any,
        pieces: int, cut: bool,
    ) -> Request:  # fmt: skip
        media, content = body
        encoding, wrap = wrapper
        found = [] if any(name == b"content-type" for name, _ in headers) or not media else [(b"content-type", media)]
        if encoding and content:
            content = wrap(content)
            found.append((b"content-encoding", encoding))
        return Request(method, path, query, [*found, *headers], content, pieces, cut)

    def _headers(self) -> st.SearchStrategy[Pairs]:
        good = (b"authorization", self.tokens[0])
        other = st.sampled_from(self.tokens).map(lambda one: [(b"authorization", one)])
        with_token = often(st.just([good]), other | st.just([]), 12)
        more = often(st.just([]), odd_headers, 8)
        return st.builds(lambda one, host, rest: [*one, *host, *rest], with_token, hosts, more)

    def _strange_requests(self) -> st.SearchStrategy[Request]:
        methods = st.sampled_from(
            ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND"]
        )
        known = st.sampled_from([path for _, path, _ in self.operations if path != "/v1/events"]).map(
            lambda path: path_of(path, {"model": "plain", "challenger": "x", "ticket": "1", "token": "x"})
        )
        other = st.sampled_from(
            [b"/", b"//", b"", b"*", b"/static/app.js", b"/static/../app.py",
             b"/static/%2e%2e/%2e%2e/etc/passwd", b"/v1", b"/v1/",
             b"/v1/models/", b"/v1/models//predict", b"/v1/models/%00/predict", b"/v1/models/a%2fb",
             b"/v1/models/%ff%fe/metrics",
             b"/v1/models/../../x", b"/" + b"a" * 5000, b"/v1/models/plain/predict/", b"/V1/models",
             b"/v1/models/%ed%a0%80"]
        )  # fmt: skip
        body = st.tuples(st.just(b"application/json"), st.sampled_from([b"", b"{}", b"[" * 1000, b"\xff"]))
        query = st.sampled_from([b"", b"a=b", b"limit=%ff", b"&&&", b"limit=1&limit=2", b"\xff"])
        return st.builds(
            self._request, methods, known | other, query, body, self._headers(), wrappers, st.integers(1, 3), rarely
        )


# parts of requests ------------------------------------------------------------------------------
model_names = st.sampled_from(
    MODELS * 8 + ("new-a", "new-b", "new_c", "x", "gone", "..", "%2e%2e", "A", "a" * 65, "a\0", "plain\n")
)
token_names = st.sampled_from(["x", "new-a", "new-b", "nobody", "..", "\0", "a" * 300])
odd_headers = st.lists(
    st.sampled_from(
        [(b"content-type", b"text/plain"), (b"content-type", b"application/json; charset=utf-8"),
         (b"content-type", b"\xff"),
         (b"content-type", b"application/x-ndjson"), (b"content-encoding", b"br"),
         (b"content-encoding", b"gzip, gzip"),
         (b"origin", b"http://evil.example"), (b"origin", b"null"), (b"origin", b"http://127.0.0.1:8000"),
         (b"origin", b"\xff"),
         (b"host", b"evil.example"), (b"host", b"127.0.0.1:8000"),
         (b"cookie", b"driftline_session=x; driftline_session=y"),
         (b"cookie", b"=\xff;;"), (b"x-request-id", b"a\nb"), (b"x-request-id", b"ok-1"),
         (b"x-request-id", b"x" * 1000),
         (b"content-length", b"99999999999999999999"), (b"content-length", b"-1"), (b"content-length", b"\xb2"),
         (b"authorization", b"Bearer"), (b"authorization", b"Basic eDp4"),
         (b"authorization", b"Bearer dl_\xff_\xff"),
         (b"accept-encoding", b"gzip"), (b"expect", b"100-continue"), (b"if-none-match", b"\"x\""),
         (b"range", b"bytes=0-")]
    )
    | st.tuples(st.sampled_from([b"x-random", b"accept", b"cookie", b"x-request-id"]), st.binary(max_size=30)),
    max_size=3,
)  # fmt: skip
hosts = st.sampled_from(
    [[(b"host", b"127.0.0.1:8000")]] * 20 + [[(b"host", b"evil.example")], [], [(b"host", b"[::1")]]
)


def zstd(content: bytes) -> bytes:
    """The content compressed with zstd."""
    return bytes(pa.compress(content, "zstd", asbytes=True))


def halved(wrap: Any, content: bytes) -> bytes:
    """A compressed content that ends too early."""
    whole: bytes = wrap(content)
    return whole[: len(whole) // 2]


BOMBS = (gzip.compress(bytes(30_000_000)), zstd(bytes(30_000_000)), gzip.compress(b"") * 3000)
wrappers = st.sampled_from(
    [(b"", bytes)] * 90
    + [(b"gzip", gzip.compress), (b"deflate", zlib.compress), (b"zstd", zstd), (b"identity", bytes),
     (b"GZIP", gzip.compress),
       (b"gzip", partial(halved, gzip.compress)), (b"zstd", partial(halved, zstd)), (b"zstd", bytes),
       (b"gzip", bytes),
       (b"gzip", lambda content: BOMBS[0]), (b"zstd", lambda content: BOMBS[1]),
       (b"gzip", lambda content: BOMBS[2])]
)  # fmt: skip
"""The header Content-Encoding, and what it does to a body."""


def is_loop(path: str) -> bool:
    """Whether a route belongs to the loop of predictions and labels."""
    return path.partition(":")[0].rpartition("/")[2] in ("predict", "label", "learn", "dismiss", "explain", "questions")


def path_of(path: str, chosen: dict[str, str]) -> bytes:
    """A path with its names filled in."""
    for name, value in chosen.items():
        path = path.replace(f"{{{name}}}", quote(value.encode("utf-8", "surrogatepass"), safe=""))
    return path.encode()


def queries(operation: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """Queries of an operation, mostly empty."""
    known = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
    values = st.sampled_from(
        ["1", "20", "1000", "0", "-1", "9223372036854775807", "9" * 19, "x", "%00", "%ff", "original", ""]
    )
    pairs = st.tuples(st.sampled_from([*known, *known, *known, "x", ""]), values).map("=".join)
    return st.just(b"") | st.lists(pairs, max_size=2).map(lambda each: "&".join(each).encode())

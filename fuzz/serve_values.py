"""Values in requests: those of a well-behaved client, and hostile ones."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

MODELS = ("plain", "asking", "choosy", "many", "numbers")
"""The models that exist during a run: see ``serve_app``."""
STRIDE = 1 << 32
"""The distance between the tickets of two starts of a server."""


class Raw(bytes):
    """JSON that is written as it is."""


def written(value: Any, ascii_only: bool = True) -> bytes:
    """A value as JSON; ``Raw`` parts need not be valid."""
    if isinstance(value, Raw):
        return bytes(value)
    if isinstance(value, dict):
        pairs = (written(key, ascii_only) + b":" + written(one, ascii_only) for key, one in value.items())
        return b"{" + b",".join(pairs) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(written(one, ascii_only) for one in value) + b"]"
    return json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


HOSTILE_TEXTS = (
    "", "\0", "a\0b", "\ud800", "\udfff\ud800", "a\nb", "\r\nset-cookie: a=b", "../../etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE pages; --", "%s%n{0}", "${jndi:x}", "\u202e\u2028\u2029", "\x1b[31m", "a" * 200, "a" * 201,
    "é" * 200,
    "\U0001f600" * 200, "a" * 70_000, "__proto__", "true", "NaN", "1", "-0", "a=b", "constructor", " ", "\ufeff",
)  # fmt: skip
HOSTILE_NUMBERS = (
    b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b"1e308", b"-1.7e308", b"5e-324", b"1e-400", b"-0.0",
    b"0",
    b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809",
    b"18446744073709551615",
    b"18446744073709551616", b"1" * 40, b"-" + b"9" * 400, b"1" * 5000, b"0x10", b"01", b"1.", b".5", b"+1",
    b"1e", b"--1",
)  # fmt: skip
HOSTILE_JSON = (
    b"null", b"[]", b"{}", b"[[[[[]]]]]", b"[" * 2_000 + b"]" * 2_000, b'{"a":' * 900 + b"1" + b"}" * 900,
    b'{"a":' * 100_000,
    b'{"a":1,"a":2}', b'"\xff\xfe"', b'"\xed\xa0\x80"', b'"\\ud800"', b'"\\u0000"', b'"\n"',
    b"\x00", b"", b"{", b"]", b"'a'",
    b"tru", b"// 1\n1", b"\xef\xbb\xbf1",
)  # fmt: skip


@cache
def wide(n: int, list_form: bool) -> bytes:
    """An example with many features, as JSON."""
    return (
        b"[" + b",".join([b"1"] * n) + b"]" if list_form else b"{" + b",".join(b'"f%d":1' % k for k in range(n)) + b"}"
    )


def often(usual: st.SearchStrategy[Any], other: st.SearchStrategy[Any], times: int) -> st.SearchStrategy[Any]:
    """The usual strategy, drawn that many times as often as the other one; ``|`` drops repeated strategies."""
    return st.integers(0, times).flatmap(lambda k: usual if k else other)


hostile_texts = st.sampled_from(HOSTILE_TEXTS) | st.text(max_size=20)
hostile_raw = st.sampled_from(HOSTILE_NUMBERS + HOSTILE_JSON).map(Raw)
many_features = st.tuples(st.sampled_from([1_000, 20_000, 100_000, 100_001]), st.booleans())
rarely = often(st.just(False), st.just(True), 99)
names = st.sampled_from("abcdefgh")
plain_values = st.floats(-3, 3) | st.integers(-5, 5)
numbers_in_json = st.sampled_from(HOSTILE_NUMBERS[3:20]).map(Raw)
odd_values = (
    st.none() | st.booleans() | hostile_texts | st.floats(allow_nan=False, allow_infinity=False) | numbers_in_json
)
examples = often(
    st.dictionaries(names, plain_values, min_size=1, max_size=6),
    st.dictionaries(names, plain_values | odd_values, max_size=6)
    | st.dictionaries(hostile_texts, odd_values | plain_values, max_size=4)
    | st.lists(plain_values, min_size=3, max_size=3)
    | st.lists(plain_values, max_size=5),
    3,
)
labels = often(
    st.sampled_from(["ham", "spam", "ham", "spam", "red", "green", "blue", 0.5, -1.0]),
    st.sampled_from([0, 1, -1, True, False, 1.0, 0.5, 2, 1e308, -1e308, 2**63, 10**30, "1", "true"])
    | hostile_texts
    | numbers_in_json,
    4,
)
callers_ids = often(st.sampled_from([f"id-{k}" for k in range(30)]), hostile_texts, 5)
server_tickets = st.builds(lambda start, at: start * STRIDE + at, st.integers(0, 2), st.integers(0, 300))
tickets = often(
    server_tickets | callers_ids, st.sampled_from([0, -1, 2**63 - 1, 2**63, 2**64, 1.5, None, True, "1"]), 8
)
new_names = st.sampled_from(["new-a", "new-b", "new_c", "x", "original"])
contenders = often(new_names, hostile_texts, 8)
learners = st.sampled_from(["pa1", "perceptron", "arow", "pa1regressor", "multiclasspa"])
any_learner = often(
    learners, st.sampled_from(["tracker2", "labelefficient", "onevsrest", "committee", "kernelized", "pa1 "]), 6
)
options = st.just({}) | st.dictionaries(
    st.sampled_from(["C", "when", "scale", "hashing", "labels", "learner", "seed", "self", "margin"]),
    plain_values | odd_values | labels | hostile_raw | st.lists(labels, max_size=3) | st.just({"C": {}}),
    max_size=2,
)
label_lists = (
    st.none()
    | st.sampled_from([["ham", "spam"], ["red", "green", "blue"], [False, True], [0, 1]])
    | st.lists(labels, max_size=4)
)
seconds = st.none() | st.sampled_from([1e-300, 0.001, 60.0, 1e9, 0, -1, 1e308, 1e12])
POOLS: dict[str, st.SearchStrategy[Any]] = {
    "x": examples, "y": labels, "id": st.none() | callers_ids, "ticket": tickets, "learner": any_learner,
    "options": options, "labels": label_lists, "expire_after": seconds, "retention": seconds, "challenger": contenders,
    "contender": st.none() | contenders, "position": st.integers(0, 200) | st.none(),
    "snapshot": st.integers(1, 40) | st.none(),
    "per_second": st.sampled_from([None, 1e-320, 5e-324, 1e-3, 1e9]),
    "expires_in": st.sampled_from([None, 1e-9, 1.0, 1e10]),
    "scopes": st.lists(st.sampled_from(["predict", "learn", "admin", "predict admin", ""]), max_size=3),
}  # fmt: skip
"""What a field of this name holds most of the time."""


def cut(content: bytes) -> st.SearchStrategy[bytes]:
    """A content without its end, or with one changed byte."""
    at = st.integers(0, max(0, len(content) - 1))
    return at.map(lambda k: content[:k]) | st.builds(
        lambda k, byte: content[:k] + bytes([byte]) + content[k + 1 :], at, st.integers(0, 255)
    )


def spoilt(value: Any, place: int, how: int, other: Any) -> Any:
    """The value with another one at some place, a field more or a field less."""
    if isinstance(value, dict) and value:
        key = list(value)[place % len(value)]
        if how == 0:
            return value | {"unknown": other}
        if how == 1:
            return {name: one for name, one in value.items() if name != key}
        return value | {key: spoilt(value[key], place // 3, how, other) if how > 3 else other}
    if isinstance(value, list) and value and how > 2:
        k = place % len(value)
        return [*value[:k], spoilt(value[k], place // 3, how, other), *value[k + 1 :]]
    return other


def widened(text: bytes, wide_one: bool, size: tuple[int, bool]) -> bytes:
    """The text, or rarely one with an example of many features."""
    if not wide_one:
        return text
    return b'{"x":' + wide(*size) + (b',"y":"ham"}' if b'"y"' in text else b"}")

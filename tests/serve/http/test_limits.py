"""The token bucket, and the form of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.serve.http.limits import TokenBucket
from driftline.serve.http.tokens import NAME, check_scopes, digest, matches, new_token, split_token


@given(st.floats(0.1, 1e4), st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.1, 50.0)), max_size=60))
def test_a_bucket_never_gives_more_than_its_rate(rate: float, steps: list[tuple[float, float]]) -> None:
    bucket, now, taken, last = TokenBucket(rate, 0.0), 0.0, 0.0, 0.0
    for pause, cost in steps:
        now += pause
        if bucket.take(now, cost) == 0.0:
            taken, last = taken + cost, cost
            assert taken - last <= bucket.size + rate * now + 1e-6  # the last batch may leave a debt


@given(st.floats(0.1, 1e4), st.floats(0.1, 100.0))
def test_the_wait_that_a_bucket_says_is_enough(rate: float, cost: float) -> None:
    bucket = TokenBucket(rate, 0.0)
    assert bucket.take(0.0, bucket.size) == 0.0
    wait = bucket.take(0.0, cost)
    assert wait > 0.0 and bucket.take(wait * 0.9, cost) > 0.0
    assert bucket.take(wait * 1.001, cost) == 0.0


def test_a_clock_that_goes_backwards_gives_nothing() -> None:
    bucket = TokenBucket(2.0, 100.0)
    assert bucket.take(100.0, 2.0) == 0.0
    assert bucket.take(0.0) > 0.0


@given(st.from_regex(NAME, fullmatch=True))
def test_a_token_holds_its_name(name: str) -> None:
    text, stored = new_token(name)
    found, secret = split_token(text)
    assert found == name and len(secret) == 64 and digest(secret) == stored and matches(secret, stored)
    assert secret not in repr(stored) and new_token(name)[0] != text


@pytest.mark.parametrize("text", ["", "dl_", "dl_a", "x", "dl_a_", "DL_a_b", "dl_" + "a" * 500 + "_b", "dl_\udcff_b"])
def test_texts_that_are_no_tokens(text: str) -> None:
    _, secret = split_token(text)
    assert not matches(secret, new_token("a")[1])


@pytest.mark.parametrize("name", ["", "A", "1", "a b", "a" * 65, "a\n", "ä", "../a"])
def test_names_of_tokens_are_identifiers(name: str) -> None:
    with pytest.raises(ValueError, match="token: name must be"):
        new_token(name)


def test_scopes_have_one_order() -> None:
    assert check_scopes(["admin", "predict", "predict"]) == ("predict", "admin")

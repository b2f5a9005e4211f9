"""Numbers in files are read bit for bit as float() reads them, and all other text is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Context, Decimal

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.streams.files.scan.numbers import number

EXACT = Context(prec=1200)
LITERAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(infinity|inf|nan)", re.IGNORECASE)


@numba.njit
def read_all(text: int, starts: np.ndarray, stops: np.ndarray, values: np.ndarray, ends: np.ndarray) -> None:
    for i in range(starts.size):
        values[i], ends[i] = number(text, starts[i], stops[i])


def read(literals: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Values and lengths. The literals stand without a gap, so that reading beyond one finds the digits of the next."""
    data = np.frombuffer(b"".join(literals) or b" ", np.uint8)
    lengths = np.array([len(literal) for literal in literals], np.uint64)
    stops = np.cumsum(lengths, dtype=np.uint64)
    values, ends = np.empty(stops.size), np.empty(stops.size, np.uint64)
    read_all(np.uint64(data.ctypes.data), stops - lengths, stops, values, ends)
    return values, ends - (stops - lengths)


def check(literals: Iterable[str]) -> None:
    texts = [literal.encode() for literal in literals]
    values, lengths = read(texts)
    expected = np.array([float(text) for text in texts])
    wrong = np.flatnonzero((values.view(np.uint64) != expected.view(np.uint64)) | (lengths != list(map(len, texts))))
    assert not wrong.size, [(texts[i], values[i], expected[i], lengths[i]) for i in wrong[:5]]


def doubles(size: int, seed: int) -> list[float]:
    """Random bits: every exponent is as likely."""
    bits = np.random.default_rng(seed).integers(0, 2**64, size, np.uint64)
    values = bits.view(np.float64)
    return values[np.isfinite(values)].tolist()


@pytest.mark.parametrize("form", ["%r", "%.3g", "%.6g", "%.17g", "%.19g", "%.25g", "%.40e"])
def test_doubles_of_every_size_as_they_are_printed(form: str) -> None:
    check([form % value for value in doubles(100_000, seed=len(form))])


@pytest.mark.parametrize("form", ["%r", "%.2f", "%.6f", "%g", "%.20f"])
def test_values_of_everyday_files(form: str) -> None:
    rng = np.random.default_rng(5)
    check([form % value for value in (rng.normal(size=50_000) * 10.0 ** rng.integers(-3, 6, 50_000)).tolist()])


def test_digits_at_random() -> None:
    rng = np.random.default_rng(1)
    sizes, points, powers = rng.integers(1, 60, 150_000), rng.random(150_000), rng.integers(-360, 340, 150_000)
    pool = "".join(map(str, rng.integers(0, 10, 200_000).tolist()))
    literals = []
    for i, (size, point, power) in enumerate(zip(sizes.tolist(), points.tolist(), powers.tolist(), strict=True)):
        digits, at = pool[i : i + size], int(point * 1.5 * size)
        mantissa = digits if at > size else f"{digits[:at]}.{digits[at:]}"
        literals.append(mantissa if i % 3 == 0 else f"{'-' * (i % 2)}{mantissa}{'eE'[i % 2]}{'+' * (power > 0)}{power}")
    check(literals)


def test_halfway_between_two_doubles_and_a_digit_beside_it() -> None:
    literals = []
    for value in (abs(value) for value in doubles(6_000, seed=2)):
        halfway = EXACT.divide(EXACT.add(Decimal(value), Decimal(float(np.nextafter(value, 0.0)))), Decimal(2))
        _, digits, power = halfway.as_tuple()
        whole = int("".join(map(str, digits)))
        literals += [f"{whole}e{power}", f"{whole}0001e{power - 4}", f"{whole - 1}e{power}", f"{whole}000e{power - 3}"]
        literals.append(str(whole)[: 20 + len(literals) % 30] + f"e{power + len(digits) - 20 - len(literals) % 30}")
        literals.append(f"{whole}{'0' * 900}1e{power - 901}")
    check(literals)


def test_ties_that_fit_into_a_word() -> None:
    rng = np.random.default_rng(3)
    odd = 2 * rng.integers(2**52, 2**53, 60_000, np.uint64) + np.uint64(1)
    check(str(value) for value in odd.tolist())
    check(f"{value << shift}" for value, shift in zip(odd.tolist(), rng.integers(0, 10, 60_000).tolist(), strict=True))
    check(f"{value * 5**k}e-{k}" for value, k in zip(odd.tolist(), rng.integers(1, 5, 60_000).tolist(), strict=True))


def test_subnormals_and_the_ends_of_the_range() -> None:
    bits = np.random.default_rng(4).integers(0, 2**53, 60_000, np.uint64) >> np.arange(60_000, dtype=np.uint64) % 52
    subnormals = bits.view(np.float64).tolist()
    check(f"{value!r}" for value in subnormals)
    check(f"{value:.30g}" for value in subnormals)
    smallest, largest = Decimal(float(np.nextafter(0, 1))), Decimal(float(np.finfo(float).max))
    beyond = EXACT.add(largest, Decimal(2.0**969))
    just_below = EXACT.subtract(beyond, Decimal(1))
    check(f"{EXACT.multiply(smallest, Decimal(part))}" for part in ("0.4999", "0.5", "0.5001", "1.5", "2.5", "1"))
    check(f"{value:f}" for value in (smallest, largest, beyond, just_below))


def test_written_oddly() -> None:
    check(["5.", ".5", "1e5", "-0.0", "0", "-0", "+0.0e5", "0e999", "1e400", "-1e400", "1e-400", "00012"])
    check(["1e" + "9" * 30, "1e-" + "9" * 30, "1e+00005", "1E5", "+.5e-2", "0." + "0" * 400 + "1e401", "9" * 400 + "."])
    check(["1" + "0" * 30_000 + "e-30000", "0." + "0" * 30_000 + "1e30001", "0" * 30_000 + "7", "0." + "0" * 30_000])
    check("0" * i + "." + "0" * k + "123456789012345678901"[: 1 + (i + k) % 21] for i in range(40) for k in range(40))
    check(f"{w}e{q}" for q in range(-370, 330) for w in (1, 2**53, 2**53 + 1, 2**63, 2**64 - 1, 10**19 - 1))


def test_infinity_and_nan_are_read_as_such() -> None:
    check(["inf", "Inf", "-INF", "+infinity", "-Infinity"])
    values, lengths = read([b"nan", b"-NaN", b"+nan"])
    assert np.isnan(values).all() and lengths.tolist() == [3, 4, 4]


@pytest.mark.parametrize(
    "text",
    [b"", b"-", b"+", b".", b"-.", b"e5", b".e5", b"1e", b"1e+", b"x", b"--1", b"in", b"na", b" 1", b"_1", b"\xff"],
)
def test_no_number(text: bytes) -> None:
    assert read([text])[1] == [0]


@pytest.mark.parametrize(("text", "length"), [(b"1_000", 1), (b"0x10", 1), (b"1 2", 1), (b"1.5.2", 3), (b"infinit", 3)])
def test_ends_before_what_is_no_part_of_it(text: bytes, length: int) -> None:
    values, lengths = read([text])
    assert lengths == [length]
    assert values == [float(text[:length])]


@given(st.lists(st.text("0123456789.+-eEinfa_x \0", max_size=30).map(str.encode), max_size=30))
def test_takes_what_the_grammar_says(texts: list[bytes]) -> None:
    values, lengths = read(texts)
    for text, value, length in zip(texts, values, lengths.tolist(), strict=True):
        found = LITERAL.match(text)
        if found is None or (found[1] and not found[2] and text[found.end() :][:1] in (b"e", b"E")):
            assert length == 0
        else:
            assert length == found.end()
            assert np.array_equal(value, float(found.group()), equal_nan=True)

"""Loops in explicit vectors: tanh, square matrices, comparisons of sixteen numbers."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.internals.compiled import Floats, jit
from driftline.internals.numeric.lane_masks import (
    SIXTEEN,
    at_most,
    fifth_minimum,
    highest_bit,
    plain_at_most,
    plain_fifth_minimum,
    plain_highest_bit,
)
from driftline.internals.numeric.square import downdate, plain_downdate, plain_times, times
from driftline.internals.numeric.tanh import squash_all

Singles = np.ndarray


@jit
def products(A: Floats, start: int, z: Floats, size: int, width: int, plain: bool, g: Floats) -> None:
    if plain:
        plain_times(A, np.uint64(start), z, np.uint64(size), np.uint64(width), g)
        plain_downdate(A, np.uint64(start), g, 1.01, np.uint64(size), np.uint64(width))
    else:
        times(A, np.uint64(start), z, np.uint64(size), np.uint64(width), g)
        downdate(A, np.uint64(start), g, 1.01, np.uint64(size), np.uint64(width))


@jit
def compared(numbers: Singles, at: int, limit: float) -> tuple[int, int]:
    mask = at_most(numbers, at, np.float32(limit))
    return mask, highest_bit(mask) if mask > 0 else -1


@jit
def fifth(numbers: Singles, start: int, stop: int, again: int, end: int) -> float:
    return fifth_minimum(numbers, start, stop, again, end)


@pytest.mark.parametrize("width", [4, 8, 12, 40, 44])
def test_square_matrices_have_the_bits_of_the_plain_loops(width: int) -> None:
    rng, found = np.random.default_rng(0), []
    A, z = rng.normal(size=2 * width * width), rng.normal(size=width)
    for plain in (True, False):
        made, g = A.copy(), np.zeros(width)
        products(made, width * width, z, width - 1, width, plain, g)
        found.append(made.tobytes() + g.tobytes())
        square = A[width * width :].reshape(width, width)
        np.testing.assert_allclose(g, z[:-1] @ square[:-1], rtol=0.0, atol=1e-12)
        due = (square - np.outer(g, g)) * 1.01
        due[-1] = square[-1]
        np.testing.assert_allclose(made[width * width :].reshape(width, width), due, rtol=1e-12, atol=1e-12)
        assert (made[: width * width] == A[: width * width]).all()
    assert found[0] == found[1]


def test_tanh() -> None:
    rng = np.random.default_rng(0)
    sizes = (1e-300, 1e-9, 1e-3, 0.1, 1.0, 5.0, 100.0, 1e300)
    x = np.concatenate([[0.0, -0.0, 19.99, 20.0], *(rng.normal(size=2000) * size for size in sizes)])
    found = x.copy()
    squash_all(found, found.size - 1)
    assert found[-1] == x[-1]
    np.testing.assert_allclose(found[:-1], np.tanh(x[:-1]), rtol=1e-15, atol=0.0)
    assert (np.abs(found[:-1]) <= 1.0).all()
    mirrored = -x
    squash_all(mirrored, mirrored.size - 1)
    assert (mirrored[:-1] == -found[:-1]).all()
    for at in range(40):  # the same bits at every place
        part = x[at : at + 1].copy()
        squash_all(part, 1)
        assert part[0] == found[at]


def test_masks_are_those_of_the_plain_loops() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 9, 200).astype(np.float32)
    for at in range(180):
        for limit in (-1.0, 0.0, 3.0, np.inf):
            bits = sum(1 << k for k in range(SIXTEEN) if numbers[at + k] <= limit)
            assert compared(numbers, at, limit) == (bits, bits.bit_length() - 1)
            assert plain_at_most(numbers, at, np.float32(limit)) == bits
            assert bits == 0 or plain_highest_bit(bits) == bits.bit_length() - 1


@pytest.mark.parametrize("ranges", [(0, 0, 0, 0), (0, 4, 0, 0), (3, 40, 60, 199), (0, 200, 200, 200), (5, 25, 30, 48)])
def test_five_numbers_are_not_above_the_fifth_minimum(ranges: tuple[int, int, int, int]) -> None:
    start, stop, again, end = ranges
    for seed in range(20):
        numbers = np.random.default_rng(seed).normal(size=200).astype(np.float32)
        bound = fifth(numbers, *ranges)
        assert bound == plain_fifth_minimum(numbers, *ranges)
        within = np.concatenate([numbers[start:stop], numbers[again:end]])
        assert np.isinf(bound) if within.size < SIXTEEN else np.count_nonzero(within <= bound) >= 5
        assert within.size < 100 or np.count_nonzero(within <= bound) < 30

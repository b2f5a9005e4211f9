"""The generator splitmix64 in Python's whole numbers, from its reference program."""

from __future__ import annotations

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def mixed(z: int) -> int:
    """The finaliser: what an internal state is mapped to."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def output(seed: int, number: int) -> int:
    """The output with this number, counted from 0, of a generator with this seed."""
    return mixed((seed + (number + 1) * STEP) & MASK)


def coin(seed: int, number: int) -> float:
    """A number in [0, 1) for a round: the output of a generator that starts at the mixed seed."""
    return (output(mixed(seed), number) >> 11) / 2.0**53

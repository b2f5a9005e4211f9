"""tanh of many numbers, in operations that the compiler can vectorise, unlike that of the C library.

    tanh |x| = -t / (t + 2),   t = e^(-2 |x|) - 1 = 2^k (e^r - 1) + (2^k - 1)

with -2 |x| = k ln 2 + r, a whole k and |r| <= ln(2) / 2. e^r - 1 = r + r^2 q(r), where q is that of
``simd_exp``. The last bits of -2 |x| / ln 2 + 1.5 2^52 are k. The error is at most three units in the
last place. Each fused operation is explicit, so a number has the same bits in every place of an
array, and on every C library.
"""

from __future__ import annotations

from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.multiply_add import multiplied_and_added
from driftline.internals.numeric.scalar_exp import bits_of, float_of
from driftline.internals.numeric.simd_exp import LN_2_HIGH, LN_2_LOW, PER_LN_2, ROUNDER, Q

Q0, Q1, Q2, Q3, Q4, Q5, Q6, Q7, Q8, Q9 = Q
LARGEST = 20.0
"""tanh of a larger number is 1."""


@inlined
def tanh_of(x: float) -> float:
    """Tanh x for a finite x."""
    a = -2.0 * min(abs(x), LARGEST)
    shifted = multiplied_and_added(a, PER_LN_2, ROUNDER)
    k = shifted - ROUNDER
    r = multiplied_and_added(k, -LN_2_LOW, multiplied_and_added(k, -LN_2_HIGH, a))
    q = multiplied_and_added(Q9, r, Q8)
    q = multiplied_and_added(q, r, Q7)
    q = multiplied_and_added(q, r, Q6)
    q = multiplied_and_added(q, r, Q5)
    q = multiplied_and_added(q, r, Q4)
    q = multiplied_and_added(q, r, Q3)
    q = multiplied_and_added(q, r, Q2)
    q = multiplied_and_added(q, r, Q1)
    q = multiplied_and_added(q, r, Q0)
    power = float_of((bits_of(shifted) + 1023) << 52)
    t = multiplied_and_added(power, multiplied_and_added(r * r, q, r), power - 1.0)
    t = t / (t + 2.0)
    return t if x < 0.0 else 0.0 - t


@jit
def squash_all(numbers: Floats, size: int) -> None:
    """Replace the first ``size`` numbers, which are finite, by their tanh."""
    for i in range(size):
        numbers[i] = tanh_of(numbers[i])

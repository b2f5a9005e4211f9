"""The window of ADWIN: an exponential histogram of buckets, and the test of its cuts.

A window is one array of floats. It begins with the values seen since it was created, the number of
values that are not in a bucket yet, and their sum. Then come the rows of buckets. Row r has at most
PER_ROW buckets of every * 2^r values, the oldest first; its first entry is the number of buckets.
If a row has one bucket more, its two oldest buckets become one of the next row. The memory grows
with the logarithm of the number of values, and is bounded by ROWS.

For a cut into n0 older values with the mean m0 and n1 newer ones with the mean m1, let m be the mean
of all. The statistic is the likelihood ratio of two means against one:

    G = n0 KL(m0, m) + n1 KL(m1, m),   KL(a, b) = a ln(a/b) + (1 - a) ln((1 - a)/(1 - b))

If all values lie in [0, 1] and have the same mean p, given the values before them, then n KL(mean, p)
is larger than u with probability at most 2 e^-u (Hoeffding. Probability inequalities for sums of
bounded random variables. JASA 58 (1963), theorem 1). G is at most the sum of the two terms with p in
place of m, so

    P(G >= x) <= P(Gamma(2) >= x - 2 ln 2) = 4 (1 + x - 2 ln 2) e^-x.

``threshold`` solves this for x. No variance is estimated, and the bound holds for any sample size.
"""

from __future__ import annotations

import math

import numpy as np

from driftline.internals.compiled import Floats, inlined, jit

PER_ROW = 5
ROWS = 32
SEEN, PENDING, PENDING_SUM, FIRST_ROW = 0, 1, 2, 3
STRIDE = PER_ROW + 2
"""Numbers of a row: the number of buckets, and one more bucket than it may keep."""
SIZE = FIRST_ROW + ROWS * STRIDE
MOST_CUTS = ROWS * PER_ROW
LN4 = 2.0 * math.log(2.0)
# columns of a change
AT, SINCE, BEFORE, AFTER, COLUMNS = 0, 1, 2, 3, 4


def threshold(level: float) -> float:
    """The x at which the bound on P(G >= x) is ``level``."""
    x = LN4 - math.log(level)
    for _ in range(50):
        x = LN4 - math.log(level) + math.log1p(x - LN4)
    return x


def thresholds(level: float) -> Floats:
    """The threshold for each number of cuts, so that all cuts together have this level."""
    return np.array([math.inf, *(threshold(level / cuts) for cuts in range(1, MOST_CUTS + 1))])


@inlined
def divergence(a: float, b: float) -> float:
    """KL(a, b) for a in [0, 1] and b in (0, 1)."""
    found = 0.0
    if a > 0.0:
        found += a * np.log(a / b)
    if a < 1.0:
        found += (1.0 - a) * np.log((1.0 - a) / (1.0 - b))
    return found


@jit
def insert(window: Floats, total: float) -> None:
    """Add a bucket of the pending values; merge the oldest buckets of full rows."""
    for row in range(ROWS):
        at = FIRST_ROW + row * STRIDE
        size = int(window[at])
        window[at + 1 + size] = total
        if size < PER_ROW:
            window[at] = size + 1
            return
        total = window[at + 1] + window[at + 2]
        for k in range(1, PER_ROW):
            window[at + k] = window[at + k + 2]
        window[at] = PER_ROW - 1
        window[at + PER_ROW] = 0.0
        window[at + PER_ROW + 1] = 0.0


@jit
def forget_before(window: Floats, keep: int) -> None:
    """Remove all but the ``keep`` newest buckets."""
    for row in range(ROWS):
        at = FIRST_ROW + row * STRIDE
        size = int(window[at])
        gone = max(0, size - keep)
        keep = max(0, keep - size)
        for k in range(size):
            window[at + 1 + k] = window[at + 1 + k + gone] if k + gone < size else 0.0
        window[at] = size - gone


@jit
def check(window: Floats, every: int, limits: Floats, upward: bool, change: Floats) -> bool:
    """Test all cuts; return whether there is an alarm, and write the change.

    After an alarm the window is empty. If only rises are alarms (``upward``), a fall removes the
    older part of the window.
    """
    n, total, buckets, width = 0.0, 0.0, 0, float(every)
    for row in range(ROWS):
        at = FIRST_ROW + row * STRIDE
        size = int(window[at])
        if size == 0:
            break
        for k in range(size):
            total += window[at + 1 + k]
        n += size * width
        buckets += size
        width *= 2.0
    mean = total / n
    if buckets < 2 or not 0.0 < mean < 1.0:
        return False
    limit = limits[buckets - 1]
    least = limit * n * mean * (1.0 - mean)
    best, kept, seen, width = -1.0, 0, 0, float(every)
    n1, s1, best_n, best_before, best_after = 0.0, 0.0, 0.0, 0.0, 0.0
    for row in range(ROWS):
        at = FIRST_ROW + row * STRIDE
        for k in range(int(window[at]) - 1, -1, -1):
            seen += 1
            if seen == buckets:
                break
            n1 += width
            s1 += window[at + 1 + k]
            n0, s0 = n - n1, total - s1
            # KL(a, b) <= (a - b)^2 / (b (1 - b)): most cuts need no logarithm
            if (s1 * n0 - s0 * n1) ** 2 < least * n0 * n1:
                continue
            # rounding must not lead out of [0, 1]
            before, after = min(1.0, max(0.0, s0 / n0)), min(1.0, s1 / n1)
            ratio = n0 * divergence(before, mean) + n1 * divergence(after, mean)
            if ratio >= limit and ratio > best:
                best, kept = ratio, seen
                best_n, best_before, best_after = n1, before, after
        if seen >= buckets:
            break
        width *= 2.0
    if best < 0.0:
        return False
    if upward and best_after <= best_before:
        forget_before(window, kept)
        return False
    forget_before(window, 0)
    change[AT], change[SINCE] = window[SEEN], window[SEEN] - best_n
    change[BEFORE], change[AFTER] = best_before, best_after
    return True


@jit
def close(window: Floats, every: int, limits: Floats, upward: bool, change: Floats) -> bool:
    """Make a bucket of the pending values and test all cuts; see ``check``."""
    insert(window, window[PENDING_SUM])
    window[PENDING] = 0.0
    window[PENDING_SUM] = 0.0
    return check(window, every, limits, upward, change)


@jit
def add_many(window: Floats, values: Floats, every: int, limits: Floats, upward: bool, changes: Floats) -> int:
    """Add values; write the changes to the rows of ``changes``, and return their number."""
    found = 0
    for i in range(values.size):
        window[SEEN] += 1.0
        window[PENDING] += 1.0
        window[PENDING_SUM] += values[i]
        if window[PENDING] == every and close(window, every, limits, upward, changes[found]):
            found += 1
    return found


def check_window(window: Floats, every: int) -> None:
    """Raise ValueError unless this is a window that values can have led to."""
    good = window.shape == (SIZE,) and window.dtype == np.float64 and bool(np.isfinite(window).all())
    if not good or bool((window < 0.0).any()):
        raise ValueError(f"a window must be {SIZE} numbers >= 0")
    rows = window[FIRST_ROW:].reshape(ROWS, STRIDE)
    counts, sums = rows[:, 0], rows[:, 1:]
    sizes = every * 2.0 ** np.arange(ROWS)
    used = np.arange(STRIDE - 1) < counts[:, None]
    whole = bool((np.floor(counts) == counts).all()) and bool((counts <= PER_ROW).all())
    filled = counts > 0.0
    if not whole or bool((filled[1:] & ~filled[:-1]).any()):
        raise ValueError("a window must have whole numbers of buckets, without empty rows between them")
    if bool((sums > np.where(used, sizes[:, None] * (1.0 + 1e-9), 0.0)).any()):
        raise ValueError("the sum of a bucket must lie between 0 and its size")
    seen, pending = window[SEEN], window[PENDING]
    if not (pending < every and pending == np.floor(pending) and window[PENDING_SUM] <= pending * (1.0 + 1e-9)):
        raise ValueError("a window must have fewer pending values than a bucket")
    if not (seen == np.floor(seen) < 2.0**53 and seen >= pending + float(counts @ sizes)):
        raise ValueError("a window must have seen all values in its buckets")

"""The nearest of the last 2,000 rows: a ring of rows and a search by Euclidean distance.

The ring is stored transposed, ``rows[feature, place]`` in float32, so that a loop over places reads
adjacent numbers. Row number t (from 0) is at place t % 2000. A row has 0 in all features that were
unknown when it was stored. Nothing here knows classes or targets.

Squared distances are sums of factor_i (z_i - row_i)^2 in float32, feature by feature, each operation
rounded. So they have the same bits for any width of the vectors that the compiler chooses.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.lane_masks import SIXTEEN, at_most, fifth_minimum, highest_bit

Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

PLACES = 2000
RECENT = 500
WINDOWS = (RECENT, PLACES)
"""The last rows among which ``nearest`` searches."""
NEAREST = 5
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@jit
def push(rows: Singles, pushed: int, z: Floats, known: int) -> None:
    """Store the first ``known`` values of z as row number ``pushed``, over the oldest row.

    ``known`` may not decrease from row to row, so the later features of the place are still 0.
    """
    place = np.uint64(pushed % PLACES)
    for i in range(np.uint64(known)):
        rows[i, place] = z[i]


@jit
def add_squares(rows: Singles, factors: Singles, filled: int, z: Floats, known: int, squares: Singles) -> None:
    """Write the squared distances of z to the first ``filled`` places, over ``known`` features.

    Four features are added in one pass over the places, one after the other.
    """
    places = np.uint64(filled)
    for j in range(places):
        squares[j] = np.float32(0.0)
    whole = np.uint64(known) & ~THREE
    for i in range(np.uint64(0), whole, FOUR):
        a, b, c, d = np.float32(z[i]), np.float32(z[i + ONE]), np.float32(z[i + TWO]), np.float32(z[i + THREE])
        p, q, r, s = factors[i], factors[i + ONE], factors[i + TWO], factors[i + THREE]
        for j in range(places):
            e, f, g, h = a - rows[i, j], b - rows[i + ONE, j], c - rows[i + TWO, j], d - rows[i + THREE, j]
            squares[j] = (((squares[j] + p * (e * e)) + q * (f * f)) + r * (g * g)) + s * (h * h)
    for i in range(whole, np.uint64(known)):
        a, p = np.float32(z[i]), factors[i]
        for j in range(places):
            e = a - rows[i, j]
            squares[j] += p * (e * e)


@jit
def insert(places: Integers, nearby: Floats, size: int, place: int, square: float) -> int:
    """Insert a place into the ``size`` nearest ones, after equal distances; return the size."""
    at = min(size, NEAREST - 1)
    while at > 0 and nearby[at - 1] > square:
        nearby[at] = nearby[at - 1]
        places[at] = places[at - 1]
        at -= 1
    nearby[at] = square
    places[at] = place
    return min(size + 1, NEAREST)


@jit
def scan(squares: Singles, start: int, stop: int, bound: float, places: Integers, nearby: Floats, size: int) -> int:
    """Merge the places from ``stop`` - 1 down to ``start`` into the nearest; return their number.

    Squared distances above ``bound`` are left out. If there are five nearest, ``bound`` is the largest of them or
    less. Blocks of places are compared with the bound in one vectorised comparison.
    """
    limit = np.float32(nearby[NEAREST - 1]) if size == NEAREST else np.float32(np.inf)
    high = stop
    while high > start:
        low = max(start, high - SIXTEEN)
        if low + SIXTEEN <= squares.size:
            mask = at_most(squares, low, bound) & ((1 << (high - low)) - 1)
        else:
            mask = plain_mask(squares, low, high, bound)
        while mask != 0:
            k = highest_bit(mask)
            mask -= 1 << k
            square = squares[np.uint64(low + k)]
            if square < limit:
                size = insert(places, nearby, size, low + k, square)
                if size == NEAREST:
                    limit = np.float32(nearby[NEAREST - 1])
                    bound = min(bound, limit)
        high = low
    return size


@inlined
def plain_mask(squares: Singles, low: int, high: int, bound: float) -> int:
    """Bit k says whether ``squares[low + k] <= bound``, for the places before ``high``."""
    mask = 0
    for place in range(low, high):
        mask |= int(squares[place] <= bound) << (place - low)
    return mask


@jit
def nearest(
    rows: Singles,
    factors: Singles,
    pushed: int,
    z: Floats,
    known: int,
    squares: Singles,
    found: Integers,
    distances: Floats,
) -> int:
    """Find the rows nearest to z among the last 500 rows and in the whole ring.

    Parameters
    ----------
    rows : array of shape (features, 2000)
        The ring.
    factors : array of shape (features,)
        Factor of each feature in the squared distance, > 0 and finite.
    pushed : int
        Number of rows that were stored so far.
    z : array
        The row to search for; its first ``known`` values count.
    known : int
        Number of features, at most ``len(rows)``.
    squares : array of shape (2000,)
        Workspace.
    found : array of shape (2, 5)
        Receives the places of the nearest rows: ``found[0]`` among the last 500, ``found[1]`` among
        all. Of equal distances, the newer row comes first.
    distances : array of shape (2, 5)
        Receives their Euclidean distances, which do not decrease.

    Returns
    -------
    int
        The number of rows found in each window: 5, or all rows if there are fewer.
    """
    filled = min(pushed, PLACES)
    add_squares(rows, factors, filled, z, known, squares)
    # the rows from the newest to the oldest: places end - 1 to 0, then filled - 1 to end
    end = (pushed - 1) % PLACES + 1 if pushed > 0 else 0
    recent = min(filled, RECENT)
    places, nearby = found[0], distances[0]
    low, high = max(end - recent, 0), filled - max(recent - end, 0)
    bound = fifth_minimum(squares, low, end, high, filled)
    size = scan(squares, low, end, bound, places, nearby, 0)
    size = scan(squares, high, filled, bound, places, nearby, size)
    for k in range(size):
        found[1, k], distances[1, k] = found[0, k], distances[0, k]
    places, nearby = found[1], distances[1]
    bound = np.float32(nearby[NEAREST - 1]) if size == NEAREST else np.float32(np.inf)
    size = scan(squares, 0, low, bound, places, nearby, size)
    size = scan(squares, end, high, bound, places, nearby, size)
    for window in range(len(WINDOWS)):
        for k in range(size):
            distances[window, k] = np.sqrt(distances[window, k])
    return size

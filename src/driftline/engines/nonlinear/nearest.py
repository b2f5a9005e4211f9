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

from driftline.internals.compiled import Floats, jit

Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

PLACES = 2000
RECENT = 500
WINDOWS = (RECENT, PLACES)
"""The last rows among which ``nearest`` searches."""
NEAREST = 5
BLOCK = 16  # places compared at a time
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
def scan(squares: Singles, start: int, stop: int, places: Integers, nearby: Floats, size: int) -> int:
    """Merge the places from ``stop`` - 1 down to ``start`` into the nearest; return their number.

    A block of places without a smaller distance is skipped after one vectorised comparison.
    """
    limit = np.float32(nearby[NEAREST - 1]) if size == NEAREST else np.float32(np.inf)
    high = stop
    while high > start:
        low = max(start, high - BLOCK)
        smaller = np.int32(0)
        for j in range(np.uint64(low), np.uint64(high)):
            smaller += np.int32(squares[j] < limit)
        if smaller > 0:
            for place in range(high - 1, low - 1, -1):
                if squares[np.uint64(place)] < limit:
                    size = insert(places, nearby, size, place, squares[np.uint64(place)])
                    if size == NEAREST:
                        limit = np.float32(nearby[NEAREST - 1])
        high = low
    return size


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
    size = scan(squares, max(end - recent, 0), end, places, nearby, 0)
    size = scan(squares, filled - max(recent - end, 0), filled, places, nearby, size)
    for k in range(size):
        found[1, k], distances[1, k] = found[0, k], distances[0, k]
    places, nearby = found[1], distances[1]
    size = scan(squares, 0, max(end - recent, 0), places, nearby, size)
    size = scan(squares, end, filled - max(recent - end, 0), places, nearby, size)
    for window in range(len(WINDOWS)):
        for k in range(size):
            distances[window, k] = np.sqrt(distances[window, k])
    return size

"""Projectron++: an example close to the span of the support vectors is projected onto it.

K is the kernel matrix of the support vectors x_j, and k_j = k(x_j, x). The projection of phi(x)
onto their span, and its distance delta from phi(x), are

    P phi(x) = sum_j d_j phi(x_j),    d = K^-1 k
    near_sq = |P phi(x)|^2 = k.d,    delta^2 = k(x, x) - near_sq

With m = y w.x and loss = 1 - m:

    m <= 0, delta <= eta                c_j += y d_j
    m <= 0, delta > eta                 x becomes a support vector with c = y
    0 < m < 1, loss >= delta / eta      c_j += tau y d_j,
                tau = min(1, loss / near_sq, 2 (loss - delta / eta) / near_sq)

By the Cholesky factor K = L L^T:  L u = k,  L^T d = u,  near_sq = |u|^2. A new support vector adds
the row (u, delta).

Orabona, Keshet, Caputo. Bounded kernel-based online learning. JMLR 10 (2009).
Differs from the paper: the Cholesky factor replaces K^-1, which loses digits where delta is small.
With a full budget, every mistake is projected. A sample weight multiplies the step.
"""

from __future__ import annotations

from math import sqrt

from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.square_cholesky import append_row, solve_lower, solve_upper
from driftline.rules.kernel.support_vectors import FINE, FULL, LIVE, ROOM, C, place


@inlined
def needs_slots(ring: Floats, limit: int, m: float, weight: float) -> bool:
    """Whether x might be added while all slots are in use, and ``limit`` allows more of them."""
    return ring[LIVE] == ring[ROOM] and ring[ROOM] < limit and m <= 0.0 and weight != 0.0


@jit
def project(
    c: Floats,
    L: Floats,
    k: Floats,
    u: Floats,
    size: int,
    eta: float,
    has_room: bool,
    m: float,
    x_sq: float,
    weight: float,
    y: float,
) -> tuple[float, float, float]:
    """Move the coefficients ``c``, or find that x must be added; return (delta, step_sq, tau).

    ``delta`` is 0 unless x must be added; ``u`` then is the new row of L. Otherwise c <- c + tau
    weight y d. ``step_sq`` is |phi(x)|^2 or |P phi(x)|^2, whichever is added to w. ``tau`` is 0
    where w stays.
    """
    if weight == 0.0 or m >= 1.0 or x_sq == 0.0:
        return 0.0, 0.0, 0.0
    near_sq = min(x_sq, solve_lower(L, k, u, size))
    delta = sqrt(x_sq - near_sq)
    tau = 1.0
    if m <= 0.0:
        if has_room and delta > eta:
            return delta, x_sq, 1.0
    else:
        loss = 1.0 - m
        if loss < delta / eta or near_sq == 0.0:
            return 0.0, 0.0, 0.0
        tau = min(1.0, loss / near_sq, 2.0 * (loss - delta / eta) / near_sq)
    if tau == 0.0 or size == 0:
        return 0.0, 0.0, 0.0
    solve_upper(L, u, size)
    for j in range(size):
        c[j] += tau * weight * y * u[j]
    return 0.0, near_sq, tau


@inlined
def update(
    eta: float,
    limit: int,
    bounded: bool,
    ring: Floats,
    tiles: Floats,
    slots: Floats,
    L: Floats,
    k: Floats,
    u: Floats,
    x: Floats,
    n: int,
    w_sq: float,
    m: float,
    x_sq: float,
    weight: float,
    y: float,
) -> tuple[int, float, float]:
    """Do one round; return (status, tau, w_sq): ``w_sq`` is |w|^2, before and after.

    The status is FULL if x must be added to ``limit`` support vectors that are not ``bounded`` by
    a budget. Then nothing has changed.
    """
    size = int(ring[LIVE])
    has_room = size < limit or not bounded
    delta, step_sq, tau = project(slots[C], L, k, u, size, eta, has_room, m, x_sq, weight, y)
    if delta > 0.0:
        if size == limit:
            return FULL, 0.0, w_sq
        append_row(L, u, size, delta)
        place(ring, tiles, slots, size, x, n, weight * y, x_sq)
    if tau != 0.0:
        w_sq = max(0.0, w_sq + weight * tau * (2.0 * m + weight * tau * step_sq))
    return FINE, tau, w_sq

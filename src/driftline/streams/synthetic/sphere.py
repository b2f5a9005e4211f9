"""Sample points on the unit sphere at least ``margin`` away from a hyperplane, efficiently.

For x uniform on the sphere in R^d and a unit vector u, s = |u.x| and the direction v of the
orthogonal part are independent:

    x = +- s u + sqrt(1 - s^2) v,    v uniform on the unit vectors orthogonal to u,
    s^2 ~ Beta(1/2, (d - 1)/2),      restricted here to s >= margin.

Rejecting the points with s < margin is correct but too slow if few points remain (d = 100,
margin = 0.9). In that case s is drawn from its tail: with 1 - s^2 = (1 - margin^2) r, the density
of r is proportional to r^((d-3)/2) / s, so r is drawn as U^(2/(d-1)) and accepted with probability
margin / s. Both methods accept at least three draws out of ten.
"""

from __future__ import annotations

import numpy as np

from driftline.streams.synthetic.stream import Matrix, Vector


def directions(rng: np.random.Generator, count: int, d: int) -> Matrix:
    """Return ``count`` points, uniform on the unit sphere in R^d."""
    return _unit(rng.standard_normal((count, d)))


def orthogonal(rng: np.random.Generator, U: Matrix) -> Matrix:
    """Return, for each row u of U, a uniform unit vector orthogonal to u."""
    V = rng.standard_normal(U.shape)
    for _ in range(2):  # the second pass removes rounding errors
        V = _unit(V - np.einsum("ij,ij->i", U, V)[:, None] * U)
    return V


def distances(rng: np.random.Generator, count: int, d: int, margin: float) -> Vector:
    """Draw s = |u.x| given s >= margin, for ``count`` uniform points x on the sphere in R^d."""
    s = np.empty(count)
    left = np.arange(count)
    while len(left):
        if d * margin**2 < 1.0:
            drawn = np.sqrt(rng.beta(0.5, 0.5 * (d - 1), len(left)))
            kept = drawn >= margin
        else:
            r = rng.random(len(left)) ** (2.0 / (d - 1))
            drawn = np.maximum(margin, np.sqrt(1.0 - (1.0 - margin**2) * r))
            kept = rng.random(len(left)) * drawn < margin
        s[left[kept]] = drawn[kept]
        left = left[~kept]
    return s


def points_beyond_margin(rng: np.random.Generator, U: Matrix, margin: float) -> tuple[Matrix, Vector]:
    """Draw a uniform x with |u.x| >= margin for each row u of U; return X and sign(u.x)."""
    s = distances(rng, len(U), U.shape[1], margin)
    sign = np.where(rng.integers(2, size=len(U)) == 1, 1.0, -1.0)
    return (sign * s)[:, None] * U + np.sqrt(1.0 - s * s)[:, None] * orthogonal(rng, U), sign


def _unit(X: Matrix) -> Matrix:
    """Return the rows of X scaled to norm 1."""
    length: Vector = np.sqrt(np.einsum("ij,ij->i", X, X))
    return X / length[:, None]

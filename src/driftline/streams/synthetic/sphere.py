"""Points of the unit sphere at least margin away from a hyperplane, drawn without waiting for them.

For x uniform on the sphere in R^d and a unit vector u, s = |u.x| and the direction v of the rest are
independent:

    x = +- s u + sqrt(1 - s^2) v,    v uniform on the unit vectors orthogonal to u,
    s^2 ~ Beta(1/2, (d - 1)/2),      restricted here to s >= margin.

Dropping the points with s < margin is right but endless where few are left (d = 100, margin = 0.9). There s
is drawn from its tail: with 1 - s^2 = (1 - margin^2) r, the density of r is proportional to r^((d-3)/2) / s,
so r is drawn as U^(2/(d-1)) and kept with probability margin / s. Either way at least three draws of ten are
kept.
"""

from __future__ import annotations

import numpy as np

from driftline.streams.synthetic.stream import Matrix, Vector


def directions(rng: np.random.Generator, count: int, d: int) -> Matrix:
    """Return count points, uniform on the unit sphere in R^d."""
    return _unit(rng.standard_normal((count, d)))


def orthogonal(rng: np.random.Generator, U: Matrix) -> Matrix:
    """Return for each row u of U a uniform unit vector that is orthogonal to u."""
    V = rng.standard_normal(U.shape)
    for _ in range(2):  # the second time removes what rounding left
        V = _unit(V - np.einsum("ij,ij->i", U, V)[:, None] * U)
    return V


def distances(rng: np.random.Generator, count: int, d: int, margin: float) -> Vector:
    """Draw s = |u.x|, given that s >= margin, for count uniform points x of the sphere in R^d."""
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


def beside(rng: np.random.Generator, U: Matrix, margin: float) -> tuple[Matrix, Vector]:
    """Draw for each row u of U a uniform x with |u.x| >= margin. Return the x and the signs of u.x."""
    s = distances(rng, len(U), U.shape[1], margin)
    sign = np.where(rng.integers(2, size=len(U)) == 1, 1.0, -1.0)
    return (sign * s)[:, None] * U + np.sqrt(1.0 - s * s)[:, None] * orthogonal(rng, U), sign


def _unit(X: Matrix) -> Matrix:
    """The rows of X at length one."""
    length: Vector = np.sqrt(np.einsum("ij,ij->i", X, X))
    return X / length[:, None]

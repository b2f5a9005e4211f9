"""A run of the multilinear Perceptron: the coordinates are products of features.

If there are few features, all 2^n products are used. Otherwise products of one feature, of two, of
three and so on are used, features with the largest sums of squares first. The norm of an example
is |Phi(x)|_p = prod_i (1 + |x_i|^p)^(1/p).
"""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np

from driftline.certify.evidence import Evidence
from driftline.certify.spaces.mapped import MOST, Mapped, mapped
from driftline.internals.compiled import Floats

MOST_PRODUCTS = 1024


def in_products(evidence: Evidence, p: float) -> Mapped:
    """Return the run in the coordinates of products of its features."""
    size = max(1, min(MOST_PRODUCTS, MOST // max(1, len(evidence))))
    rows = evidence.sparse().tocsc()
    energy = np.asarray(rows.multiply(rows).sum(axis=0)).reshape(-1)
    features = np.flatnonzero(energy > 0.0)
    features = features[np.argsort(-energy[features], kind="stable")][:size]
    X = rows[:, features].toarray()
    sets = islice((chosen for k in range(len(features) + 1) for chosen in combinations(range(len(features)), k)), size)
    products = np.column_stack([np.prod(X[:, list(chosen)], axis=1) for chosen in sets])
    return mapped(evidence, products, {q: _lengths(evidence, q) for q in (2.0, p)})


def _lengths(evidence: Evidence, p: float) -> Floats:
    """Return |Phi(x)|_p of every round."""
    logs = evidence.sparse()
    logs.data = np.log1p(np.abs(logs.data) ** p)
    lengths: Floats = np.exp(np.asarray(logs.sum(axis=1)).reshape(-1) / p)
    return lengths

"""Bounds on runs of balanced Winnow: comparators for its geometry, by dual ascent.

For a margin gamma, the best comparator of the bound is

    argmin_u  ln 2n - H(u) + eta sum_t max(0, gamma - y_t u.x_t),    u = u+ - u-,  the weights of u+ and u- sum to 1

Its dual has a variable alpha_t in [0, eta] for every round: u+ ~ e^z, u- ~ e^-z,
z = sum_t alpha_t y_t x_t. A step of (gamma - y u.x) / max_i x_i^2 in one alpha never decreases the
dual objective.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from driftline import bounds, rules
from driftline.bounds.multiplicative.balanced_winnow import log_cosh
from driftline.certify.comparators.candidates import Comparator
from driftline.certify.comparators.fit import Path, dots
from driftline.certify.comparators.scale_search import Shortfall
from driftline.certify.comparators.shuffle import SEED, shuffle
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers
from driftline.internals.compiled import Floats, Indices, Offsets, jit

MARGINS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0)
"""Margins to fit comparators for, as positions between the smallest and the largest on a log
scale.
"""
SWEEPS = 10
HIGHEST = 300.0


def balanced_winnow(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound of every comparator at its best margin."""
    assert isinstance(rule, rules.BalancedWinnow)
    X = float(np.abs(evidence.values).max(initial=0.0))
    floor = log_cosh(rule.eta * X) / rule.eta
    if floor == 0.0:
        return
    n = int(np.unique(evidence.indices[evidence.values != 0.0]).size)
    for one, H in _fitted(evidence, rule.eta, [floor * (X / floor) ** part for part in MARGINS]):
        lacking = Shortfall(one.path.margins)
        gammas = np.concatenate([lacking.levels(), floor * np.geomspace(1.01, 100.0, 60)])
        gammas = gammas[gammas > floor * (1.0 + 1e-9)]
        with np.errstate(over="ignore"):
            values = (math.log(2.0 * n) - H + rule.eta * lacking(gammas)) / (rule.eta * (gammas - floor))
        gamma = float(gammas[np.argmin(values)])
        D = float(np.maximum(0.0, 1.0 - one.path.margins / gamma).sum())
        yield bounds.BalancedWinnowUntuned(n=n, X=X, gamma=gamma, eta=rule.eta, D=D, H=H), one


def _fitted(evidence: Evidence, eta: float, gammas: list[float]) -> Iterator[tuple[Comparator, float]]:
    """Yield the comparator of each margin, with its entropy."""
    rows = evidence.indptr, evidence.indices, evidence.values, evidence.y
    there = np.zeros(evidence.width, bool)
    there[evidence.indices[evidence.values != 0.0]] = True
    z, alpha, weights = np.zeros(evidence.width), np.zeros(len(evidence)), np.zeros((2, evidence.width))
    for gamma in gammas:
        climb(*rows, there, eta, gamma, z, alpha, weights)
        shares, margins = weights / weights.sum(), np.zeros(len(evidence))
        u = shares[0] - shares[1]
        dots(*rows, 0, len(evidence), u, margins)
        yield Comparator(Path(np.array([0, len(evidence)]), u[None, :], margins), eta), _entropy(shares)


def _entropy(shares: Floats) -> float:
    there = shares[shares > 0.0]
    return max(0.0, -float(np.sum(there * np.log(there))))


@jit
def weigh(z: Floats, there: np.ndarray, weights: Floats) -> tuple[float, float]:
    """Write the weights e^z and e^-z divided by e^top, top = max |z|; return top and the sum of
    the weights.
    """
    top = np.abs(z).max()
    total = 0.0
    for i in range(z.size):
        if there[i]:
            weights[0, i] = np.exp(z[i] - top)
            weights[1, i] = np.exp(-z[i] - top)
            total += weights[0, i] + weights[1, i]
    return top, total


@jit
def climb(
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    y: Floats,
    there: np.ndarray,
    eta: float,
    gamma: float,
    z: Floats,
    alpha: Floats,
    weights: Floats,
) -> None:
    """Update z and alpha by dual ascent until they change little, and write the final weights."""
    order = np.arange(y.size)
    seed = SEED
    for _ in range(SWEEPS):
        seed = shuffle(order, seed)
        top, total = weigh(z, there, weights)
        whole, largest = total, 0.0
        for row in order:
            dot = 0.0
            most = 0.0
            for j in range(indptr[row], indptr[row + 1]):
                dot += values[j] * (weights[0, indices[j]] - weights[1, indices[j]])
                most = max(most, abs(values[j]))
            if most * most == 0.0:
                continue
            old = alpha[row]
            new = min(eta, max(0.0, old + (gamma - y[row] * dot / total) / (most * most)))
            if new == old:
                continue
            alpha[row] = new
            largest = max(largest, abs(new - old))
            step = (new - old) * y[row]
            high = 0.0
            for j in range(indptr[row], indptr[row + 1]):
                i = indices[j]
                z[i] += step * values[j]
                high = max(high, abs(z[i]))
                total -= weights[0, i] + weights[1, i]
                weights[0, i] = np.exp(z[i] - top)
                weights[1, i] = np.exp(-z[i] - top)
                total += weights[0, i] + weights[1, i]
            if high > top + HIGHEST or total < 1e-3 * whole:  # the weights must be normalised again
                top, total = weigh(z, there, weights)
                whole = total
        if largest <= 1e-3 * eta:
            break
    weigh(z, there, weights)

"""The catalogue of theorems: values, conditions, and the command that prints them.

Each value is compared with the formula as written out here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import MISSING, fields
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import binom

from driftline import bounds
from driftline.bounds.online_to_batch import least_bernstein
from driftline.bounds.pages import pages
from driftline.cli.main import main
from tests.support.paths import ROOT
from tests.support.theorem_inputs import drawn

log, sqrt, exp = math.log, math.sqrt, math.exp


def root(c: float, D: float) -> float:
    """The largest x with x <= c sqrt(x) + D, by iteration from above."""
    x = 1e18
    for _ in range(5000):
        x = c * sqrt(x) + D
    return x


def minimum(function: Callable[[float], float], low: float, high: float) -> float:
    """The minimum of a convex function inside an interval."""
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if function(a) < function(b) else (a, high)
    return function((low + high) / 2)


def lemma(x: float, K: float, C: float) -> float:
    return minimum(lambda z: K / (x - z) + C / (z * (x - z)), 0.0, x)


def alma_spread(X: float, B: float, D: float, p: float) -> float:
    return (p - 1) * X * X * (B * B + 2 * B * D) / 4


def norma_spread(X: float, B: float, D1: float, D2: float, T: int, p: float) -> float:
    return (p - 1) * X * X * (B * B + B * (sqrt(T * D2) + D1)) / 4


def norma_untuned(
    X: float,
    B: float,
    mu: float,
    K: float,
    p: float,
    T: int,
    D1: float,
    D2: float,
    alpha: float,
    lam: float,
    rho: float,
) -> float:
    rate = alpha / (1 - alpha * lam)
    Q = B * B / 2 + ((D2 / (rate * lam) if D2 else 0.0) + 2 * B * D1 + T * rate * lam * B * B) / 4
    return (K + Q / rate) / (mu - rate * (p - 1) * X * X / 2)


def projection(R: float, gamma: float, V: float, D: float, eta: float | None) -> float:
    eta = gamma / R**2 if eta is None else eta
    return (1 + 2 * V + 2 * eta * gamma * D) / (2 * eta * gamma - eta**2 * R**2)


def projection_region(R: float, gamma: float, U: float, V: float, D: float, eta: float | None) -> float:
    eta = gamma / R**2 if eta is None else eta
    return (U * U + 2 * V + 2 * eta * gamma * D) / (2 * eta * gamma - eta**2 * R**2)


def constrained(R: float, D: float, beta: float, mu: float, sigma: float) -> float:
    return D * D / (1 / R**2 - 2 * mu * beta - 2 * sqrt(sigma) * D)


def shrunk(R: float, D: float, alpha: float, beta: float, mu: float, sigma: float) -> float:
    g = (1 - alpha**2) / R**2 - 2 * (1 + alpha) * mu * beta - alpha * D * D / (2 + alpha) - 2 * sqrt(sigma) * D
    return D * D / g


def shrunk_path(R: float, D: float, alpha: float, beta: float, V: float) -> float:
    return (D * D + 2 * (1 + alpha) * beta * V) / ((1 - alpha**2) / R**2 - alpha * D * D / (2 + alpha))


def winnow_binary(n: int, theta: float, delta: float, U: float, beta: float | None) -> float:
    beta = 1 + delta / 2 if beta is None else beta
    u = (U * (1 + log(theta) / log(beta)) + (1 - delta) * beta / (beta - 1) * n / theta) / (1 - (1 - delta) * beta)
    return (1 + beta) * u + beta / (beta - 1) * n / theta


def winnow(n: int, theta: float, delta: float, U: float, beta: float | None, H: float) -> float:
    beta = 1 + delta / 2 if beta is None else beta
    kappa = 1 / beta - 1 + delta
    A, B = U * (1 + 1 / beta) / (kappa * log(beta)), ((1 + 1 / beta) / kappa - 1) / (beta - 1)
    return A * (log(A * theta / (math.e * B)) - H) + B * n / theta


def tracking_winnow(
    n: int,
    N: float,
    delta: float,
    U: float,
    H: float,
    up: float,
    down: float,
    A: float,
    least: float,
    beta: float | None,
    theta: float | None,
    floor: float | None,
) -> float:
    b = 1 + delta / 2 if beta is None else beta
    most = 1 - b * (1 - delta)

    def at(theta: float, floor: float) -> float:
        sigma = floor * N / theta
        c = theta * ((b - 1) + (1 - 1 / b) * (1 - sigma)) / ((2 - delta) * log(b))
        gain = c * log(b) - (b - 1) * theta
        assert gain == pytest.approx((1 - 1 / b) * (theta - floor * N) - c * (1 - delta) * log(b), rel=1e-6)
        W = max(1.0, theta * b, theta * b**least / least)
        start = n + (c * U * (log(c * U) - 1 - H) if U else 0.0)
        return (start + c * up * log(1 / floor) + c * down * log(W) + c * A * log(b)) / gain

    def of_share(ln: float) -> float:
        sigma = most * exp(ln) * (1 - 1e-9)
        if theta is None and floor is not None:
            return at(floor * N / sigma, floor)
        a_over_rest = ((b - 1) + (1 - 1 / b) * (1 - sigma)) / ((2 - delta) * log(b))
        best = n / (a_over_rest * max(1, U + down - up)) if theta is None else theta
        return at(best, min(0.99, sigma * best / N))

    return at(theta, floor) if theta is not None and floor is not None else minimum(of_share, log(1e-6), 0.0)


def balanced_separable(n: int, X: float, gamma: float, H: float) -> float:
    p = 0.5 + gamma / (2 * X)
    kl = (p * log(2 * p) if p else 0) + ((1 - p) * log(2 * (1 - p)) if p < 1 else 0)
    return (log(2 * n) - H) / kl


def balanced_untuned(n: int, X: float, gamma: float, eta: float, D: float, H: float) -> float:
    return (log(2 * n) - H + eta * gamma * D) / (eta * gamma - log(math.cosh(eta * X)))


def ellipsoid(d: int, gamma: float, R: float) -> float:
    if d == 1:
        return math.log2(1 + R / gamma)
    return d * log(1 + R / gamma) / -(log(d / (d + 1)) + (d - 1) / 2 * log(d * d / (d * d - 1)))


def fixed_share(n: int, L: float, k: int, alpha: float, eta: float, T: int) -> float:
    cost = log(n) + k * log((n - 1) / alpha) + (T - 1 - k) * log(1 / (1 - alpha))
    return (eta * L + cost) / (1 - exp(-eta))


def adahedge(n: int, L: float, T: int) -> float:
    B = 1 + 2 * log(n)
    return L + min(1 + sqrt(1 + T * log(n)), B + sqrt(B * B + 4 * L * log(n)))


def label_efficient(b: float, R: float, gamma: float, D: float) -> float:
    first = (2 * b + R * R) ** 2 / (8 * b * gamma**2) + (1 + R * R / (2 * b)) * D
    return min(first, root(R / gamma, R**4 / (8 * b * gamma**2) + (1 + R * R / (2 * b)) * D))


def adaptive(b: float, R: float, gamma: float, D: float, first: float | None) -> float:
    lost = (1 + 1 / (2 * b)) * D
    one = root(R / gamma, R**4 / (8 * b * gamma**2 * (first or R) ** 2) + lost)
    x = 1e18
    for _ in range(5000):
        x = R / gamma * (sqrt(x) + (1 + log(1 + x)) / (2 * b)) + lost
    return min(one, x)


def labels(T: int, m: float, close: float, b: float) -> float:
    return close * 1.0 + (T - close) / (1 + m / b)


def mean_risk(delta: float, k: int, T: int) -> float:
    """x / T, by bisection; it is below its closed form."""
    L = log((k + 1) * (k + 2) / delta)
    low, high = float(k), k + L + sqrt(L * L + 2 * k * L)
    for _ in range(200):
        x = (low + high) / 2
        low, high = (x, high) if x - k - (k * log(x / k) if k else 0.0) < L else (low, x)
    return high / T


def chernoff(delta: float, errors: int, rest: int, T: int) -> float:
    e, L = errors / rest, log(T / delta)
    return e + L / rest + sqrt((L / rest) ** 2 + 2 * e * L / rest)


def pa1(C: float, R: float, D: float, hinge: float, V: float, W: float) -> float:
    gain = 1 / R**2 if C * R * R >= 1 else 2 * C - C * C * R * R
    return (D * D + 2 * W * V + 2 * C * hinge) / gain


FORMULAS: dict[str, Callable[..., float]] = {
    "perceptron-separable": lambda R, gamma: R * R / gamma**2,
    "perceptron-hinge": lambda R, gamma, D: R * R / gamma**2 + 2 * D,
    "perceptron-quadratic": lambda R, gamma, D: root(R / gamma, D),
    "perceptron-tightest": lambda S, gamma, D: D + sqrt(S) / gamma,
    "pnorm-separable": lambda p, R, gamma: (p - 1) * R * R / gamma**2,
    "pnorm": lambda p, S, gamma, D: D + sqrt((p - 1) * S) / gamma,
    "pnorm-moving": lambda p, S, gamma, D, V: D + sqrt((p - 1) * S) / gamma + V * sqrt((p - 1) * S) / gamma,
    "alma-margin": lambda X, B, mu, K, p, D, rho: lemma(mu - rho, K, alma_spread(X, B, D, p)),
    "alma": lambda X, B, mu, K, p, D: lemma(mu, K, alma_spread(X, B, D, p)),
    "alma-untuned": lambda X, B, mu, K, p, D, alpha, rho: (
        (K + (B * B / 2 + B * D) / alpha) / (mu - alpha * (p - 1) * X * X / 2)
    ),
    "alma-untuned-margin": lambda X, B, mu, K, p, D, alpha, rho: (
        (K + (B * B / 2 + B * D) / alpha) / (mu - rho - alpha * (p - 1) * X * X / 2)
    ),
    "norma-margin": lambda X, B, mu, K, p, T, D1, D2, rho: lemma(mu - rho, K, norma_spread(X, B, D1, D2, T, p)),
    "norma": lambda X, B, mu, K, p, T, D1, D2: lemma(mu, K, norma_spread(X, B, D1, D2, T, p)),
    "norma-untuned": norma_untuned,
    "norma-untuned-margin": lambda X, p, mu, alpha, lam, rho, **rest: (
        norma_untuned(X=X, p=p, mu=mu, alpha=alpha, lam=lam, rho=rho, **rest)
        * (mu - alpha / (1 - alpha * lam) * (p - 1) * X * X / 2)
        / (mu - rho - alpha / (1 - alpha * lam) * (p - 1) * X * X / 2)
    ),
    "selftuningalma": lambda gamma, alpha, p: 2 * (p - 1) / gamma**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4,
    "projection": projection,
    "projection-region": projection_region,
    "pa": lambda R, D: R * R * D * D,
    "romma": lambda R, D: R * R * D * D,
    "pa1": pa1,
    "pa2": lambda C, R, D, squares, V, W: (R * R + 1 / (2 * C)) * (D * D + 2 * W * V + 2 * C * squares),
    "steps": lambda c, W, D, lost, V, F, other: max(0.0, D * W + D * F + V * W + lost - other) / c,
    "arow": lambda r, lambda_u, gamma, D, U, logdet: max(0.0, D - U + sqrt(r + lambda_u) * sqrt(logdet + U) / gamma),
    "arow-tightest": lambda r, lambda_u, gamma, D, U, Q: max(0.0, D - U + sqrt(r + lambda_u) * sqrt(Q) / gamma),
    "shrunkpa": shrunk,
    "shrunkpa-path": shrunk_path,
    "l2pa": constrained,
    "l2pa-path": lambda R, D, beta, V: R * R * (D * D + 2 * beta * V),
    "l1pa": constrained,
    "l1pa-path": lambda R, D, beta, V: R * R * (D * D + 2 * beta * V),
    "winnow-binary": winnow_binary,
    "winnow": winnow,
    "winnow-best": lambda **given: minimum(lambda ln: winnow(**given, theta=exp(ln)), -60, 60),
    "trackingwinnow": tracking_winnow,
    "winnow-or-perceptron": lambda n, margin_2, margin_1: min(1 / margin_2**2, 2 * log(2 * n) / margin_1**2),
    "balancedwinnow": lambda n, X, gamma, D, H: 2 * X * X * (log(2 * n) - H) / gamma**2 + 2 * D,
    "balancedwinnow-separable": balanced_separable,
    "balancedwinnow-untuned": balanced_untuned,
    "pa-regression": lambda R, D, S: R * R * (sqrt(S) + sqrt(S + D * D)) ** 2,
    "pa1-regression": lambda R, D, C, L: R * R * (D * D + 2 * C * L),
    "pa2-regression": lambda R, D, C, S: (R * R + 1 / (2 * C)) * (D * D + 2 * C * S),
    "gradient-descent": lambda R, B, eta, T, L: L + (2 * B) ** 2 * sqrt(T) / (2 * eta) + eta * R * R * (sqrt(T) - 0.5),
    "least-squares": lambda a, D, L, M, logdet: L + a * D * D + M * M * logdet,
    "second-order": lambda a, logdet, lambda_u, gamma, D: D + sqrt((a + lambda_u) * logdet) / gamma,
    "second-order-separable": lambda a, logdet, gamma: (a + logdet) / gamma,
    "kernel-second-order": lambda a, logdet, lambda_u, gamma, D: D + sqrt((a + lambda_u) * logdet) / gamma,
    "kernel-second-order-separable": lambda a, logdet, gamma: (a + logdet) / gamma,
    "forgetron": lambda B, length, hinge: 2 * length**2 + 4 * hinge,
    "halving": lambda n, k: math.floor(math.log2(n / k) + 1e-12),
    "halving-reset": lambda n, L: (math.floor(math.log2(n)) + 1) * L + math.floor(math.log2(n)),
    "gridhalving": lambda d, gamma, R, W: d * math.log2(2 * math.ceil(sqrt(d) * R * W / gamma) + 1),
    "gridhalving-lecture": lambda d, gamma, R, W: d * math.log2(2 * math.ceil(2 * d * R * W / gamma) + 1),
    "halving-sphere": lambda d, gamma, R: math.log2(1 / (0.5 * betainc((d - 1) / 2, 0.5, (gamma / R) ** 2))),
    "ellipsoid": ellipsoid,
    "versionspace": lambda d, gamma, R: d * log(1 + R / gamma) / -log(1 - 1 / math.e),
    "weightedmajority": lambda n, L, beta: (log(1 / beta) * L + log(n)) / log(2 / (1 + beta)),
    "exponentialweights": lambda n, L, eta: (eta * L + log(n)) / (1 - exp(-eta)),
    "exponentialweights-known": lambda n, L, T: L + sqrt(T * log(n) / 2),
    "exponentialweights-anytime": lambda n, L, T: L + 2 * sqrt(T * log(n) / 2) + sqrt(log(n) / 8),
    "exponentialweights-doubling": lambda n, L, T: L + sqrt(2) / (sqrt(2) - 1) * sqrt(T * log(n) / 2),
    "adahedge": adahedge,
    "fixedshare": fixed_share,
    "fixedshare-vote": lambda eta, **given: fixed_share(eta=eta, **given) * (1 - exp(-eta)) / log(2 / (1 + exp(-eta))),
    "variableshare": lambda n, L, k, alpha, eta: (
        (log(n) + k * (eta + log((n - 1) / alpha)) + L * (eta + log(1 / (1 - alpha)))) / (1 - exp(-eta))
    ),
    "squarelossexperts": lambda n, L, B, eta: L + (8 * B * B if eta is None else 1 / eta) * log(n),
    "aggregatingexperts": lambda n, L, B, eta: L + (2 * B * B if eta is None else 1 / eta) * log(n),
    "squarelossfixedshare": lambda n, L, B, eta, k, alpha, T: (
        L
        + (2 * B * B if eta is None else 1 / eta)
        * (log(n) + k * log((n - 1) / alpha) + (T - 1 - k) * log(1 / (1 - alpha)))
    ),
    "tracker": lambda L, T, k, M, E: mixed(L, switching(T, k, 2 * (M + 2)), E) / -log((1 + exp(-0.5)) / 2),
    "tracker-expected": lambda L, T, k, M, E: mixed(L, switching(T, k, 2 * (M + 2)), E) / (1 - exp(-0.5)),
    "tracker-stacker": lambda L, T, E: mixed(L, switching(T, 0, 6), E) / -log((1 + exp(-0.5)) / 2),
    "labelefficient": label_efficient,
    "labelefficient-adaptive": adaptive,
    "labelefficient-second-order": lambda b, a, logdet, lambda_u, gamma, D: (
        D + b / (2 * gamma**2) * (a + lambda_u) + logdet / (2 * b)
    ),
    "labelefficient-labels": labels,
    "labelefficient-adaptive-labels": lambda T, m, close, b, R, updates: labels(
        T, m, close, b * R * R * sqrt(1 + updates)
    ),
    "labelefficient-second-order-labels": labels,
    "mean-risk": mean_risk,
    "average-risk": lambda delta, loss, T, scale: loss + scale * sqrt(log(1 / delta) / (2 * T)),
    "hoeffding-certificate": lambda delta, errors, rest, T: errors / rest + sqrt(log(T / delta) / (2 * rest)),
    "chernoff-certificate": chernoff,
    "hoeffding-risk": lambda delta, k, T: k / T + 5 * sqrt(log((2 * T + 1) / delta) / (2 * T)),
    "hoeffding-suffix-risk": lambda delta, k, T, t: k / (T - t) + 5 * sqrt(log(3 * T / delta) / (2 * (T - t))),
    "bernstein-risk": lambda delta, k, T: bernstein(k, T, delta / (2 * T + 1)),
    "bernstein-suffix-risk": lambda delta, k, T, t: bernstein(k, T - t, delta / (3 * T)),
}
BY_PROPERTY = {"kl-certificate", "clopper-pearson-certificate"}


def switching(T: int, k: int, N: float) -> float:
    """ln of one over the weight of a sequence with k shifts among voters of weight 1 / N, of three rates the best."""
    stays = [log(T * (N * T) ** k) + log(N)]
    stays += [(k + 1) * log(N) + k * log(1 / a) + (T - 1 - k) * log(1 / (1 - a)) for a in (0.001, 0.01)]
    return log(3) + min(stays)


def mixed(L: int, cost: float, E: int) -> float:
    """What a mixture over E rates of learning loses: no more than the rate 1/2 alone, or the rate 1, and ln E."""
    alone = L / 2 + cost
    return alone if E == 1 else log(E) + min(alone, (1 - exp(-0.5)) / (1 - exp(-1)) * (L + cost))


def bernstein(k: int, T: int, each: float) -> float:
    """The least B at which the risks that keep all criteria below it may have the mean that is due."""
    L, due = log(1 / each), T * mean_risk(each, k, T)

    def risks(B: float) -> float:
        total = 0.0
        for s in range(1, T + 1):
            if 4.25 * L / s <= B:
                total += (sqrt(2 * L / s + B - 4.25 * L / s) - sqrt(2 * L / s)) ** 2
        return total

    low, high = 0.0, 1e4
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if risks(middle) >= due else (middle, high)
    return high


@pytest.mark.parametrize("name", FORMULAS)
def test_values_are_those_of_the_formulas(name: str) -> None:
    kind, made = bounds.CATALOGUE[name], 0
    random = np.random.default_rng(sum(map(ord, name)))
    for _ in range(20000):
        inputs = drawn(kind, random)
        try:
            bound = kind(**inputs)
        except ValueError as error:
            assert str(error).startswith(f"{kind.__name__}: ") and " must hold, got " in str(error)
            continue
        given = {one.name: getattr(bound, one.name) for one in fields(kind)}
        assert bound.value == pytest.approx(FORMULAS[name](**given), rel=1e-6), given
        made += 1
        if made == 40:
            break
    assert made >= 20, made


def test_every_theorem_is_written_out() -> None:
    assert FORMULAS.keys() | BY_PROPERTY == bounds.CATALOGUE.keys()
    for name, kind in bounds.CATALOGUE.items():
        assert kind.name == name and kind.citation and kind.conditions and kind.limits and kind.__doc__


@pytest.mark.parametrize(
    ("errors", "rest", "T"), [(0, 10, 10), (3, 50, 100), (40, 50, 60), (50, 50, 50), (1, 2000, 4000)]
)
def test_certificates_are_the_limits_that_they_say(errors: int, rest: int, T: int) -> None:
    inputs = {"errors": errors, "rest": rest, "T": T, "delta": 0.05}
    e, L = errors / rest, log(T / 0.05)
    q = bounds.KLCertificate(**inputs).value
    exact = bounds.ClopperPearsonCertificate(**inputs).value
    if errors < rest:
        kl = (e * log(e / q) if e else 0.0) + (1 - e) * log((1 - e) / (1 - q))
        assert rest * kl == pytest.approx(L, rel=1e-6)
        assert binom.cdf(errors, rest, exact) == pytest.approx(0.05 / T, rel=1e-6)
    assert e <= exact <= q <= bounds.ChernoffCertificate(**inputs).value
    assert q <= bounds.HoeffdingCertificate(**inputs).value + 1e-12


def test_what_was_tuned_is_what_it_is_tuned_for() -> None:
    """With the prescribed parameters the bounds for any parameters are the tuned ones."""
    for D, K, p in ((0.0, 0.0, 2.0), (3.0, 10.0, 2.0), (1.5, 0.0, 5.0)):
        alma = bounds.ALMAMistakes(X=1.3, B=4, mu=0.7, D=D, K=K, p=p)
        tuned = alma.tuning()
        rest = {"X": 1.3, "B": 4, "mu": 0.7, "K": K, "p": p}
        assert bounds.ALMAUntuned(**rest, D=D, alpha=tuned["alpha"], rho=tuned["rho"] - 1e-9).value == pytest.approx(
            alma.value
        )
        assert bounds.ALMAMargin(**rest, D=D, rho=0.0).value == pytest.approx(alma.value)
        norma = bounds.NORMAMistakes(**rest, T=500, D1=D, D2=D / 50)
        tuned = norma.tuning()
        free = bounds.NORMAUntuned(**rest, T=500, D1=D, D2=D / 50, alpha=tuned["alpha"], lam=tuned["lam"])
        assert free.value == pytest.approx(norma.value)
        for change in (0.5, 0.9, 1.1, 1.5):  # any other rate does worse
            other = bounds.NORMAUntuned(**rest, T=500, D1=D, D2=D / 50, alpha=change * tuned["alpha"], lam=tuned["lam"])
            assert other.value > norma.value
    winnow = bounds.WinnowReal(n=1000, theta=10.0, delta=0.5, U=3.0, H=0.2)
    best = bounds.WinnowReal(n=1000, delta=0.5, U=3.0, H=0.2, **winnow.tuning())
    assert best.value == pytest.approx(best.A * (log(1000) - 0.2)) and best.value < winnow.value
    assert bounds.Projection(R=2, gamma=0.5, V=3, D=1).value == pytest.approx(16 * 7 + 2)
    for D in (0.0, 3.0):
        known = {"n": 9, "X": 2.0, "gamma": 0.5, "H": 0.7}
        tuned, separable = bounds.BalancedWinnowMistakes(**known, D=D), bounds.BalancedWinnowSeparable(**known)
        assert bounds.BalancedWinnowUntuned(**known, D=D, **tuned.tuning()).value <= tuned.value
        exact = bounds.BalancedWinnowUntuned(**known, **separable.tuning())
        assert exact.value == pytest.approx(separable.value)


def test_mistakes_of_an_average() -> None:
    """A sign is wrong at a loss of 1/2 or more; with a fixed rate that allows fewer mistakes than twice the loss."""
    shares = {"n": 7, "L": 11.0, "k": 2, "alpha": 0.02}
    for eta in (1e-20, 1e-6, 0.5, 3.0, 700.0, 1e300):
        cost = eta * 11.0 + log(7) + 2 * log(6 / 0.02)
        fixed = bounds.FixedShareLoss(**shares, eta=eta, T=100)
        variable = bounds.VariableShareLoss(**shares, eta=eta)
        alone = bounds.ExponentialWeightsLoss(n=7, L=11.0, eta=eta)
        each = log(2 / (1 + exp(-eta))) if eta > 1e-3 else eta / 2
        for bound, top in (
            (fixed, cost - 97 * log(0.98)),
            (variable, cost + 2 * eta - 11 * log(0.98)),
            (alone, eta * 11.0 + log(7)),
        ):
            assert bound.vote == pytest.approx(top / each, rel=1e-5)
            assert bound.value < bound.vote <= 2.0 * bound.value * (1.0 + 1e-12)
    for kind in (bounds.ExponentialWeightsKnown, bounds.ExponentialWeightsAnytime, bounds.AdaHedgeLoss):
        assert kind(n=7, L=11.0, T=100).vote == 2.0 * kind(n=7, L=11.0, T=100).value
    near = bounds.WeightedMajorityMistakes(n=7, L=11.0, beta=math.nextafter(1.0, 0.0))
    assert near.value == pytest.approx(22 + 2 * log(7) * 2.0**53)


@pytest.mark.parametrize(
    ("kind", "inputs", "says"),
    [
        (bounds.PerceptronSeparable, {"R": 1, "gamma": -0.1}, "PerceptronSeparable: gamma must be > 0, got -0.1"),
        (bounds.PerceptronSeparable, {"R": 1, "gamma": 2}, "PerceptronSeparable: gamma <= R must hold, got 2.0"),
        (bounds.ALMAMargin, {"X": 1, "B": 1, "mu": 1, "rho": 1}, "ALMAMargin: rho < mu must hold, got 1.0"),
        (bounds.L2PAMistakes, {"R": 1, "D": 3, "beta": 2}, "L2PAMistakes: D <= beta must hold, got 3.0"),
        (
            bounds.ShrunkPAMistakes,
            {"R": 1, "D": 9, "alpha": 0.5, "beta": 1},
            "ShrunkPAMistakes: g > 0 must hold, got -15.45",
        ),
        (
            bounds.FixedShareLoss,
            {"n": 5, "L": 1, "k": 0, "alpha": 0.1, "eta": 1, "T": 1},
            "FixedShareLoss: T must be >= 2, got 1",
        ),
        (
            bounds.KLCertificate,
            {"errors": 1, "rest": 9, "T": 9, "delta": 1.0},
            "KLCertificate: delta must be < 1, got 1.0",
        ),
        (
            bounds.KLCertificate,
            {"errors": 1, "rest": 9, "T": 9, "delta": 0.0},
            "KLCertificate: delta must be > 0, got 0.0",
        ),
        (bounds.HalvingMistakes, {"n": 2.5}, "HalvingMistakes: n must be a whole number, got 2.5"),
        (bounds.PAMistakes, {"R": math.inf, "D": 1}, "PAMistakes: R must be finite, got inf"),
        (bounds.PAMistakes, {"R": "1", "D": 1}, "PAMistakes: R must be a number, got '1'"),
        (bounds.PAMistakes, {"R": None, "D": 1}, "PAMistakes: R must be a number, got None"),
        (
            bounds.BalancedWinnowMistakes,
            {"n": 9, "X": 1, "gamma": 0.5, "H": 5},
            "BalancedWinnowMistakes: H <= ln n must hold, got 5.0",
        ),
    ],
)
def test_a_condition_that_fails_is_told(kind: type[bounds.Bound], inputs: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError) as caught:
        kind(**inputs)
    assert str(caught.value) == says


def test_extreme_inputs() -> None:
    small = bounds.BalancedWinnowSeparable(n=10, X=1.0, gamma=1e-8)
    assert small.value == pytest.approx(2 * log(20) * 1e16)
    near = [bounds.BalancedWinnowSeparable(n=10, X=1.0, gamma=gamma).value * gamma**2 for gamma in (0.99e-4, 1.01e-4)]
    assert near[0] == pytest.approx(near[1], rel=1e-6)
    edge = [bounds.SphereMistakes(d=d, gamma=0.01).value for d in (160, 161, 162, 163, 164)]
    assert all(6.0 < b - a < 7.0 for a, b in pairwise(edge))  # lg 100 a dimension, across where floats end
    assert bounds.EllipsoidUpdates(d=10**9, gamma=0.5).value == pytest.approx(2e18 * log(3.0), rel=1e-3)
    assert bounds.LabelEfficientAdaptive(b=1.0, R=1.0, gamma=1e-8).value >= 1e16


def test_bernstein_at_its_edges() -> None:
    assert least_bernstein(0, 1, 0.1) > 1.0  # one round says nothing
    assert least_bernstein(0, 10**5, 1e-7) < 0.01


def test_which_geometry_suits() -> None:
    random = np.random.default_rng(3)
    X = random.choice([-1.0, 1.0], (200, 60))
    found = bounds.winnow_or_perceptron(np.eye(60)[0], X, X[:, 0])
    assert found.value == found.winnow < found.perceptron == pytest.approx(60.0)
    with pytest.raises(
        ValueError, match=r"^winnow_or_perceptron: u must have a margin > 0 on every row, got -1\. Pass"
    ):
        bounds.winnow_or_perceptron(np.eye(60)[1], X, X[:, 0])


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(bounds.CATALOGUE)
    given = ["norma", "--X", "1", "--B", "5", "--D1", "3", "--D2", "0.02", "--T", "1000", "--mu", "1", "--K", "10"]
    assert main(["bounds", *given, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    due = bounds.NORMAMistakes(X=1, B=5, D1=3, D2=0.02, T=1000, mu=1, K=10)
    assert (facts["value"], facts["tuning"]) == (due.value, due.tuning())
    assert main(["bounds", *given]) == 0
    out = capsys.readouterr().out
    assert f"value: {due.value:.6g}" in out and "erratum: Theorem 4" in out
    assert main(["bounds", "pa"]) == 0
    assert "R" in capsys.readouterr().out
    for wrong, says in (
        (["nroma"], "bounds: theorem must be a name in the catalogue, got 'nroma'. Did you mean romma?"),
        (["pa", "--R", "x", "--D", "1"], "--R must be a number, got 'x'. Write it as 0.5 or 1e-3"),
        (
            ["pa", "--R", "1"],
            "bounds: inputs --R, --D of pa must be given, got --R; missing: --D. "
            "Example: driftline bounds pa --R 1 --D 1",
        ),
        (
            ["pa", "--Q", "1"],
            "bounds: inputs --R, --D of pa must be given, got --Q; missing: --R, --D; unknown: --Q. "
            "Example: driftline bounds pa --R 1 --D 1",
        ),
        (
            ["pa", "--R", "1e200", "--D", "1"],
            "pa: inputs must give a bound that a float can hold, got {'R': 1e+200, 'D': 1.0}. Scale the examples",
        ),
        (["pa", "--R", "-1", "--D", "1"], "PAMistakes: R must be > 0, got -1.0"),
    ):
        assert main(["bounds", *wrong]) == 2
        assert capsys.readouterr().err == f"driftline: {says}\n"


def test_the_pages_are_those_of_the_objects() -> None:
    """`make docs` writes them anew."""
    folder = ROOT / "docs" / "bounds"
    assert {path.name: path.read_text() for path in folder.glob("*.md")} == pages()


def test_no_input_without_a_meaning() -> None:
    for kind in bounds.CATALOGUE.values():
        assert all(one.metadata["meaning"] for one in fields(kind))
        assert all(one.default is MISSING or isinstance(one.default, int | float | None) for one in fields(kind))


def test_the_largest_loss_of_a_round_of_real_outcomes_is_not_1() -> None:
    known: dict[str, Any] = {"n": 4, "L": 30, "B": 2, "k": 1, "alpha": 0.1, "T": 20}
    shifting = bounds.CATALOGUE["squarelossfixedshare"](**known)
    assert shifting.ceiling == 4.0 * 2.0**2 * 20 and shifting.value > 20.0 and shifting.useful
    descent = bounds.CATALOGUE["gradient-descent"](R=1, B=5, eta=1, T=10, L=3)
    assert descent.ceiling is None and descent.useful

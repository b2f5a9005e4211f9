"""Bounds on the expected mistakes of selective sampling, and the expected number of labels.

The rounds with updates are random. So a sum over updates in a theorem is replaced by the sum over
all rounds, which is at least its expectation: examples and comparators do not depend on the coins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from driftline import bounds, rules
from driftline.certify.comparators.candidates import SWEEPS, Comparator, standing
from driftline.certify.comparators.fit import path_of
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.rules.second_order_perceptron import (
    WORK,
    brought_back,
    in_both,
    logdet_of,
    of_full_matrix,
    round_rows,
    spreads,
)
from driftline.internals.compiled import Floats

GAMMAS = np.geomspace(1e-6, 10.0, 281)
"""Margins to try, in units of the largest length of an example."""


def label_efficient(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield bounds on expected mistakes for the variant of the rule."""
    assert isinstance(rule, rules.LabelEfficient)
    R = float(evidence.lengths().max())
    if R == 0.0:
        return
    if rule.variant == "second":
        yield from _second(rule, evidence, R)
        return
    if rule.variant == "constant":
        kind: type[bounds.Bound] = bounds.LabelEfficientMistakes
        known, lost = {"b": rule.b, "R": R}, 1.0 + R**2 / (2.0 * rule.b)
        square = (2.0 * rule.b + R**2) ** 2 / (8.0 * rule.b)
    else:
        kind = bounds.LabelEfficientAdaptive
        lengths = evidence.lengths()
        # the score is 0 up to the first nonzero example, which is asked for and updates
        first = float(lengths[np.argmax(lengths > 0.0)])
        known, lost = {"b": rule.b, "R": R, "first": first}, 1.0 + 1.0 / (2.0 * rule.b)
        square = R**2 + R**4 / (8.0 * rule.b * first**2)
    worth = lost / (2.0 * square)  # minimises |v|^2 square + hinge(v) lost, which is close to the bound
    exact = Comparator(path_of(evidence, 1, worth, 4 * SWEEPS), worth)
    for one in (exact, *standing(evidence)):
        yield from _best(one, R, lambda gamma, D: made(kind, **known, gamma=gamma, D=D))


def _second(rule: rules.LabelEfficient, evidence: Evidence, R: float) -> Offers:
    a = of_full_matrix(rule.learner)
    every = np.ones(len(evidence), bool)
    logdet = logdet_of(evidence, every, a)
    for one in _seconds(evidence, every, a, rule.b):
        length = one.path.longest()
        if length <= 0.0:
            continue
        lambda_u = float(np.sum(one.path.margins**2)) / length**2
        known = {"b": rule.b, "a": a, "logdet": logdet, "lambda_u": lambda_u}
        yield from _best(one, R, _second_bound(known))


def _second_bound(known: dict[str, float]) -> Callable[[float, float], bounds.Bound | None]:
    return lambda gamma, D: made(bounds.LabelEfficientSecondOrder, **known, gamma=gamma, D=D)


def _seconds(evidence: Evidence, chosen: np.ndarray, a: float, b: float) -> Iterator[Comparator]:
    """Yield comparators; D + b v.A v / 2 is minimised by a support vector machine on whitened
    examples.
    """
    yield from in_both(evidence, chosen, a)
    whitened = round_rows(evidence, chosen, a)
    if whitened is not None:
        rows, factor = whitened
        path = brought_back(evidence, factor, path_of(rows, 1, 1.0 / b, 4 * SWEEPS))
        yield Comparator(path, 1.0 / b)


def _best(one: Comparator, R: float, make: Callable[[float, float], bounds.Bound | None]) -> Offers:
    """Yield the smallest bound over all margins to try, including the margin of the fit."""
    length = one.path.longest()
    if length <= 0.0:
        return
    best: tuple[bounds.Bound, float] | None = None
    for gamma in (*(R * GAMMAS).tolist(), 1.0 / length):
        scale = 1.0 / (gamma * length)
        found = make(gamma, float(np.maximum(0.0, 1.0 - scale * one.path.margins).sum()))
        if found is not None and (best is None or found.value < best[0].value):
            best = found, scale
    if best is not None:
        yield best[0], replace(one, scale=best[1])


def expected_labels(rule: rules.LabelEfficient, evidence: Evidence) -> float | None:
    """Return the sum of the probabilities of asking, given the run so far; None if it would take
    too long.
    """
    if rule.b == float("inf"):
        return float(len(evidence))
    doubt = np.abs(evidence.margins)
    b: Floats | float = rule.b
    if rule.variant == "adaptive":
        before = np.cumsum(evidence.updated) - evidence.updated
        b = rule.b * np.maximum.accumulate(evidence.lengths(rule.norm)) ** 2 * np.sqrt(1.0 + before)
    elif rule.variant == "second":
        inner = rule.learner
        size = float(evidence.updated.sum()) * evidence.width**2 + float(np.sum(np.diff(evidence.indptr) ** 2.0))
        if not isinstance(inner, rules.SecondOrderPerceptron) or inner.diagonal or size > WORK:
            return None
        q = spreads(evidence, evidence.updated, inner.a)
        s = doubt / (1.0 + q)
        doubt = s + 0.5 * s * s * (1.0 + q)
    asked = doubt > 0.0
    chances = 1.0 / (1.0 + doubt[asked] / (b if np.ndim(b) == 0 else np.asarray(b)[asked]))
    return float(chances.sum() + np.count_nonzero(~asked))

"""Bounds on runs of expert learners: against the best expert, and for fixed and variable share
against the best sequence of experts.

The bounds of Halving and the weighted majority are on mistakes. The other rules predict an average
p. Their bounds are on the loss, the sum of |p - y| / 2; the ``vote`` of a bound limits the
mistakes of the sign of p.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix

from driftline import bounds, rules
from driftline.certify.comparators.expert_sequences import Succession, best_expert, best_succession
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers
from driftline.certify.refusal import UnmetError
from driftline.internals.compiled import Floats


def halving(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound with perfect experts if there are any, else the bound with restarts."""
    lost = errors(evidence)
    perfect, best = int(np.sum(lost.sum(axis=0) == 0.0)), best_expert(lost)
    n = lost.shape[1]
    if perfect:
        yield bounds.HalvingMistakes(n=n, k=perfect), best
    else:
        yield bounds.HalvingReset(n=n, L=int(best.lost[-1])), best


def weighted_majority(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound of the vote; with beta = 0 and a perfect expert the rule is Halving."""
    assert isinstance(rule, rules.WeightedMajority)
    lost = errors(evidence)
    best = best_expert(lost)
    L = float(best.lost[-1])
    if rule.beta > 0.0:
        yield bounds.WeightedMajorityMistakes(n=lost.shape[1], L=L, beta=rule.beta), best
    elif L == 0.0:
        yield from halving(rule, evidence)
    else:
        raise UnmetError("beta > 0, or an expert that is right on every round", f"beta = 0 and L = {L:g}")


def exponential_weights(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound of the schedule, and that for T known rounds if eta is the rate it
    prescribes.
    """
    assert isinstance(rule, rules.ExponentialWeights)
    n, L, T, best = _against_the_best(evidence)
    if rule.eta is not None:
        yield bounds.ExponentialWeightsLoss(n=n, L=L, eta=rule.params()[0]), best
        known = bounds.ExponentialWeightsKnown(n=n, L=L, T=T)
        if math.isclose(rule.eta, known.tuning()["eta"], rel_tol=1e-9):
            yield known, best
    elif rule.schedule == "doubling":
        yield bounds.ExponentialWeightsDoubling(n=n, L=L, T=T), best
    else:
        yield bounds.ExponentialWeightsAnytime(n=n, L=L, T=T), best


def ada_hedge(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound against the best expert."""
    n, L, T, best = _against_the_best(evidence)
    yield bounds.AdaHedgeLoss(n=n, L=L, T=T), best


def fixed_share(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bounds against the best expert and the best sequence of experts."""
    assert isinstance(rule, rules.FixedShare)
    lost = losses(evidence)
    T, n = lost.shape
    if T < 2:
        raise UnmetError("two rounds or more", T)
    eta, alpha = _shared(rule, n)
    price = max(0.0, math.log((n - 1) / alpha) + math.log1p(-alpha)) / eta
    for one in _both(lost, price):
        L, k = float(one.lost[-1]), one.segments - 1
        yield bounds.FixedShareLoss(n=n, L=L, k=k, alpha=alpha, eta=eta, T=T), one


def variable_share(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bounds against the best expert and the best sequence, if all advice is -1 or +1."""
    assert isinstance(rule, rules.VariableShare)
    lost = losses(evidence)
    n = lost.shape[1]
    eta, alpha = _shared(rule, n)
    between = (lost != 0.0) & (lost != 1.0)
    if between.any():
        raise UnmetError("losses of 0 or 1, so advice of -1 or +1", f"a loss of {lost[between][0]:g}")
    price = (eta + math.log((n - 1) / alpha)) / (eta - math.log1p(-alpha))
    for one in _both(lost, price):
        L, k = float(one.lost[-1]), one.segments - 1
        yield bounds.VariableShareLoss(n=n, L=L, k=k, alpha=alpha, eta=eta), one


def losses(evidence: Evidence) -> Floats:
    """Return |z - y| / 2 for every round and expert."""
    lost: Floats = 0.5 * (1.0 - evidence.y[:, None] * _advice(evidence))
    return lost


def errors(evidence: Evidence) -> Floats:
    """Return 1 for every round and expert where the sign of the advice is not y, else 0."""
    wrong: Floats = (evidence.y[:, None] * _advice(evidence) <= 0.0).astype(np.float64)
    return wrong


def _advice(evidence: Evidence) -> Floats:
    """Return the advice of each expert. The first column is for the constant feature, which is not
    used.
    """
    shape = len(evidence), evidence.width
    rows = csr_matrix((evidence.values, evidence.indices, evidence.indptr.astype(np.int64)), shape)
    advice: Floats = rows.toarray()[:, 1:]
    return advice


def _against_the_best(evidence: Evidence) -> tuple[int, float, int, Succession]:
    """Return the number of experts, the loss of the best one, the number of rounds, and the best
    expert.
    """
    lost = losses(evidence)
    best = best_expert(lost)
    return lost.shape[1], float(best.lost[-1]), len(evidence), best


def _shared(rule: rules.FixedShare, n: int) -> tuple[float, float]:
    """Return eta and alpha as they were used."""
    if n < 2:
        raise UnmetError("two experts or more", n)
    eta, alpha = rule.params()
    return eta, min(alpha, (n - 1) / n)


def _both(lost: Floats, price: float) -> Iterator[Succession]:
    """Yield the best expert, and the best sequence if it has more than one expert."""
    yield best_expert(lost)
    found = best_succession(lost, price)
    if found.moves:
        yield found

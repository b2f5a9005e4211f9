"""Bounds on runs of GridHalving, EllipsoidLearner and VersionSpace, on separable examples."""

from __future__ import annotations

import numpy as np

from driftline import bounds, rules
from driftline.certify.comparators.widest_margin import widest
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers
from driftline.certify.refusal import UnmetError

ROUNDING = 1.0 + 1e-12


def grid_halving(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound for the grid of the rule, if some w has the margin of the rule on every
    round.
    """
    assert isinstance(rule, rules.GridHalving)
    constant = bool(np.any(evidence.indices == 0))
    R = float(evidence.lengths().max())
    if rule.radius * ROUNDING < R:
        raise UnmetError(f"examples of length at most radius = {rule.radius:g}", f"one of length {R:g}")
    if int(evidence.indptr[1]) == int(constant):
        raise UnmetError("a first example with features", "one without")
    asked = rule.gamma / rule.W
    found, margin = widest(evidence)
    if found is None or margin * ROUNDING < asked:
        what = f"some w of length 1 with a margin of gamma / W = {asked:g} on every round"
        raise UnmetError(what, f"{margin:.3g} at best")
    d = int(constant) + (evidence.width - 1 if rule.features is None else rule.features)
    kind = bounds.GridMistakes if rule.grid == "sqrt" else bounds.GridLectureMistakes
    yield kind(d=d, gamma=min(rule.gamma, rule.radius * rule.W), R=rule.radius, W=rule.W), found


def ellipsoid(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound if the dimensions do not grow after the first update and some w separates
    the updates.
    """
    missed = (evidence.margins <= 0.0) & ~evidence.updated
    if missed.any():
        raise UnmetError("consistent examples", f"{np.sum(missed):,} mistakes without an update")
    updates = evidence.part(evidence.updated)
    first, last = _dimensions(updates)
    if first < last:
        raise UnmetError("all dimensions in the first update", f"{first:,} there and {last:,} at the end")
    found, margin = widest(updates)
    if found is None:
        raise UnmetError("some w of length 1 with a margin > 0 on every update", "none")
    R = float(updates.lengths().max())
    yield bounds.EllipsoidUpdates(d=last, gamma=min(margin, R), R=R), found


def version_space(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Raise UnmetError: the centre of the rule is sampled, and the theorem is about the exact one."""
    raise UnmetError("the exact centre of mass", "a sampled one")


def _dimensions(updates: Evidence) -> tuple[int, int]:
    """Return the dimensions up to the last nonzero feature of the first update, and of all
    updates.
    """
    there = updates.values != 0.0
    first = there[: int(updates.indptr[1])]
    constant = int(np.any(updates.indices == 0))
    of_first = int(updates.indices[: len(first)][first].max())
    return of_first + constant, int(updates.indices[there].max()) + constant

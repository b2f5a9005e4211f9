"""Bounds on runs of learners that keep what is consistent with all labels: on clean examples with a margin only."""

from __future__ import annotations

import numpy as np

from driftline import bounds, rules
from driftline.certify.comparators.widest_margin import widest
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers
from driftline.certify.refusal import UnmetError

ROUNDING = 1.0 + 1e-12


def grid_halving(rule: rules.Rule, evidence: Evidence) -> Offers:
    """The grid that the rule was given, if some w has the margin that it was given, on every round."""
    assert isinstance(rule, rules.GridHalving)
    constant = bool(np.any(evidence.indices == 0))
    R = float(evidence.lengths().max())
    if rule.radius * ROUNDING < R:
        raise UnmetError(f"examples of length at most radius = {rule.radius:g}", f"one of length {R:g}")
    if int(evidence.indptr[1]) == int(constant):
        raise UnmetError("a grid from the first round on", "a first example without features")
    asked = rule.gamma / rule.W
    found, margin = widest(evidence)
    if found is None or margin * ROUNDING < asked:
        what = f"some w of length 1 with a margin of gamma / W = {asked:g} on every round"
        raise UnmetError(what, f"{margin:.3g} at best")
    d = int(constant) + (evidence.width - 1 if rule.features is None else rule.features)
    kind = bounds.GridMistakes if rule.grid == "sqrt" else bounds.GridLectureMistakes
    yield kind(d=d, gamma=min(rule.gamma, rule.radius * rule.W), R=rule.radius, W=rule.W), found


def ellipsoid(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Of the dimensions of the first update, if these stayed, and some w has a margin on all updates."""
    missed = (evidence.margins <= 0.0) & ~evidence.updated
    if missed.any():
        raise UnmetError("consistent examples", f"{np.sum(missed):,} mistakes of which nothing was learned")
    updates = evidence.part(evidence.updated)
    first, last = _dimensions(updates)
    if first < last:
        raise UnmetError("all dimensions from the first update on", f"{first:,} in it and {last:,} in the end")
    found, margin = widest(updates)
    if found is None:
        raise UnmetError("some w of length 1 with a margin > 0 on every update", "none")
    R = float(updates.lengths().max())
    yield bounds.EllipsoidUpdates(d=last, gamma=min(margin, R), R=R), found


def version_space(rule: rules.Rule, evidence: Evidence) -> Offers:
    """None: its centre is a mean of samples."""
    raise UnmetError("the exact centre of mass", "one that is sampled")


def _dimensions(updates: Evidence) -> tuple[int, int]:
    """The last feature, counted from the constant one, that is not zero in the first update; and in any."""
    there = updates.values != 0.0
    first = there[: int(updates.indptr[1])]
    constant = int(np.any(updates.indices == 0))
    of_first = int(updates.indices[: len(first)][first].max())
    return of_first + constant, int(updates.indices[there].max()) + constant

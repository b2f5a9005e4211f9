"""The growth of a bound along a run: its value after some of the rounds, with the final
comparator.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from driftline import bounds
from driftline.certify.comparators.candidates import Comparator
from driftline.certify.comparators.expert_sequences import Succession
from driftline.certify.evidence import Evidence
from driftline.certify.rules.second_order_perceptron import logdets
from driftline.internals.compiled import Floats

POINTS = 200
UNIT = bounds.Projection | bounds.PNormMoving | bounds.BalancedWinnowUntuned
"""Bounds with comparators of length at most 1 and margins in units of x."""


def over_time(bound: bounds.Bound, comparator: Comparator | Succession, evidence: Evidence) -> tuple[Floats, Floats]:
    """Return rounds and values. The last value is that of the bound itself, up to rounding."""
    first = 2 if isinstance(bound, bounds.FixedShareLoss) else 1
    rounds = np.unique(np.linspace(first, len(evidence), POINTS).astype(np.intp))
    if isinstance(comparator, Succession):
        found = comparator.inputs(bound, rounds)
    else:
        found = _inputs(bound, comparator, evidence, rounds)
    inputs = {name: column.tolist() for name, column in found.items()}
    values = [replace(bound, **{name: column[k] for name, column in inputs.items()}).value for k in range(len(rounds))]
    return rounds.astype(np.float64), np.array(values)


def _inputs(
    bound: bounds.Bound, comparator: Comparator, evidence: Evidence, rounds: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the inputs that depend on the number of rounds."""
    found: dict[str, np.ndarray] = {name: column[rounds - 1] for name, column in comparator.growth.items()}
    given = {one.name: getattr(bound, one.name) for one in fields(bound) if one.name not in found}
    path, s = comparator.path, comparator.scale
    p = given.get("p", 2.0)
    q = np.inf if isinstance(bound, bounds.L1PAPath) else p / (p - 1.0)
    if "S" in given:
        found["S"] = np.cumsum(np.where(evidence.updated, evidence.lengths(p) ** 2, 0.0))[rounds - 1]
    if "T" in given:
        found["T"] = rounds
    if "logdet" in given:
        expected = isinstance(bound, bounds.LabelEfficientSecondOrder)
        counted = np.ones(len(evidence), bool) if expected else evidence.updated
        found["logdet"] = logdets(evidence, counted, given["a"])[rounds - 1]
    if "lambda_u" in given:
        energy = np.cumsum(np.where(counted, path.margins**2, 0.0))[rounds - 1]
        found["lambda_u"] = energy / path.longest() ** 2
    if "hinge" in given:
        found["hinge"] = np.cumsum(np.maximum(0.0, 1.0 - s * path.margins))[rounds - 1]
    # a path may cover only the rounds that its theorem is about
    own = comparator.among[rounds - 1] if comparator.among is not None else rounds
    moved, squares = path.moved_by(own, q)
    if "V" in given:
        found["V"] = s * moved
    if "D1" in given:
        found |= {"D1": s * moved, "D2": s * s * squares}
    if "K" in given:
        found["K"] = np.cumsum(np.maximum(0.0, given["mu"] - s * path.margins))[rounds - 1]
        if "D" in given:
            found["D"] = s * moved
    elif "D" in given and "gamma" in given:
        gamma = given["gamma"]
        unit = s if isinstance(bound, UNIT) else s * gamma
        found["D"] = np.cumsum(np.maximum(0.0, 1.0 - unit * path.margins / gamma))[rounds - 1]
    return found

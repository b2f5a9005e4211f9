"""Parameters that the theorem of a rule prescribes for given facts about the stream."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from driftline.rules import Rule

OWN_INPUTS = ("p", "theta", "alpha", "eta", "b")
"""Inputs of theorems that are parameters of the rule."""


def prescribed(rule: Rule, where: str, known: Mapping[str, float]) -> dict[str, Any]:
    """All parameters of the rule, with the values that its theorem prescribes.

    Parameters
    ----------
    rule
        The rule.
    where
        The caller, for error messages.
    known
        The inputs of the theorem that the user knows.
    """
    from driftline.bounds import CATALOGUE
    from driftline.bounds.input_names import example, shown, wrong_names

    theorem = CATALOGUE.get(rule.theorem) if rule.tunable else None
    if theorem is None:
        raise ValueError(
            f"{where}: the rule must have a theorem that prescribes its parameters, got none. "
            "Pass the parameters to the constructor"
        )
    names = [one.name for one in fields(theorem)]
    optional = {one.name for one in fields(theorem) if one.default is None}
    own = {name: getattr(rule, name) for name in OWN_INPUTS if name in names and hasattr(rule, name)}
    own = {name: value for name, value in own.items() if name not in optional and math.isfinite(value)}
    wrong = wrong_names(theorem, known, own)
    if wrong:
        raise ValueError(f"{where}: {wrong}. Example: learner.tune({shown(example(theorem, own))})")
    tuning = theorem(**{**own, **known}).tuning()
    return {one.name: getattr(rule, one.name) for one in fields(rule)} | tuning

"""The engines: compiled loops that run any rule over rows, one geometry a file.

``linear`` is Euclidean with lazily scaled weights, ``pnorm`` the p-norm geometry, ``compact`` keeps the list of weights
that are not zero (L1PA and feature removal). What is more than a two-number rule names an engine of its own.
"""

from importlib import import_module

import numpy as np

from driftline.engines.engine import Engine
from driftline.engines.linear.compact import CompactEngine
from driftline.engines.linear.euclidean import LinearEngine
from driftline.engines.linear.pnorm import PNormEngine
from driftline.rules import L1PA, Rule

__all__ = ["CompactEngine", "Engine", "LinearEngine", "PNormEngine", "engine_for"]


def engine_for(rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> Engine:
    """The engine that runs this rule; one of its own is imported when first used."""
    if rule.engine:
        module, _, name = rule.engine.partition(":")
        own: Engine = getattr(import_module(f"driftline.engines.{module}"), name)(rule, bias, dtype)
        return own
    if rule.norm != 2.0:
        return PNormEngine(rule, bias, dtype)
    if isinstance(rule, L1PA) or rule.removal > 0.0:
        return CompactEngine(rule, bias, dtype)
    return LinearEngine(rule, bias, dtype)

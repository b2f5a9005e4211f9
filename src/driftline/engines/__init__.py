"""The engines: compiled loops that run a rule over rows.

Two-number rules have four engines in ``linear``. ``euclidean`` has Euclidean geometry and lazily
scaled weights, ``pnorm`` has the p-norm geometry, ``compact`` keeps a list of the nonzero weights
(L1PA and feature removal), and ``region`` projects them on a convex set. Those that learn real
targets have one in ``regression``. Every other rule names its engine.
"""

from importlib import import_module

import numpy as np

from driftline.engines.engine import Engine
from driftline.engines.linear.compact import CompactEngine
from driftline.engines.linear.euclidean import LinearEngine
from driftline.engines.linear.pnorm import PNormEngine
from driftline.engines.linear.region import RegionEngine
from driftline.engines.regression.euclidean import RegressionEngine
from driftline.rules import L1PA, ProjectionPerceptron, Rule
from driftline.rules.regression.residual_rule import Residual

__all__ = ["CompactEngine", "Engine", "LinearEngine", "PNormEngine", "RegressionEngine", "engine_for"]


def engine_for(rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> Engine:
    """Return a new engine for this rule; an engine named by the rule is imported on first use."""
    if rule.engine:
        module, _, name = rule.engine.partition(":")
        own: Engine = getattr(import_module(f"driftline.engines.{module}"), name)(rule, bias, dtype)
        return own
    if isinstance(rule, Residual):
        return RegressionEngine(rule, bias, dtype)
    if rule.norm != 2.0:
        return PNormEngine(rule, bias, dtype)
    if rule.projects:
        assert isinstance(rule, ProjectionPerceptron)
        return RegionEngine(rule, bias, dtype)
    if isinstance(rule, L1PA) or rule.removal > 0.0:
        return CompactEngine(rule, bias, dtype)
    return LinearEngine(rule, bias, dtype)

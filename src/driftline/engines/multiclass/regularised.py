"""The choice between the two engines of regularised multiclass rules."""

from __future__ import annotations

import numpy as np

from driftline.engines.multiclass.compact_classes import CompactClassesEngine
from driftline.engines.multiclass.scaled_classes import Regularised, RegularisedEngine, ScaledClassesEngine
from driftline.rules import MulticlassL1PA


def engine_of(rule: Regularised, bias: float, dtype: np.dtype[np.floating]) -> RegularisedEngine:
    """Return the engine that lists nonzero weights if the rule must read all of them."""
    if isinstance(rule, MulticlassL1PA) or rule.removal > 0.0:
        return CompactClassesEngine(rule, bias, dtype)
    return ScaledClassesEngine(rule, bias, dtype)

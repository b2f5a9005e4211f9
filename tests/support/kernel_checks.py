"""Checks that the tests of kernel learners share."""

from __future__ import annotations

from typing import Any

import numpy as np

import driftline as dl
from driftline.engines.kernel.expansion_engine import KernelEngine


def engine_of(learner: dl.Learner) -> KernelEngine:
    """The learner's engine, which must be one of support vectors."""
    assert isinstance(learner._engine, KernelEngine)
    return learner._engine


def close(found: Any, due: Any, tolerance: float = 1e-9) -> None:
    """Equal up to the tolerance, relative to each value and to the largest one."""
    due = np.asarray(due)
    np.testing.assert_allclose(found, due, rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(due).max())))


def gaussian(x: np.ndarray, z: np.ndarray) -> float:
    """The Gaussian kernel with gamma = 0.3 as a function of Python."""
    return float(np.exp(-0.3 * np.sum((x - z) ** 2)))

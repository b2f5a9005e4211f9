"""What can be fuzzed: how an input is made from its number, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

MODULES = {"readers": ("inputs", "judge"), "models": ("judge_models",) * 2, "stored": ("judge_stored",) * 2}
"""The modules with ``input_of``, ``WARM`` and ``judged``; imported when they are needed."""


class Target(NamedTuple):
    """``input_of(seed, number)``, ``judged(input)``, and the number of inputs that warm up."""

    input_of: Callable[[int, int], Any]
    judged: Callable[[Any], tuple[str | None, str | None]]
    warm: int


def target_of(name: str) -> Target:
    """The target with this name."""
    inputs, judge = (import_module(module) for module in MODULES[name])
    return Target(inputs.input_of, judge.judged, inputs.WARM)

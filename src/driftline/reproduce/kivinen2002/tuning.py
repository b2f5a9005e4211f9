"""What tuning chose: for every learner a width of its own, or the same width for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftline.reproduce.experiment import Answer
from driftline.reproduce.kivinen2002.grids import KERNELS, SHARED, TITLES

OWN, SAME = "kernel width tuned for each learner", f"kernel width {SHARED:g} for all"


def policies(answers: Mapping[str, Answer]) -> list[str]:
    """Both, where several widths were tried."""
    return [OWN, SAME] if len({one["width"] for one in answers.values() if "width" in one}) > 1 else [SAME]


def chosen(answers: Mapping[str, Answer], kind: str, policy: str) -> dict[str, Answer]:
    """The answer of each learner at its best width by tuning, or at the shared one; a Tracker has only one."""
    found = {}
    for learner in TITLES:
        several = [one for one in answers.values() if (one["stream"], one["learner"]) == (kind, learner)]
        if learner in KERNELS and policy == SAME:
            several = [one for one in several if one["width"] == SHARED]
        found[learner] = min(several, key=lambda one: one["tuning"] or 0.0)
    return found


def described(answer: Mapping[str, Any]) -> str:
    """The parameters in words.

    >>> described({"width": 0.3, "parameters": {"lam": 0.01, "rho": 2.0}})
    'width 0.3, lam 0.01, rho 2'
    """
    parts = [f"width {answer['width']:g}"] if "width" in answer else ["nothing to tune"]
    return ", ".join([*parts, *(f"{name} {value:g}" for name, value in answer["parameters"].items())])


def edges(answer: Mapping[str, Any]) -> list[str]:
    """The parameters that were chosen at an end of what was tried with the others as they are, if that was more."""
    chosen = answer["parameters"]
    found = []
    for name, value in chosen.items():
        others = {**chosen, name: None}
        values = {one["parameters"][name] for one in answer["tried"] if {**one["parameters"], name: None} == others}
        if len(values) > 1 and value in (min(values), max(values)):
            found.append(name)
    return found

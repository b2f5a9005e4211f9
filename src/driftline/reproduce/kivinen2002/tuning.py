"""The result of tuning, with a kernel width tuned per learner or with one width for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftline.reproduce.experiment import Answer
from driftline.reproduce.kivinen2002.grids import KERNELS, SHARED, TITLES

OWN, SAME = "kernel width tuned for each learner", f"kernel width {SHARED:g} for all"


def policies(answers: Mapping[str, Answer]) -> list[str]:
    """Return both width policies if several widths were tried, else the shared width."""
    return [OWN, SAME] if len({one["width"] for one in answers.values() if "width" in one}) > 1 else [SAME]


def chosen_answers(answers: Mapping[str, Answer], kind: str, policy: str) -> dict[str, Answer]:
    """Return the answer of each learner at its tuned width or at the shared width.

    A Tracker has only one answer.
    """
    found = {}
    for learner in TITLES:
        several = [one for one in answers.values() if (one["stream"], one["learner"]) == (kind, learner)]
        if learner in KERNELS and policy == SAME:
            several = [one for one in several if one["width"] == SHARED]
        found[learner] = min(several, key=lambda one: one["tuning"] or 0.0)
    return found


def describe(answer: Mapping[str, Any]) -> str:
    """Return the chosen parameters as text.

    >>> describe({"width": 0.3, "parameters": {"lam": 0.01, "rho": 2.0}})
    'width 0.3, lam 0.01, rho 2'
    """
    parts = [f"width {answer['width']:g}"] if "width" in answer else ["nothing to tune"]
    return ", ".join([*parts, *(f"{name} {value:g}" for name, value in answer["parameters"].items())])


def parameters_at_edge(answer: Mapping[str, Any]) -> list[str]:
    """Return the parameters that were chosen at the smallest or largest value tried.

    The other parameters are held at their chosen values. A parameter with only one value does not
    count.
    """
    chosen = answer["parameters"]
    found = []
    for name, value in chosen.items():
        others = {**chosen, name: None}
        values = {one["parameters"][name] for one in answer["tried"] if {**one["parameters"], name: None} == others}
        if len(values) > 1 and value in (min(values), max(values)):
            found.append(name)
    return found

"""The learners of Figure 1 and the grids from which their parameters are chosen, strongest regularisation first.

NORMA's step is 1: scaling step, margin and the inverse of its forgetting together changes no prediction. The paper
speaks of one regularisation parameter, so there is NORMA with a margin of 1 too, of which only the forgetting is tuned.
NORMA updates below its own margin: the policies are those of the passive-aggressive rules, and its grids know none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from driftline import rules
from driftline.internals.compiled import Floats
from driftline.rules import Rule
from driftline.rules.rule import When

POLICIES: tuple[When, ...] = ("mistake", "margin")
HALVES = ("first", "second")
"""On which half of the stream the parameter is chosen; the second is the one that is judged."""
PA, NORMA, NORMA1, SHRUNK, L2, L1 = "PA", "NORMA", "NORMA, margin 1", "ShrunkPA", "L2PA", "L1PA"
METHODS = (PA, NORMA, NORMA1, SHRUNK, L2, L1)
REGULARISED = (SHRUNK, L2, L1)
LAMS = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 0.0)
"""NORMA's forgetting."""
RHOS = (0.0, 1.0, 3.0, 10.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0, 200.0, 300.0)
"""NORMA's margins."""


@dataclass(frozen=True)
class Choice:
    """A rule of a grid."""

    rule: Rule
    text: str
    """Its parameters."""
    edge: str = ""
    """"strong" or "weak" where the grid ends with it; the values that switch a part off are no edge."""


def grid(method: str, when: When, quick: bool) -> list[Choice]:
    """The settings of a learner, strongest regularisation first."""
    if method == PA:
        return [Choice(rules.PA(when), "none")]
    if method == SHRUNK:
        alphas = _powers(10.0, -1.0, -5.0, 5 if quick else 17)
        return _ended([Choice(rules.ShrunkPA(a, when), f"alpha={a:.3g}") for a in alphas])
    if method == L2:
        betas = _powers(2.0, -1.5, 2.5, 5 if quick else 17)
        return _ended([Choice(rules.L2PA(b, when), f"beta={b:.3g}") for b in betas])
    if method == L1:
        betas = _powers(2.0, 2.0, 8.5, 5 if quick else 27)
        return _ended([Choice(rules.L1PA(b, when), f"beta={b:.3g}") for b in betas])
    lams = (1e-2, 1e-3, 1e-4, 0.0) if quick else LAMS
    rhos = (0.0, 30.0, 100.0) if quick else RHOS
    return [
        Choice(
            rules.NORMA(1.0, lam, rho),
            f"lam={lam:g} rho={rho:g}",
            "strong" if lam == lams[0] or 0.0 < rho == rhos[-1] else "",
        )
        for lam in lams
        for rho in ((1.0,) if method == NORMA1 else rhos)
    ]


def fewest(mistakes: Sequence[int] | Floats) -> int:
    """Which setting made the fewest mistakes; of equal ones the first, which is regularised most."""
    return int(np.argmin(mistakes))


def _powers(base: float, first: float, last: float, count: int) -> list[float]:
    return [float(base**exponent) for exponent in np.linspace(first, last, count)]


def _ended(choices: list[Choice]) -> list[Choice]:
    """The same, with the ends marked."""
    first, *inner, last = choices
    return [Choice(first.rule, first.text, "strong"), *inner, Choice(last.rule, last.text, "weak")]

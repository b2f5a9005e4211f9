"""The learners of Figure 1 and their tuning grids, strongest regularisation first.

NORMA has step size 1 without loss of generality: scaling the step, the margin and the inverse of
the forgetting rate by the same factor changes no prediction. The paper mentions only one
regularisation parameter, so NORMA with margin 1, of which only the forgetting rate is tuned, is
run as well. The update policies apply to the passive-aggressive rules only, because NORMA updates
below its own margin.
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
MIXED = "mixed"
"""PA updates on mistakes, and the regularised rules on small margins."""
HALVES = ("first", "second")
"""The half of the stream on which the parameter is tuned. The second half is the judged one."""
PA, NORMA, NORMA1, SHRUNK, L2, L1 = "PA", "NORMA", "NORMA, margin 1", "ShrunkPA", "L2PA", "L1PA"
METHODS = (PA, NORMA, NORMA1, SHRUNK, L2, L1)
REGULARISED = (SHRUNK, L2, L1)
LAMS = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 0.0)
"""Forgetting rates of NORMA."""
RHOS = (0.0, 1.0, 3.0, 10.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0, 200.0, 300.0)
"""Margins of NORMA."""


@dataclass(frozen=True)
class Candidate:
    """A setting of a tuning grid."""

    rule: Rule
    text: str
    """The parameters as text."""
    edge: str = ""
    """"strong" or "weak" at an end of the grid, else empty.

    A value of 0 that disables a part is no end.
    """


def grid(method: str, when: When, quick: bool) -> list[Candidate]:
    """Return the settings of a learner, strongest regularisation first."""
    if method == PA:
        return [Candidate(rules.PA(when), "none")]
    if method == SHRUNK:
        alphas = _powers(10.0, -1.0, -5.0, 5 if quick else 17)
        return _mark_ends([Candidate(rules.ShrunkPA(a, when), f"alpha={a:.3g}") for a in alphas])
    if method == L2:
        betas = _powers(2.0, -1.5, 2.5, 5 if quick else 17)
        return _mark_ends([Candidate(rules.L2PA(b, when), f"beta={b:.3g}") for b in betas])
    if method == L1:
        betas = _powers(2.0, 2.0, 8.5, 5 if quick else 27)
        return _mark_ends([Candidate(rules.L1PA(b, when), f"beta={b:.3g}") for b in betas])
    lams = (1e-2, 1e-3, 1e-4, 0.0) if quick else LAMS
    rhos = (0.0, 30.0, 100.0) if quick else RHOS
    return [
        Candidate(
            rules.NORMA(1.0, lam, rho),
            f"lam={lam:g} rho={rho:g}",
            "strong" if lam == lams[0] or 0.0 < rho == rhos[-1] else "",
        )
        for lam in lams
        for rho in ((1.0,) if method == NORMA1 else rhos)
    ]


def fewest(mistakes: Sequence[int] | Floats) -> int:
    """Return the index of the setting with the fewest mistakes.

    Ties are broken in favour of the first one, which has the strongest regularisation.
    """
    return int(np.argmin(mistakes))


def _powers(base: float, first: float, last: float, count: int) -> list[float]:
    return [float(base**exponent) for exponent in np.linspace(first, last, count)]


def _mark_ends(choices: list[Candidate]) -> list[Candidate]:
    """Return the settings with both ends of the grid marked."""
    first, *inner, last = choices
    return [Candidate(first.rule, first.text, "strong"), *inner, Candidate(last.rule, last.text, "weak")]

"""L1PA: Theorems 3.2 and 3.4 of Shen and Dietterich for the 1-norm, and their path-length form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.linear.constrained import START, STILL
from driftline.bounds.linear.l2pa import L2PAMistakes, L2PAPath


@dataclass(frozen=True, kw_only=True)
class L1PAMistakes(L2PAMistakes):
    """Theorems 3.2 and 3.4 for the 1-norm: as for L2PA, with D and beta in the 1-norm and mu in
    the max-norm.
    """

    name: ClassVar[str] = "l1pa"
    conditions: ClassVar[tuple[str, ...]] = (
        *START,
        "|u_t|_1 <= D <= beta, |u_(t+1) - u_t|_inf <= mu; R is still the 2-norm radius",
        "updates on mistakes only",
        "u moves only on updates",
    )
    erratum: ClassVar[str] = (
        STILL + " The proof uses equal norms |u_t| = D. They are not needed, and would not suffice for the 1-norm."
    )
    tight: ClassVar[Tight] = Tight(0.56, "adversarial rows of margin 1, for a target with one feature")


@dataclass(frozen=True, kw_only=True)
class L1PAPath(L2PAPath):
    """The path-length form for the 1-norm: as for L2PA, with D and beta in the 1-norm and the path
    in the max-norm.
    """

    name: ClassVar[str] = "l1pa-path"
    conditions: ClassVar[tuple[str, ...]] = (*START, "|u_t|_1 <= D <= beta", "V is summed in the max-norm")
    tight: ClassVar[Tight] = Tight(0.56, "adversarial rows of margin 1, for a fixed target with one feature")

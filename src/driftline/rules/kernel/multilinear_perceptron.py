"""The p-norm Perceptron, p = 4, over all 2^n products of features: for few relevant conjunctions.

    Phi(x) = (prod_{i in S} x_i for every set S of features)
    s = w^3 . Phi(x),      w += a Phi(x)  where y s <= 0,    a = y

w^2 and w^3 are powers element by element. Either w and w_3 = w^3 are stored, 2^n numbers each, or
the powers are stored as expansions:

    v = sum_e c_e Phi(e),    v . Phi(x) = sum_e c_e prod_i (1 + e_i x_i)

By Phi(x) Phi(e) = Phi(x e), an update of the expansions is

    w^3 += 3 a Phi(x) w^2 + 3 a^2 Phi(x^2) w + a^3 Phi(x^3)
    w^2 += 2 a Phi(x) w + a^2 Phi(x^2)
    w   += a Phi(x)

After m examples these are at most C(m + 2, 3), C(m + 1, 2) and m rows. Equal rows are merged:
features of 0 and 1 have x^k = x, features of -1 and +1 have x^2 = 1. To bound the number of rows,
m is limited to ``most``. If 2^n < n C(m + 2, 3), w itself is smaller and is stored instead. With
up to 21 features and the default ``most``, this happens by the time m reaches ``most``, so there
is no limit.

Gentile. Tutorial on prediction with linear-threshold algorithms and kernels (2005), plug-and-play;
Grove, Littlestone, Schuurmans (2001) for p-norms. With R = prod_i (1 + |x_i|^4)^(1/4) and
y u.Phi(x) >= gamma, |u|_(4/3) = 1: at most 3 R^2 / gamma^2 updates.
Differs from the paper: equal terms of its sum over all triples are merged. The score is
w^3 . Phi(x). Dividing it by |w|_4^2, as in the paper, would not change its sign. A sample weight
multiplies a. Keep |x_i| <= 1: R is a product over the features and grows quickly with values
above 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.require import whole
from driftline.rules.kernel.feature_subsets import write_phi
from driftline.rules.kernel.product_expansion import ProductExpansion, add_phi, add_phi_times
from driftline.rules.rule import Rule

MOST = 1000


@inlined
def errs(y: float, s: float, weight: float) -> bool:
    """Whether an example of score s makes an update."""
    return weight != 0.0 and y * s <= 0.0


@jit
def update_expansions(w: ProductExpansion, w_2: ProductExpansion, w_3: ProductExpansion, x: Floats, a: float) -> None:
    """Update w^3 and w^2 for w += a Phi(x), which the caller adds to ``w`` itself."""
    add_phi_times(w_3, x, w_2, 3.0 * a)
    add_phi_times(w_3, x * x, w, 3.0 * a * a)
    add_phi(w_3, x * x * x, a * a * a)
    add_phi_times(w_2, x, w, 2.0 * a)
    add_phi(w_2, x * x, a * a)


@jit
def update_weights(w: Floats, w_3: Floats, x: Floats, a: float) -> None:
    """w += a Phi(x) and w_3 = w^3, where w is stored as 2^n numbers."""
    phi = np.empty(w.size)
    write_phi(x, phi)
    for s in range(w.size):
        w[s] += a * phi[s]
        w_3[s] = w[s] * w[s] * w[s]


@dataclass(frozen=True)
class MultilinearPerceptron(Rule):
    """The Perceptron over all products of features.

    Parameters
    ----------
    most : int
        From 1 to 1000: the number of examples in the expansions of w. w^3 has up to C(most + 2, 3)
        rows, which is 171,700 for 100.
    """

    most: int = 100
    engine: ClassVar[str] = "kernel.multilinear:MultilinearEngine"
    paper: ClassVar[str] = "Gentile 2005"
    single: ClassVar[bool] = False
    biased: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, ...]] = ("pnorm", "pnorm-separable", "pnorm-moving")

    def check(self) -> None:
        """A whole number from 1 to 1000."""
        whole("MultilinearPerceptron", "most", self.most, 1, MOST)
        object.__setattr__(self, "most", int(self.most))

    @property
    def refuses(self) -> bool:
        """True: an example that would have to be added after ``most`` others is refused."""
        return True

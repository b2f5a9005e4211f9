"""Forgetron, self-tuned: shrink w, so that dropping the oldest support vector does little damage.

After mistake number M with a full budget, let r be the oldest support vector, y_r its label, a its
coefficient without the sign, and mu = y_r w.x_r, where w contains the new example already:

    phi = max {phi in [0, 1]:  Psi(phi) <= 15/32 M - Q}
    Psi(phi) = (phi a)^2 + 2 phi a - 2 phi^2 a mu
    w <- phi w,  remove r,  Q <- Q + Psi(phi)

Psi(phi) = (a^2 - 2 a mu) phi^2 + 2 a phi is 0 at phi = 0. If Psi(1) is above the limit, the first
root of Psi(phi) = 15/32 M - Q is the largest phi. Where Psi is concave, the other root is above 1.

For the budget B, with k(x, x) <= 1 and |g| <= 1/4 sqrt((B + 1) / ln(B + 1)):

    mistakes <= 2 |g|^2 + 4 sum hinge(g)

Dekel, Shalev-Shwartz, Singer. The Forgetron: a kernel-based perceptron on a budget. SIAM J.
Comput. 37 (2008).
Differs from the paper: a sample weight multiplies the coefficient of the new example. The bound is
for weights of 1.
"""

from __future__ import annotations

from math import sqrt

from driftline.internals.compiled import jit

SHARE = 15.0 / 32.0
LONGEST_SQ = 1.0 + 1e-9
"""The largest k(x, x) that is taken for 1 or less."""


@jit
def shrinkage(M: float, Q: float, a: float, mu: float) -> tuple[float, float]:
    """Return (phi, Psi(phi))."""
    bend = a * a - 2.0 * a * mu
    left = SHARE * M - Q
    phi = 1.0
    if bend + 2.0 * a > left:
        phi = min(1.0, max(0.0, left) / (a + sqrt(max(0.0, a * a + bend * left))))
    return phi, (bend * phi + 2.0 * a) * phi

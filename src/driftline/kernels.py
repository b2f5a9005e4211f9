"""Kernel classes for ``Kernelized``; a kernel may also be given by name, "rbf(gamma=0.5)".

>>> from driftline import kernels
>>> kernels.Gaussian(gamma=0.5)
Gaussian(gamma=0.5)
"""

from driftline.rules.kernel.kernels import (
    Callable,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Multilinear,
    Polynomial,
    Precomputed,
)

__all__ = ["Callable", "Gaussian", "Kernel", "Laplacian", "Linear", "Multilinear", "Polynomial", "Precomputed"]

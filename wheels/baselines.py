"""Processors for which wheels are compiled: the oldest one that may use the code."""

from __future__ import annotations

import platform
from typing import NamedTuple

X86_64_V3 = (
    "64bit avx avx2 bmi bmi2 cmov crc32 cx16 cx8 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 sse4.1 "
    "sse4.2 ssse3 xsave"
)


class Baseline(NamedTuple):
    """A processor by the names of LLVM.

    Attributes
    ----------
    cpu
        Its name.
    features
        What it must have. The compiler uses no other features.
    """

    cpu: str
    features: tuple[str, ...]

    def environment(self) -> dict[str, str]:
        """The variables with which numba compiles for this processor."""
        return {"NUMBA_CPU_NAME": self.cpu, "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in self.features)}


BASELINES = {
    "x86-64-v3": Baseline("x86-64-v3", tuple(X86_64_V3.split())),
    # the same machines, with another cost model: a wheel for it must give the same bits
    "haswell": Baseline("haswell", tuple(X86_64_V3.split())),
    "armv8-a": Baseline("generic", ("neon", "fp-armv8")),
    "apple-m1": Baseline("apple-m1", ("neon", "fp-armv8", "fullfp16", "dotprod", "lse", "crc")),
}
"""The baselines by name."""
DEFAULTS = {"x86_64": "x86-64-v3", "amd64": "x86-64-v3", "aarch64": "armv8-a", "arm64": "apple-m1"}


def default_name() -> str:
    """The name of the usual baseline of this architecture."""
    return DEFAULTS[platform.machine().lower()]

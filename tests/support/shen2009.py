"""The digits of scikit-learn as data of the experiment of Shen and Dietterich."""

from __future__ import annotations

import pytest

from driftline.reproduce.experiment import Setting
from driftline.reproduce.shen2009 import removing
from driftline.reproduce.shen2009.data import Material, material

pytest.importorskip("sklearn.datasets")
QUICK = Setting(quick=True)
READINGS, METHODS_IN_BALLS = removing.READINGS, ("L1PA", "L2PA")


def digits() -> Material:
    return material("usps", QUICK)

"""The digits of scikit-learn as data of the experiment of Shen and Dietterich."""

from __future__ import annotations

import pytest

from driftline.reproduce.experiment import Setting
from driftline.reproduce.shen2009 import feature_removal
from driftline.reproduce.shen2009.data import DataSet, load_data_set

pytest.importorskip("sklearn.datasets")
QUICK = Setting(quick=True)
READINGS, METHODS_IN_BALLS = feature_removal.READINGS, ("L1PA", "L2PA")


def digits() -> DataSet:
    return load_data_set("usps", QUICK)

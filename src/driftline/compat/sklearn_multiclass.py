"""A driftline learner of several classes as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from driftline.compat.one_vs_rest import Sides
from driftline.compat.sklearn_classifier import _sorted
from driftline.compat.sklearn_online import OnlineClassifier
from driftline.compat.versus import Versus
from driftline.compiled import Floats
from driftline.engines.state import BIAS, FIRST
from driftline.learners import SeveralClasses

"""The calls of all families of nonlinear experts on some rows, in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.nonlinear.forest_rows import learn_rows as learn_forest
from driftline.engines.nonlinear.forest_rows import score_rows as score_forest
from driftline.engines.nonlinear.forest_state import MOST_FEATURES, REPLACED, STATIC, Trees
from driftline.engines.nonlinear.forest_state import Workspace as ForestWorkspace
from driftline.engines.nonlinear.neighbours import Neighbours, Ring
from driftline.engines.nonlinear.neighbours import learn_rows as learn_neighbours
from driftline.engines.nonlinear.neighbours import score_rows as score_neighbours
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import FULL_BANK

NEIGHBOUR_LIMIT = Neighbours.limit
FOREST_AT = FULL_BANK
NEIGHBOURS_AT = FOREST_AT + 2
EXPERTS = NEIGHBOURS_AT + Neighbours.experts
"""The number of linear and nonlinear experts."""

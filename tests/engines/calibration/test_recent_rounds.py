"""What remembers a single round is compiled before the first such round is learned."""

from __future__ import annotations

import numpy as np

import driftline as dl
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import Engine
from driftline.engines.state import trial_rows
from driftline.internals.rows import SparseRows


def test_learned_blocks_need_no_function_for_single_rounds() -> None:
    learner = dl.PA1()
    learner.learn_many(np.eye(3), [1, 0, 1])
    assert learner._recent is not None
    assert learner._recent.rounds == 3
    assert learner._recent._put_one is None


def test_a_loop_has_the_function_before_its_first_round() -> None:
    recent, learner = RecentRounds(), dl.PA1()
    row = SparseRows(np.array([0, 1], np.uint64), np.zeros(1, np.uint32), np.ones(1))
    learner._engine.reserve(1)
    learn = Engine.learner_of(learner._engine, row, np.zeros((trial_rows(False), 1)), recent)
    assert recent._put_one is not None
    assert recent.rounds == 0
    for _ in range(40):  # the ring grows twice
        learn(1.0)
    assert recent.rounds == 40

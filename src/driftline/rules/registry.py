"""The list of learners, in display order; ``linear.step_table`` lists the two-number rules.

``make generate`` writes all other lists from this one: the exports of ``driftline``,
``driftline.rules``, ``driftline.learners``, ``driftline.sklearn`` and ``driftline.river``, the
learners of two-number rules, the scikit-learn and river classifiers, and the tables in docs/learners.md.
"""

from __future__ import annotations

from driftline.rules.composed import averaged, bank, batch_online, committee, label_efficient
from driftline.rules.consistent import ellipsoid_learner, grid_halving, version_space
from driftline.rules.experts import (
    ada_hedge,
    aggregating_experts,
    exponential_weights,
    fixed_share,
    halving,
    square_loss_experts,
    square_loss_fixed_share,
    variable_share,
    weighted_majority,
)
from driftline.rules.kernel import kernel_second_order, kernelized, multilinear_perceptron
from driftline.rules.linear.step_table import LINEAR
from driftline.rules.multiclass import (
    multiclass_l1pa,
    multiclass_l2pa,
    multiclass_pa,
    multiclass_perceptron,
    multiclass_shrunk_pa,
    one_vs_rest,
)
from driftline.rules.multiplicative import balanced_winnow, tracking_winnow, winnow
from driftline.rules.regression import arow_regressor, recursive_least_squares
from driftline.rules.regression.step_table import REGRESSION
from driftline.rules.rule import Rule
from driftline.rules.second_order import arow, scw, second_order_perceptron
from driftline.rules.tracker import tracker, tracker_regressor

RULES: tuple[type[Rule], ...] = (
    *LINEAR,
    halving.Halving,
    weighted_majority.WeightedMajority,
    exponential_weights.ExponentialWeights,
    ada_hedge.AdaHedge,
    fixed_share.FixedShare,
    variable_share.VariableShare,
    square_loss_experts.SquareLossExperts,
    aggregating_experts.AggregatingExperts,
    square_loss_fixed_share.SquareLossFixedShare,
    committee.Committee,
    winnow.Winnow,
    tracking_winnow.TrackingWinnow,
    balanced_winnow.BalancedWinnow,
    grid_halving.GridHalving,
    ellipsoid_learner.EllipsoidLearner,
    version_space.VersionSpace,
    label_efficient.LabelEfficient,
    second_order_perceptron.SecondOrderPerceptron,
    arow.AROW,
    scw.SCW,
    multilinear_perceptron.MultilinearPerceptron,
    kernelized.Kernelized,
    kernel_second_order.KernelSecondOrder,
    averaged.Averaged,
    batch_online.BatchOnline,
    tracker.Tracker,
    bank.Bank,
    one_vs_rest.OneVsRest,
    multiclass_perceptron.MulticlassPerceptron,
    multiclass_pa.MulticlassPA,
    multiclass_shrunk_pa.MulticlassShrunkPA,
    multiclass_l2pa.MulticlassL2PA,
    multiclass_l1pa.MulticlassL1PA,
    *REGRESSION,
    recursive_least_squares.RecursiveLeastSquares,
    arow_regressor.AROWRegressor,
    tracker_regressor.TrackerRegressor,
)
"""The rule of each learner. A learner has the name of its rule."""

"""driftline: online classifiers for streams whose right answer changes.

>>> import driftline as dl
>>> learner = dl.PA1()
>>> learner.learn_one({"colour": "red", "size": 2.0}, True)
0.0
>>> learner.predict_one({"colour": "red"})
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftline.version import __version__ as __version__

if TYPE_CHECKING:
    from driftline import kernels, streams
    from driftline.encode import Hashing
    from driftline.evaluate import Checkpoint, Run, tradeoff
    from driftline.evaluate.grid import grid
    from driftline.evaluate.run import compare, run
    from driftline.evaluate.selection import Selected, select
    from driftline.evaluate.sweep import Sweep, sweep
    from driftline.learners import (
        ALMA,
        AROW,
        L1PA,
        L2PA,
        NORMA,
        PA,
        PA1,
        PA2,
        REGISTRY,
        ROMMA,
        SCW,
        AdaHedge,
        Averaged,
        BalancedWinnow,
        Bank,
        BatchOnline,
        Committee,
        EllipsoidLearner,
        ExponentialWeights,
        FixedShare,
        GridHalving,
        Halving,
        Kernelized,
        KernelSecondOrder,
        LabelEfficient,
        Learner,
        MulticlassPA,
        MulticlassPerceptron,
        MultilinearPerceptron,
        OneVsRest,
        Perceptron,
        PNormPerceptron,
        ProjectionPerceptron,
        SecondOrderPerceptron,
        SelfTuningALMA,
        ShrunkPA,
        Tracker,
        VariableShare,
        VersionSpace,
        WeightedMajority,
        Winnow,
    )
    from driftline.rules import RandomFourier
    from driftline.saved import ModelError, load

__all__ = [
    "ALMA",
    "AROW",
    "L1PA",
    "L2PA",
    "NORMA",
    "PA",
    "PA1",
    "PA2",
    "REGISTRY",
    "ROMMA",
    "SCW",
    "AdaHedge",
    "Averaged",
    "BalancedWinnow",
    "Bank",
    "BatchOnline",
    "Checkpoint",
    "Committee",
    "EllipsoidLearner",
    "ExponentialWeights",
    "FixedShare",
    "GridHalving",
    "Halving",
    "Hashing",
    "KernelSecondOrder",
    "Kernelized",
    "LabelEfficient",
    "Learner",
    "ModelError",
    "MulticlassPA",
    "MulticlassPerceptron",
    "MultilinearPerceptron",
    "OneVsRest",
    "PNormPerceptron",
    "Perceptron",
    "ProjectionPerceptron",
    "RandomFourier",
    "Run",
    "SecondOrderPerceptron",
    "Selected",
    "SelfTuningALMA",
    "ShrunkPA",
    "Sweep",
    "Tracker",
    "VariableShare",
    "VersionSpace",
    "WeightedMajority",
    "Winnow",
    "compare",
    "grid",
    "kernels",
    "load",
    "run",
    "select",
    "streams",
    "sweep",
    "tradeoff",
]

# names are imported when first used, so that the command line can say what it can do before it loads a compiler
_HOMES = {
    "Checkpoint": "evaluate",
    "Hashing": "encode",
    "ModelError": "saved",
    "RandomFourier": "rules",
    "Run": "evaluate",
    "Selected": "evaluate.selection",
    "Sweep": "evaluate",
    "compare": "evaluate",
    "grid": "evaluate",
    "load": "saved",
    "run": "evaluate",
    "sweep": "evaluate",
    "tradeoff": "evaluate",
    "select": "evaluate.selection",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'driftline' has no attribute {name!r}")
    if name in ("kernels", "streams"):
        return import_module(f"driftline.{name}")
    value = getattr(import_module(f"driftline.{_HOMES.get(name, 'learners')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

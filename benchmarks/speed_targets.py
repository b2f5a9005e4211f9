"""The comparisons and their target ratios. A missed target is reported and is not an error."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from contest import (
    BANK_HEAT,
    BUDGETS,
    CACHE_HEAT,
    KERNEL_RULES,
    KERNEL_WIDTHS,
    L1_HEAT,
    LEARN_MANY,
    RUN,
    SECOND_ORDER_HEAT,
    SVMLIGHT_HEAT,
    SWEEP_HEAT,
    VW_HEAT,
    block_heat,
    dict_heat,
    kernel_heat,
    run_heat,
)


@dataclass(frozen=True)
class Target:
    """A comparison in `heat` of `ours` with the fastest task that has a name starting with
    `rival`.

    `at_most`: upper limit of our time divided by the rival's. `at_least`: lower limit of the
    rival's time divided by ours.
    """

    heat: str
    ours: str
    rival: str
    at_most: float | None = None
    at_least: float | None = None


SPARSE, DENSE = block_heat("sparse", None), block_heat("dense", None)

PAIRS = (  # the same rule in both libraries
    ("ours PA-I", "scikit-learn PA-I"),
    ("ours NORMA", "scikit-learn hinge, constant rate"),
    ("ours Perceptron", "scikit-learn Perceptron"),
)

TARGETS = (
    *(Target(heat, "ours PA-I", "C loop", at_most=1.2) for heat in (SPARSE, DENSE)),
    *(Target(heat, "ours PA-I, kernel alone", "C loop", at_most=1.05) for heat in (SPARSE, DENSE)),
    *(Target(SPARSE, ours, rival, at_least=1.9) for ours, rival in PAIRS),
    *(Target(DENSE, ours, rival, at_least=4.0) for ours, rival in PAIRS),
    *(
        Target(block_heat(kind, size), *pair)
        for kind in ("sparse", "dense")
        for size in (10_000, 100)
        for pair in PAIRS
    ),
    *(Target(block_heat(kind, 1), *pair, at_least=50.0) for kind in ("sparse", "dense") for pair in PAIRS),
    *(Target(run_heat(kind), RUN, LEARN_MANY, at_most=1.5) for kind in ("sparse", "dense")),
    *(
        Target(dict_heat(width), f"ours {rule}", f"river {rule}", at_least=times)
        for width, times in ((10, 3.0), (76, 2.5))
        for rule in ("PA-I", "Perceptron")
    ),
    *(
        Target(kernel_heat(*one), f"ours {one[0]}", "C loop", at_most=1.25)
        for one in product(KERNEL_RULES, KERNEL_WIDTHS, BUDGETS)
    ),
    Target(L1_HEAT, "ours L1PA", "QP solver", at_least=200.0),
    Target(SECOND_ORDER_HEAT, "ours", "BLAS", at_most=1.5),
    Target(BANK_HEAT, "bank of 32 PA-I and NORMA", "ours", at_most=8.0),
    Target(BANK_HEAT, "bank of 32 PA-I", "ours PA-I alone", at_most=8.0),
    Target(SWEEP_HEAT, "sweep", "64 runs", at_least=4.0),
    *(
        Target(heat, f"ours PA-I, {threads}", "Vowpal Wabbit", at_least=times)
        for heat in (SVMLIGHT_HEAT, VW_HEAT)
        for threads, times in (("1 thread", 1.5), ("2 threads", 2.5))
    ),
    Target(SVMLIGHT_HEAT, "ours PA-I, 1 thread", "scikit-learn loader", at_least=15.0),
    Target(CACHE_HEAT, "ours PA-I, cache of svmlight", "Vowpal Wabbit", at_least=2.0),
    Target(CACHE_HEAT, "ours PA-I, cache of VW text", "Vowpal Wabbit", at_least=2.0),
    Target(SPARSE, "ours PA-I", "Vowpal Wabbit, text"),
    Target(SPARSE, "ours PA-I", "Vowpal Wabbit, parsed"),
)

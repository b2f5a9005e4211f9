"""The tasks of the speed benchmark.

A heat is a group of tasks that are compared with each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

BLOCKS = (None, 10_000, 100, 1)  # rows per call; None: all rows in one call
WIDTHS = (10, 76)  # features of a dict
RUN, LEARN_MANY = "dl.run of PA-I", "learn_many of PA-I"
L1_HEAT = "L1PA steps, 8,000 features"
SECOND_ORDER_HEAT = "second order, d = 200"
BANK_HEAT, SWEEP_HEAT = "32 columns of float32", "64 settings"
SVMLIGHT_HEAT, VW_HEAT, CACHE_HEAT = (
    "svmlight text",
    "VW text",
    "from cache",
)  # from opening the file to the saved model
KERNEL_RULES, KERNEL_WIDTHS, BUDGETS = ("Perceptron", "NORMA"), (2, 50), (500, 1_000)
SLOW_HEATS = (SVMLIGHT_HEAT, VW_HEAT, SWEEP_HEAT)  # some of their tasks take seconds


@dataclass(frozen=True)
class Attempt:
    """One run of a new learner.

    `run` is timed. `after` is called next, untimed, and returns |w|^2 or None.
    """

    run: Callable[[], object]
    after: Callable[[], float | None]


@dataclass(frozen=True)
class Task:
    """A task `name` of `heat` over `rows` rows. `prepare` is called before the timing."""

    heat: str
    name: str
    rows: int
    prepare: Callable[[], Attempt]


class AbsentError(Exception):
    """A contestant cannot run. The message is one line with the reason."""


def block_heat(kind: str, size: int | None) -> str:
    """Return the heat of feeding `kind` ("sparse" or "dense") rows in blocks of `size`.

    >>> block_heat("sparse", None), block_heat("dense", 100)
    ('sparse, one call', 'dense, blocks of 100')
    """
    return f"{kind}, one call" if size is None else f"{kind}, blocks of {size:,}"


def run_heat(kind: str) -> str:
    """Return the heat of ``dl.run`` against ``learn_many`` on `kind` ("sparse" or "dense") rows."""
    return f"{kind}, dl.run against learn_many"


def dict_heat(width: int) -> str:
    """Return the heat of predicting, then learning one dict of `width` features at a time."""
    return f"dicts of {width}"


def kernel_heat(rule: str, width: int, budget: int) -> str:
    """Return the heat of a kernel rule over rows of `width` values with `budget` support vectors.

    >>> kernel_heat("NORMA", 2, 500)
    'kernel NORMA, 2 features, budget 500'
    """
    return f"kernel {rule}, {width} features, budget {budget:,}"


HEATS = (
    *(block_heat(kind, size) for kind in ("sparse", "dense") for size in BLOCKS),
    *(run_heat(kind) for kind in ("sparse", "dense")),
    *(dict_heat(width) for width in WIDTHS),
    L1_HEAT,
    SECOND_ORDER_HEAT,
    BANK_HEAT,
    SWEEP_HEAT,
    *(kernel_heat(*one) for one in product(KERNEL_RULES, KERNEL_WIDTHS, BUDGETS)),
    SVMLIGHT_HEAT,
    VW_HEAT,
    CACHE_HEAT,
)

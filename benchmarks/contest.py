"""What every contestant brings: tasks, each a name, a heat and an untimed preparation of one timed run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

BLOCKS = (None, 10_000, 100, 1)  # rows a call; None: all of them in one
WIDTHS = (10, 76)  # features of a dict
RUN, LEARN_MANY = "dl.run of PA-I", "learn_many of PA-I"
L1_HEAT = "L1PA steps, 8,000 features"
SECOND_ORDER_HEAT = "second order, d = 200"
BANK_HEAT, SWEEP_HEAT = "32 columns of float32", "64 settings"
SVMLIGHT_HEAT, VW_HEAT, CACHE_HEAT = "svmlight text", "VW text", "from cache"  # opened file to saved model
KERNEL_RULES, KERNEL_WIDTHS, BUDGETS = ("Perceptron", "NORMA"), (2, 50), (500, 1_000)
SLOW_HEATS = (SVMLIGHT_HEAT, VW_HEAT, SWEEP_HEAT)  # some of their tasks take seconds


@dataclass(frozen=True)
class Attempt:
    """One run of a fresh learner: `run` is timed; `after`, called next, is not, and answers |w|^2 or None."""

    run: Callable[[], object]
    after: Callable[[], float | None]


@dataclass(frozen=True)
class Task:
    """`name` runs over `rows` rows in `heat`, side by side with every other task of that heat."""

    heat: str
    name: str
    rows: int
    prepare: Callable[[], Attempt]


class AbsentError(Exception):
    """A contestant cannot take part; the message says why in one line."""


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
    """Return the heat of one dict of `width` features at a time, predicted and then learned."""
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

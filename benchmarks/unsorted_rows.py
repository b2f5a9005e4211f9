"""The cost of unsorted CSR rows: learning and scoring them and sorted ones, in turn.

The rows of ``diags(r) @ X`` decrease; shuffled rows have no order.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from columns import align
from scipy import sparse

import driftline as dl

ROWS, WIDTH, ROUNDS = 20_000, 5_000, 3
ENTRIES = (75, 10)
SORTED, PRODUCT, SHUFFLED = "sorted", "diags(r) @ X", "shuffled"
MOST = 1.5
"""The most by which unsorted rows may multiply the median time."""
LEARNERS: dict[str, tuple[Callable[[], dl.Learner], int, int]] = {
    "PA-I": (dl.PA1, ROWS, 2),
    "diagonal AROW": (lambda: dl.AROW(diagonal=True), ROWS, 2),
    "one-vs-rest PA-I": (lambda: dl.OneVsRest(dl.PA1()), ROWS, 3),
    "multiclass PA": (dl.MulticlassPA, ROWS, 3),
    "Tracker": (dl.Tracker, 4_000, 2),
    "kernel PA-I": (lambda: dl.Kernelized(dl.PA1(), dl.kernels.Gaussian(1.0)), 200, 2),
}
"""How each learner is made, how many rows it reads, and of how many classes."""


def matrices(entries: int) -> dict[str, Any]:
    """The same rows in three orders."""
    rng = np.random.default_rng(entries)
    indices = np.array([np.sort(rng.choice(WIDTH, entries, replace=False)) for _ in range(ROWS)], np.int32)
    values = rng.normal(size=indices.shape) / np.sqrt(entries)
    order = rng.permuted(np.tile(np.arange(entries), (ROWS, 1)), axis=1)
    indptr = np.arange(ROWS + 1, dtype=np.int32) * entries
    X = sparse.csr_matrix((values.ravel(), indices.ravel(), indptr), shape=(ROWS, WIDTH))
    mixed = np.take_along_axis(values, order, 1).ravel(), np.take_along_axis(indices, order, 1).ravel(), indptr
    return {SORTED: X, PRODUCT: sparse.diags(np.ones(ROWS)) @ X, SHUFFLED: sparse.csr_matrix(mixed, shape=X.shape)}


def measure(repeats: int) -> list[dict[str, Any]]:
    """Return the tasks with the times of all repeats, after one round that warms up."""
    told: list[dict[str, Any]] = []
    for entries in ENTRIES:
        orders = matrices(entries)
        for name, (make, rows, classes) in LEARNERS.items():
            y = np.arange(rows) % classes
            given = {kind: X[:rows] for kind, X in orders.items()}
            times: dict[tuple[str, str], list[float]] = {(call, k): [] for call in ("learn", "score") for k in given}
            for turn in range(ROUNDS * repeats + 1):
                for at in range(len(given)):
                    kind = list(given)[(at + turn) % len(given)]  # in rotating order
                    learner = make()
                    start = time.perf_counter()
                    learner.learn_many(given[kind], y)
                    middle = time.perf_counter()
                    learner.score_many(given[kind])
                    if turn:
                        times["score", kind].append(time.perf_counter() - middle)
                        times["learn", kind].append(middle - start)
            told += [
                {"learner": name, "entries": entries, "rows": rows, "call": call, "kind": kind, "seconds": seconds}
                for (call, kind), seconds in times.items()
            ]
    return told


def lines(told: list[dict[str, Any]]) -> list[str]:
    """Return the times, their ratios to those of sorted rows, and the verdicts."""
    rows = [["learner", "call", "indices", "entries", "rows", "median", "min - max", "ratio", "target", ""]]
    base = 0.0
    for one in told:
        median, unsorted = statistics.median(one["seconds"]), one["kind"] != SORTED
        base = base if unsorted else median
        rows.append(
            [
                one["learner"],
                one["call"],
                one["kind"],
                str(one["entries"]),
                f"{one['rows']:,}",
                f"{1e3 * median:.2f} ms",
                f"{1e3 * min(one['seconds']):.2f} - {1e3 * max(one['seconds']):.2f}",
                f"{median / base:.2f}",
                f"<= {MOST:g}" if unsorted else "",
                "" if not unsorted else "met" if median <= MOST * base else "missed",
            ]
        )
    return [f"sparse rows with sorted and unsorted indices, {WIDTH:,} columns, in turn:", *align(rows, words=3)]

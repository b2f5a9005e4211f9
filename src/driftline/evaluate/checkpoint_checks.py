"""Check the content of a checkpoint before a run is resumed from it.

The checks of the learner are those of a model file. These are the checks of the rest: the ledger,
its curve, the history and the position in the stream. Each raises UnfitError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.encode.targets import LARGEST_TARGET
from driftline.engines.metrics.residual_sums import ROWS
from driftline.engines.metrics.residual_sums import SUMS as RESIDUAL_SUMS
from driftline.evaluate.baselines import NAMES
from driftline.evaluate.history import History
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.metrics import MetricsObserver
from driftline.evaluate.observer import Observer
from driftline.evaluate.regression.loss_ledger import LossLedger
from driftline.evaluate.regression.observer import RegressionObserver, checked_sums
from driftline.learners import Learner
from driftline.saved.description import MOST, check_keys
from driftline.saved.fault import UnfitError

Parts = dict[str, dict[str, np.ndarray]]
PARTS = ("model", "ledger", "history")
SUMS = ("margin", "hinge", "seconds", "absolute", "squared")
"""The fields of a ledger that are floats; the others are whole numbers."""


def parts_of(meta: dict[str, Any], flat: dict[str, np.ndarray]) -> Parts:
    """Check that nothing is missing; return the arrays of each part by their own names."""
    for name in ("model", "ledger", "progress"):
        if name not in meta:
            raise UnfitError(f"one without '{name}'")
    for name in ("ledger", "progress", "history", "observers"):
        if name in meta and not isinstance(meta[name], dict):
            raise UnfitError(f"{name} {shortened(meta[name])}")
    parts: Parts = {name: {} for name in (*PARTS, *meta.get("observers", {}))}
    for name, array in flat.items():
        part, _, own = name.partition(" ")
        if part not in parts or not own:
            raise UnfitError(f"an array {shortened(name)} of no part")
        parts[part][own] = array
    if parts["history"] and "history" not in meta:
        raise UnfitError("arrays of a history without one")
    _check_ledger(meta["ledger"], parts["ledger"])
    open_rows = parts.get("late", {}).get("positions", ())
    _check_progress(meta["progress"], meta["ledger"]["examples"] + len(open_rows))
    return parts


def ledger_kind(ledger: dict[str, Any]) -> type[Ledger]:
    """The class of a saved ledger: that of a regressor has sums of errors."""
    return LossLedger if "absolute" in ledger else Ledger


def check_margin(ledger: dict[str, Any], learner: Learner) -> None:
    """Check that the ledger counts the margin errors of this learner."""
    if (ledger_kind(ledger) is LossLedger) != learner.rule.regresses:
        raise UnfitError(f"a ledger of another task than that of {learner.kind}")
    if ledger["margin"] != learner.rule.margin:
        raise UnfitError(f"margin {shortened(ledger['margin'])} where {learner.rule.margin} was expected")


def history_of(meta: dict[str, Any], arrays: dict[str, np.ndarray], examples: int) -> History:
    """The history of a run of this number of examples."""
    try:
        history = History.from_state(meta, arrays)
    except (TypeError, ValueError) as error:
        raise UnfitError(f"a wrong history ({shortened(str(error))})") from None
    if history.records and history.records[-1].examples > examples:
        raise UnfitError(f"a history of {history.records[-1].examples} examples in a run of {examples}")
    return history


def restore_observers(observers: Sequence[Observer], saved: dict[str, Any], parts: Parts, examples: int) -> None:
    """Give each observer its saved state after this number of examples, and find no other observers."""
    if extra := sorted(saved.keys() - {observer.name for observer in observers}):
        raise UnfitError(f"a run with {shortened(extra)}", "Resume with the same options as before")
    for observer in observers:
        if observer.name not in saved:
            continue
        if not isinstance(saved[observer.name], dict):
            raise UnfitError(f"{observer.name} {shortened(saved[observer.name])}")
        try:
            observer.restore(saved[observer.name], parts[observer.name])
        except (KeyError, TypeError, ValueError) as error:
            raise UnfitError(f"wrong {observer.name} ({shortened(str(error))})") from None
        measured = 0
        if isinstance(observer, MetricsObserver | RegressionObserver):
            measured = observer.examples
        if measured > examples:
            raise UnfitError(f"metrics of {measured} examples in a run of {examples}")


def _check_ledger(ledger: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Check the counts and the curve, which has a row after every ``stride``-th example."""
    known = ["baselines"] if "baselines" in ledger else []  # files of earlier versions have none
    kind = ledger_kind(ledger)
    regression = kind is LossLedger
    counts = kind.counts()
    check_keys("ledger", ledger, [*counts, "stride", *known])
    check_keys("arrays of the ledger", arrays, ["curve", *["sums"] * regression])
    for name in (*counts, "stride"):
        value = ledger[name]
        least = 2 if name == "points" else 1 if name == "stride" else 0
        if name == "last_target":
            if type(value) is not float or not abs(value) <= LARGEST_TARGET:
                raise UnfitError(f"{name} {shortened(value)} where a target was expected")
        elif name in SUMS:
            _check_number(name, value)
        else:
            _check_whole(name, value, least, MOST)
    examples, stride, rows = ledger["examples"], ledger["stride"], arrays["curve"]
    for name in ("mistakes", "label_errors", "margin_errors", "updates", "infeasible", "asked"):
        _check_whole(name, ledger[name], 0, examples)
    if stride.bit_count() != 1:
        raise UnfitError(f"stride {stride} where a power of 2 was expected")
    due = min(examples // stride, ledger["points"])
    if rows.dtype != np.float64 or rows.shape != (due, len(kind.columns)) or examples // stride > due:
        raise UnfitError(f"a curve of shape {rows.shape} and {rows.dtype} after {examples} examples")
    if not np.array_equal(rows[:, 0], stride * np.arange(1.0, due + 1.0)):
        raise UnfitError("a curve whose points are not at multiples of its stride")
    if regression:
        try:
            sums = checked_sums("sums", arrays["sums"], (RESIDUAL_SUMS,))
        except ValueError as error:
            raise UnfitError(str(error)) from None
        if sums[ROWS] != examples:
            raise UnfitError(f"sums of {sums[ROWS]:g} examples in a run of {examples}")
    if "baselines" in ledger:
        _check_baselines(ledger["baselines"], examples)


def _check_baselines(baselines: Any, examples: int) -> None:
    """Check the counts of the labels, which add up to the examples, and the mistakes."""
    if not isinstance(baselines, dict):
        raise UnfitError(f"baselines {shortened(baselines)}")
    check_keys("baselines", baselines, NAMES)
    counts = baselines["counts"]
    if not isinstance(counts, list) or len(counts) < 2:
        raise UnfitError(f"counts {shortened(counts)}")
    for count in counts:
        _check_whole("counts", count, 0, examples)
    if sum(counts) != examples:
        raise UnfitError(f"counts of {sum(counts)} labels in a run of {examples} examples")
    for name in ("no_change", "majority"):
        _check_whole(name, baselines[name], min(1, examples), examples)
    for name in ("last", "leader"):
        _check_whole(name, baselines[name], min(1, examples) - 1, len(counts) - 1 if examples else -1)
    leader = baselines["leader"]
    if examples and (counts[leader] < max(counts) or not counts[baselines["last"]]):
        raise UnfitError(f"last {baselines['last']} and leader {leader} for counts {shortened(counts)}")


def _check_progress(progress: dict[str, Any], examples: int) -> None:
    """Check the position in the stream: every example so far was learned, is open, or was left out.

    ``examples`` is the number of examples that were learned or are open.
    """
    if not progress.keys() >= {"done", "stream", "refused"}:
        raise UnfitError(f"progress {shortened(sorted(progress))} without done, stream and refused")
    stream, refused = progress["stream"], progress["refused"]
    if not isinstance(stream, dict | None) or not isinstance(refused, dict | None):
        raise UnfitError(f"progress {shortened(progress)}")
    left_out = 0
    if refused is not None:
        check_keys("refused", refused, ["count", "listed"])
        _check_whole("refused", refused["count"], 0, MOST)
        listed, left_out = refused["listed"], refused["count"]
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise UnfitError(f"refused {shortened(listed)}")
    _check_whole("done", progress["done"], examples, examples + left_out)


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise UnfitError(f"{name} {shortened(value)} where a whole number from {least} to {most} was expected")


def _check_number(name: str, value: Any) -> None:
    if type(value) not in (int, float) or not value >= 0:
        raise UnfitError(f"{name} {shortened(value)} where a number >= 0 was expected")

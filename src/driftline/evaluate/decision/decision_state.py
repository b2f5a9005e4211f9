"""The state of a decision: plain values and arrays, their checks, and files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.engines.array_checks import only
from driftline.evaluate.decision.tally import Tally
from driftline.evaluate.decision.target_threshold import HIGHEST, LOWEST, STEP
from driftline.saved.container import read, write
from driftline.saved.fault import ModelError, Place, UnfitError, loading
from driftline.saved.plain import plain

if TYPE_CHECKING:
    from driftline.evaluate.decision.decision import Decision

KIND = "decision"
VALUES = {"settings": dict, "correction": float, "expected": float}


def state_of(decision: Decision) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Plain values and copies of the arrays."""
    meta = {
        "settings": settings_of(decision),
        "correction": 0.0 if decision.target is None else decision.target.correction,
        "expected": decision._tally.expected,
    }
    return meta, decision._tally.confusion.arrays("confusion") | decision._tally.bins.arrays("bins")


def settings_of(decision: Decision) -> dict[str, Any]:
    """The parameters of a decision as plain values."""
    costs, target = decision.costs, decision.target
    return {
        "costs": None if costs is None else costs.values.tolist(),
        "labels": None if costs is None else [_plain(label) for label in costs.labels],
        "positive": _plain(decision.positive),
        "quantity": None if target is None else target.quantity,
        "target": None if target is None else target.target,
        "default": decision.default,
        "memory": decision.memory,
    }


def _plain(label: Any) -> Any:
    try:
        return plain(label)
    except TypeError:
        raise ModelError(
            f"save: a label must be a str, int, float or bool, got {shortened(label)}. Convert the labels"
        ) from None


def restore(decision: Decision, meta: Any, arrays: dict[str, np.ndarray]) -> None:
    """Take over a state; raise ValueError, and change nothing, if the decision cannot have it."""
    if not isinstance(meta, dict) or meta.keys() != VALUES.keys():
        raise ValueError(f"values {shortened(meta)}")
    for name, kind in VALUES.items():
        if type(meta[name]) is not kind:
            raise ValueError(f"{name} {shortened(meta[name])}")
    if meta["settings"] != settings_of(decision):
        raise ValueError("other settings")
    if not LOWEST <= meta["correction"] <= HIGHEST or (decision.target is None and meta["correction"] != 0.0):
        raise ValueError(f"correction {meta['correction']}")
    if not 0.0 <= meta["expected"] < math.inf or (decision.costs is None and meta["expected"] != 0.0):
        raise ValueError(f"expected {meta['expected']}")
    tally = Tally(len(decision._tally.confusion.total), decision._tally.place)
    only(arrays, *tally.confusion.arrays("confusion"), *tally.bins.arrays("bins"))
    tally.confusion.restore("confusion", arrays)
    tally.bins.restore("bins", arrays)
    _check_sums(tally.place, tally.confusion.total, tally.bins.total)
    _check_sums(tally.place, tally.confusion.pending, tally.bins.pending)
    if tally.since >= STEP:
        raise ValueError(f"{tally.since} pending labels")
    tally.expected = meta["expected"]
    decision._tally = tally
    if decision.target is not None:
        decision.target.correction = meta["correction"]
    decision._choose()


def _check_sums(place: int | None, confusion: np.ndarray, bins: np.ndarray) -> None:
    """Raise ValueError unless both count the same positives and negatives."""
    positives = 0 if place is None else int(confusion[place].sum())
    everything = 0 if place is None else int(confusion.sum())
    if bins.sum(axis=1).tolist() != [everything - positives, positives]:
        raise ValueError("bins that do not fit the confusion matrix")


# files --------------------------------------------------------------------------------------------
def save(decision: Decision, path: Place) -> None:
    """Write a decision to a file."""
    write(path, KIND, *decision.state())


def load(kind: type[Decision], path: Place) -> Decision:
    """Read a decision from a file; raise ModelError if that is impossible."""
    meta, arrays = read(path, KIND)
    with loading(path, KIND):
        try:
            decision = kind(**_parameters(meta))
            decision.restore(meta, arrays)
        except UnfitError:
            raise
        except (TypeError, ValueError, KeyError, ArithmeticError) as error:
            raise UnfitError(f"wrong content ({shortened(str(error))})") from None
    return decision


def _parameters(meta: Any) -> dict[str, Any]:
    """The arguments of ``Decision`` for the settings of a file."""
    given = dict(meta["settings"])
    quantity, target = given.pop("quantity"), given.pop("target")
    if quantity is not None:
        given[str(quantity)] = target
    return given

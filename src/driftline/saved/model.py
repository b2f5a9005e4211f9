"""Convert a learner to plain values and arrays, and back: ``save`` and ``load``, to files or bytes.

A loaded learner has the same scores, counts and weights as the saved one, and continues learning
bit for bit. Labels and names are restored as plain str, int, float or bool of equal value.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from driftline.encode import Hashing
from driftline.encode.class_weights import BALANCED
from driftline.encode.faults import shortened
from driftline.engines.array_checks import of_shape
from driftline.engines.state import FIRST
from driftline.internals.one_call import whole_call
from driftline.learners import REGISTRY, Learner
from driftline.learners.state import (
    is_standardised,
    learned_state,
    restore_class_counts,
    restore_columns,
    restore_counters,
    restore_engine,
    restore_kept_names,
    restore_labels,
    restore_names,
    restore_recent,
    restore_statistics,
)
from driftline.rules import RandomFourier
from driftline.saved import class_weights, container, feature_names, recipes
from driftline.saved.description import CLASS_WEIGHT, COLUMNS, COUNTERS, HASHED, NAMES, UNDECIDED, check, check_keys
from driftline.saved.fault import ModelError, Place, UnfitError, loading, loading_bytes
from driftline.saved.parameters import LATER, described, made
from driftline.saved.plain import Scalar, plain
from driftline.version import __version__

KIND = "model"
RECENT = ("recent_rounds", "recent_scores", "recent_positive", "recent_classes")
"""The arrays of the recent rounds, from which probabilities are computed."""
COUNTER_BYTES = 8 * len(COUNTERS)  # the least that a file has of each learner in a Bank or Committee


def save(learner: Learner, path: Place) -> None:
    """Write a learner to a file. If that fails, an existing file is left unchanged.

    Parameters
    ----------
    learner : Learner
        A learner of a class in ``driftline.REGISTRY``.
    path : str or os.PathLike
        The file to write; an existing one is replaced.
    """
    container.write(path, KIND, *state_of(learner))


def to_bytes(learner: Learner) -> bytes:
    """Return the bytes of the file that ``save`` writes.

    Parameters
    ----------
    learner : Learner
        A learner of a class in ``driftline.REGISTRY``.
    """
    return container.to_bytes(KIND, *state_of(learner, "to_bytes"))


def load(path: Place) -> Learner:
    """Read a saved learner from a file.

    Parameters
    ----------
    path : str or os.PathLike
        A file written by ``save``. A file from a stranger may be refused, but loading it never
        executes code from it, never crashes the process, and takes at most 64 times its size and
        64 MB of memory. The parameters of the learner are those in the file: look at them before
        it learns or scores, as they say how much time and memory that may take.

    Returns
    -------
    Learner
        A learner in the state in which it was saved.

    Raises
    ------
    ModelError
        If the file is missing, damaged, or not a saved learner.
    """
    meta, arrays = container.read(path, KIND)
    with loading(path, KIND):
        return learner_from(meta, arrays)


def from_bytes(data: bytes | bytearray | memoryview) -> Learner:
    """Make a learner from the bytes that its method ``to_bytes`` returned.

    Parameters
    ----------
    data : bytes, bytearray, memoryview or any other buffer
        The bytes, which are also those of a file written by ``save``. They are checked like such a
        file: see ``load``.

    Returns
    -------
    Learner
        A learner in the state in which it was saved. It shares no memory with ``data``.

    Raises
    ------
    ModelError
        If the bytes are damaged, or not a saved learner.

    >>> import driftline as dl
    >>> dl.from_bytes(dl.PA1(C=0.5).to_bytes())
    PA1(C=0.5, when='margin')
    """
    meta, arrays = container.from_bytes(data, KIND)
    with loading_bytes(KIND):
        return learner_from(meta, arrays)


# from a learner -----------------------------------------------------------------------------------------------------
@whole_call
def state_of(learner: Learner, where: str = "save") -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return plain values and copies of the arrays, of one moment between two calls.

    Error messages start with ``where``.
    """
    name = learner.kind.lower()
    if REGISTRY.get(name) is not type(learner):
        raise ModelError(
            f"{where}: a learner must be one of driftline.REGISTRY, got {type(learner).__name__}. Save one of these"
        )
    learned, options = learned_state(learner), learner.options
    hashing = options["hashing"]
    meta: dict[str, Any] = {
        "learner": name,
        "parameters": {name: described(value) for name, value in learner.parameters.items()},
        "options": {
            "bias": options["bias"],
            "scale": described(options["scale"]),
            "hashing": None if hashing is None else hashing.bits,
            "dtype": str(options["dtype"]),
        },
        "labels": [_plain_label(label, where) for label in learned.labels],
        "labels_declared": options["labels"] is not None,
        "vocabulary": _vocabulary(learned.named, hashing is not None),
        "features": learned.features,
        "scaled": learned.scaled,
        "counters": {name: int(learned.totals[place]) for name, place in COUNTERS.items()},
        "versions": {"driftline": __version__, "numpy": np.__version__, "numba": numba.__version__},
    }
    if options.get("class_weight") is not None:
        meta["options"][CLASS_WEIGHT] = class_weights.described(options["class_weight"])
    if learner.recipe is not None:
        meta["recipe"] = recipes.described(learner.recipe)
    arrays = learned.engine | learned.recent
    if learned.moments is not None:
        arrays["moments"] = learned.moments
    names = learned.kept if learned.names is None else learned.names
    if names is not None:
        arrays |= feature_names.to_arrays(names)
    if learned.kept is not None:
        meta["kept_names"] = len(learned.kept)
    if learned.class_counts is not None:
        arrays[class_weights.COUNTS] = learned.class_counts
    return meta, {name: np.array(array) for name, array in arrays.items()}


def _vocabulary(named: bool | None, hashed: bool) -> str:
    if hashed:
        return HASHED
    if named is None:
        return UNDECIDED
    return NAMES if named else COLUMNS


def _plain_label(label: Any, where: str) -> Scalar:
    try:
        return plain(label)
    except TypeError:
        raise ModelError(
            f"{where}: a label must be a str, int, float or bool, got {shortened(label)}. Convert the labels"
        ) from None


# to a learner -------------------------------------------------------------------------------------------------------
def learner_from(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Learner:
    """Return the learner that ``state_of`` described; raise UnfitError for invalid values."""
    check(meta)
    learner = _made(meta, arrays)
    standardised = is_standardised(learner)
    others = ["moments"] if standardised else []
    recent = {name: arrays[name] for name in RECENT if name in arrays}  # files of earlier versions have none
    others += feature_names.ARRAYS if meta["vocabulary"] == NAMES or "kept_names" in meta else []
    balanced = meta["options"].get(CLASS_WEIGHT) == BALANCED
    others += [class_weights.COUNTS] if balanced else []
    if not arrays.keys() >= set(others):
        raise UnfitError(f"arrays {shortened(sorted(arrays))} without {shortened(sorted(others))}")
    _restore_labels(learner, meta["labels"], meta["labels_declared"])
    if meta["vocabulary"] == NAMES:
        restore_names(learner, feature_names.from_arrays(arrays, meta["features"]))
    elif meta["vocabulary"] == COLUMNS:
        restore_columns(learner, meta["features"])
    if "kept_names" in meta:
        _restore_kept_names(learner, arrays, meta["kept_names"])
    try:
        skipped = [*others, *recent]
        classes = restore_engine(learner, {name: array for name, array in arrays.items() if name not in skipped})
        restore_recent(learner, recent)
    except UnfitError:
        raise
    except ValueError as error:
        raise UnfitError(str(error)) from None
    if classes is not None and classes != len(meta["labels"]):
        raise UnfitError(f"{len(meta['labels'])} labels for {classes} classes")
    restore_counters(learner, {place: meta["counters"][name] for name, place in COUNTERS.items()})
    if standardised != (meta["scaled"] is not None):
        raise UnfitError(f"scaled {meta['scaled']} with scale {meta['options']['scale']!r}")
    if standardised:
        restore_statistics(learner, meta["scaled"], _moments(arrays, meta["features"]))
    if balanced:
        restore_class_counts(learner, class_weights.counts_of(arrays, len(meta["labels"])))
    if "recipe" in meta:
        learner.recipe = recipes.made(meta["recipe"])
    return learner


def _made(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Learner:
    """Return a new learner for the parameters and options in ``meta``.

    Check first that the file holds its weights. Otherwise a file that merely claims 2**30 of them
    could exhaust memory.
    """
    make = REGISTRY.get(meta["learner"])
    if make is None:
        raise UnfitError(f"an unknown learner {shortened(meta['learner'])}", "Upgrade driftline")
    options, features = dict(meta["options"]), meta["features"]
    members = meta["parameters"].get("learners")
    if isinstance(members, list) and COUNTER_BYTES * len(members) > sum(array.nbytes for array in arrays.values()):
        raise UnfitError(f"{len(members)} learners without their arrays")
    try:
        options["scale"] = scale = made(options["scale"])
        if CLASS_WEIGHT in options:
            options[CLASS_WEIGHT] = class_weights.made(options[CLASS_WEIGHT])
    except UnfitError:
        raise
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise UnfitError(f"wrong parameters ({error})") from None
    try:
        if "v" in arrays:
            width = scale.n if isinstance(scale, RandomFourier) else features
            of_shape(arrays, "v", str(options["dtype"]), (FIRST + width,))
    except ValueError as error:
        raise UnfitError(str(error)) from None
    try:
        hashing = None if options["hashing"] is None else Hashing(options["hashing"], keep_names="kept_names" in meta)
        expected = features if meta["vocabulary"] == HASHED else None
        if expected != (None if hashing is None else len(hashing)):
            raise ValueError(f"{features} features cannot be those of {hashing}")
        if meta["labels_declared"] and len(meta["labels"]) <= 2:  # others: see ``restore_labels``
            options["labels"] = tuple(meta["labels"])
        parameters = {name: made(value) for name, value in meta["parameters"].items()}
        learner = make(**parameters, **(options | {"hashing": hashing}))
    except UnfitError:
        raise
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise UnfitError(f"wrong parameters ({error})") from None
    lacking = LATER.get(meta["learner"], set()) - meta["parameters"].keys()
    check_keys("parameters", meta["parameters"], [name for name in learner.parameters if name not in lacking])
    return learner


def _restore_kept_names(learner: Learner, arrays: dict[str, np.ndarray], number: int) -> None:
    """Add the names of hashed features in their original order."""
    if restore_kept_names(learner, feature_names.from_arrays(arrays, number)) != number:
        raise UnfitError(f"{number} names of hashed features, which are too many")


def _restore_labels(learner: Learner, known: list[Any], declared: bool) -> None:
    """Add the labels in their original order."""
    try:
        met = restore_labels(learner, known, declared)
    except ValueError as error:
        raise UnfitError(f"wrong labels ({error})") from None
    if met != len(known):
        raise UnfitError(f"labels {shortened(known)}")


def _moments(arrays: dict[str, np.ndarray], features: int) -> np.ndarray:
    """The running statistics of this number of features."""
    try:
        moments = of_shape(arrays, "moments", "float64", (3, features))
    except ValueError as error:
        raise UnfitError(str(error)) from None
    if not np.isfinite(moments).all():
        raise UnfitError("moments that are not finite")
    return moments

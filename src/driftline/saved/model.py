"""Convert a learner to plain values and arrays, and back: ``save`` and ``load``.

A loaded learner has the same scores, counts and weights as the saved one, and continues learning
bit for bit. Labels and names are restored as plain str, int, float or bool of equal value.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from driftline.encode import Encoder, Hashing, Labels, Standard, Vocabulary
from driftline.encode.faults import shortened
from driftline.engines.engine import of_shape
from driftline.engines.multiclass.class_engine import ClassesEngine
from driftline.engines.state import FIRST
from driftline.learners import REGISTRY, Learner, Tracker
from driftline.rules import RandomFourier
from driftline.saved import feature_names
from driftline.saved.container import read, write
from driftline.saved.description import COLUMNS, COUNTERS, HASHED, NAMED, NAMES, UNDECIDED, check, check_keys
from driftline.saved.fault import ModelError, Place, UnfitError, loading
from driftline.saved.parameters import described, made
from driftline.saved.plain import Scalar, plain
from driftline.version import __version__

KIND = "model"


def save(learner: Learner, path: Place) -> None:
    """Write a learner to a file. If that fails, an existing file is left unchanged.

    Parameters
    ----------
    learner : Learner
        A learner of a class in ``driftline.REGISTRY``.
    path : str or os.PathLike
        The file to write; an existing one is replaced.
    """
    write(path, KIND, *state_of(learner))


def load(path: Place) -> Learner:
    """Read a saved learner from a file.

    Parameters
    ----------
    path : str or os.PathLike
        A file written by ``save``. Loading never executes code from it.

    Returns
    -------
    Learner
        A learner in the state in which it was saved.

    Raises
    ------
    ModelError
        If the file is missing, damaged, or not a saved learner.
    """
    meta, arrays = read(path, KIND)
    with loading(path, KIND):
        return learner_from(meta, arrays)


# from a learner -----------------------------------------------------------------------------------------------------
def state_of(learner: Learner) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return plain values and arrays. The arrays may share memory with the learner."""
    name = learner.kind.lower()
    if REGISTRY.get(name) is not type(learner):
        raise ModelError(
            f"save: a learner must be one of driftline.REGISTRY, got {type(learner).__name__}. Save one of these"
        )
    encoder, scaler, options = learner._encoder, learner._scaler, learner.options
    meta: dict[str, Any] = {
        "learner": name,
        "parameters": {name: described(value) for name, value in learner.parameters.items()},
        "options": {
            "bias": options["bias"],
            "scale": described(options["scale"]),
            "hashing": encoder.names.bits if isinstance(encoder.names, Hashing) else None,
            "dtype": str(options["dtype"]),
        },
        "labels": [_plain_label(label) for label in learner._labels.signs],
        "labels_declared": options["labels"] is not None,
        "vocabulary": _vocabulary(encoder),
        "features": encoder.features,
        "scaled": int(scaler.seen) if isinstance(scaler, Standard) else None,
        "counters": {name: int(learner._engine.state[place]) for name, place in COUNTERS.items()},
        "versions": {"driftline": __version__, "numpy": np.__version__, "numba": numba.__version__},
    }
    arrays = learner._engine.saved(learner._width)
    if isinstance(scaler, Standard):
        scaler.reserve(encoder.features)
        arrays["moments"] = scaler.moments[:, : encoder.features]
    if encoder.named:
        arrays |= feature_names.to_arrays(encoder.names.index)
    return meta, arrays


def _vocabulary(encoder: Encoder) -> str:
    if encoder.hashed:
        return HASHED
    if encoder.named is None:
        return UNDECIDED
    return NAMES if encoder.named else COLUMNS


def _plain_label(label: Any) -> Scalar:
    try:
        return plain(label)
    except TypeError:
        raise ModelError(
            f"save: a label must be a str, int, float or bool, got {shortened(label)}. Convert the labels"
        ) from None


# to a learner -------------------------------------------------------------------------------------------------------
def learner_from(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> Learner:
    """Return the learner that ``state_of`` described; raise UnfitError for invalid values."""
    check(meta)
    learner = _made(meta, arrays)
    features, scaler = meta["features"], learner._scaler
    others = ["moments"] if isinstance(scaler, Standard) else []
    others += feature_names.ARRAYS if meta["vocabulary"] == NAMES else []
    if not arrays.keys() >= set(others):
        raise UnfitError(f"arrays {shortened(sorted(arrays))} without {shortened(sorted(others))}")
    if isinstance(learner, Tracker) and not learner.rule.several and len(meta["labels"]) > 2:
        learner._to_several_classes()
    _restore_labels(learner._labels, meta["labels"])
    _restore_features(learner._encoder, meta, arrays)
    try:
        learner._engine.restore(learner._width, {name: array for name, array in arrays.items() if name not in others})
    except UnfitError:
        raise
    except ValueError as error:
        raise UnfitError(str(error)) from None
    engine = learner._engine
    if isinstance(engine, ClassesEngine) and engine.classes != len(meta["labels"]):
        raise UnfitError(f"{len(meta['labels'])} labels for {engine.classes} classes")
    for name, place in COUNTERS.items():
        learner._engine.state[place] = meta["counters"][name]
    if isinstance(scaler, Standard) != (meta["scaled"] is not None):
        raise UnfitError(f"scaled {meta['scaled']} with scale {meta['options']['scale']!r}")
    if isinstance(scaler, Standard):
        _restore_scaler(scaler, features, meta["scaled"], arrays)
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
    try:
        options["scale"] = scale = made(options["scale"])
    except UnfitError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise UnfitError(f"wrong parameters ({error})") from None
    try:
        if "v" in arrays:
            width = scale.n if isinstance(scale, RandomFourier) else features
            of_shape(arrays, "v", str(options["dtype"]), (FIRST + width,))
    except ValueError as error:
        raise UnfitError(str(error)) from None
    try:
        hashing = None if options["hashing"] is None else Hashing(options["hashing"])
        expected = features if meta["vocabulary"] == HASHED else None
        if expected != (None if hashing is None else len(hashing)):
            raise ValueError(f"{features} features cannot be those of {hashing}")
        if meta["labels_declared"]:
            options["labels"] = tuple(meta["labels"])
        parameters = {name: made(value) for name, value in meta["parameters"].items()}
        learner = make(**parameters, **(options | {"hashing": hashing}))
    except UnfitError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise UnfitError(f"wrong parameters ({error})") from None
    check_keys("parameters", meta["parameters"], list(learner.parameters))
    return learner


def _restore_labels(labels: Labels, known: list[Any]) -> None:
    """Add the labels in their original order."""
    try:
        for label in known:
            labels.sign(label)
    except ValueError as error:
        raise UnfitError(f"wrong labels ({error})") from None
    if len(labels.signs) != len(known):
        raise UnfitError(f"labels {shortened(known)}")


def _restore_features(encoder: Encoder, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    encoder.named = NAMED[meta["vocabulary"]]
    if isinstance(encoder.names, Vocabulary) and encoder.named:
        encoder.names.index = feature_names.from_arrays(arrays, meta["features"])
    elif encoder.named is False:
        encoder.width = meta["features"]


def _restore_scaler(scaler: Standard, features: int, seen: int, arrays: dict[str, np.ndarray]) -> None:
    try:
        moments = of_shape(arrays, "moments", "float64", (3, features))
    except ValueError as error:
        raise UnfitError(str(error)) from None
    if not np.isfinite(moments).all():
        raise UnfitError("moments that are not finite")
    scaler.reserve(features)
    scaler.moments[:, :features] = moments
    scaler.seen = float(seen)

"""Files of running counts: parameters, labels and names of features, and the counts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.encode import Hashing
from driftline.encode.encoder import WIDEST
from driftline.encode.faults import shortened
from driftline.encode.vocabulary import Vocabulary
from driftline.engines.array_checks import of_shape
from driftline.saved import feature_names
from driftline.saved.container import read, write
from driftline.saved.description import COLUMNS, HASHED, MOST, NAMES, UNDECIDED, check_keys
from driftline.saved.fault import ModelError, UnfitError, loading
from driftline.saved.plain import plain

if TYPE_CHECKING:
    from driftline.features.running_gain import RunningGain

KIND = "running gain"
TYPES: dict[str, tuple[type, ...]] = {
    "above": (float,),
    "forgetting": (float,),
    "pairs": (bool,),
    "hashing": (int, type(None)),
    "vocabulary": (str,),
    "features": (int,),
    "labels": (list,),
    "examples": (int,),
    "scale": (float,),
}


def save(gains: RunningGain, path: str | os.PathLike[str]) -> None:
    """Write running counts to a file."""
    encoder, labels = gains._inputs, []
    for label in gains.labels:
        try:
            labels.append(plain(label))
        except TypeError:
            raise ModelError(
                f"save: a label must be a str, int, float or bool, got {shortened(label)}. Convert the labels"
            ) from None
    classes, features = len(labels), encoder.features
    kind = HASHED if encoder.hashed else {None: UNDECIDED, True: NAMES, False: COLUMNS}[encoder.named]
    meta = {
        "above": gains.above,
        "forgetting": gains.forgetting,
        "pairs": gains.pairs,
        "hashing": None if gains.hashing is None else gains.hashing.bits,
        "vocabulary": kind,
        "features": features,
        "labels": labels,
        "examples": gains.examples,
        "scale": gains._scale,
    }
    together = gains._together[:classes, :features, :features]
    arrays = {"size": gains._size[:classes], "on": gains._on[:classes, :features], "together": together}
    if kind == NAMES:
        arrays |= feature_names.to_arrays(list(gains.features))
    write(path, KIND, meta, {name: np.ascontiguousarray(array) for name, array in arrays.items()})


def load(gains: RunningGain, path: str | os.PathLike[str]) -> None:
    """Fill a new object from a file; raise ModelError if the file is damaged or of another kind."""
    meta, arrays = read(path, KIND)
    with loading(path, KIND):
        _check(meta)
        kind, features, classes = meta["vocabulary"], meta["features"], len(meta["labels"])
        check_keys("arrays", arrays, ("size", "on", "together", *(feature_names.ARRAYS if kind == NAMES else ())))
        paired = (classes, features, features) if meta["pairs"] else (0, 0, 0)
        shapes = {"size": (classes,), "on": (classes, features), "together": paired}
        try:
            counts = {name: np.array(of_shape(arrays, name, "float64", shape)) for name, shape in shapes.items()}
            hashing = None if meta["hashing"] is None else Hashing(meta["hashing"])
            parameters: dict[str, Any] = {name: meta[name] for name in ("above", "forgetting", "pairs")}
            type(gains).__init__(gains, **parameters, hashing=hashing)
            for label in meta["labels"]:
                gains._classes.sign(label)
        except UnfitError:
            raise
        except ValueError as error:
            raise UnfitError(str(error)) from None
        if not all(np.isfinite(count).all() and (count >= 0.0).all() for count in counts.values()):
            raise UnfitError("counts that are negative or not finite")
        if len(gains.labels) != classes or (hashing is not None) != (kind == HASHED):
            raise UnfitError(f"labels {shortened(meta['labels'])} with vocabulary {kind}")
        if kind == NAMES and isinstance(gains._inputs.names, Vocabulary):
            gains._inputs.names.index = feature_names.from_arrays(arrays, features)
        gains._inputs.named = {NAMES: True, COLUMNS: False}.get(kind)
        gains._inputs.width = features if kind == COLUMNS else 0
        if gains._inputs.features != features:
            raise UnfitError(f"{features} features where {gains._inputs.features} were expected")
        gains.examples, gains._scale = meta["examples"], meta["scale"]
        gains._size, gains._on, gains._together = counts["size"], counts["on"], counts["together"]


def _check(meta: dict[str, Any]) -> None:
    """Raise UnfitError unless all keys are there, with values of the right type and range."""
    check_keys("content", meta, TYPES)
    for name, types in TYPES.items():
        if type(meta[name]) not in types:
            raise UnfitError(f"{name} {shortened(meta[name])}")
    fit = 0 <= meta["features"] <= WIDEST and 0 <= meta["examples"] <= MOST and 0.0 < meta["scale"] <= 1.0
    if not fit or meta["vocabulary"] not in (UNDECIDED, NAMES, COLUMNS, HASHED):
        raise UnfitError(f"content {shortened(meta)}")

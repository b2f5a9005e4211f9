"""Small models, and model files written by hand: any header and data, with the right checksum."""

from __future__ import annotations

import copy
import hashlib
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

import driftline as dl
from driftline.saved import model
from driftline.saved.plain import written

ROWS = [{"a": 1.0, "b": -2.0}, {"b": 1.0, 7: 0.5}, {"a": -1.0, "c": 3.0}, {True: 1.0}]
COLUMNS = np.array([[1.0, -2.0, 0.0], [0.0, 1.0, 0.5], [-1.0, 0.0, 3.0], [1.0, 1.0, 1.0]])
MAKE: dict[str, Callable[[], dl.Learner]] = {
    "names": lambda: dl.PA1(labels=("ham", "spam")),
    "columns, standard": lambda: dl.NORMA(scale="standard"),
    "compact": lambda: dl.L1PA(beta=3.0, when="margin"),
    "hashed, float32": lambda: dl.L2PA(sigma=0.01, hashing=dl.Hashing(2), dtype="float32"),
    "p-norm, unit": lambda: dl.PNormPerceptron(3.0, scale="unit", bias=False),
}


def rows_of(kind: str) -> Any:
    return COLUMNS if kind == "columns, standard" else ROWS


def learner_of(kind: str) -> dl.Learner:
    learner = MAKE[kind]()
    labels = learner.labels or (0, 1)
    learner.learn_many(rows_of(kind), [labels[1], labels[0], labels[1], labels[0]])
    return learner


START = b'{"__metadata__":{"format":"driftline","sha256":"'


def signed(header: bytes, data: bytes, length: int | None = None) -> bytes:
    """A file with this header, and its checksum at the place where it belongs."""
    size = struct.pack("<Q", len(header) if length is None else length)
    empty = START + b"0" * 64 + header[len(START) + 64 :]
    return size + START + hashlib.sha256(size + empty + data).hexdigest().encode() + empty[len(START) + 64 :] + data


def header_of(meta: dict[str, Any], arrays: dict[str, np.ndarray], **about: Any) -> tuple[dict[str, Any], bytes]:
    names = {"f8": "F64", "f4": "F32", "u8": "U64", "u4": "U32", "u1": "U8", "i8": "I64", "i4": "I32"}
    first = {"format": "driftline", "sha256": "0" * 64, "version": "1", "kind": "model", "content": written(meta)}
    table: dict[str, Any] = {"__metadata__": first | about}
    data = b""
    for name, array in arrays.items():
        place = [len(data), len(data) + array.nbytes]
        table[name] = {"dtype": names[array.dtype.str[1:]], "shape": list(array.shape), "data_offsets": place}
        data += array.tobytes()
    return table, data


def dumped(table: dict[str, Any]) -> bytes:
    return json.dumps(table, separators=(",", ":")).encode()


def parts_of(kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    meta, arrays = model.state_of(learner_of(kind))
    return copy.deepcopy(meta), {name: array.copy() for name, array in arrays.items()}

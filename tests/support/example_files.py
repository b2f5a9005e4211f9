"""The same random examples in every format and packing, and a stream as a list of them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from driftline.streams.files.source import Source
from tests.support.read_files import zstd

LINES = 300


class Example:
    """Features by column, a label and an importance, written to every kind of file."""

    def __init__(self, rng: np.random.Generator) -> None:
        size = int(rng.integers(1, 6))
        self.columns = sorted(rng.choice(40, size, replace=False).tolist())
        self.values = [round(v, 3) for v in rng.normal(size=size).tolist()]
        self.label = int(rng.choice((-1, 1)))
        self.weight = float(rng.choice((0.5, 1.0, 2.0)))

    @property
    def named(self) -> dict[str, float]:
        return {f"f{k}": v for k, v in zip(self.columns, self.values, strict=True)}


EXAMPLES = [Example(np.random.default_rng(k)) for k in range(LINES)]


def svmlight(examples: list[Example] = EXAMPLES) -> bytes:
    lines = [
        f"{e.label:+d} " + " ".join(f"{k}:{v}" for k, v in zip(e.columns, e.values, strict=True)) for e in examples
    ]
    return ("\n".join(lines) + "\n").encode()


def vw(examples: list[Example] = EXAMPLES) -> bytes:
    lines = [f"{e.label} {e.weight} | " + " ".join(f"{k}:{v}" for k, v in e.named.items()) for e in examples]
    return ("\n".join(lines) + "\n").encode()


def jsonl(examples: list[Example] = EXAMPLES) -> bytes:
    return b"".join(json.dumps({"y": e.label, **e.named}).encode() + b"\n" for e in examples)


def csv(examples: list[Example] = EXAMPLES) -> bytes:
    names = [f"f{k}" for k in range(40)]
    lines = [",".join(["y", *names])]
    lines += [",".join([str(e.label), *(str(e.named.get(name, "")) for name in names)]) for e in examples]
    return ("\n".join(lines) + "\n").encode()


def arff(examples: list[Example] = EXAMPLES) -> bytes:
    lines = ["@relation r", *(f"@attribute f{k} numeric" for k in range(40)), "@attribute class {-1, 1}", "@data"]
    for e in examples:
        cells = [f"{k} {v}" for k, v in zip(e.columns, e.values, strict=True)]
        lines.append("{" + ", ".join([*cells, f"40 {e.label}"]) + "}")
    return ("\n".join(lines) + "\n").encode()


def table(examples: list[Example] = EXAMPLES) -> pa.Table:
    columns: dict[str, Any] = {"y": [e.label for e in examples]}
    return pa.table(columns | {f"f{k}": pa.array([e.named.get(f"f{k}") for e in examples], "f8") for k in range(40)})


def parquet(examples: list[Example] = EXAMPLES) -> bytes:
    file = io.BytesIO()
    pq.write_table(table(examples), file, row_group_size=70)
    return file.getvalue()


def arrow(examples: list[Example] = EXAMPLES) -> bytes:
    file = io.BytesIO()
    whole = table(examples)
    with pa.ipc.new_stream(file, whole.schema) as writer:
        writer.write_table(whole, 90)
    return file.getvalue()


FILES: dict[str, tuple[Callable[[], bytes], dict[str, Any]]] = {
    "a.svm": (svmlight, {}),
    "a.vw": (vw, {}),
    "a.jsonl": (jsonl, {"target": "y"}),
    "a.csv": (csv, {"target": "y"}),
    "a.arff": (arff, {}),
    "a.parquet": (parquet, {"target": "y"}),
    "a.arrow": (arrow, {"target": "y"}),
}
TEXTS = ["a.svm", "a.vw", "a.jsonl", "a.csv", "a.arff"]


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._a", b"what some systems add")
        archive.writestr("inside", data)
    return file.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstd,
    ".zip": zipped,
}


def flat(stream: Any) -> list[tuple[dict[Any, float], Any, float, int]]:
    """Every example: features by name or column, label, importance, line; missing values left out."""
    found = []
    for X, y, *w in stream:
        weights = w[0].tolist() if w else [1.0] * len(X)
        labels = [None] * len(X) if y is None else y.tolist()
        for row in range(len(X)):
            one = X[row : row + 1]
            keys = [k if X.names is None else X.names[k] for k in one.indices.tolist()]
            features = dict(zip(keys, one.values.tolist(), strict=True))
            assert len(features) == len(keys)
            features = {key: value for key, value in features.items() if value == value}
            found.append((features, labels[row], weights[row], int(X.lines[row])))
    return found


def write(folder: Path, name: str, packing: str = "") -> Path:
    path = folder / (name + packing)
    path.write_bytes(PACKED[packing](FILES[name][0]()))
    return path


def small_pieces(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Read files this many bytes at a time."""
    chunks = Source.chunks
    monkeypatch.setattr(Source, "chunks", lambda self, _=0, **more: chunks(self, size, **more))
    monkeypatch.setattr("driftline.streams.files.formats.delimited.CHUNK", size)

"""A cache with right checksums and wrong content is not used: the file is parsed again."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.streams import FileStream, read
from driftline.streams.files import cache

TEXTS = {
    "svmlight": b"1 1:2 7:0.25\n-1 2:3\n1 7:1 3:2 5:1\n1 x\n",
    "vw": b"1 2 | a:1 b:2\n-1 1 | b c:3\n1 | d a\n",
    "csv": b"y,n,c\nspam,1,red\nham,2,blue\nspam,3,red\n",
}
Arrays = dict[str, np.ndarray]
Change = Callable[[dict[str, Any], Arrays], Any]


def stream_of(path: Path) -> FileStream:
    target = {"target": "y"} if path.suffix == ".csv" else {}
    return read(path, format=path.suffix[1:], cache=True, on_error="skip", threads=1, **target)


def content(stream: FileStream) -> list[Any]:
    found: list[Any] = []
    for X, y, *w in stream:
        arrays = [X.indptr, X.indices, X.values, X.lines, y, *w]
        found += [(X.width, X.names and X.names[: X.width], [array.tolist() for array in arrays])]
    return [*found, stream.reasons]


def crafted(path: Path, change: Change) -> None:
    """Change the first piece of the cache of a file, and make its checksums right."""
    cached = path.with_name(f"{path.name}.dlcache")
    data, at = np.fromfile(cached, np.uint8), len(cache.MAGIC)
    written = io.BytesIO()
    written.write(cache.MAGIC)
    for number in range(3):
        head, arrays, at = cache._record(data, at)
        arrays = {name: array.copy() for name, array in arrays.items()}
        if number == 1:
            change(head, arrays)
        del head["arrays"]
        cache._put(written, head, arrays)
    cached.write_bytes(written.getvalue())


def element(name: str, at: Any, value: float) -> Change:
    return lambda head, arrays: arrays[name].__setitem__(at, value)


CHANGES: dict[str, tuple[str, Change]] = {
    "an index of 2^31": ("svmlight", element("indices", 1, 2**31)),
    "an index beyond the width": ("svmlight", element("indices", 1, 8)),
    "a width below an index": ("svmlight", lambda head, arrays: head.update(width=7)),
    "a width that is no number": ("svmlight", lambda head, arrays: head.update(width="8")),
    "an index twice": ("svmlight", element("indices", 0, 7)),
    "an index twice, not in order": ("svmlight", element("indices", 3, 7)),
    "offsets that fall": ("svmlight", element("indptr", 1, 4)),
    "a huge offset": ("svmlight", element("indptr", 1, 2**63)),
    "an offset beyond the end": ("svmlight", element("indptr", -1, 7)),
    "a first offset": ("svmlight", element("indptr", 0, 1)),
    "fewer offsets": ("svmlight", lambda head, arrays: arrays.update(indptr=arrays["indptr"][:-1])),
    "fewer values": ("svmlight", lambda head, arrays: arrays.update(values=arrays["values"][:-1])),
    "indices of 64 bits": ("svmlight", lambda head, arrays: arrays.update(indices=arrays["indices"].astype("u8"))),
    "NaN": ("svmlight", element("values", 0, np.nan)),
    "an infinite value": ("svmlight", element("values", 2, -np.inf)),
    "lines that fall": ("svmlight", element("lines", 1, 0)),
    "fewer labels": ("svmlight", lambda head, arrays: arrays.update(y=arrays["y"][:-1])),
    "no array": ("svmlight", lambda head, arrays: arrays.pop("lines")),
    "a table that is not there": ("svmlight", lambda head, arrays: head.update(table=1)),
    "a negative table": ("vw", lambda head, arrays: head.update(table=-1)),
    "faults of another kind": ("svmlight", lambda head, arrays: head.update(faults=[{"source": 1}])),
    "a fault without a line": ("svmlight", lambda head, arrays: head["faults"][0].pop("line")),
    "a fault of another type": ("svmlight", lambda head, arrays: head["faults"][0].update(must=3)),
    "no faults": ("svmlight", lambda head, arrays: head.pop("faults")),
    "a name twice": ("vw", element("names", 0, ord("b"))),
    "a name that is no text": ("vw", element("names", 0, 255)),
    "ends of names that fall": ("vw", element("names end", 0, 3)),
    "names beyond the end": ("vw", element("names end", -1, 2**40)),
    "a negative weight": ("vw", element("w", 0, -1.0)),
    "an infinite weight": ("vw", element("w", 0, np.inf)),
    "a code of no label": ("csv", element("codes", 0, 2)),
    "a negative code": ("csv", element("codes", 0, -1)),
    "no findings": ("csv", lambda head, arrays: head.pop("findings")),
    "an unknown kind": ("csv", lambda head, arrays: head["findings"]["kinds"].update(y="colour")),
    "kinds that are a list": ("csv", lambda head, arrays: head["findings"].update(kinds=["y"])),
    "a target that is a number": ("csv", lambda head, arrays: head["findings"].update(target=1)),
    "notes that are numbers": ("csv", lambda head, arrays: head["findings"].update(notes=[1])),
    "a negative number of missing cells": ("csv", lambda head, arrays: head["findings"]["missing"].update(n=-1)),
    "a fraction of a row without a label": ("csv", lambda head, arrays: head["findings"].update(unlabelled=0.5)),
    "bad cells of another kind": ("csv", lambda head, arrays: head["findings"].update(bad_cells=[1])),
    "labels of another kind": ("csv", lambda head, arrays: head.update(labels=[[]])),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_wrong_content_is_parsed_again(name: str, tmp_path: Path) -> None:
    kind, change = CHANGES[name]
    path = tmp_path / f"a.{kind}"
    path.write_bytes(TEXTS[kind])
    fresh = content(stream_of(path))
    good = path.with_name(f"{path.name}.dlcache").read_bytes()
    crafted(path, lambda head, arrays: None)
    assert path.with_name(f"{path.name}.dlcache").read_bytes() == good
    crafted(path, change)
    assert path.with_name(f"{path.name}.dlcache").read_bytes() != good
    assert content(stream_of(path)) == fresh
    assert path.with_name(f"{path.name}.dlcache").read_bytes() == good
    crafted(path, change)
    dl.run(dl.PA1(), stream_of(path))


@pytest.mark.parametrize(
    "head",
    [b"{", b"[]", b'{"arrays":[]}', b'{"arrays":{"y":["float64"]}}', b'{"arrays":{"y":["float64",-1]}}',
     b'{"arrays":{"y":["float64",1.5]}}', b'{"arrays":{"y":["object",1]}}', b'{"arrays":{"y":["uint8",10000]}}',
     b'{"arrays":{"y":[["uint8"],1]}}', b"[" * 100_000, b"\xff", b'{"arrays":{}}'],
)  # fmt: skip
def test_wrong_heads_are_parsed_again(head: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.svmlight"
    path.write_bytes(TEXTS["svmlight"])
    fresh = content(stream_of(path))
    cached = path.with_name(f"{path.name}.dlcache")
    data = np.fromfile(cached, np.uint8)
    _, _, first = cache._record(data, len(cache.MAGIC))
    text = cache._padded(head, b" ")
    sums = [cache.fingerprint(np.frombuffer(part, np.uint8)) for part in (text, b"")]
    lengths = cache._padded(np.array([len(text), 0, *sums], np.uint64).tobytes())
    cached.write_bytes(data[:first].tobytes() + lengths + text)
    assert content(stream_of(path)) == fresh

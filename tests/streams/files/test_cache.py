"""The cache of a parsed file: the same blocks as a fresh parse, also after damage and changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.streams import FileStream, ReadError, read
from driftline.streams.files import cache as cache_file
from driftline.streams.files.formats import choose
from driftline.streams.files.source import Source

VW = b"".join(
    b"%d %s| a:%d w%d \xc3\xa9:0.5 bad\n" % (1 - 2 * (k % 2), b"2 " if k % 3 else b"", k, k) for k in range(60)
)
FILES: dict[str, tuple[bytes, dict[str, Any]]] = {
    "weights and names": (VW + b"1 | x:y\nno bar\n", {"format": "vw"}),
    "whole labels, columns": (b"1 1:2 7:0.25\n-1 2:3\n1\nwrong\n", {"format": "svmlight"}),
    "labels that are numbers": (
        b"0.5 1:2\n1.5 2:3\n0.5 3:1e-300\n2:1\n",
        {"format": "svmlight", "task": "classification"},
    ),
    "missing cells": (b"y,n,c\n1,,red\n,2,NA\n0,1,blue\n0,x,red\n1,3,red\n", {"format": "csv", "target": "y"}),
    "some labels": (b"y,n\n1,2\n,3\n", {"format": "csv", "target": "y", "labelled": False}),
    "labels that are texts": (b"y,n,c\nspam,1,red\nham,2,blue\nspam,x,red\n,1,red\n", {"format": "csv", "target": "y"}),
    "no labels": (b'{"n": 1}\n{"n": 2, "c": "\xf0\x9f\x98\x80"}\nx\n', {"format": "jsonl", "labelled": False}),
    "faults alone": (b"wrong\n1 1:x\n", {"format": "svmlight"}),
}


def valid(stream: FileStream) -> Iterator[Any]:
    """The blocks of a stream, which may have faults alone."""
    try:
        yield from stream
    except ReadError as error:
        if "must have at least one valid example, got none of 2." not in str(error):
            raise


def blocks(stream: FileStream) -> list[Any]:
    """All that a stream hands out, and what it left out; tables of names by their number."""
    tables: list[list[str]] = []
    found: list[Any] = []
    for X, y, *w in valid(stream):
        if X.names is not None and all(X.names is not one for one in tables):
            tables.append(X.names)
        table = None if X.names is None else next(k for k, one in enumerate(tables) if one is X.names)
        names = None if X.names is None else X.names[: X.width]
        arrays = [X.indptr, X.indices, X.values, X.lines, *w]
        labels = None if y is None else (y.dtype, y.tolist())
        found.append((table, names, X.width, X.source, labels, [(a.dtype, a.tobytes()) for a in arrays]))
    told = stream.unlabelled, stream.missing, stream.notes, stream.bad_cells, stream.recipe
    return [*found, stream.skipped, stream.reasons, told]


class Parses:
    """Counts how often files are parsed, some bytes at a time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, size: int = 200) -> None:
        self.count = 0
        chunks = Source.chunks
        parse = choose.pieces_of

        def counted(*given: Any) -> Any:
            self.count += 1
            return parse(*given)

        monkeypatch.setattr("driftline.streams.files.stream.pieces_of", counted)
        monkeypatch.setattr("driftline.streams.files.stream.SAMPLE", 1)
        monkeypatch.setattr(Source, "chunks", lambda self, _=0, **more: chunks(self, size, **more))


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> Parses:
    return Parses(monkeypatch)


def cache_of(path: Path) -> Path:
    return path.with_name(path.name + ".dlcache")


def stream_of(path: Path, **options: Any) -> FileStream:
    return read(path, on_error="skip", cache=True, **{"threads": 1} | options)


@pytest.mark.parametrize("kind", FILES)
def test_a_second_pass_hands_out_the_same(tmp_path: Path, parses: Parses, kind: str) -> None:
    data, options = FILES[kind]
    path = tmp_path / "file"
    path.write_bytes(data)
    fresh = blocks(read(path, on_error="skip", threads=1, **options))
    stream = stream_of(path, **options)
    for _ in range(3):
        assert blocks(stream) == fresh
    assert blocks(stream_of(path, **options)) == fresh
    assert parses.count == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "file.dlcache"]


def test_the_first_fault_stops_a_second_pass_too(tmp_path: Path, parses: Parses) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes(b"1 1:2\n-1 2:3\n1 1:x\n1 2:2\n")
    blocks(stream_of(path))
    with pytest.raises(ReadError, match=r"a\.svm, line 3, column 3: a value must be a number, got '1:x'"):
        blocks(read(path, cache=True))
    assert parses.count == 1


@pytest.mark.parametrize("learner", [dl.PA1, dl.L1PA, dl.NORMA])
def test_learning_from_it_leaves_the_same_bits(tmp_path: Path, parses: Parses, learner: type[dl.Learner]) -> None:
    path = tmp_path / "a.vw"
    path.write_bytes(VW)
    models = []
    for k in range(3):
        made = learner(scale="standard")
        dl.run(made, read(path, cache=k > 0))
        made.save(tmp_path / "model.dl")
        models.append((tmp_path / "model.dl").read_bytes())
    assert models[0] == models[1] == models[2]


# what it is good for --------------------------------------------------------------------------------------------------
def test_it_is_good_for_this_file_and_these_options_alone(tmp_path: Path, parses: Parses) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y,n,c\n0,1,red\n1,2,blue\n")
    options: dict[str, Any] = {"target": "y"}
    due = blocks(stream_of(path, **options))
    touched = path.stat().st_mtime_ns

    def changed(write: Callable[[], Any], **other: Any) -> None:
        before = parses.count
        write()
        fresh = blocks(read(path, on_error="skip", **options | other))
        assert blocks(stream_of(path, **options | other)) == fresh
        assert parses.count == before + 2  # by the fresh one and by the one whose cache was not good

    changed(lambda: path.write_bytes(b"y,n,c\n0,1,red\n1,2,blue\n1,2,red\n"))  # size
    changed(lambda: path.write_bytes(b"y,n,c\n0,1,red\n1,2,cyan\n"))
    changed(lambda: os.utime(path, ns=(touched, touched + 1)))  # time
    changed(lambda: None, drop=["c"])
    changed(lambda: None, text="c")
    changed(lambda: None, target="n")
    changed(lambda: None, labelled=False)
    changed(lambda: None)
    before = parses.count
    blocks(stream_of(path, **options, threads=3))
    blocks(stream_of(path, **options, positive="1"))  # which is made of the labels afterwards
    assert parses.count == before
    assert due[0][3] == str(path)


def test_a_pipe_has_none() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"1 1:2\n-1 1:1\n")
    os.close(write_end)
    with os.fdopen(read_end, "rb") as file, pytest.raises(ReadError, match="must be a file on disk to have a cache"):
        blocks(read(file, cache=True))


# damage ---------------------------------------------------------------------------------------------------------------
SMALL = b"1 1:2\n1 1:x\n-1 2:3\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A file with a cache of two pieces."""
    path = tmp_path / "a.svm"
    path.write_bytes(SMALL)
    assert len(blocks(stream_of(path))) == 5
    return path


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Parses:
    return Parses(monkeypatch, 12)


def damages(data: bytes) -> Iterator[bytes]:
    """Each byte another one, in different bits; every length; more than there was; and other things."""
    for k in range(len(data)):
        yield data[:k] + bytes([data[k] ^ (1 << k % 8)]) + data[k + 1 :]
        yield data[:k]
    yield data + b"\0" * 64
    yield data + data
    yield data[:64] + data
    yield b"\0" * len(data)
    yield np.random.default_rng(0).bytes(len(data))
    yield data.replace(b"driftline cache 1", b"driftline cache 2")


def test_every_damage_is_noticed_and_repaired(tiny: Parses, small: Path) -> None:
    fresh = blocks(read(small, on_error="skip"))
    good = cache_of(small).read_bytes()
    count = 0
    for data in damages(good):
        count += 1
        cache_of(small).write_bytes(data)
        tiny.count = 0
        assert blocks(stream_of(small)) == fresh
        assert tiny.count == 1
        assert cache_of(small).read_bytes() == good
    assert count > 2 * len(good)
    tiny.count = 0
    assert blocks(stream_of(small)) == fresh and tiny.count == 0


def test_damage_in_names_and_weights(tmp_path: Path, parses: Parses) -> None:
    """Of a cache with everything in it every 37th byte, since it is larger."""
    path = tmp_path / "a.vw"
    path.write_bytes(FILES["weights and names"][0])
    fresh = blocks(stream_of(path))
    good = cache_of(path).read_bytes()
    for k in range(0, len(good), 37):
        cache_of(path).write_bytes(good[:k] + bytes([good[k] ^ 0x10]) + good[k + 1 :])
        found = blocks(stream_of(path))
        for part in (1, 4, 5):
            assert [one[part] for one in found[:-3]] == [one[part] for one in fresh[:-3]]
        assert found[-3:] == fresh[-3:]


def test_damage_in_a_later_piece_after_earlier_ones_were_handed_out(tmp_path: Path, parses: Parses) -> None:
    path = tmp_path / "a.vw"
    path.write_bytes(VW)
    due, learner = dl.PA1(), dl.PA1()
    dl.run(due, read(path, cache=True))
    data = cache_of(path).read_bytes()
    at = len(data) * 3 // 4
    stream = iter(read(path, cache=True))
    X, y, w = next(stream)
    learner.learn_many(X, y, w)
    # in place, so that the stream reads this one
    cache_of(path).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    parses.count = 0
    for X, y, *w in stream:
        learner.learn_many(X, y, *w)
    assert parses.count == 1
    assert learner.weights() == due.weights() and learner.n_seen == 60
    assert cache_of(path).read_bytes() == data


# writing --------------------------------------------------------------------------------------------------------------
def test_a_pass_that_stops_leaves_no_cache(tmp_path: Path, parses: Parses) -> None:
    path = tmp_path / "a.vw"
    path.write_bytes(VW + b"no bar\n")
    with pytest.raises(ReadError, match="line 61"):
        blocks(read(path, cache=True))
    stream = iter(stream_of(path))
    next(stream)
    assert len(list(tmp_path.iterdir())) == 2
    stream.close()  # type: ignore[attr-defined]
    assert [p.name for p in tmp_path.iterdir()] == ["a.vw"]


KILLED = """
import os, signal, sys
from driftline.streams.files.source import Source
chunks = Source.chunks
Source.chunks = lambda self, _=0, **more: chunks(self, 200, **more)
from driftline.streams import read
from driftline.streams.files import stream as file_stream
file_stream.SAMPLE = 1
stream = iter(read(sys.argv[1], cache=True))
for _ in range(int(sys.argv[2])):
    next(stream)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_nothing_that_is_trusted(tmp_path: Path, parses: Parses) -> None:
    path = tmp_path / "a.vw"
    path.write_bytes(VW)
    fresh = blocks(read(path, threads=1))
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), "3"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not cache_of(path).exists() and len(list(tmp_path.iterdir())) == 2
    parses.count = 0
    assert blocks(stream_of(path)) == fresh and parses.count == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes(SMALL)
    cache_of(path).mkdir()  # so that the cache cannot take its name
    with pytest.raises(ReadError, match=r"a\.svm\.dlcache: a cache must be written next to its file, got .+ --cache$"):
        blocks(stream_of(path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.svm", "a.svm.dlcache"]
    cache_of(path).rmdir()

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReadError, match=r"a cache must be written next to its file, got Permission denied\. Leave out"):
        blocks(stream_of(path, format="svmlight"))


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes(SMALL)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_file, "_put", full)
    with pytest.raises(ReadError, match="a cache must be written next to its file, got No space left on device"):
        blocks(stream_of(path))
    assert [p.name for p in tmp_path.iterdir()] == ["a.svm"]

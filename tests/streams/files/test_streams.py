"""Files as streams: the same examples for every format and packing, learned to the same bits."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import driftline as dl
from driftline.internals.rows import FileRows
from driftline.streams import ReadError, read
from driftline.streams.files import pieces
from driftline.streams.files import source as source_file
from driftline.streams.files.formats import vw as vw_file
from driftline.streams.files.scan import feature_names as names_file
from driftline.streams.files.source import Chunk, Source
from tests.support.bitwise import REGISTRY, assert_same, snapshot
from tests.support.example_files import (
    EXAMPLES,
    FILES,
    LINES,
    PACKED,
    TEXTS,
    Example,
    flat,
    jsonl,
    small_pieces,
    svmlight,
    write,
    zipped,
)

# feasible for every rule, whatever comes
EASY: dict[str, dict[str, Any]] = {"l2pa": {"infeasible": "best"}, "l1pa": {"infeasible": "best"}}


def make(name: str, **options: Any) -> dl.Learner:
    return dl.REGISTRY[name](**EASY.get(name, {}), **options)


# the same examples however --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", FILES)
def test_a_file_has_the_examples_that_were_written(tmp_path: Path, name: str) -> None:
    found = flat(read(write(tmp_path, name), **FILES[name][1]))
    columns = name == "a.svm"
    assert [f for f, *_ in found] == [
        dict(zip(e.columns, e.values, strict=True)) if columns else e.named for e in EXAMPLES
    ]
    assert [y for _, y, *_ in found] == [e.label for e in EXAMPLES]
    assert [w for *_, w, _ in found] == [e.weight if name == "a.vw" else 1.0 for e in EXAMPLES]
    first = {"a.csv": 2, "a.arff": 44}.get(name, 1)
    assert [line for *_, line in found] == list(range(first, first + LINES))


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("name", FILES)
def test_compression_changes_nothing(tmp_path: Path, name: str, packing: str) -> None:
    options = FILES[name][1]
    path = write(tmp_path, name, packing)
    plain = flat(read(io.BytesIO(FILES[name][0]()), format=read(path, **options).format, **options))
    assert flat(read(path, **options)) == plain
    with path.open("rb") as file:
        assert flat(read(file, **options)) == plain


CUTS = [
    (name, size, threads)
    for name in TEXTS
    for size in (60, 1000, 1 << 20)
    for threads in ((1, 2, 3) if name in ("a.svm", "a.vw") else (2,))  # the others have one thread
]


@pytest.mark.parametrize(("name", "size", "threads"), CUTS)
def test_threads_and_pieces_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int, threads: int
) -> None:
    path, options = write(tmp_path, name), FILES[name][1]
    whole = flat(read(path, **options, threads=1))
    small_pieces(monkeypatch, size)
    stream = read(path, **options, threads=threads)
    if size < 1 << 20:
        assert sum(1 for _ in stream) > 5  # there are pieces
    assert flat(stream) == whole
    before, after = make("romma"), make("romma")
    dl.run(before, stream)
    monkeypatch.undo()
    dl.run(after, read(path, **options))
    assert before.weights() == after.weights()
    assert_same(snapshot(before), snapshot(after))


def test_a_pattern_is_one_stream_in_the_order_of_names(tmp_path: Path) -> None:
    for k in (2, 0, 1):
        (tmp_path / f"day-{k}.svm").write_bytes(svmlight(EXAMPLES[100 * k : 100 * k + 100]))
    whole = flat(read(io.BytesIO(svmlight()), format="svmlight"))
    found = flat(read(str(tmp_path / "day-*.svm")))
    assert [one[:3] for one in found] == [one[:3] for one in whole]
    assert [one[3] for one in found] == [*range(1, 101)] * 3
    two = read(tmp_path / "day-1.svm", tmp_path / "day-0.svm")
    assert [one[:2] for one in flat(two)] == [one[:2] for one in [*whole[100:200], *whole[:100]]]
    assert two.name == f"{tmp_path}/day-1.svm and 1 more"


def test_a_file_with_a_name_like_a_pattern(tmp_path: Path) -> None:
    path = tmp_path / "a[1].svm"
    path.write_bytes(svmlight())
    assert len(flat(read(str(path)))) == LINES


def test_stdin_and_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    due = flat(read(io.BytesIO(svmlight()), format="svmlight"))
    for given in ("-", "/dev/stdin"):
        for data in (svmlight(), gzip.compress(svmlight())):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            stream = read(given)
            assert stream.name == "stdin" and stream.format == "svmlight"
            assert flat(stream) == due
    ends = os.pipe()
    writer = threading.Thread(target=lambda: (os.write(ends[1], svmlight()), os.close(ends[1])))
    writer.start()
    with os.fdopen(ends[0], "rb") as file:
        assert flat(read(file)) == due
    writer.join()


class Trickle(io.RawIOBase):
    """A file that gives a few bytes at a time, and has ``read`` alone."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self.data.read(min(7, size))

    def seekable(self) -> bool:
        return False


class Bare:
    def __init__(self, data: bytes) -> None:
        self.read = Trickle(data).read
        self.seekable = lambda: False


@pytest.mark.parametrize("packing", [p for p in PACKED if p != ".zip"])
def test_a_file_object_may_give_little_at_a_time(packing: str) -> None:
    file: Any = Bare(PACKED[packing](svmlight()))
    assert flat(read(file)) == flat(read(io.BytesIO(svmlight())))


def test_what_is_no_binary_file() -> None:
    must = "read: a source must be a path, a binary file, a frame or a list of dicts"
    for given in (io.StringIO("1 1:1"), 7, None, ["a.svm"], [{"a": 1}, 3]):
        with pytest.raises(ReadError, match=rf"{must}, got .+ Pass a path"):
            read(given)  # type: ignore[arg-type]


def test_a_zip_in_a_pipe_or_of_two_files(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="a zip archive must be a file on disk, got a pipe"):
        read(Bare(zipped(svmlight())))  # type: ignore[arg-type]
    path = tmp_path / "two.svm.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", svmlight())
        archive.writestr("b", svmlight())
    with pytest.raises(ReadError, match="must hold one file, got 2"):
        flat(read(path))


# lines and pieces -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", range(3, 14))
@pytest.mark.parametrize(
    "data", [b"", b"\n", b"a", b"a\n", b"ab\ncd", b"\n\nabc\n\n", b"\xef\xbb\xbfa\nb\n", b"abcdefghij\nk"]
)
def test_chunks_are_whole_lines(data: bytes, size: int) -> None:
    chunks = [c for c in Source(io.BytesIO(data)).chunks(size) if isinstance(c, Chunk)]
    text = data.removeprefix(b"\xef\xbb\xbf")
    assert b"".join(c.data.tobytes() for c in chunks) == text
    for chunk in chunks:
        assert chunk is chunks[-1] or chunk.data[-1] == ord("\n")


@pytest.mark.parametrize("reused", [1, 2, 5])
@pytest.mark.parametrize("size", [8, 30, 100])
def test_chunks_are_overwritten_no_sooner_than_is_said(monkeypatch: pytest.MonkeyPatch, size: int, reused: int) -> None:
    monkeypatch.setattr(source_file, "LONGEST_LINE", 60)
    data = (b"ab\ncd\n" + 40 * b"x" + b"\nef\n" + 1000 * b"y" + b"\ngh\n" + 25 * b"z" + b"\n") * 5
    handed: list[tuple[np.ndarray, bytes]] = []
    for one in Source(io.BytesIO(data)).chunks(size, reused):
        memory = one.data if isinstance(one, Chunk) else np.empty(0, np.uint8)
        handed.append((memory, memory.tobytes()))
        for before, text in handed[-reused:]:
            assert before.tobytes() == text
    assert b"".join(text for _, text in handed) == data.replace(1000 * b"y" + b"\n", b"")


@pytest.mark.parametrize("kind", ["svmlight", "vw"])
@pytest.mark.parametrize("threads", [2, 3])
def test_whoever_parses_a_piece_rows_and_names_are_the_same(
    monkeypatch: pytest.MonkeyPatch, kind: str, threads: int
) -> None:
    rng = np.random.default_rng(threads)
    bar = "| " if kind == "vw" else ""
    numbers = np.minimum(rng.zipf(1.4, (400, 12)), 300)
    text = "".join(f"1 {bar}" + " ".join(f"{k}:1" for k in sorted(set(row))) + "\n" for row in numbers.tolist())
    data = text.replace("\n", "\nbad\n", 40).encode()
    options: dict[str, Any] = {"format": kind, "on_error": "skip"}

    def blocks(count: int) -> list[tuple[Any, ...]]:
        stream = read(io.BytesIO(data), **options, threads=count)
        found = []
        for rows, _ in stream:
            names = None if rows.names is None else rows.names[: int(rows.indices.max()) + 1]
            found.append((rows.indices.tolist(), names, rows.lines.tolist()))
        return [*found, stream.faults.count, stream.reasons]

    small_pieces(monkeypatch, 600)
    alone = blocks(1)
    parse, here = pieces._parsed, []

    def hindered(parser: Any, chunk: Any) -> Any:
        main = threading.current_thread() is threading.main_thread()
        here.append(main)
        if not main:
            threading.Event().wait(0.002)
        return parse(parser, chunk)

    monkeypatch.setattr(pieces, "_parsed", hindered)
    assert blocks(threads) == alone
    assert 0 < sum(here) < len(here)


@pytest.mark.parametrize("tail", [b"", b"\n", b"\n1 2:3", b"\n1 2:3\n"])
@pytest.mark.parametrize("size", [7, 16, 64, 1000])
def test_a_line_that_is_far_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch, size: int, tail: bytes) -> None:
    monkeypatch.setattr(source_file, "LONGEST_LINE", 40)
    small_pieces(monkeypatch, size)
    long = b"1 " + b" ".join(b"%d:1" % k for k in range(3000))
    stream = read(io.BytesIO(b"1 1:1\n-1 1:2\n" + long + tail), format="svmlight", on_error="skip")
    lines = [line for *_, line in flat(stream)]
    assert lines == [1, 2, 4] if b"2:3" in tail else lines == [1, 2]
    assert stream.skipped == 1
    assert stream.reasons[0].startswith("file object, line 3: a line must have at most 40 bytes, got ")


def test_lines_up_to_the_limit_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_file, "LONGEST_LINE", 400)
    small_pieces(monkeypatch, 10)
    line = b"1 " + b" ".join(b"%d:1" % k for k in range(60))
    assert len(line) < 400
    assert [len(f) for f, *_ in flat(read(io.BytesIO(line + b"\n" + line), format="svmlight"))] == [60, 60]


# the same bits as the same data in memory -----------------------------------------------------------------------------
def matrix(examples: list[Example] = EXAMPLES) -> csr_array:
    width = 1 + max(k for e in examples for k in e.columns)
    indptr = np.cumsum([0, *(len(e.columns) for e in examples)])
    columns = [k for e in examples for k in e.columns]
    return csr_array(([v for e in examples for v in e.values], columns, indptr), shape=(len(examples), width))


@pytest.mark.parametrize("options", [{}, {"scale": "unit"}, {"scale": "standard"}, {"hashing": dl.Hashing(4)}], ids=str)
@pytest.mark.parametrize("name", REGISTRY)
def test_svmlight_is_learned_as_the_same_csr_matrix(name: str, options: dict[str, Any]) -> None:
    from_file, in_memory = make(name, **options), make(name, **options)
    for X, y in read(io.BytesIO(svmlight()), format="svmlight"):
        scores = from_file.learn_many(X, y)
    due = in_memory.learn_many(matrix(), [e.label for e in EXAMPLES])
    assert np.array_equal(scores, due)
    assert_same(snapshot(in_memory), snapshot(from_file))


@pytest.mark.parametrize("options", [{}, {"scale": "standard"}, {"hashing": dl.Hashing(4)}], ids=str)
@pytest.mark.parametrize("file", ["a.vw", "a.jsonl", "a.csv"])
@pytest.mark.parametrize("name", REGISTRY)
def test_names_are_learned_as_the_same_dicts(name: str, file: str, options: dict[str, Any]) -> None:
    from_file, in_memory = make(name, **options), make(name, **options)
    dl.run(from_file, read(io.BytesIO(FILES[file][0]()), format=file[2:], **FILES[file][1]))
    weights = [e.weight for e in EXAMPLES] if file == "a.vw" else None
    in_memory.learn_many([e.named for e in EXAMPLES], [e.label for e in EXAMPLES], weights)
    assert from_file.weights() == in_memory.weights()
    for counter in ("n_seen", "mistakes", "label_errors", "margin_errors", "updates", "infeasible", "n_features"):
        assert getattr(from_file, counter) == getattr(in_memory, counter)
    if file != "a.csv":  # whose names are numbered column by column
        assert_same(snapshot(in_memory), snapshot(from_file))


def test_importances_count(tmp_path: Path) -> None:
    with_weights, without = make("pa1", C=0.1), make("pa1", C=0.1)
    dl.run(with_weights, read(write(tmp_path, "a.vw")))
    without.learn_many([e.named for e in EXAMPLES], [e.label for e in EXAMPLES])
    assert with_weights.weights() != without.weights()


def test_blocks_with_weights_are_learned_as_learn_many_does() -> None:
    X, y, w = matrix(), np.array([e.label for e in EXAMPLES]), np.array([e.weight for e in EXAMPLES])
    blocks = [(X[a : a + 70], y[a : a + 70], w[a : a + 70]) for a in range(0, LINES, 70)]
    by_run, at_once = make("pa1", C=0.1), make("pa1", C=0.1)
    done = dl.run(by_run, blocks, history=True)
    at_once.learn_many(X, y, w)
    assert done.examples == LINES
    assert_same(snapshot(at_once), snapshot(by_run))


# names beyond their bound, names unknown ------------------------------------------------------------------------------
@pytest.mark.parametrize("hashing", [None, dl.Hashing(6)])
@pytest.mark.parametrize("name", ["a.vw", "a.jsonl"])
def test_a_table_of_names_that_is_full_is_begun_anew(
    monkeypatch: pytest.MonkeyPatch, name: str, hashing: dl.Hashing | None
) -> None:
    monkeypatch.setattr(vw_file, "MOST_NAMES", 10)
    monkeypatch.setattr(names_file, "MOST_NAMES", 10)
    small_pieces(monkeypatch, 200)
    stream = read(io.BytesIO(FILES[name][0]()), format=name[2:], **FILES[name][1])
    bounded, due = make("romma", hashing=hashing), make("romma", hashing=hashing)
    tables: list[list[str]] = []
    for X, y, *w in stream:
        tables += [X.names] if all(X.names is not one for one in tables) else []
        bounded.learn_many(X, y, *w)
    assert len(tables) > 10  # more than a lookup remembers
    weights = [e.weight for e in EXAMPLES] if name == "a.vw" else None
    due.learn_many([e.named for e in EXAMPLES], [e.label for e in EXAMPLES], weights)
    assert_same(snapshot(due), snapshot(bounded))


@pytest.mark.parametrize("options", [{}, {"scale": "unit"}, {"scale": "standard"}, {"hashing": dl.Hashing(5)}], ids=str)
def test_names_that_nothing_was_learned_of(options: dict[str, Any]) -> None:
    learner = make("pa1", **options)
    learner.learn_many([e.named for e in EXAMPLES[:40]], [e.label for e in EXAMPLES[:40]])
    new = [{**e.named, f"new{k}": 2.0, "newer": 1.0} for k, e in enumerate(EXAMPLES)]
    data = b"".join(json.dumps(x).encode() + b"\n" for x in new)
    before = snapshot(learner)
    stream = read(io.BytesIO(data), format="jsonl", labelled=False)
    scores = np.concatenate([learner.score_many(X) for X, *_ in stream])
    np.testing.assert_allclose(scores, learner.score_many(new), rtol=1e-13, atol=1e-13)
    assert_same(before, snapshot(learner))


def test_scoring_and_learning_by_turns() -> None:
    """A name that was unknown while a block was scored is known once it was learned, whichever block it is of."""
    by_turns, due = make("pa1"), make("pa1")
    stream = read(io.BytesIO(jsonl()), format="jsonl", target="y")
    (X, y), *_ = stream
    for start in range(0, LINES, 20):
        some = EXAMPLES[start : start + 20]
        ahead = X[start : start + 60]
        assert np.array_equal(
            by_turns.score_many(ahead), due.score_many([e.named for e in EXAMPLES[start : start + 60]])
        )
        part = replace(X[start : start + 20], width=1 + int(X[: start + 20].indices.max()))
        by_turns.learn_many(part, y[start : start + 20])
        due.learn_many([e.named for e in some], [e.label for e in some])
    assert by_turns.weights() == due.weights()


def test_slices_of_rows(tmp_path: Path) -> None:
    ((X, y, w),) = read(write(tmp_path, "a.vw"))
    whole = flat([(X, y, w)])
    for part in (slice(0, 0), slice(5, 5), slice(3, 9), slice(290, 400), slice(None), slice(-4, None)):
        assert flat([(X[part], y[part], w[part])]) == whole[part]
        assert isinstance(X[part], FileRows) and X[part].shape == (len(whole[part]), X.width)


# rows that a learner refuses ------------------------------------------------------------------------------------------
def spoiled(bad: dict[int, str]) -> bytes:
    lines = svmlight().decode().splitlines()
    for row, line in bad.items():
        lines[row] = line
    return "\n".join(lines).encode()


THIRD, LONG, MALFORMED = "7 1:1", "1 1:1e70 2:1", "1 1:x"
BAD = {
    "none": {},
    "third label": {5: THIRD},
    "first and last": {0: LONG, LINES - 1: THIRD},
    "a later one is found first": {50: THIRD, 60: LONG, 61: THIRD, 62: LONG},
    "one after the other": dict.fromkeys(range(10, 40), THIRD),
    "every other": dict.fromkeys(range(0, LINES, 2), LONG),
    "malformed too": {3: MALFORMED, 4: THIRD, 5: LONG, 299: MALFORMED},
}


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("size", [100, 1 << 20])
@pytest.mark.parametrize("kind", BAD)
def test_refused_rows_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch, kind: str, size: int, history: bool
) -> None:
    small_pieces(monkeypatch, size)
    bad = BAD[kind]
    stream = read(io.BytesIO(spoiled(bad)), format="svmlight", on_error="skip")
    learner, due = (make("pa1", labels=(-1, 1)) for _ in range(2))
    done = dl.run(learner, stream, history=history)
    good = [e for k, e in enumerate(EXAMPLES) if k not in bad]
    reference = dl.run(due, (matrix(good), [e.label for e in good]), history=history)
    assert (done.examples, done.mistakes, done.hinge) == (len(good), reference.mistakes, reference.hinge)
    assert {name: column.tolist() for name, column in done.curve.items()} == {
        name: column.tolist() for name, column in reference.curve.items()
    }
    if history:
        assert done.history is not None and reference.history is not None
        assert done.history.records == reference.history.records
    assert learner.weights() == due.weights()
    assert stream.skipped == len(bad)
    places = [reason.partition(":")[0] for reason in stream.reasons]
    malformed = [row for row in bad if bad[row] == MALFORMED]
    order = [*malformed, *sorted(bad.keys() - malformed)][:20]
    assert [int(place.split("line ")[1].split(",")[0]) for place in places] == [row + 1 for row in order]


def test_the_first_refused_row_stops_the_run_with_its_place() -> None:
    stream = read(io.BytesIO(spoiled({50: THIRD, 60: LONG})), format="svmlight")
    with pytest.raises(ReadError, match=r"^file object, line 51: a label must be -1 or 1, got 7\. "):
        dl.run(make("pa1", labels=(-1, 1)), stream)


def test_a_row_that_several_learners_refuse_is_counted_once() -> None:
    stream = read(io.BytesIO(spoiled({50: THIRD, 60: LONG})), format="svmlight", on_error="skip")
    found = dl.compare([make(name, labels=(-1, 1)) for name in ("pa", "pa1", "romma")], stream)
    assert stream.skipped == len(stream.reasons) == 2
    assert [run.examples for run in found.runs] == [LINES - 2] * 3


@pytest.mark.parametrize("line", [THIRD, MALFORMED])
def test_a_second_pass_counts_anew(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes(spoiled({50: line}))
    stream = read(path, on_error="skip")
    for _ in range(2):
        dl.run(make("pa1", labels=(-1, 1)), stream)
        assert stream.skipped == len(stream.reasons) == 1


def test_reasons_are_few_and_counts_are_right() -> None:
    stream = read(io.BytesIO(spoiled(dict.fromkeys(range(100), MALFORMED))), format="svmlight", on_error="skip")
    assert len(flat(stream)) == LINES - 100
    assert stream.skipped == 100 and len(stream.reasons) == 20


# labels ---------------------------------------------------------------------------------------------------------------
def test_two_labels_out_of_many() -> None:
    data = b"y,n\nspam-a,1\nham,2\nspam-b,3\neggs,4\n"
    found = flat(read(io.BytesIO(data), format="csv", target="y", positive="spam-*"))
    assert [y for _, y, *_ in found] == ["spam-*", "other", "spam-*", "other"]
    numbers = flat(read(io.BytesIO(b"3 1:1\n2 1:1\n1 1:1\n"), format="svmlight", positive="3"))
    assert [y for _, y, *_ in numbers] == ["3", "other", "other"]


def test_a_stream_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, (_, options) in FILES.items():
        stream = read(write(tmp_path, name, ".gz" if name in TEXTS else ""), **options)
        told = [stream.fraction for _ in stream]
        assert told == sorted(told) and stream.fraction == 1.0, name
    assert read(io.BytesIO(svmlight())).fraction is None


def test_what_read_does_not_take() -> None:
    file = io.BytesIO(svmlight())
    for options, message in (
        ({"format": "xml"}, "read: format must be one of svmlight, vw, .*, got 'xml'"),
        ({"on_error": "ask"}, "read: on_error must be 'stop' or 'skip', got 'ask'"),
        ({"threads": 0}, "read: threads must be a whole number >= 1, got 0"),
        ({"ngrams": 0}, "read: ngrams must be a whole number from 1 to 1000, got 0"),
        ({"drop": [1]}, r"read: drop must be names of columns, got \[1\]"),
    ):
        with pytest.raises(ValueError, match=message):
            read(file, **options)  # type: ignore[arg-type]
    with pytest.raises(ReadError, match="at least one file must be given, got none"):
        read()

"""Runs stopped at any point and resumed: the same model bytes, counts and curves."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli.forwarded_stream import ForwardedStream
from driftline.saved import ModelError
from driftline.saved.container import read as read_container
from driftline.streams import FileStream, read
from driftline.streams.files.source import Source
from tests.support.bitwise import REGISTRY
from tests.support.paths import ROOT

TORTURE = str(ROOT / "torture")
if TORTURE not in sys.path:
    sys.path.insert(0, TORTURE)

ROWS = 400


def write_files(folder: Path) -> None:
    """``a.svm`` and ``a.vw``, the latter with weights; each with lines that are malformed or refused."""
    rng = random.Random(0)
    svmlight, vw = [], []
    for row in range(ROWS):
        pairs = [(k, round(rng.gauss(0.0, 1.0), 3)) for k in sorted(rng.sample(range(10 + row // 4), 4))]
        label = 1 if sum(v for _, v in pairs) > 0.0 else -1
        svmlight.append(f"{label} " + " ".join(f"{k}:{v}" for k, v in pairs))
        vw.append(f"{label} {rng.choice((0.5, 1, 2))} | " + " ".join(f"f{k}:{v}" for k, v in pairs))
    for row, line in ((30, "5 1:1"), (31, "1 1:x"), (200, "1 1:1e70"), (390, "7 2:2")):
        svmlight[row] = line
    (folder / "a.svm").write_text("\n".join(svmlight))
    (folder / "a.vw").write_text("\n".join(vw))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files, which are read in small pieces."""
    chunks = Source.chunks
    monkeypatch.setattr(Source, "chunks", lambda self, _=0, **more: chunks(self, 1500, **more))
    write_files(tmp_path)
    return tmp_path


class Stop(Exception):  # noqa: N818
    """The run is over, as if it had been killed."""


class Stopping(ForwardedStream):
    """A stream of files that ends with an error after a number of blocks; otherwise it is that stream."""

    def __init__(self, stream: FileStream, blocks: int) -> None:
        super().__init__(stream)
        self.stream = stream
        self.blocks = blocks

    def __iter__(self) -> Iterator[Any]:
        for place, block in enumerate(self.stream):
            if place == self.blocks:
                raise Stop
            yield block


def make(name: str) -> dl.Learner:
    own: dict[str, Any] = {"infeasible": "best"} if name in ("l1pa", "l2pa") else {}
    return dl.REGISTRY[name](**own, labels=(-1, 1), scale="standard")


def stream_of(path: Path) -> FileStream:
    return read(path, on_error="skip")


def facts(done: dl.evaluate.Run, stream: FileStream, folder: Path) -> tuple[Any, ...]:
    """All that a run leaves, but for its time."""
    done.learner.save(folder / "model.dl")
    counts, _ = done.ledger.state()
    del counts["seconds"]
    curve = {name: column.tobytes() for name, column in done.curve.items()}
    history = None if done.history is None else done.history.records
    return (folder / "model.dl").read_bytes(), counts, curve, history, stream.skipped, stream.reasons


def stopped_and_resumed(path: Path, name: str, every: int, history: bool, stops: list[int]) -> tuple[Any, ...]:
    """Run, stop after so many blocks, resume, stop again, ... and let it end."""
    folder = path.parent
    for place, blocks in enumerate(stops):
        stopping: Any = Stopping(stream_of(path), blocks)
        checkpoint = dl.Checkpoint(folder / "checkpoints", every, resume=place > 0)
        with pytest.raises(Stop):
            dl.run(make(name), stopping, history=history, checkpoint=checkpoint)
    stream = stream_of(path)
    done = dl.run(make(name), stream, history=history, checkpoint=dl.Checkpoint(folder / "checkpoints", every, True))
    return facts(done, stream, folder)


@pytest.mark.parametrize("file", ["a.svm", "a.vw"])
@pytest.mark.parametrize("name", REGISTRY)
def test_a_resumed_run_ends_with_the_same_bits(folder: Path, name: str, file: str) -> None:
    path = folder / file
    stream = stream_of(path)
    rng = random.Random(name + file)
    every, history = rng.randint(1, 150), rng.random() < 0.5
    whole = facts(dl.run(make(name), stream, history=history), stream, folder)
    count = sum(1 for _ in stream_of(path))
    stops = sorted(rng.randrange(count) for _ in range(rng.randint(1, 3)))
    assert count > 5
    assert stopped_and_resumed(path, name, every, history, stops) == whole
    assert (whole[4] == 4) == (file == "a.svm")


@pytest.mark.parametrize("blocks", range(11))
def test_wherever_it_stops(folder: Path, blocks: int) -> None:
    path = folder / "a.svm"
    stream = stream_of(path)
    whole = facts(dl.run(make("pa1"), stream, history=True), stream, folder)
    assert stopped_and_resumed(path, "pa1", 37, True, [blocks, blocks]) == whole


def test_a_checkpoint_is_where_it_should_be(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    write = dl.Checkpoint.write

    def noted(
        self: dl.Checkpoint, learner: Any, ledger: Any, history: Any, progress: dict[str, Any], more: Any
    ) -> None:
        saved.append(progress["done"])
        write(self, learner, ledger, history, progress, more)

    monkeypatch.setattr(dl.Checkpoint, "write", noted)
    dl.run(make("pa1"), stream_of(folder / "a.vw"), checkpoint=dl.Checkpoint(folder / "c", 150))
    assert saved == [150, 300, 400]
    meta, _ = read_container(folder / "c" / "checkpoint.dl", "checkpoint")
    assert meta["progress"]["done"] == 400


def test_a_finished_run_that_is_resumed_is_as_it_was(folder: Path) -> None:
    path = folder / "a.svm"
    results = []
    for resume in (False, True, True):
        stream = stream_of(path)
        done = dl.run(make("pa1"), stream, history=True, checkpoint=dl.Checkpoint(folder / "c", 100, resume))
        results.append(facts(done, stream, folder))
    assert results[0] == results[1] == results[2]


def test_a_stream_of_arrays_can_be_resumed_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.sign(X[:, 0])
    blocks = [(X[a : a + 50], y[a : a + 50]) for a in range(0, 300, 50)]

    def some(count: int) -> Iterator[Any]:
        yield from blocks[:count]
        raise Stop

    with pytest.raises(Stop):
        dl.run(dl.PA1(), some(4), checkpoint=dl.Checkpoint(tmp_path, 60))
    done = dl.run(dl.PA1(), blocks, checkpoint=dl.Checkpoint(tmp_path, 60, resume=True))
    due = dl.PA1()
    due.learn_many(X, y)
    assert done.examples == 300 and done.learner.weights() == due.weights()


# what cannot be resumed -----------------------------------------------------------------------------------------------
@pytest.fixture
def begun(folder: Path) -> Path:
    """A folder with a checkpoint of PA1 on ``a.svm``."""
    with pytest.raises(Stop):
        stopping: Any = Stopping(stream_of(folder / "a.svm"), 4)
        dl.run(make("pa1"), stopping, checkpoint=dl.Checkpoint(folder / "c", 20))
    return folder


def resumed(folder: Path, learner: dl.Learner, stream: Any = None, **options: Any) -> None:
    given = stream_of(folder / "a.svm") if stream is None else stream
    dl.run(learner, given, checkpoint=dl.Checkpoint(folder / "c", 20, True), **options)


@pytest.mark.parametrize(
    ("learner", "found"),
    [
        (dl.PA2(labels=(-1, 1), scale="standard"), "a run with learner 'pa1' instead of 'pa2'"),
        (dl.PA1(0.5, labels=(-1, 1), scale="standard"), "a run with parameters"),
        (dl.PA1(labels=(-1, 1)), "a run with options"),
        (dl.PA1(scale="standard"), "a run with labels_declared True instead of False"),
        (dl.PA1(labels=(1, -1), scale="standard"), r"a run with labels \[-1, 1\] instead of \[1, -1\]"),
        (dl.PA1(labels=(-1, 1), scale="standard", bias=False), "a run with options"),
        (dl.PA1(labels=(-1, 1), scale="standard", hashing=dl.Hashing(9)), "a run with options"),
    ],
    ids=repr,
)
def test_a_run_of_another_learner(begun: Path, learner: dl.Learner, found: str) -> None:
    before = (begun / "c" / "checkpoint.dl").read_bytes()
    with pytest.raises(ModelError, match=f"checkpoint.dl must be a driftline checkpoint, got {found}"):
        resumed(begun, learner)
    assert (begun / "c" / "checkpoint.dl").read_bytes() == before


def test_a_run_that_began_with_another_model(begun: Path) -> None:
    learner = make("pa1")
    learner.learn_one([1.0, 2.0], 1)
    with pytest.raises(ModelError, match="got a run that began with another model"):
        resumed(begun, learner)


def test_another_stream(begun: Path) -> None:
    same = "must be a checkpoint of the same stream"
    (begun / "b.svm").write_bytes((begun / "a.svm").read_bytes())
    others: list[Any] = [
        stream_of(begun / "b.svm"),
        read(begun / "a.svm"),
        read(begun / "a.svm", on_error="skip", positive="1"),
        read(begun / "a.svm", on_error="skip", labelled=False),
        read(begun / "a.svm", begun / "b.svm", on_error="skip"),
        [(np.ones((2, 2)), [1, -1])],
    ]
    for stream in others:
        with pytest.raises(ModelError, match=same):
            resumed(begun, make("pa1"), stream)


def test_with_a_history_or_without(begun: Path) -> None:
    with pytest.raises(ModelError, match="got a run with another report"):
        resumed(begun, make("pa1"), history=True)


def test_a_checkpoint_is_not_overwritten_unless_it_is_resumed(begun: Path) -> None:
    with pytest.raises(ModelError, match=r"must not contain a checkpoint, got one\. Resume it with --resume"):
        dl.run(make("pa1"), stream_of(begun / "a.svm"), checkpoint=dl.Checkpoint(begun / "c", 20))


def test_a_damaged_checkpoint(begun: Path) -> None:
    path = begun / "c" / "checkpoint.dl"
    good = path.read_bytes()
    for data in (good[:-1], good[:100], b"", b"x" * 500, good[:900] + bytes([good[900] ^ 1]) + good[901:]):
        path.write_bytes(data)
        with pytest.raises(ModelError, match=r"checkpoint\.dl must be a driftline checkpoint, got .+\. "):
            resumed(begun, make("pa1"))
        assert path.read_bytes() == data
    make("pa1").save(path)
    with pytest.raises(ModelError, match="got a file of kind 'model'"):
        resumed(begun, make("pa1"))


def test_what_a_killed_run_left_half_written_is_cleared_away(begun: Path) -> None:
    left, other = begun / "c" / ".0123456789abcdef.tmp", begun / "c" / ".mine.tmp"
    left.write_bytes(b"half")
    other.write_bytes(b"of somebody else")
    resumed(begun, make("pa1"))
    assert not left.exists() and other.exists()


def test_every_must_be_a_whole_number(tmp_path: Path) -> None:
    for every in (0, -1, 1.5, True, "3"):
        with pytest.raises(ValueError, match=r"Checkpoint: every must be a whole number >= 1, got"):
            dl.Checkpoint(tmp_path, every)  # type: ignore[arg-type]


def test_a_folder_that_cannot_be_made(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ModelError, match="must be a folder that can be written, got"):
        dl.run(make("pa1"), stream_of(folder / "a.vw"), checkpoint=dl.Checkpoint(tmp_path / "file" / "c", 20))


# killed for real ------------------------------------------------------------------------------------------------------
def test_ten_kills(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import kill

    monkeypatch.setattr(kill, "RUNS", {"d.vw.gz": kill.RUNS["d.vw.gz"]})
    assert kill.main(["--kills", "10", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    kills, midway = (int(line.split()[0]) for line in (out, out.partition("runs, ")[2]))
    assert kills >= 10 and midway >= 1, out


def test_the_torture_notices_a_difference(tmp_path: Path) -> None:
    import kill

    whole = kill.Result(b"model", {"mistakes": 3}, 1.0)
    kill.compare(whole, whole, "a.svm", tmp_path)
    with pytest.raises(kill.DifferentError, match=r"the model of a\.svm must be as without kills"):
        kill.compare(kill.Result(b"other", {"mistakes": 3}, 1.0), whole, "a.svm", tmp_path)
    with pytest.raises(kill.DifferentError, match=r"the counts of a\.svm must be as without kills"):
        kill.compare(kill.Result(b"model", {"mistakes": 4}, 1.0), whole, "a.svm", tmp_path)

"""How a run feeds its learner: large blocks on views of the data, and one place where blocks are
cut.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import driftline as dl
from driftline.evaluate.blocks import blocks, part
from driftline.internals.csr_slice import CsrSlice
from driftline.internals.record_stream import RecordStream
from driftline.learners import learner as learner_module
from tests.support.bitwise import assert_same, snapshot

RNG = np.random.default_rng(6)
X = RNG.normal(size=(30_000, 20)) * (RNG.random((30_000, 20)) < 0.8)
Y = np.where(X @ RNG.normal(size=20) + 0.3 * RNG.normal(size=30_000) > 0.0, 1.0, -1.0)


@pytest.fixture
def large_blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the blocks that are learned as large ones."""
    sizes: list[int] = []
    original = learner_module.learn_large

    def counted(learner: dl.Learner, X: Any, y: Any, w: Any) -> Any:
        learned = original(learner, X, y, w)
        if learned is not None:
            sizes.append(len(y))
        return learned

    monkeypatch.setattr(learner_module, "learn_large", counted)
    return sizes


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix, sp.csc_array], ids=["dense", "CSR", "CSC"])
def test_a_run_learns_large_blocks_as_learn_many(make: Any, large_blocks: list[int]) -> None:
    run = dl.run(dl.PA1(), (make(X), Y))
    assert large_blocks == [8192, 8192, 8192, 30_000 - 3 * 8192]
    learner = dl.PA1()
    learner.learn_many(make(X), Y)
    assert_same(snapshot(run.learner), snapshot(learner))
    assert run.mistakes == learner.mistakes and run.updates == learner.updates


def test_blocks_of_a_csr_matrix_share_its_memory() -> None:
    given = sp.csr_matrix(X)
    for some, y, _ in blocks((given, Y), 1000):
        assert isinstance(some, CsrSlice) and some.shape == (len(y), 20)
        assert np.shares_memory(some.data, given.data) and np.shares_memory(some.indices, given.indices)
        inner, _, _ = part((some, y, None), 10, 30)
        assert np.shares_memory(inner.data, given.data) and inner.shape == (20, 20)


def test_odd_matrices_are_learned_as_by_learn_many() -> None:
    good = sp.csr_matrix(X)
    mixed = sp.csr_matrix((good.data.copy(), good.indices.copy(), good.indptr.copy()), shape=good.shape)
    start, stop = mixed.indptr[9000], mixed.indptr[9001]
    mixed.indices[start:stop] = mixed.indices[start:stop][::-1].copy()
    mixed.data[start:stop] = mixed.data[start:stop][::-1].copy()
    wide = sp.csr_matrix(good)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    expected = dl.PA1()
    expected.learn_many(good, Y)
    for odd in (mixed, wide, good.astype(np.float32).astype(np.float64), sp.csr_array(good)):
        learner = dl.PA1()
        learner.learn_many(odd, Y)
        assert_same(snapshot(dl.run(dl.PA1(), (odd, Y)).learner), snapshot(learner))
    assert_same(snapshot(dl.run(dl.PA1(), (mixed, Y)).learner), snapshot(expected))


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3], [0, 1, 2, 99], [0, 1]])
def test_a_damaged_matrix_is_refused(offsets: list[int]) -> None:
    damaged = sp.csr_matrix(np.eye(3))
    damaged.indptr = np.array(offsets, np.int32)
    with pytest.raises(ValueError, match="PA1: a CSR matrix must have row offsets that rise from 0"):
        dl.run(dl.PA1(), (damaged, np.array([1.0, -1.0, 1.0])), rows=2)


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix], ids=["dense", "CSR"])
def test_an_error_leaves_the_blocks_before_its_own(make: Any) -> None:
    bad = X.copy()
    bad[20_000, 3] = np.inf
    learner = dl.PA1()
    with pytest.raises(ValueError, match=r"PA1: row 3616, .*column 3.* must be finite, got inf"):
        dl.run(learner, (make(bad), Y))
    expected = dl.PA1()
    expected.learn_many(make(X[:16_384]), Y[:16_384])
    assert_same(snapshot(learner), snapshot(expected))


def test_a_baseline_stops_at_the_first_of_two_refused_rows() -> None:
    """Values are checked before labels: row 40 is found first, and row 25 while the rows before
    it are tried.
    """
    some, y = X[:60].copy(), [bool(label > 0.0) for label in Y[:60]]
    some[40, 0] = np.nan
    y[25] = "third"  # type: ignore[call-overload]
    found = dl.compare({"main": dl.Tracker(), "baseline": dl.PA1()}, (some, y), beside=["baseline"])
    assert [run.examples for run in found.runs] == [60, 25]
    assert found["baseline"].stopped.startswith("PA1: row 25, a label must be")


LINES = [f"{'+1' if i % 3 else '-1'} 1:{i % 7} 2:{i % 5 - 2}" for i in range(300)]
BAD = {*range(16, 20), 64, 99, 100, 101, 150, 299}


def svmlight(bad: set[int]) -> Any:
    lines = [f"{line} 3:1e70" if i in bad else line for i, line in enumerate(LINES)]
    return "\n".join(lines).encode() + b"\n"


def test_refused_rows_move_neither_checkpoints_nor_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints count the examples of the stream, records those that were learned."""
    path = tmp_path / "a.svm"
    path.write_bytes(svmlight(BAD))
    saved: list[tuple[int, int]] = []
    write = dl.Checkpoint.write

    def noted(
        self: dl.Checkpoint, learner: Any, ledger: Any, history: Any, progress: dict[str, Any], observers: Any
    ) -> None:
        saved.append((progress["done"], ledger.examples))
        write(self, learner, ledger, history, progress, observers)

    monkeypatch.setattr(dl.Checkpoint, "write", noted)
    stream = dl.streams.read(path, on_error="skip")
    run = dl.run(dl.PA1(), stream, history=True, checkpoint=dl.Checkpoint(tmp_path / "kept", every=50))
    learned = [sum(i not in BAD for i in range(done)) for done in (50, 100, 150, 200, 250, 300, 300)]
    assert saved == list(zip((50, 100, 150, 200, 250, 300, 300), learned, strict=True))
    assert stream.skipped == len(BAD) and run.examples == 300 - len(BAD)
    assert run.history is not None
    assert [record.examples for record in run.history.records] == [*range(0, 290, 16), 290]
    clean = dl.run(dl.PA1(), dl.streams.read(io.BytesIO(_without(BAD)), format="svmlight"), history=True)
    assert clean.history is not None and clean.history.records == run.history.records


def _without(bad: set[int]) -> bytes:
    return "\n".join(line for i, line in enumerate(LINES) if i not in bad).encode() + b"\n"


def test_streams_of_files_and_those_that_wrap_them_are_record_streams() -> None:
    from driftline.cli.kept import Kept
    from driftline.cli.tally import Tally

    files = [io.BytesIO(svmlight({5, 7})), io.BytesIO(svmlight({5}))]
    files[0].name, files[1].name = "a.svm", "b.svm"
    stream = dl.streams.read(*files, format="svmlight", on_error="skip")
    counted = Tally(stream)
    kept = Kept(counted)
    assert all(isinstance(one, RecordStream) for one in (stream, counted, kept))
    for _ in range(2):
        assert dl.run(dl.PA1(), kept).examples == 597
    assert stream.skipped == 3 and kept.refusals() == stream.refusals() and kept.fraction == stream.fraction

"""The readers on fuzzed files, and the fuzzer itself: it must notice what it looks for."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from tests.support.paths import ROOT

FUZZ = str(ROOT / "fuzz")
if FUZZ not in sys.path:
    sys.path.insert(0, FUZZ)

import counts  # noqa: E402
import hunt  # noqa: E402
import judge  # noqa: E402
from inputs import KINDS, Input, input_of  # noqa: E402
from valid import file_of  # noqa: E402

from driftline.internals.rows import FileRows  # noqa: E402
from driftline.streams import FileStream, ReadError  # noqa: E402


@pytest.mark.parametrize("start", range(0, 500, 100))
def test_every_input_is_read_or_refused(start: int) -> None:
    came = []
    for number in range(start, start + 100):
        outcome, wrong = judge.judged(input_of(0, number))
        assert wrong is None, (number, wrong)
        came.append(outcome)
    assert {judge.READ, judge.REFUSED} == set(came)


@pytest.mark.parametrize("kind", KINDS)
def test_valid_files_are_read(kind: str) -> None:
    from random import Random

    for seed in range(20):
        data = file_of(kind, Random(seed))
        options: dict[str, Any] = {"target": "y"} if kind in ("csv", "tsv", "jsonl", "parquet", "arrow") else {}
        assert judge.judged(Input(kind, data, options, on_disk=seed % 2 == 0)) == (judge.READ, None), (seed, data)
        assert counts.examples(kind, data) > 0


def test_inputs_depend_on_seed_and_number_alone() -> None:
    for number in range(24):
        assert input_of(3, number) == input_of(3, number)
    assert input_of(3, 1).data != input_of(4, 1).data


# what the judge notices -----------------------------------------------------------------------------------------------
LINES = Input("svmlight", b"1 1:1\n-1 2:2\n1 3:x\n", {"threads": 1}, on_disk=False)


def spoil(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let streams hand out changed blocks."""
    blocks = FileStream.__iter__
    monkeypatch.setattr(FileStream, "__iter__", lambda self: (change(*block) for block in blocks(self)))


def test_the_judge_is_content_with_this() -> None:
    assert judge.judged(LINES) == (judge.READ, None)


def test_a_lost_example_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, lambda X, y: (X[:-1], y[:-1]))
    assert judge.judged(LINES) == (None, "3 examples became 1 rows, 1 faults and 0 without a label")


def test_broken_promises_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(X: FileRows, y: Any) -> Any:
        X.values[0] = float("inf")
        X.indices[:] = X.width
        return X, y[:-1]

    spoil(monkeypatch, broken)
    assert judge.judged(LINES) == (None, "rows must be valid, got wrong labels, values, width")


LARGE = [2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**60]
LARGE_LABELS = {
    "svmlight": "1 1:1\n{} 2:2\n",
    "vw": "1 | a\n{} | b\n",
    "csv": "y,x\n0.5,1\n{},2\n",
    "tsv": "y\tx\n1\t1\n{}\t2\n",
    "jsonl": '{{"y": 0.5, "x": 1}}\n{{"y": {}, "x": 2}}\n',
    "arff": "@relation r\n@attribute x numeric\n@attribute y numeric\n@data\n1,-1\n2,{}\n",
}


@pytest.mark.parametrize("kind", LARGE_LABELS)
@pytest.mark.parametrize("large", LARGE)
def test_the_judge_is_content_with_labels_that_floats_cannot_hold(kind: str, large: int) -> None:
    target = {"target": "y"} if kind not in ("svmlight", "vw") else {}
    given = Input(kind, LARGE_LABELS[kind].format(large).encode(), {"threads": 1, **target}, on_disk=False)
    assert judge.judged(given) == (judge.READ, None)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, -1], object),
        np.array([1, 2**63 - 1], object),
        np.array([1, 2**64 - 1], object),
        np.array([0.5, 1], object),
        np.array([1, 2**63 - 1], np.uint64),
        np.array([None, True], object),
        np.array(["1", 2**64], object),
        np.array([True, False]),
    ],
)
def test_labels_in_an_array_that_they_do_not_need_are_noticed(
    monkeypatch: pytest.MonkeyPatch, labels: np.ndarray
) -> None:
    spoil(monkeypatch, lambda X, y: (X, labels))
    assert judge.judged(LINES) == (None, "rows must be valid, got wrong labels")


@pytest.mark.parametrize(
    ("error", "due"),
    [
        (ReadError("one line"), None),
        (KeyError("y"), "KeyError: 'y'"),
        (MemoryError(), "MemoryError: "),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "no"), "UnicodeDecodeError: "),
    ],
)
def test_what_is_no_clean_error_is_noticed(monkeypatch: pytest.MonkeyPatch, error: Exception, due: str | None) -> None:
    def raises(*_: Any) -> Any:
        raise error

    spoil(monkeypatch, raises)
    wrong = judge.judged(LINES)[1]
    assert wrong is None if due is None else str(wrong).startswith(due)


# what becomes of a worker ---------------------------------------------------------------------------------------------
WORKER = """
import os, signal, sys, time
import numpy as np
first, stop, step = map(int, sys.argv[1:4])
noted = np.memmap(sys.argv[4], np.int64, "r+")
for number in range(first, stop, step):
    noted[0] = number
    if number == 5:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 8:
        time.sleep(60)
    if number == 11:
        print("11\\tread it wrong", flush=True)
    if number == 12:
        raise ValueError("at the end")
print("=kind read\\t3", flush=True)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_crashes_and_hangs_are_found_and_do_not_end_the_hunt(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr(hunt, "SECONDS", 10.0)
    found, kinds = hunt.hunt([sys.executable, "-c", WORKER], 0, 16, workers)
    assert [number for number, _ in found] == [5, 8, 11, 12]
    said = dict(found)
    assert said[5] == "ended the process with code -11: ''"
    assert said[8] == "took more than 10 s"
    assert said[11] == "read it wrong"
    assert said[12].startswith("ended the process with code 1: ") and "at the end" in said[12]
    assert kinds["kind read"] == 3 * workers

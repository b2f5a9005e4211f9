"""A record has a maximum size: a source without line ends stops, in bounded memory."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from driftline.streams import ReadError, read
from driftline.streams.files import source as source_file
from driftline.streams.files.formats import arrow, delimited

HEADS = {
    "svmlight": b"1 1:1\n-1 1:2\n",
    "vw": b"1 | a\n-1 | b\n",
    "jsonl": b'{"y": 1}\n{"y": 0}\n',
    "csv": b"y,a\n1,2\n",
    "tsv": b"y\ta\n1\t2\n",
}
ARFF = b"@relation r\n@attribute a numeric\n@attribute class {0, 1}\n@data\n1,0\n"


class Endless(io.RawIOBase):
    """Some bytes, then others for ever; ``given`` is the number of bytes read."""

    def __init__(self, head: bytes, body: bytes = b"\0") -> None:
        self.head = head
        self.body = body
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.head or self.body * (len(buffer) // len(self.body))
        count = min(len(data), len(buffer))
        buffer[:count] = data[:count]
        self.head = self.head[count:]
        self.given += count
        assert self.given < 1 << 26, "reading did not stop"
        return count


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_file, "LONGEST_LINE", 1 << 12)
    monkeypatch.setattr(delimited, "LONGEST_LINE", 1 << 12)
    monkeypatch.setattr(source_file, "LONGEST_SKIPPED", 1 << 22)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("on_error", ["stop", "skip"])
@pytest.mark.parametrize("kind", HEADS)
def test_a_record_without_end_stops_the_reader(kind: str, on_error: Any, threads: int) -> None:
    options: dict[str, Any] = {"target": "y"} if kind in ("jsonl", "csv", "tsv") else {}
    endless = Endless(HEADS[kind])
    stream = read(io.BufferedReader(endless), format=kind, on_error=on_error, threads=threads, **options)
    with pytest.raises(ReadError, match=r"line 3: a (line|row) must have at most 4,096 bytes, got .*\. \w+"):
        for _ in stream:
            pass


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("head", "line"), [(ARFF, 6), (ARFF[:12], 2), (b"", 1)])
@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_an_arff_file_without_end(head: bytes, line: int, on_error: Any) -> None:
    stream = read(io.BufferedReader(Endless(head)), format="arff", on_error=on_error)
    with pytest.raises(ReadError, match=f"line {line}: a line must have at most 4,096 bytes"):
        list(stream)


@pytest.mark.usefixtures("small")
def test_a_long_line_with_an_end_is_a_fault_like_others() -> None:
    long = b"1 1:" + b"1" * 3_000_000
    stream = read(io.BytesIO(b"1 1:1\n" + long + b"\n-1 1:2\n"), format="svmlight", on_error="skip")
    assert sum(len(y) for _, y in stream) == 2 and stream.skipped == 1
    assert stream.reasons[0].startswith("file object, line 2: a line must have at most 4,096 bytes, got 3,000,00")


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_that_are_something_else(kind: str) -> None:
    with pytest.raises(ReadError, match="must be an intact file of its format, "):
        list(read(io.BufferedReader(Endless(b"")), format=kind, target="y"))


def test_a_packed_table_that_does_not_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pa.table({"y": [0, 1], "a": [1.0, 2.0]}), tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress(data))
    monkeypatch.setattr(arrow, "MOST_IN_MEMORY", len(data))
    assert sum(len(y) for _, y in read(tmp_path / "a.parquet.gz", target="y")) == 2
    monkeypatch.setattr(arrow, "MOST_IN_MEMORY", len(data) - 1)
    with pytest.raises(ReadError, match=r"must have at most [\d,]+ bytes, got more\. Write it to a file on disk"):
        list(read(tmp_path / "a.parquet.gz", target="y"))
    with pytest.raises(ReadError, match=r"must have at most [\d,]+ bytes, got more"):
        list(read(io.BufferedReader(Endless(b"PAR1")), format="parquet", target="y"))


MEMORY = """
import resource, sys
from driftline.cli.main import main
small, *sources = sys.argv[1:]
main(["run", small, "--learner", "pa1"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for source in sources:
    code = main(["run", source, "--learner", "pa1", "--format", "svmlight", "--on-error", "skip"])
    print("code", code, "more", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, flush=True)
"""


def test_dev_zero_and_a_bomb_of_one_line(tmp_path: Path) -> None:
    """Both would give a line of 2 GB or more; the reader stops after 1 GB, in less than 200 MB of memory."""
    (tmp_path / "small.svm").write_bytes(HEADS["svmlight"])
    zeros = gzip.compress(bytes(1 << 26), 9)
    (tmp_path / "bomb.svm.gz").write_bytes(gzip.compress(HEADS["svmlight"]) + 32 * zeros)
    names = [str(tmp_path / "small.svm"), "/dev/zero", str(tmp_path / "bomb.svm.gz")]
    done = subprocess.run([sys.executable, "-c", MEMORY, *names], capture_output=True, text=True, check=True)
    said = [line.split() for line in done.stdout.splitlines() if line.startswith("code")]
    assert [line[1] for line in said] == ["2", "2"] and all(int(line[3]) < 200 for line in said), said
    for place in ("/dev/zero, line 1", f"{names[2]}, line 3"):
        assert f"driftline: {place}: a line must have at most 33,554,432 bytes, got 1,07" in done.stderr

"""A run is resumed only on the examples that it has consumed: files may grow, and nothing else."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.saved.container import read as read_container
from driftline.streams import ReadError
from driftline.streams.files.source import Source

FIXTURES = Path(__file__).parents[1] / "fixtures" / "v0.1" / "checkpoints"
ROWS = 600


def numbers(rows: int = ROWS) -> Iterator[tuple[int, float, float]]:
    """A label and two values, the same for a row whatever the number of rows."""
    rng = np.random.default_rng(0)
    for a, b in rng.normal(size=(rows, 2)).round(3).tolist():
        yield (1 if a + b > 0.0 else -1), a, b


def as_svmlight(rows: int = ROWS) -> bytes:
    return "".join(f"{y} 1:{a} 2:{b}\n" for y, a, b in numbers(rows)).encode()


def as_vw(rows: int = ROWS) -> bytes:
    return "".join(f"{y} {1 + k % 3} |n a:{a} b{k // 9}:{b}\n" for k, (y, a, b) in enumerate(numbers(rows))).encode()


def as_csv(rows: int = ROWS) -> bytes:
    return b"y,a,b\n" + "".join(f"{'no' if y < 0 else 'yes'},{a},{b}\n" for y, a, b in numbers(rows)).encode()


def as_jsonl(rows: int = ROWS) -> bytes:
    return "".join(json.dumps({"y": y, "a": a, "b": b}) + "\n" for y, a, b in numbers(rows)).encode()


def as_arff(rows: int = ROWS) -> bytes:
    head = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute class {-1, 1}\n@data\n"
    return (head + "".join(f"{a},{b},{y}\n" for y, a, b in numbers(rows))).encode()


def options_of(path: Path) -> dict[str, Any]:
    return {"target": "y"} if {".csv", ".jsonl", ".parquet", ".arrow"} & set(path.suffixes) else {}


def run_on(path: Path | list[Path], folder: Path, resume: bool, **more: Any) -> dl.Run:
    """A run with a checkpoint after every 50 examples, and one at the end."""
    paths = path if isinstance(path, list) else [path]
    stream = dl.streams.read(*paths, **options_of(paths[0]), **more)
    return dl.run(dl.PA1(), stream, checkpoint=dl.Checkpoint(folder, 50, resume))


def model_of(run: dl.Run, folder: Path) -> bytes:
    run.learner.save(folder / "compared.dl")
    return (folder / "compared.dl").read_bytes()


def refused(path: Path | list[Path], folder: Path, said: str, **more: Any) -> None:
    """The run is not resumed, and its checkpoint is as before."""
    kept = (folder / "checkpoint.dl").read_bytes()
    with pytest.raises(dl.ModelError, match=said):
        run_on(path, folder, True, **more)
    assert (folder / "checkpoint.dl").read_bytes() == kept


CHANGED, SHORT = "consumed, up to .*, must not change, got other examples", "consumed, got only"


# files that changed ---------------------------------------------------------------------------------------------------
def test_a_file_that_changed_after_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    data = as_svmlight(8000)
    path.write_bytes(data)
    run_on(path, tmp_path / "c", False)
    at = data.index(b" 2:0.", 1 << 17) + 5
    path.write_bytes(data[:at] + b"7" + data[at:])
    refused(path, tmp_path / "c", CHANGED)
    path.write_bytes(data)
    assert run_on(path, tmp_path / "c", True).examples == 8000


def test_a_file_that_was_cut_short(tmp_path: Path) -> None:
    """The checkpoint stays that of the longer file, on which the run can be resumed."""
    path = tmp_path / "a.svm"
    path.write_bytes(as_svmlight(400))
    run_on(path, tmp_path / "c", False)
    path.write_bytes(as_svmlight(200))
    refused(path, tmp_path / "c", "the 400 examples that the run has consumed, got only 200")
    refused(path, tmp_path / "c", SHORT)
    path.write_bytes(as_svmlight(600))
    done = run_on(path, tmp_path / "c", True)
    assert done.examples == done.learner.n_seen == 600
    assert read_container(tmp_path / "c" / "checkpoint.dl", "checkpoint")[0]["progress"]["done"] == 600


@pytest.mark.parametrize("write", [as_svmlight, as_vw, as_csv, as_jsonl, as_arff], ids=lambda one: one.__name__)
def test_any_change_of_a_consumed_line(tmp_path: Path, write: Callable[[int], bytes]) -> None:
    path = tmp_path / f"a.{write.__name__.removeprefix('as_').replace('svmlight', 'svm')}"
    data = write(300)
    path.write_bytes(data)
    run_on(path, tmp_path / "c", False)
    lines = data.splitlines(keepends=True)
    for changed in (lines[:-2] + lines[:-3:-1], lines[:100] + lines[101:] + lines[-1:], [*lines[:-1], lines[-3]]):
        path.write_bytes(b"".join(changed))
        refused(path, tmp_path / "c", CHANGED)


# files that grew ------------------------------------------------------------------------------------------------------
def zipped(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.svm", data)
    return made.getvalue()


def in_two(pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Packed as two members, the second of which was appended."""
    start = len(as_svmlight(300))
    return lambda data: pack(data[:start]) + pack(data[start:]) if len(data) > start else pack(data)


PACKED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "plain": ("a.svm", lambda data: data),
    "gzip": ("a.svm.gz", gzip.compress),
    "gzip members": ("a.svm.gz", in_two(gzip.compress)),
    "xz members": ("a.svm.xz", in_two(lzma.compress)),
    "bzip2 members": ("a.svm.bz2", in_two(bz2.compress)),
    "zip": ("a.svm.zip", zipped),
}


@pytest.mark.parametrize("how", PACKED)
@pytest.mark.parametrize("cache", [False, True])
def test_packed_text_that_grew(tmp_path: Path, how: str, cache: bool) -> None:
    name, pack = PACKED[how]
    path = tmp_path / name
    path.write_bytes(pack(as_svmlight(300)))
    run_on(path, tmp_path / "c", False, cache=cache)
    path.write_bytes(pack(as_svmlight(500)))
    resumed = model_of(run_on(path, tmp_path / "c", True, cache=cache), tmp_path)
    assert resumed == model_of(run_on(path, tmp_path / "d", False), tmp_path)


@pytest.mark.parametrize("write", [as_svmlight, as_vw, as_csv, as_jsonl, as_arff], ids=lambda one: one.__name__)
def test_text_of_every_format_that_grew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[int], bytes]
) -> None:
    chunks = Source.chunks
    monkeypatch.setattr(Source, "chunks", lambda self, _=0, **more: chunks(self, 1500, **more))
    path = tmp_path / f"a.{write.__name__.removeprefix('as_').replace('svmlight', 'svm')}"
    path.write_bytes(write(333))
    run_on(path, tmp_path / "c", False)
    path.write_bytes(write(600))
    resumed = run_on(path, tmp_path / "c", True, threads=1)
    whole = run_on(path, tmp_path / "d", False, threads=3)
    assert model_of(resumed, tmp_path) == model_of(whole, tmp_path)
    rows = [read_container(tmp_path / one / "checkpoint.dl", "checkpoint")[0]["progress"]["rows"] for one in "cd"]
    assert rows[0] == rows[1]  # neither the resumed part nor the number of threads changes the digest


def test_a_last_line_that_was_completed(tmp_path: Path) -> None:
    """Its bytes are still there, but it is another example."""
    path = tmp_path / "a.svm"
    path.write_bytes(as_svmlight(300) + b"1 1:0.5")
    run_on(path, tmp_path / "c", False)
    path.write_bytes(as_svmlight(300) + b"1 1:0.5\n-1 2:3\n")
    assert run_on(path, tmp_path / "c", True).examples == 302
    path.write_bytes(as_svmlight(300) + b"1 1:0.57\n-1 2:3\n")
    refused(path, tmp_path / "c", CHANGED)


def test_a_table_with_a_column_that_became_text(tmp_path: Path) -> None:
    """The kinds of the columns are those of the run, whatever the first rows look like now."""
    path = tmp_path / "a.csv"
    path.write_bytes(as_csv(300))
    run_on(path, tmp_path / "c", False)
    path.write_bytes(as_csv(300) + b"yes,many,1\n" * 700)
    with pytest.raises(ReadError, match="line 302, column a: a cell of this column must be a number, got 'many'"):
        run_on(path, tmp_path / "c", True)


def test_several_files(tmp_path: Path) -> None:
    paths = [tmp_path / "a.svm", tmp_path / "b.svm"]
    for path in paths:
        path.write_bytes(as_svmlight(130))
    run_on(paths, tmp_path / "c", False)
    paths[1].write_bytes(as_svmlight(150))
    assert run_on(paths, tmp_path / "c", True).examples == 280
    paths[0].write_bytes(as_svmlight(131))
    refused(paths, tmp_path / "c", r"up to .*b\.svm, line 149, must not change")
    paths[0].write_bytes(as_svmlight(130))
    refused(paths[::-1], tmp_path / "c", r"with files \['a.svm', 'b.svm'\] instead of \['b.svm', 'a.svm'\]")
    refused(paths[:1], tmp_path / "c", r"with files \['a.svm', 'b.svm'\] instead of \['a.svm'\]")


# files that must be the same ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_files_without_a_growing_prefix(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.feather import write_feather
    from pyarrow.parquet import write_table

    path = tmp_path / f"a.{kind}"

    def write(rows: int, added: float = 0.0) -> None:
        columns = list(zip(*numbers(rows), strict=True))
        table = pa.table({"y": columns[0], "a": [*columns[1][:-1], columns[1][-1] + added], "b": columns[2]})
        if kind == "parquet":
            write_table(table, path)
        else:
            write_feather(table, path, compression="uncompressed")

    write(300)
    run_on(path, tmp_path / "c", False)
    write(400)
    refused(path, tmp_path / "c", "a checkpoint of the same stream, got one with ends")
    write(300, added=1.0)
    refused(path, tmp_path / "c", "same stream, got one with ends|must not change")
    write(300)
    assert run_on(path, tmp_path / "c", True).examples == 300


def test_standard_input_has_no_checkpoint(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "driftline.cli", "run", "-", "--format", "svmlight", "--learner", "pa1"]
    done = subprocess.run(
        [*command, "--checkpoint", str(tmp_path / "c")], input=as_svmlight(5), capture_output=True, check=False
    )
    assert done.returncode == 2 and not (tmp_path / "c").exists()
    said = "stdin: a run with checkpoints must read files on disk, which can be read again, got standard input. Write"
    assert said in done.stderr.decode()
    opened = dl.streams.read(io.BytesIO(as_svmlight(5)), format="svmlight")
    with pytest.raises(ValueError, match="got a pipe, a device or an open file"):
        dl.run(dl.PA1(), opened, checkpoint=dl.Checkpoint(tmp_path, 9))


def test_the_command_line_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes(as_svmlight(300))
    command = ["run", str(path), "--learner", "pa1", "--checkpoint", str(tmp_path / "c"), "--every", "50", "--resume"]
    assert main(command) == 0
    path.write_bytes(as_svmlight(299))
    assert main(command) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"driftline: {tmp_path / 'c' / 'checkpoint.dl'}: the stream must have the 300 examples")
    assert err.count("\n") == 1 and err.endswith("Restore it, or start a new run in another folder\n")


# streams that are not files -------------------------------------------------------------------------------------------
def generated(stream: Any, folder: Path, resume: bool) -> dl.Run:
    return dl.run(dl.PA1(), stream, checkpoint=dl.Checkpoint(folder, 50, resume))


def test_a_synthetic_stream_is_known_by_its_parameters(tmp_path: Path) -> None:
    generated(dl.streams.SEA(300, every=40, seed=3), tmp_path, False)
    others = [
        dl.streams.SEA(300, every=40, seed=4),
        dl.streams.SEA(300, every=50, seed=3),
        dl.streams.SEA(300, every=40, seed=3, thetas=(8.0, 9.0)),
        dl.streams.SEA(300, seed=3),
        dl.streams.RotatingHyperplane(300, 3, seed=3),
        [(np.ones((300, 3)), np.ones(300))],
    ]
    for other in others:
        with pytest.raises(dl.ModelError, match="must be a checkpoint of the same stream, got one "):
            generated(other, tmp_path, True)
    assert generated(dl.streams.SEA(400, every=40, seed=3, block=7), tmp_path, True).examples == 400


def test_a_length_that_determines_the_examples_is_part_of_the_stream(tmp_path: Path) -> None:
    generated(dl.streams.SEA(300), tmp_path, False)
    with pytest.raises(dl.ModelError, match="got one with n 300 instead of 400"):
        generated(dl.streams.SEA(400), tmp_path, True)


def test_the_data_of_a_sampled_stream_are_part_of_it(tmp_path: Path) -> None:
    from scipy.sparse import csr_array

    X, y = np.random.default_rng(0).normal(size=(400, 3)), np.arange(400) % 4
    for place, make in enumerate((np.asarray, csr_array)):
        folder = tmp_path / str(place)
        generated(dl.streams.FourPhase(make(X), y, (0, 1, 2, 3), phase=30), folder, False)
        assert generated(dl.streams.FourPhase(make(X), y, (0, 1, 2, 3), phase=30), folder, True).examples == 120
        with pytest.raises(dl.ModelError, match="got one with data"):
            generated(dl.streams.FourPhase(make(X + 1.0), y, (0, 1, 2, 3), phase=30), folder, True)


def test_every_synthetic_stream_can_be_saved_and_resumed(tmp_path: Path) -> None:
    hyperplanes = dl.streams.RotatingHyperplane, dl.streams.SwitchingHyperplane
    mixtures = dl.streams.DriftingMixtures, dl.streams.SwitchingMixtures
    curved = dl.streams.MovingChessboard, dl.streams.RotatingBananas
    for stream in (*hyperplanes, *mixtures, *curved, dl.streams.SEA):
        name = stream.__name__
        generated(stream(n=120), tmp_path / name, False)
        assert generated(stream(n=120), tmp_path / name, True).examples == 120
        with pytest.raises(dl.ModelError, match="same stream"):
            generated(stream(n=120, seed=9), tmp_path / name, True)


def test_an_iterable_that_ends_too_early(tmp_path: Path) -> None:
    blocks = [(np.ones((50, 2)) * (-1.0) ** k, np.full(50, (-1.0) ** k)) for k in range(4)]
    generated(iter(blocks), tmp_path, False)
    kept = (tmp_path / "checkpoint.dl").read_bytes()
    with pytest.raises(dl.ModelError, match="the 200 examples that the run has consumed, got only 150"):
        generated(iter(blocks[:3]), tmp_path, True)
    assert (tmp_path / "checkpoint.dl").read_bytes() == kept


# checkpoints of version 0.1.0 -----------------------------------------------------------------------------------------
def test_an_old_checkpoint_knows_the_first_bytes_of_its_file(tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "small.svm", tmp_path)
    shutil.copytree(FIXTURES / "pa1-skip", tmp_path / "c")
    path = tmp_path / "small.svm"

    def resumed() -> dl.Run:
        stream = dl.streams.read(path, on_error="skip")
        learner = dl.PA1(labels=(-1, 1), scale="standard")
        return dl.run(learner, stream, points=32, checkpoint=dl.Checkpoint(tmp_path / "c", 40, True))

    data = path.read_bytes()
    path.write_bytes(b"1 1:1\n" + data)
    with pytest.raises(dl.ModelError, match="same stream, got one with heads"):
        resumed()
    path.write_bytes(data)
    resumed()
    progress = read_container(tmp_path / "c" / "checkpoint.dl", "checkpoint")[0]["progress"]
    assert "rows" in progress and "heads" not in progress["stream"]  # from now on, consumed rows are compared
    path.write_bytes(b"1 1:1\n" + data)
    with pytest.raises(dl.ModelError, match=CHANGED):
        resumed()

"""Output replaces regular files only: devices, pipes, sockets, folders and links stay what they are.

Every special file is made in a temporary folder, so that a failing test can damage nothing else.
"""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.internals.file_targets import is_sink, is_stdout, regular_target
from driftline.report.pages.document import write_whole
from driftline.streams import ReadError, read

DATA = b"1 1:1\n-1 1:-1\n1 1:2\n"
NULL, ZERO = (1, 3), (1, 5)
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc and device numbers of Linux")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_bytes(DATA)
    return tmp_path


def device(path: Path, number: tuple[int, int]) -> Path:
    """A character device, where making and opening one is permitted."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(*number))
        path.open("rb").close()
    except OSError as error:
        pytest.skip(f"no devices here: {error.strerror}")
    return path


def opened_pipe(path: Path) -> int:
    """A named pipe that is open at both ends, so that no other end waits for it."""
    os.mkfifo(path)
    return os.open(path, os.O_RDWR | os.O_NONBLOCK)


def listening(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    (path / "inside").write_bytes(b"kept")
    return path


MADE: dict[str, Callable[[Path], Path]] = {
    "a folder": folder,
    "a socket": listening,
    "a device": lambda path: device(path, ZERO),
}


def learner() -> dl.Learner:
    made = dl.PA1()
    made.learn_many([[1.0], [-1.0]], [1, -1])
    return made


WRITERS: dict[str, Callable[[Path], object]] = {
    "save": lambda path: learner().save(path),
    "report": lambda path: write_whole(path, "content of a report"),
}


@pytest.mark.parametrize("how", WRITERS)
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_not_a_file_is_refused(place: Path, kind: str, how: str, linked: bool) -> None:
    target = MADE[kind](place / "target")
    before = target.lstat()
    path = target
    if linked:
        path = place / "link"
        path.symlink_to(target)
    with pytest.raises((dl.ModelError, OSError), match=f"must be a file that can be written, got .*{kind}"):
        WRITERS[how](path)
    after = target.lstat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (before.st_ino, before.st_mode, before.st_rdev)
    assert path.is_symlink() == linked
    assert {one.name for one in place.iterdir()} <= {"a.svm", "target", "link"}


@pytest.mark.parametrize("option", ["--save", "--report"])
@pytest.mark.parametrize("kind", MADE)
def test_the_command_line_refuses_them_before_the_run(
    place: Path, kind: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = MADE[kind](place / "target")
    before = target.lstat()
    assert main(["run", "a.svm", "--learner", "pa1", option, "target"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"driftline: target: must be a file that can be written, got {kind}. Choose another path\n"
    assert target.lstat().st_ino == before.st_ino and target.lstat().st_rdev == before.st_rdev


@pytest.mark.parametrize("how", WRITERS)
def test_the_null_device_takes_all_and_stays(place: Path, how: str) -> None:
    null = device(place / "null", NULL)
    before = null.lstat()
    WRITERS[how](null)
    after = null.lstat()
    assert stat.S_ISCHR(after.st_mode) and (after.st_ino, after.st_rdev) == (before.st_ino, before.st_rdev)
    assert {one.name for one in place.iterdir()} == {"a.svm", "null"}


def test_the_command_line_writes_to_a_null_device(place: Path) -> None:
    null = device(place / "null", NULL)
    before = null.lstat().st_ino
    assert main(["run", "a.svm", "--learner", "pa1", "--save", "null", "--report", "null"]) == 0
    assert stat.S_ISCHR(null.lstat().st_mode) and null.lstat().st_ino == before


@pytest.mark.parametrize("how", WRITERS)
def test_a_pipe_gets_what_a_file_would_hold(place: Path, how: str) -> None:
    pipe = opened_pipe(place / "pipe")
    WRITERS[how](place / "pipe")
    got = os.read(pipe, 1 << 16)
    WRITERS[how](place / "file")
    assert stat.S_ISFIFO((place / "pipe").lstat().st_mode)
    assert got == (place / "file").read_bytes() != b""
    os.close(pipe)


# links ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("how", WRITERS)
@pytest.mark.parametrize("there", [False, True])
def test_a_link_stays_a_link(place: Path, how: str, there: bool) -> None:
    inner = place / "inner"
    inner.mkdir()
    if there:
        (inner / "file").write_bytes(b"old")
        (inner / "file").chmod(0o640)
    (place / "link").symlink_to("inner/file")
    WRITERS[how](place / "link")
    assert (place / "link").is_symlink() and (place / "link").readlink() == Path("inner/file")
    assert (inner / "file").stat().st_size > 3
    assert not there or stat.S_IMODE((inner / "file").stat().st_mode) == 0o640
    assert [one.name for one in inner.iterdir()] == ["file"]


def test_a_link_without_end_is_refused(place: Path) -> None:
    (place / "link").symlink_to("link")
    for write in WRITERS.values():
        with pytest.raises((dl.ModelError, OSError), match=r"must be a file that can be written, got .*symbolic links"):
            write(place / "link")
    assert (place / "link").is_symlink()


# standard output ------------------------------------------------------------------------------------------------------
def driftline(*words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "driftline.cli", "run", "a.svm", "--learner", "pa1", *words]
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, **more)


@linux
@pytest.mark.parametrize(
    ("option", "path"), [("--save", "/dev/stdout"), ("--report", "/dev/fd/1"), ("--save", "out"), ("--report", "link")]
)
def test_results_and_files_are_not_mixed(place: Path, option: str, path: str) -> None:
    """Standard output is a file or a pipe; in either case nothing is written to it."""
    (place / "link").symlink_to("/dev/stdout")
    with (place / "out").open("wb") as out:
        found = [driftline(option, path, stdout=out)]
    if path != "out":
        found.append(driftline(option, path, stdout=subprocess.PIPE))
    for done in found:
        assert done.returncode == 2 and not done.stdout
        said = f"driftline: {path}: must be a file that can be written, got standard output, where the results are"
        assert said in done.stderr.decode()
    assert (place / "out").read_bytes() == b""


@linux
def test_the_input_is_not_replaced_by_the_model(place: Path) -> None:
    """A dash means standard input, also as the target of --save."""
    with (place / "a.svm").open("rb") as given:
        done = driftline("--save", "-", stdin=given, stdout=subprocess.PIPE)
    assert done.returncode == 2 and b"must be a file that can be written, got an open file" in done.stderr
    assert (place / "a.svm").read_bytes() == DATA


SAVE = "import driftline as dl; learner = dl.PA1(); learner.learn_one([1.0], 1); learner.save('/dev/stdout')"


@linux
def test_a_script_may_write_a_model_to_a_pipe(place: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SAVE], capture_output=True, check=True)
    (place / "m.dl").write_bytes(done.stdout)
    assert dl.load(place / "m.dl").n_seen == 1


@linux
def test_a_file_that_is_open_as_standard_output_is_not_replaced(place: Path) -> None:
    (place / "log").write_bytes(b"first line\n")
    with (place / "log").open("ab") as log:
        done = subprocess.run([sys.executable, "-c", SAVE], stdout=log, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"got an open file of this process" in done.stderr
    assert (place / "log").read_bytes() == b"first line\n"


# caches and checkpoints -----------------------------------------------------------------------------------------------
@pytest.fixture(params=["a pipe", *MADE])
def special(place: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[Path], Path]]:
    """Makes a pipe, a folder, a socket or a device."""
    opened: list[int] = []

    def make(path: Path) -> Path:
        if request.param != "a pipe":
            return MADE[request.param](path)
        opened.append(opened_pipe(path))
        return path

    yield make
    for one in opened:
        os.close(one)


def test_a_cache_is_a_regular_file(place: Path, special: Callable[[Path], Path]) -> None:
    target = special(place / "a.svm.dlcache")
    before = target.lstat()
    with pytest.raises(ReadError, match=r"dlcache: a cache must be written next to its file, got a \w+\. Leave"):
        list(read("a.svm", cache=True))
    assert (target.lstat().st_ino, target.lstat().st_mode) == (before.st_ino, before.st_mode)


def test_a_cache_may_be_a_link(place: Path) -> None:
    (place / "fast").mkdir()
    (place / "a.svm.dlcache").symlink_to("fast/a.svm.dlcache")
    for _ in range(2):
        assert sum(len(y) for _, y in read("a.svm", cache=True)) == 3
        assert (place / "a.svm.dlcache").is_symlink()
        assert [one.name for one in (place / "fast").iterdir()] == ["a.svm.dlcache"]


@pytest.mark.parametrize("resume", [False, True])
def test_a_checkpoint_is_a_regular_file(place: Path, special: Callable[[Path], Path], resume: bool) -> None:
    (place / "c").mkdir()
    target = special(place / "c" / "checkpoint.dl")
    before = target.lstat()
    with pytest.raises(dl.ModelError, match="checkpoint"):
        dl.run(dl.PA1(), read("a.svm"), checkpoint=dl.Checkpoint("c", 2, resume))
    assert (target.lstat().st_ino, target.lstat().st_mode) == (before.st_ino, before.st_mode)


# the functions --------------------------------------------------------------------------------------------------------
def test_kinds_of_targets(place: Path) -> None:
    assert regular_target("new") == place / "new" and regular_target("a.svm") == place / "a.svm"
    os.mkfifo("pipe")
    assert is_sink("pipe") and not is_sink("a.svm") and not is_sink("nowhere") and not is_sink(place)
    assert not is_stdout("a.svm") and not is_stdout("nowhere")
    with pytest.raises(OSError) as caught:
        regular_target("pipe")
    assert caught.value.strerror == "a pipe"

"""Bad input on the command line: one line on stderr, exit code 2, and no output left behind."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.saved import container
from driftline.streams.files.source import Source
from tests.support.read_files import zstd

GOOD = b"".join(b"%d 1:%d 2:0.5\n" % (1 - 2 * (k % 2), k % 7) for k in range(50))


def contents(folder: Path) -> dict[str, bytes | None]:
    """Everything that is in a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a good file, a model, and outputs of before."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.svm").write_bytes(GOOD)
    learner = dl.PA1()
    learner.learn_many([[0.0, 1.0, 2.0], [0.0, 2.0, 1.0]], [1, -1])
    learner.save(tmp_path / "good.dl")
    (tmp_path / "out.dl").write_bytes(b"a model of before")
    (tmp_path / "out.html").write_bytes(b"a report of before")
    return tmp_path


@pytest.fixture
def fails(place: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A command that must fail; the message must have these words. Returns what was said."""

    def check(command: str | list[str], *words: str) -> str:
        before = contents(place)
        capfd.readouterr()
        code = main(command.split() if isinstance(command, str) else command)
        said = capfd.readouterr().err
        assert code == 2, said
        assert said.startswith("driftline: ") and said.count("\n") == 1 and said.endswith("\n"), said
        assert said[:-1].isprintable(), said
        for word in words:
            assert word in said, f"{word!r} is not in: {said}"
        assert contents(place) == before
        return said

    return check


Fails = Callable[..., str]
OUTPUTS = "--save out.dl --report out.html"


# malformed lines ------------------------------------------------------------------------------------------------------
MALFORMED: dict[str, tuple[bytes, str, tuple[str, ...]]] = {
    "a.svm": (b"1 1:1\n-1 2:2\n1 3:abc\n", "", ("a.svm, line 3, column 3: ", "'3:abc'", "a value must be a number")),
    "b.svm": (b"1 1:1\n-1 1099511627776:1\n", "", ("b.svm, line 2, column 4: ", "1099511627776:1", "below 2^31")),
    "c.svm": (b"1 1:1\n-1 2:nan\n", "", ("c.svm, line 2, column 4: ", "'2:nan'", "must be finite")),
    "a.vw": (b"1 | a\n-1 | b:1e999\n", "", ("a.vw, line 2, column 6: ", "'b:1e999'")),
    "b.vw": (b"1 | a\nno bar here\n", "", ("b.vw, line 2, column 1: ", "'no'")),
    "c.vw": (b"1 | a\n-1 | \xff\xfe\n", "", ("c.vw, line 2, column 6: ", "UTF-8", "xff")),
    "a.jsonl": (b'{"y": 1}\n{"y": 0, "n": }\n', "--target y", ("a.jsonl, line 2, column 15: ", "'}'")),
    "b.jsonl": (b'{"y": 1}\n[1, 2]\n', "--target y", ("b.jsonl, line 2: ", "'[1, 2]'")),
    "c.jsonl": (
        b'{"y": null}\n{"n": 2}\n',
        "--target y",
        ("c.jsonl: at least one example must have a label, got none in 2",),
    ),
    "d.jsonl": (b'{"y": 1}\n{"y": "\xff"}\n', "--target y", ("d.jsonl, line 2, column 8: ", "xff")),
    "a.csv": (b"y,n\n1,2\n0,2,3\n", "--target y", ("a.csv, line 3: ", "must have 2 cells", "3 in '0,2,3'")),
    "blank.csv": (b"\n\n", "--target y", ("blank.csv",)),
    "open.csv": (b'"y,n\n1,0\n', "--target y", ("open.csv, line 1", "a quote must be closed")),
    "c.csv": (b"y,n\n1,\xe9t\xe9\n0,2\n", "--target y", ("c.csv, line 2, column 3: ", "UTF-8", "xe9t")),
    "d.csv": (b'y,n\n1,2\n0,"open\n', "--target y", ("d.csv, line 3", "a quote must be closed", "open")),
    "e.csv": (b"y,n\n,2\nNA,2\n", "--target y", ("e.csv: at least one example must have a label, got none in 2",)),
    "i.csv": (
        b"y,n\n1,2\n0,1\n1,x\n",
        "--target y",
        ("i.csv, line 4, column n: a cell of this column must be a number",),
    ),
    "j.csv": (
        b"y,n\n1.5,2\n0.5,1\n",
        "--target y",
        ("j.csv: the target y must be a class, got the fraction",),
    ),
    "f.csv": (b"y,n\n1,2\n0,1\n", "--target z", ("f.csv: --target must be one of the columns 'y', 'n', got 'z'",)),
    "g.csv": (b"y,n\n1,2\n0,1\n", "", ("g.csv: ", "--target")),
    "h.csv": (b"y,n\n1,2\n0,1\n", "--target y --drop z", ("h.csv: --drop must be one of the columns", "'z'")),
    "a.tsv": (b"y\tn\n1\t2\n0\n", "--target y", ("a.tsv, line 3: ", "must have 2 cells", "1 in '0'")),
    "a.arff": (b"@relation r\n@attribute n numeric\n@data\n1,2\n", "", ("a.arff, line 4: ", "1 cells", "'1,2'")),
    "b.arff": (b"@relation r\n@attribute n numeric\n", "", ("b.arff: the header must end with a line @data",)),
    "a.parquet": (b"PAR1 but nothing else PAR1", "--target y", ("a.parquet: must be an intact file of its format",)),
    "a.arrow": (b"ARROW1\0\0 but nothing else", "--target y", ("a.arrow: must be an intact file of its format",)),
    "blank.svm": (b"\n  \n# nothing\n", "", ("blank.svm: must have at least one example, got none",)),
    "empty.svm": (b"", "", ("empty.svm: must have at least one example, got none",)),
    "empty.csv": (b"", "--target y", ("empty.csv: a file must have at least one row, got none",)),
    "header.csv": (b"y,n\n", "--target y", ("header.csv: a file must have at least one row, got none",)),
    "empty": (b"", "", ("empty: ",)),
    "strange": (b"\x00\x01\x02", "", ("strange: the format must be known", "--format")),
    "same.svm": (
        b"1 1:1\n1 2:1\n",
        "",
        ("same.svm: examples must have two different labels, got only 1 in 2 examples",),
    ),
    "third.svm": (b"1 1:1\n-1 2:1\n2 1:1\n", "", ("third.svm, line 3: a label must be -1 or 1, got 2",)),
    "long.svm": (b"1 1:1\n-1 2:1e200\n", "", ("long.svm, line 2: must be shorter than 1e+60", "column 2 is 1e+200")),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files(place: Path, fails: Fails, name: str) -> None:
    data, options, words = MALFORMED[name]
    (place / name).write_bytes(data)
    # which the Tracker takes, or a regressor
    other = "--learner pa1" if name in ("third.svm", "long.svm", "j.csv") else ""
    fails(f"run {name} {options} {other} {OUTPUTS}", *words)
    if "labels must be two" not in words[0]:
        fails(f"compare {name} {options} --learners pa1,romma --report out.html", *words)


def test_control_characters_do_not_reach_the_terminal(place: Path, fails: Fails) -> None:
    (place / "a.csv").write_bytes(b"y,\x1b[31mn\n1,2\n0,2\n")
    fails("run a.csv --target z", "'\\x1b[31mn'")
    (place / "new\nline.svm").write_bytes(b"1 1:x\n")
    fails(["run", "new\nline.svm"], "new\\nline.svm, line 1")
    fails(["inspect", "new\nline.dl"], "new line.dl must be a driftline model, got no such file")


def test_skipped_lines_are_counted_and_listed(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = GOOD.splitlines(keepends=True)
    for k in range(0, 40, 4):
        lines[k] = b"1 1:x\n"
    lines[41] = b"7 1:1\n"
    (place / "a.svm").write_bytes(b"".join(lines))
    assert main(["run", "a.svm", "--learner", "pa1", "--on-error", "skip", "--save", "out.dl"]) == 0
    out, err = capfd.readouterr()
    assert "39 examples, 3 features" in out
    said = err.splitlines()
    assert said[0] == "11 examples were skipped:"
    assert said[1].startswith("  a.svm, line 1, column 3: a value must be a number, got '1:x'. ")
    assert [line.partition(",")[2].split(",")[0] for line in said[1:6]] == [f" line {k}" for k in (1, 5, 9, 13, 17)]
    assert said[6:] == ["  and 6 more"]
    assert dl.load(place / "out.dl").n_seen == 39

    assert main(["run", "a.svm", "--learner", "pa1", "--on-error", "skip", "--json"]) == 0
    facts = json.loads(capfd.readouterr().out)
    assert facts["skipped"] == 11 and len(facts["reasons"]) == 11
    assert facts["reasons"][-1].startswith("a.svm, line 42: a label must be")
    assert facts["runs"][0]["examples"] == 39

    assert main(["predict", "good.dl", "a.svm", "--on-error", "skip"]) == 0
    out, err = capfd.readouterr()
    rows = [int(line.split(",")[0]) for line in out.splitlines()[1:]]
    assert rows == [k for k in range(1, 51) if k not in range(1, 41, 4)]  # labels are not looked at
    assert err.startswith("10 examples were skipped, the first: a.svm, line 1, ")


# files that are damaged, missing or no files --------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress), ("zst", zstd)]
)
def test_a_compressed_file_that_was_cut_short(
    place: Path, fails: Fails, suffix: str, pack: Callable[[bytes], bytes], share: float
) -> None:
    data = pack(b"".join(b"1 1:%d\n-1 2:%d\n" % (k, 7 * k % 11) for k in range(3000)))
    name = f"a.svm.{suffix}"
    (place / name).write_bytes(data[: int(share * len(data))])
    fails(f"run {name} {OUTPUTS}", f"{name}: a compressed file must be intact, got ", "Fetch it again")


def test_a_compressed_file_with_a_wrong_byte(place: Path, fails: Fails) -> None:
    data = bytearray(gzip.compress(GOOD))
    data[-6] ^= 1
    (place / "a.svm.gz").write_bytes(data)
    fails(f"run a.svm.gz {OUTPUTS}", "a.svm.gz: a compressed file must be intact, got CRC check failed")


def test_what_is_no_file(place: Path, fails: Fails) -> None:
    (place / "folder").mkdir()
    for command in ("run", "compare --learners pa1", "predict good.dl"):
        fails(f"{command} missing.svm", "missing.svm: must be an existing file, got no such file")
        fails(f"{command} folder", "folder: must be a file, got a folder")
        fails(f"{command} https://example.org/a.csv", "https://example.org/a.csv: must be a local file, got a URL")
        fails(f"{command} day-*.svm", "day-*.svm: a pattern must match a file, got none")
    fails("run", "run must be given a file, got none")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that cannot be read from its start")
def test_a_file_that_cannot_be_read(fails: Fails) -> None:
    said = "/proc/self/mem: must be a readable file, got Input/output error. Check it and its permissions"
    fails("run /proc/self/mem --format svmlight", said)
    fails("run /proc/self/mem --format csv --target y", said)
    fails("run /proc/self/mem", said)


def test_paths_that_cannot_be_written(place: Path, fails: Fails) -> None:
    (place / "folder").mkdir()
    for option in ("--save", "--report"):
        for path in ("missing/out", "good.svm/out", "folder"):
            fails(f"run good.svm {option} {path}", f"{path}: must be a file that can be written")
    fails("run good.svm --checkpoint good.svm/c", "good.svm/c: must be a folder that can be written")


# models and checkpoints -----------------------------------------------------------------------------------------------
def newer(data: bytes, folder: Path) -> bytes:
    """The model as a later version would write it."""
    path = folder / "newer"
    meta, arrays = container.read(folder / "good.dl", "model")
    version = container.VERSION
    try:
        container.VERSION = 2
        container.write(path, "model", meta, arrays)
    finally:
        container.VERSION = version
    made = path.read_bytes()
    path.unlink()
    return made


SPOILED: dict[str, tuple[Callable[[bytes, Path], bytes], str]] = {
    "cut short": (lambda data, _: data[:-5], "damaged or cut short"),
    "flipped": (lambda data, _: data[:-5] + bytes([data[-5] ^ 1]) + data[-4:], "damaged or cut short"),
    "newer": (newer, "written by a newer driftline (format 2, this one reads 1). Upgrade driftline"),
    "not ours": (lambda *_: b"\x80\x04\x95 a pickle, perhaps", "got a file of another format"),
    "empty": (lambda *_: b"", "an empty file"),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_a_model_that_cannot_be_loaded(place: Path, fails: Fails, kind: str) -> None:
    spoil, words = SPOILED[kind]
    (place / "bad.dl").write_bytes(spoil((place / "good.dl").read_bytes(), place))
    for command in ("predict bad.dl good.svm", "inspect bad.dl", f"run good.svm --model bad.dl {OUTPUTS}"):
        fails(command, "load: bad.dl must be a driftline model, got ", words)


def test_models_that_are_not_there(fails: Fails) -> None:
    fails("inspect none.dl", "load: none.dl must be a driftline model, got no such file")
    fails("inspect .", "got a folder")
    fails("run good.svm --model good.dl --C 2", "--model must come without --C, got both")
    fails("run good.svm --model good.dl --learner pa2", "--model must come without --learner, got both")


def test_checkpoints(place: Path, fails: Fails, capfd: pytest.CaptureFixture[str]) -> None:
    fails("run good.svm --resume", "--resume must come with --checkpoint, got it alone. Add --checkpoint DIR")
    assert main(["run", "good.svm", "--learner", "pa1", "--checkpoint", "c", "--every", "20"]) == 0
    (place / "other.svm").write_bytes(GOOD + b"1 1:1\n")
    fails(f"run good.svm --checkpoint c {OUTPUTS}", "c: must not contain a checkpoint, got one. Resume it with")
    fails(
        "run other.svm --learner pa1 --checkpoint c --resume --save out.dl", "must be a checkpoint of the same stream"
    )
    fails("run good.svm --learner pa1 --checkpoint c --resume --C 0.5 --save out.dl", "a run with parameters")
    fails("run good.svm --checkpoint c --resume --learner pa2", "a run with learner 'pa1' instead of 'pa2'")
    fails("run good.svm --learner pa1 --checkpoint c --resume --report out.html", "a run with another report")
    fails("run good.svm --checkpoint d --every 0", "Checkpoint: every must be a whole number >= 1, got 0")
    data = (place / "c" / "checkpoint.dl").read_bytes()
    (place / "c" / "checkpoint.dl").write_bytes(data[:-1])
    fails("run good.svm --checkpoint c --resume", "must be a driftline checkpoint, got a file that is damaged")
    (place / "c" / "checkpoint.dl").write_bytes((place / "good.dl").read_bytes())
    fails("run good.svm --checkpoint c --resume", "must be a driftline checkpoint, got a file of kind 'model'")


def test_an_error_after_some_checkpoints_keeps_them(
    place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = Source.chunks
    monkeypatch.setattr(Source, "chunks", lambda self, _=0, **more: chunks(self, 100, **more))
    (place / "a.svm").write_bytes(GOOD + b"1 1:x\n")
    assert main(["run", "a.svm", "--checkpoint", "c", "--every", "20", "--save", "new.dl"]) == 2
    assert not (place / "new.dl").exists()
    meta, _ = container.read(place / "c" / "checkpoint.dl", "checkpoint")
    assert meta["progress"]["done"] == 40
    assert [p.name for p in (place / "c").iterdir()] == ["checkpoint.dl"]


# options --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("run good.svm --learner pa3", "--learner must be one of perceptron, "),
        ("run good.svm --learner perceptrom", "Did you mean perceptron?"),
        (
            "run good.svm --learner pa1 --lam 3",
            "--lam must be an option of this command or of pa1, got neither. pa1 has --C, --when",
        ),
        ("run good.svm --learner pa1 --C -1", "PA1: C must be > 0, got -1"),
        ("run good.svm --learner pa1 --C x", "PA1: C must be a number, got 'x'"),
        ("run good.svm --every x", "--every"),
        ("run good.svm --scale big", "--scale"),
        ("run good.svm --labels 1", "--labels must be NEGATIVE,POSITIVE, got '1'"),
        ("run good.svm --hash-bits 99", "Hashing: bits must be a whole number from 1 to 30, got 99"),
        ("run good.svm --format xml", "read: format must be one of svmlight, "),
        ("run good.svm --threads 0", "read: threads must be a whole number >= 1, got 0"),
        ("run good.svm --on-error ask", "--on-error"),
        ("run good.svm --learner pa1 --C", "--C"),
        ("compare good.svm", "--learners"),
        ("compare good.svm --learners ,", "--learners must be comma-separated names, got ','"),
        ("compare good.svm --learners pa1:C", "parameters of pa1:C must be NAME=VALUE, got 'C'"),
        ("compare good.svm --learners pa1:D=1", "--D must be an option of this command or of pa1"),
        ("compare --learners pa1", "compare must be given a file, got none"),
        ("predict good.dl", "predict must be given a file, got none"),
        ("predict", "predict"),
        ("inspect good.dl --top -1", "--top must be >= 0, got -1"),
        ("bench --rows 0", "--rows and --repeats must be >= 1, got 0 and 5"),
        ("frobnicate", "frobnicate"),
        ("--frobnicate", "frobnicate"),
    ],
)
def test_wrong_options(fails: Fails, command: str, words: str) -> None:
    fails(command, words)


# lines without end ----------------------------------------------------------------------------------------------------
LONG = """
import resource, sys
from driftline.cli.main import main
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
for name, options in (("svm", []), ("csv", ["--target", "y"]), ("jsonl", ["--target", "y"])):
    main(["run", f"small.{name}", *options])
before = most()
for name, options in (("svm", []), ("csv", ["--target", "y"]), ("jsonl", ["--target", "y"])):
    code = main(["run", f"long.{name}", *options])
    print("code", code, "more", most() - before, flush=True)
"""


def test_a_line_of_a_hundred_million_bytes(place: Path) -> None:
    """It takes no more than some times the longest line allowed, 32 MB."""
    heads = {"svm": b"1 1:1\n-1 2:1\n", "csv": b"y,n\n1,2\n0,3\n", "jsonl": b'{"y": 1}\n{"y": 0}\n'}
    for name, head in heads.items():
        (place / f"small.{name}").write_bytes(head)
        with (place / f"long.{name}").open("wb") as file:
            file.write(head)
            file.seek(100_000_000, os.SEEK_CUR)  # a hole: it takes no room on the disk
            file.write(b"\n" + head)
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True)
    said = [line for line in done.stdout.splitlines() if line.startswith("code")]
    assert len(said) == 3, done.stderr
    for line in said:
        _, code, _, more = line.split()
        assert code == "2" and int(more) < 200, said
    for name, line in (("svm", 3), ("csv", 4), ("jsonl", 3)):
        assert f"driftline: long.{name}, line {line}: a " in done.stderr
    assert done.stderr.count("\n") == 3 and done.stderr.count("must have at most 33,554,432 bytes, got ") == 3


def test_a_long_line_is_skipped(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with (place / "long.svm").open("wb") as file:
        file.write(GOOD)
        file.seek(40_000_000, os.SEEK_CUR)
        file.write(b"\n" + GOOD)
    assert main(["run", "long.svm", "--on-error", "skip"]) == 0
    out, err = capfd.readouterr()
    assert "100 examples" in out and err.startswith("1 example was skipped:\n  long.svm, line 51: a line must have at")


WIDE = """
import resource
from driftline.cli.main import main
import driftline as dl
dl.run(dl.PA1(), dl.streams.read("good.svm"))
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
raise SystemExit(main(["run", "wide.svm", "--save", "out.dl"]))
"""


def test_more_weights_than_memory(place: Path) -> None:
    (place / "wide.svm").write_bytes(b"1 1:1\n-1 2147483647:1\n")
    before = contents(place)
    done = subprocess.run([sys.executable, "-c", WIDE], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("driftline: ") and done.stderr.count("\n") == 1
    assert "the weights must fit into memory, got 2147483648 features" in done.stderr
    assert contents(place) == before

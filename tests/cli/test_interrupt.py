"""Ctrl-C in a command: the result so far is printed and written, and the exit code is 130."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import main

LINES = "".join(f"{1 - 2 * (k * k % 3 % 2)} 1:{k % 7} 2:{k % 5 - 2}\n" for k in range(2000)).encode()
COMMAND = """
import signal, sys
from driftline.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore interrupts
sys.exit(main(sys.argv[1:]))
"""
MOST = 20_000
"""More blocks of lines than a run reads before it shows its progress."""


class Interrupted:
    """A command that reads examples from stdin; SIGINT is sent when stderr, a terminal, shows its progress."""

    def __init__(self, *arguments: str) -> None:
        terminal, stderr = pty.openpty()
        pipe, command = subprocess.PIPE, [sys.executable, "-c", COMMAND, *arguments]
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr) as process:
            os.close(stderr)
            shown = b""
            assert process.stdin is not None and process.stdout is not None
            for _ in range(MOST):
                process.stdin.write(LINES)  # a process that has ended raises BrokenPipeError
                if select.select([terminal], [], [], 0)[0]:
                    shown += os.read(terminal, 4096)
                if b" examples, " in shown:
                    break
            process.send_signal(signal.SIGINT)
            with suppress(BrokenPipeError):  # some systems deliver the signal only when the read returns
                for _ in range(MOST):
                    process.stdin.write(LINES)
            with suppress(BrokenPipeError):
                process.stdin.close()
            self.out = process.stdout.read().decode()
        self.code = process.returncode
        while select.select([terminal], [], [], 0)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the end of the output of a terminal
                break
        os.close(terminal)
        self.last_line = shown.decode().splitlines()[-1].split("\r")[-1]

    @property
    def examples(self) -> int:
        number = self.last_line.removeprefix("driftline: interrupted after ").removesuffix(" examples")
        return int(number.replace(",", ""))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_run_prints_and_writes_what_there_is() -> None:
    done = Interrupted("run", "-", "--learner", "pa1", "--save", "m.dl", "--report", "r.html")
    assert done.code == 130
    lines = done.out.splitlines()
    assert lines[1].startswith("PA1") and lines[3].startswith("baselines: ")
    assert lines[4].startswith(f"{done.examples:,} examples, 3 features, labels -1 and 1, ")
    assert "stdin, interrupted" in Path("r.html").read_text()
    assert dl.load("m.dl").n_seen == done.examples
    whole = (LINES * (done.examples // 2000 + 1)).splitlines(keepends=True)
    Path("due.svm").write_bytes(b"".join(whole[: done.examples]))
    due = dl.PA1()
    dl.run(due, dl.streams.read("due.svm"))
    due.save("due.dl")
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()


def test_json_says_that_the_run_was_interrupted() -> None:
    done = Interrupted("run", "-", "--learner", "pa1", "--json")
    facts = json.loads(done.out)
    assert done.code == 130 and facts["interrupted"] and facts["runs"][0]["examples"] == done.examples


def test_without_an_example_there_is_no_result(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.svm").write_bytes(LINES)

    def pressed(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("driftline.streams.files.stream.FileStream.__iter__", pressed)
    for command in (["run", "a.svm"], ["compare", "a.svm", "--learners", "pa1,pa"], ["sweep", "a.svm", "--C", "1,2"]):
        assert main(command) == 130
        out, err = capsys.readouterr()
        assert out == "" and err == "driftline: interrupted\n"


@pytest.mark.parametrize("command", [["compare", "--learners", "pa1,pa"], ["sweep", "--C", "1,2", "--save", "m.dl"]])
def test_compare_and_sweep_print_what_there_is(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from driftline.streams.files.stream import FileStream

    Path("a.svm").write_bytes(LINES)
    read = FileStream.__iter__

    def pressed(self: FileStream) -> object:
        yield next(read(self))
        raise KeyboardInterrupt

    monkeypatch.setattr(FileStream, "__iter__", pressed)
    report = ["--report", "r.html"]
    assert main([command[0], "a.svm", *command[1:], *report]) == 130
    out, err = capsys.readouterr()
    assert out.startswith("learner ") and "2,000 examples, " in out
    assert err == "driftline: interrupted after 2,000 examples\n"
    assert "a.svm, interrupted" in Path("r.html").read_text()
    assert command[0] == "compare" or dl.load("m.dl").n_seen == 2000

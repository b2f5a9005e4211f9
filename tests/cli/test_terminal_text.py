"""The commands print nothing that a terminal would act on; JSON and piped CSV stay exact."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import main

TITLE = "\x1b]0;owned\x07"
HOSTILE = [TITLE, "\u202egnp", "\u2066open", "\x9b2J", "two\nlines", "tab\there", "\u2028"]
BAD = "\x1b\x07\x9b\u202e\u2066\u2028\t"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of hostile names and labels, and models that know them."""
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"y": BAD if k % 2 else TITLE, name: k + 1.0}) for k, name in enumerate([*HOSTILE, "last"])]
    (tmp_path / f"in{TITLE}.jsonl").write_text("\n".join(lines))
    learner = dl.PA1()
    for k, name in enumerate([*HOSTILE, "lone \ud800", "\udcff"]):
        learner.learn_one({name: 1.0}, BAD if k % 2 else TITLE)
    learner.save(tmp_path / "model.dl")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """Everything that was printed; it must be harmless."""
    both = "".join(capsys.readouterr())
    assert not set(both) & set(BAD + "\ud800\udcff"), both
    return both


def test_inspect(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "model.dl"]) == 0
    lines = said(capsys).splitlines()
    assert lines[lines.index("largest weights:") + 1 :] and len(lines) - lines.index("largest weights:") == 11
    for name in (r"\x1b]0;owned\x07", r"\u202egnp", r"two\nlines", r"tab\there", r"lone \ud800", r"\udcff"):
        assert sum(line.endswith("  " + name) for line in lines) == 1
    assert any(line.startswith(r"labels: \x1b]0;owned\x07 and \x1b\x07\x9b") for line in lines)


def test_inspect_as_json_is_exact(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "model.dl", "--json"]) == 0
    text = capsys.readouterr().out
    assert text.isascii() and text[:-1].isprintable()
    facts = json.loads(text)
    assert {TITLE, "\u202egnp", "two\nlines", "lone \ud800"} <= {name for name, _ in facts["weights"]}
    assert facts["labels"] == [TITLE, BAD]


@pytest.mark.parametrize(
    "command", ["run --learner pa1", "run", "compare --learners pa1,arow", "sweep --C 0.1,1", "labels --seeds 1 --b 1"]
)
def test_what_runs_print(place: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    name, *rest = command.split()
    assert main([name, f"in{TITLE}.jsonl", "--target", "y", *rest]) == 0
    text = said(capsys)
    assert name == "labels" or r"labels \x1b\x07\x9b\u202e\u2066\u2028\t and \x1b]0;owned\x07" in text


@pytest.mark.parametrize(
    "arguments",
    [
        [f"in{TITLE}.jsonl", "--target", f"{BAD}"],
        [f"in{TITLE}.jsonl"],
        [f"nowhere{TITLE}.svm"],
        ["model.dl", "--format", TITLE],
        [f"in{TITLE}.jsonl", "--target", "y", "--learner", TITLE],
        [f"in{TITLE}.jsonl", "--target", "y", f"--{TITLE}", "1"],
        [f"in{TITLE}.jsonl", "--target", "y", "--save", f"no{TITLE}/model.dl"],
        [f"in{TITLE}.jsonl", "--target", "y", "--drop", "nothing\udcff"],
        [f"in{TITLE}.jsonl", "--target", "y", "--learner", "pa1", "--model", f"{TITLE}.dl"],
    ],
)
def test_errors(place: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["run", *arguments]) == 2
    text = said(capsys)
    assert text.startswith("driftline: ") and text.count("\n") == 1


def test_skipped_lines(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"some{TITLE}.svm"
    Path(name).write_text(f"1 1:1\n-1 2:1\n1 1:{TITLE}\n{BAD.strip()} 1:1\n")
    assert main(["run", name, "--learner", "pa1", "--on-error", "skip"]) == 0
    assert r"some\x1b]0;owned\x07.svm, line 3, column 3: " in said(capsys)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_predicted_labels_are_exact_in_a_pipe_and_escaped_on_a_terminal(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["predict", "model.dl", f"in{TITLE}.jsonl", "--target", "y"]
    assert main(command) == 0
    piped = [row[1] for row in csv.reader(io.StringIO(capsys.readouterr().out, newline=""))][1:]
    assert set(piped) == {TITLE, BAD}
    assert main([*command, "--output", "jsonl"]) == 0
    assert [json.loads(line)["label"] for line in capsys.readouterr().out.splitlines()] == piped
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(command) == 0
    shown = terminal.getvalue()
    assert not set(shown) & set(BAD) and r"\x1b]0;owned\x07" in shown

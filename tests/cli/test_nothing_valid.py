"""Files without a single valid example: one line, exit code 2, and nothing saved."""

from __future__ import annotations

from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import main

ARFF = "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n"
INVALID = {
    "bad.svm": ("x 1:1\ny 1:1\n# comment\n", "none of 2", "line 1, column 1: a label must be a number, got 'x'"),
    "bad.vw": ("1\t2 | a\nno bar\n", "none of 2", "line 1, column 2: words before the | must be separated by spaces"),
    "bad.csv": ("y,x\n1\n2\n3,4,5\n", "none of 3", "line 2: a row must have 2 cells"),
    "bad.jsonl": ('{"y": [1], "x": 1}\n', "none of 1", "line 1, column y: a label must be a number"),
    "bad.arff": (ARFF + "1,c\n", "none of 1", "line 5, column y: "),
}
EMPTY = {
    "empty.svm": "",
    "blank.svm": "\n \r\n\n",
    "comments.svm": "# one\n# two\n",
    "empty.vw": "",
    "empty.jsonl": "\n",
    "empty.csv": "",
    "header.csv": "y,x\n",
    "empty.arff": ARFF,
    "comments.arff": f"% one\n{ARFF}% two\n",
}
COMMANDS = [
    "run FILE --learner pa1",
    "run FILE --report out.html --json",
    "run FILE --learner pa1 --save out.dl --cache",
    "run FILE --learner pa1 --labels a,b",
    "run FILE --learner pa1 --checkpoint kept --every 1",
    "run FILE --learner perceptron --certify",
    "run FILE --model model.dl --save model.dl",
    "compare FILE --learners pa1,perceptron --json",
    "sweep FILE --C 0.1,1 --save out.dl",
    "labels FILE --seeds 1 --b 1 --report out.html",
    "margins FILE",
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    learner = dl.PA1(hashing=dl.Hashing(8))
    learner.learn_many([{"x": 1.0}, {"x": 2.0}], [1, -1])
    learner.save("model.dl")
    return tmp_path


def failed(place: Path, capsys: pytest.CaptureFixture[str], command: str, name: str) -> str:
    """Run the command on the file; it must fail with one line and leave nothing behind."""
    model = (place / "model.dl").read_bytes()
    target = " --target y" if name.endswith(("csv", "jsonl")) else ""
    assert main([*command.replace("FILE", name).split(), *target.split(), "--on-error", "skip"]) == 2
    out, said = capsys.readouterr()
    assert out in ("", "line,label,score\n")
    assert said.startswith(f"driftline: {name}: ") and said.count("\n") == 1, said
    assert (place / "model.dl").read_bytes() == model
    assert not [path for path in place.rglob("*") if path.suffix in (".html", ".json") or path.name == "out.dl"]
    return said


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", INVALID)
def test_all_lines_are_malformed(place: Path, capsys: pytest.CaptureFixture[str], name: str, command: str) -> None:
    text, count, reason = INVALID[name]
    (place / name).write_text(text)
    said = failed(place, capsys, command, name)
    assert f"must have at least one valid example, got {count}. " in said and f"{name}, {reason}" in said


@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[1], *COMMANDS[6:], "predict model.dl FILE"])
@pytest.mark.parametrize("name", EMPTY)
def test_no_lines(place: Path, capsys: pytest.CaptureFixture[str], name: str, command: str) -> None:
    (place / name).write_text(EMPTY[name])
    assert "must have at least one" in failed(place, capsys, command, name)


@pytest.mark.parametrize("command", [one for one in COMMANDS[:6] if "--labels" not in one] + COMMANDS[8:])
def test_the_learner_refuses_all_examples(place: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    (place / "other.svm").write_text("1 1:1\n2 1:1\n1 1:3\n")
    said = failed(place, capsys, f"{command} --labels 7,8", "other.svm")
    assert "got none of 3. " in said and "other.svm, line 1: " in said


@pytest.mark.parametrize("output", ["csv", "jsonl"])
def test_predict(place: Path, capsys: pytest.CaptureFixture[str], output: str) -> None:
    (place / "bad.vw").write_text("no bar\n1 x | a\n")
    said = failed(place, capsys, f"predict model.dl FILE --output {output}", "bad.vw")
    assert "got none of 2. " in said and "bad.vw, line 1, column 1: a line must have a |" in said


def test_one_valid_line_is_enough(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "some.vw").write_text("no bar\n1 | a\n1 x | a\n")
    assert main(["predict", "model.dl", "some.vw", "--on-error", "skip"]) == 0
    assert "2 examples were skipped" in capsys.readouterr().err


def test_the_same_in_python(place: Path) -> None:
    (place / "bad.svm").write_text(INVALID["bad.svm"][0])
    stream = dl.streams.read("bad.svm", on_error="skip")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"bad.svm: must have at least one valid example, got none of 2\. "):
            dl.run(dl.PA1(), stream)

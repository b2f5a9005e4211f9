"""The command line: output and files, light --help, pipes and terminals."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import COMMANDS, main
from driftline.streams import read
from tests.support.processes import python

ROWS = 120


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the same examples as svmlight and as CSV."""
    monkeypatch.chdir(tmp_path)
    rows = [(1 - 2 * (k * k % 3 % 2), k % 7, k % 5 - 2) for k in range(ROWS)]
    (tmp_path / "a.svm").write_text("".join(f"{y} 1:{a} 2:{b}\n" for y, a, b in rows))
    (tmp_path / "a.csv").write_text("y,a,b\n" + "".join(f"{'yes' if y > 0 else 'no'},{a},{b}\n" for y, a, b in rows))
    return tmp_path


# what commands do -----------------------------------------------------------------------------------------------------
def test_run_saves_what_a_run_in_python_saves(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.svm", "--learner", "l2pa", "--beta", "3", "--infeasible", "best", "--save", "m.dl"]) == 0
    out, err = capsys.readouterr()
    learner = dl.L2PA(3, infeasible="best")
    done = dl.run(learner, read("a.svm"))
    learner.save("due.dl")
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()
    row = next(line.split() for line in out.splitlines() if line.startswith("L2PA"))
    assert done.metrics is not None
    balanced, auc = f"{done.metrics.balanced_accuracy:.4f}", f"{done.metrics.auc:.4f}"
    shown = [f"{done.mistakes}", f"{done.label_errors}", f"{done.error:.4f}", balanced, auc, f"{done.updates}"]
    assert row[1:7] == shown
    assert f"{ROWS} examples, 3 features, labels -1 and 1, " in out
    assert err == ""


def test_json(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--target", "y", "--labels", "no,yes", "--scale", "unit", "--no-bias", "--hash-bits", "6", "--C", "0.5"]
    assert main(["run", "a.csv", "--learner", "pa1", *options, "--dtype", "float32", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    (run,) = facts["runs"]
    assert (facts["source"], facts["format"], facts["skipped"], facts["reasons"]) == ("a.csv", "csv", 0, [])
    assert run["learner"] == "PA1" and run["labels"] == ["no", "yes"] and run["examples"] == ROWS
    due = {"C": 0.5, "bias": False, "scale": "unit", "hash_bits": 6, "dtype": "float32"}
    assert {name: run["parameters"][name] for name in due} == due
    learner = dl.PA1(0.5, bias=False, scale="unit", labels=("no", "yes"), hashing=dl.Hashing(6), dtype="float32")
    done = dl.run(learner, read("a.csv", target="y"))
    assert (run["mistakes"], run["hinge"], run["updates"]) == (done.mistakes, done.hinge, done.updates)


def test_a_model_goes_on_learning(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.svm", "--learner", "pa1", "--save", "once.dl"]) == 0
    assert main(["run", "a.svm", "--model", "once.dl", "--save", "twice.dl"]) == 0
    due = dl.PA1()
    for _ in range(2):
        dl.run(due, read("a.svm"))
    due.save("due.dl")
    assert Path("twice.dl").read_bytes() == Path("due.dl").read_bytes()


def test_without_a_learner_it_is_the_tracker(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the usual choices beside it in the report; what is saved is the tracker."""
    assert main(["run", "a.svm", "--report", "r.html", "--save", "m.dl"]) == 0
    out = capsys.readouterr().out
    assert all(any(line.startswith(name) for line in out.splitlines()) for name in ("Tracker", "Perceptron", "PA1"))
    due = dl.Tracker()
    dl.run(due, read("a.svm"))
    due.save("due.dl")
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()
    text = Path("r.html").read_text()
    assert "Tracker" in text and "stacker" in text
    assert main(["run", "a.svm"]) == 0
    assert "Perceptron" not in capsys.readouterr().out


def test_predict_is_what_the_model_says(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "a.csv", "--target", "y", "--learner", "pa1", "--save", "m.dl"])
    capsys.readouterr()
    learner = dl.load("m.dl")
    ((X, _),) = read("a.csv", target="y")
    due = list(zip(X.lines.tolist(), learner.predict_many(X), learner.score_many(X), strict=True))
    assert main(["predict", "m.dl", "a.csv", "--target", "y"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header == "line,label,score"
    assert [line.split(",") for line in lines] == [[str(line), label, repr(float(score))] for line, label, score in due]
    assert main(["predict", "m.dl", "a.csv", "--target", "y", "--output", "jsonl"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert found == [{"line": line, "label": label, "score": score} for line, label, score in due]
    (place / "new.csv").write_text("a,b,new\n1,2,3\n4,5,x\n")
    assert main(["predict", "m.dl", "new.csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_predict_leaves_out_what_the_model_refuses(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "a.svm", "--learner", "pa1", "--save", "m.dl"])
    lines = (place / "a.svm").read_text().splitlines()
    for k in (0, 5, 6, 7, ROWS - 1):
        lines[k] = "1 1:1e99"
    (place / "b.svm").write_text("\n".join(lines))
    capsys.readouterr()
    assert main(["predict", "m.dl", "b.svm", "--on-error", "skip"]) == 0
    out, err = capsys.readouterr()
    assert [int(line.split(",")[0]) - 1 for line in out.splitlines()[1:]] == [*range(1, 5), *range(8, ROWS - 1)]
    assert err.startswith("5 examples were skipped, the first: b.svm, line 1: must be shorter than 1e+60, got length ")
    assert main(["predict", "m.dl", "b.svm"]) == 2
    assert capsys.readouterr().err.startswith("driftline: b.svm, line 1: must be shorter than 1e+60, got length ")


def test_compare_ranks(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "a.svm", "--learners", "pa1,pa1:C=0.01,norma:lam=0.1:alpha=0.5", "--report", "r.html"]) == 0
    lines = capsys.readouterr().out.splitlines()
    mistakes = [int(line.split()[1]) for line in lines[1:4]]
    assert mistakes == sorted(mistakes)
    assert {line.split()[0] for line in lines[1:4]} == {"pa1", "pa1:C=0.01", "norma:lam=0.1:alpha=0.5"}
    assert "<html" in (place / "r.html").read_text()


def test_inspect(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "a.svm", "--learner", "pa1", "--save", "m.dl"])
    capsys.readouterr()
    learner = dl.load("m.dl")
    assert main(["inspect", "m.dl", "--top", "2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["counters"]["n_seen"] == ROWS and facts["counters"]["mistakes"] == learner.mistakes
    assert [tuple(one) for one in facts["weights"]] == learner.largest(2)
    assert main(["inspect", "m.dl"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("PA1\n  C = 1.0\n") and f"n_seen: {ROWS}" in out and "largest weights:" in out


def test_stdin(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((place / "a.svm").read_bytes())))
    assert main(["run", "-", "--learner", "pa1", "--save", "m.dl"]) == 0
    assert main(["run", "a.svm", "--learner", "pa1", "--save", "due.dl"]) == 0
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()


def test_labels_out_of_many(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "b.csv").write_text("y,n\nspam-a,1\nham,2\nspam-b,3\neggs,4\n")
    assert main(["run", "b.csv", "--target", "y", "--positive", "spam-*", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["labels"] == ["other", "spam-*"]


def test_a_cache_and_checkpoints_change_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = ([], ["--cache"], ["--cache"], ["--checkpoint", "c", "--every", "7"], ["--checkpoint", "c", "--resume"])
    models = []
    for more in commands:
        assert main(["run", "a.svm", "--learner", "pa1", "--save", "m.dl", *more]) == 0
        models.append((place / "m.dl").read_bytes())
    assert len(set(models)) == 1
    assert (place / "a.svm.dlcache").exists() and [p.name for p in (place / "c").iterdir()] == ["checkpoint.dl"]


WHOLE = {
    "run a.svm --every 1.5": "--every",
    "run a.svm --ngrams 1.0": "--ngrams",
    "run a.svm --hash-bits=.5": "--hash-bits",
    "compare a.svm --learners pa1,pa --threads 1.9": "--threads",
    "sweep a.svm --learner pa1 --C 1,2 --top 2.5": "--top",
    "labels a.svm --learner pa1 --seeds 1.5": "--seeds",
    "predict m.dl a.svm --threads 1.5": "--threads",
    "inspect m.dl --top 1.5": "--top",
    "margins a.svm --ngrams 1.5": "--ngrams",
    "reproduce nothing --seed 1.5": "--seed",
    "reproduce nothing --jobs 1.9": "--jobs",
    "demo --quick --seed 1.5": "--seed",
    "bench --repeats 1 --rows 9.5": "--rows",
}


@pytest.mark.parametrize("command", WHOLE)
def test_whole_numbers_are_not_rounded(place: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    before = sorted(place.iterdir())
    assert main(command.split()) == 2
    given = command.replace("=", " ").split()[-1]
    due = f"driftline: {WHOLE[command]} must be a whole number, got {given!r}. Write it without a decimal point\n"
    assert capsys.readouterr() == ("", due)
    assert sorted(place.iterdir()) == before


# light, and at home in pipes ------------------------------------------------------------------------------------------
HELP = f"""
import sys
from driftline.cli.main import main
for command in ({["--help"]!r}, *([name, "--help"] for name in {list(COMMANDS)!r}), {["--version"]!r}):
    assert main(command) == 0
    heavy = [name for name in ("numba", "scipy", "pandas", "pyarrow", "sklearn") if name in sys.modules]
    assert not heavy, (command, heavy)
"""


def test_help_is_light() -> None:
    done = python("-c", HELP)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for name in COMMANDS:
        assert f"Usage: driftline {name}" in done.stdout


def test_an_error_in_a_process_of_its_own(place: Path) -> None:
    done = python("-m", "driftline.cli", "run", "missing.svm")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "driftline: missing.svm: must be an existing file, got no such file. Check the path\n"


NARROW = {"ascii": b"\\u2080-\\xe9", "latin-1": b"\\u2080-\xe9", "utf-8": "\u2080-\xe9".encode(), "ascii:ignore": b"-"}


@pytest.mark.parametrize("encoding", NARROW)
def test_what_an_encoding_lacks_is_spelled_out(place: Path, encoding: str) -> None:
    """Labels and file names of any language, and claims with signs of mathematics; a user's own choice is kept."""
    (place / "\u2080-\xe9.csv").write_text("y,a\n\u2080-\xe9,1\nno,-1\n", encoding="utf-8")
    given = [sys.executable, "-m", "driftline.cli", "run", "\u2080-\xe9.csv", "--learner", "pa1", "--target", "y"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"}
    done = subprocess.run(given, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"labels no and " + NARROW[encoding] in done.stdout or b"labels " + NARROW[encoding] in done.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["predict m.dl big.svm", "inspect m.dl"])
def test_whoever_reads_the_output_may_stop(place: Path, command: str, unbuffered: str) -> None:
    main(["run", "a.svm", "--learner", "pa1", "--save", "m.dl"])
    with (place / "big.svm").open("wb") as file:
        for _ in range(300):
            file.write((place / "a.svm").read_bytes())
    given = [sys.executable, "-W", "error", "-m", "driftline.cli", *command.split()]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert process.stdout is not None and process.stderr is not None
    if command.startswith("predict"):
        assert process.stdout.readline() == b"line,label,score\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


PROGRESS = """
import driftline.evaluate.progress
driftline.evaluate.progress.EVERY = 0.0
from driftline.cli.main import main
raise SystemExit(main(["run", "a.svm"]))
"""


def test_progress_shows_on_a_terminal_alone(place: Path) -> None:
    piped = python("-c", PROGRESS)
    assert (piped.returncode, piped.stderr) == (0, "")
    leader, follower = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", PROGRESS], stdout=subprocess.PIPE, stderr=follower)
    os.close(follower)
    assert process.stdout is not None
    out = process.stdout.read().decode()
    shown = os.read(leader, 100_000).decode()
    process.stdout.close()
    os.close(leader)
    assert process.wait() == 0
    assert f"\r{ROWS} examples, " in shown and "[####" in shown and "100 %" in shown
    assert shown.endswith("\r") and shown.rstrip("\r").endswith(" ")  # wiped
    assert f"{ROWS} examples, 3 features" in out


def test_an_interrupt_is_one_line(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dl, "run", interrupted)
    assert main(["run", "a.svm"]) == 130
    assert capsys.readouterr().err == "driftline: interrupted\n"


def test_commas_inside_parentheses_belong_to_a_learner(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = "averaged:base=pa1(C=0.5, when='mistake'),pa1"
    assert main(["compare", "a.svm", "--learners", given, "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["learner"] for run in runs] == ["averaged:base=pa1(C=0.5, when='mistake')", "pa1"]
    assert runs[0]["parameters"]["learner"] == "PA1(C=0.5, when='mistake')"


def test_float32_without_a_learner_says_which_takes_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "a.svm", "--dtype", "float32"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("driftline: Tracker: dtype must be 'float64', got 'float32'. ") and "such as PA1" in error
    assert main(["run", "a.svm", "--dtype", "float32", "--learner", "pa1"]) == 0


def test_a_hinge_loss_that_is_no_number_is_null(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "far.svm").write_text("1 1:1e5\n0 1:1e5\n" * 4)
    assert main(["compare", "far.svm", "--learners", "norma:alpha=1e305:lam=0,pa1", "--json"]) == 0
    assert [run["hinge"] is None for run in json.loads(capsys.readouterr().out)["runs"]] == [True, False]
    assert main(["compare", "far.svm", "--learners", "norma:alpha=1e305:lam=0,pa1"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("pa1")
    assert main(["sweep", "far.svm", "--learner", "norma", "--alpha", "1e305,1", "--lam", "0", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["settings"]
    assert [one["hinge"] is None for one in facts] == [False, True]


def test_a_value_that_only_the_tracker_takes_does_not_stop_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The Perceptron and PA-I beside it stop there, and say where; what the tracker leaves out they leave out too."""
    lines = (place / "a.svm").read_text().splitlines()
    lines[2], lines[7] = "7 1:1", f"{lines[7].split()[0]} 1:1e70"
    (place / "far.svm").write_text("\n".join(lines))
    start = ["run", "far.svm", "--report", "r.html", "--on-error", "skip", "--labels=-1,1"]
    assert main([*start, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    counted = [(run["learner"], run["examples"]) for run in facts["runs"]]
    assert counted == [("Tracker", ROWS - 1), ("Perceptron", 6), ("PA1", 6)]
    assert [run["stopped"] is None for run in facts["runs"]] == [True, False, False]
    assert facts["runs"][1]["stopped"].startswith("far.svm, line 8: must be shorter than 1e+60, got length 1e+70")
    assert facts["skipped"] == 1 and facts["reasons"][0].startswith("far.svm, line 3: a label must be")
    page = (place / "r.html").read_text()
    assert "are left out: they stopped after 6 examples. \u2068far.svm, line 8: must be shorter" in page
    assert "Largest weights: PA1" not in page and "Of 3 learners" not in page
    assert main(start) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].startswith("Tracker") and printed[5].startswith("Perceptron stopped after 6 examples. far.svm, l")
    assert main(["compare", "far.svm", "--learners", "tracker,pa1"]) == 2


def test_a_third_label_stops_only_those_beside_the_tracker(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (place / "a.svm").read_text().splitlines()
    (place / "three.svm").write_text("\n".join([*lines, "7 1:1", *lines]))
    assert main(["run", "three.svm", "--report", "r.html", "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["examples"] for run in runs] == [2 * ROWS + 1, ROWS, ROWS] and len(runs[0]["labels"]) == 3
    assert runs[1]["stopped"].startswith(f"three.svm, line {ROWS + 1}: a label must be -1 or 1, got 7")
    page = (place / "r.html").read_text()
    assert (
        "the weights sum to 1" in page
        and "the weights sum to 1 for each label" not in page  # one vote decides between all labels
        and "after 241 examples" in page
        and "read-out mixture</span>" in page
    )

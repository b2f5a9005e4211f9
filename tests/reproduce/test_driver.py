"""The driver of experiments: stopped at any point it resumes to the same bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftline.cli.main import main
from driftline.cli.reproduce import reproduce as command
from driftline.reproduce import EXPERIMENTS, Setting, Sources, reproduce
from driftline.reproduce.data_origins import DIGITS, missing_data_text, origins
from driftline.reproduce.folder import MANIFEST, REPORT, RESULTS, VERDICTS
from driftline.reproduce.sources import USPS
from driftline.reproduce.task_runner import TaskProgress
from driftline.version import __version__
from tests.support.tiny_experiment import EXPERIMENT as TINY

PATIENCE = 120
"""Seconds until a process is taken to hang."""
KEYS = [f"sum-{k}" for k in range(6)]
PROGRAM = """
import signal
import sys
from driftline.cli.main import main
from driftline.reproduce import EXPERIMENTS
EXPERIMENTS["tiny"] = "tests.support.tiny_experiment"
if __name__ == "__main__":
    # whoever runs the tests may ignore interrupts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    raise SystemExit(main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tiny experiment is listed after all others, which are afterwards as they were."""
    before = dict(EXPERIMENTS)
    EXPERIMENTS["tiny"] = "tests.support.tiny_experiment"
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    yield
    EXPERIMENTS.clear()
    EXPERIMENTS.update(before)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def whole(folder: Path, **setting: int) -> dict[str, bytes]:
    """The files of a run that nothing stops, in this process."""
    reproduce("tiny", folder, Setting(**setting), jobs=1)  # type: ignore[arg-type]
    return contents(folder)


@pytest.fixture
def out(unbroken: dict[str, bytes], tmp_path: Path) -> Path:
    """A folder with these files."""
    for name, content in unbroken.items():
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_bytes(content)
    return tmp_path / "out"


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a run with the default setting."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EXPERIMENTS, "tiny", "tests.support.tiny_experiment")
        return whole(tmp_path_factory.mktemp("unbroken") / "out")


def started(folder: Path, tmp_path: Path, fault: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A process of the command line with two workers; what is returned says that these have ended, too."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "TINY_FAULT": fault, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    return subprocess.run(
        [sys.executable, str(program), "reproduce", "tiny", "--out", str(folder), "--jobs", "2", *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("given", ["nothing", "folder"])
def test_data_that_are_not_at_hand_are_told_with_what_to_do(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TINY_DATA", "1")
    if given == "folder":
        monkeypatch.setenv("DRIFTLINE_DATA", str(tmp_path))
    assert main(["reproduce", "tiny", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    due = missing_data_text({USPS.as_posix(): DIGITS})
    where = f" Looked in {str(tmp_path)!r}." if given == "folder" else ""
    *_, said, report = capsys.readouterr().out.rstrip().splitlines()
    assert (said, report) == (f"data: {due}{where}", f"report: {tmp_path / 'out' / REPORT}")
    page = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert f"<p>{due}</p>" in page and str(tmp_path) not in page


def test_where_nothing_is_lacking_nothing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "tiny", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    assert "data:" not in capsys.readouterr().out
    assert "Missing data" not in (tmp_path / "out" / REPORT).read_text(encoding="utf-8")


def test_a_folder_has_the_report_the_figures_the_rows_and_the_verdicts(unbroken: dict[str, bytes]) -> None:
    files = unbroken
    assert set(files) == {
        *(f"answers/{key}.json" for key in KEYS),
        *(f"figures/{name}.{ending}" for name in ("first", "second") for ending in ("png", "svg")),
        MANIFEST,
        REPORT,
        RESULTS,
        VERDICTS,
    }
    assert files[RESULTS].decode().splitlines()[:2] == ["task,sum", "sum-0,10.0"]
    facts = json.loads(files[VERDICTS])
    assert [one["holds"] for one in facts["verdicts"]] == [True, False, None]
    assert facts["verdicts"][1]["numbers"] == {"infinite": None}
    assert (facts["seed"], facts["quick"], facts["version"]) == (0, False, __version__)
    assert json.loads(files[MANIFEST])["files"] == sorted(files)


def test_the_report_needs_nothing_else_and_its_names_are_its_own(unbroken: dict[str, bytes]) -> None:
    page = unbroken[REPORT].decode()
    assert "<script" not in page and "<img" not in page and not re.search(r'(?:src|href)="(?!#|results\.csv)', page)
    assert page.count("<svg") == 2 and "Six &lt;sums&gt;" in page and "The first &lt;figure&gt;" in page
    assert "does not hold" in page and "undecided" in page and "sums &amp; &lt;more&gt;" in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', page))
    assert used and used <= set(ids)
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ET.fromstring(picture)


def test_a_quick_run_says_that_it_is_one(unbroken: dict[str, bytes], tmp_path: Path) -> None:
    assert b"quick run" in whole(tmp_path / "quick", quick=True)[REPORT]
    assert b"quick run" not in unbroken[REPORT]


@pytest.mark.parametrize("key", KEYS)
def test_a_run_stopped_at_any_task_goes_on_to_the_same_bytes(
    key: str, unbroken: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_FAULT", f"{key}:stop")
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        reproduce("tiny", out, jobs=1)
    assert {f"answers/{done}.json" for done in KEYS[: KEYS.index(key)]} | {MANIFEST} == set(contents(out))
    earlier = KEYS[: KEYS.index(key)]
    # what is done is not done again
    monkeypatch.setenv("TINY_FAULT", f"{earlier[0]}:bug" if earlier else "")
    reproduce("tiny", out, jobs=1)
    assert contents(out) == unbroken


@pytest.mark.parametrize("fault, code", [("sum-3:kill", -9), ("sum-3:interrupt", 130)])
def test_a_run_that_is_killed_or_interrupted_leaves_no_process_and_goes_on(
    fault: str, code: int, unbroken: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    stopped = started(out, tmp_path, fault)
    assert stopped.returncode == code, stopped.stderr
    if code == 130:
        kept = f"driftline: results so far are in {out}; run the same command to resume\n"
        assert stopped.stderr == kept + "driftline: interrupted\n"
    assert f"answers/{KEYS[3]}.json" not in contents(out)
    assert whole(out) == unbroken


def test_a_worker_that_dies_is_one_line_and_its_work_is_done_later(unbroken: dict[str, bytes], tmp_path: Path) -> None:
    out = tmp_path / "out"
    stopped = started(out, tmp_path, "sum-2:die")
    assert stopped.returncode == 2
    assert re.fullmatch(
        r"driftline: reproduce: task sum-\d must finish, got a killed worker process.*\n", stopped.stderr
    )
    assert whole(out) == unbroken


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    "fault, said",
    [
        ("bug", "reproduce: task sum-4 must finish without an error, got TypeError: no such sum"),
        ("refuse", "tiny: sums must be small, got 7. Use less (in task sum-4)"),
    ],
)
def test_an_error_of_a_task_is_one_line_with_its_key(
    fault: str,
    said: str,
    jobs: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TINY_FAULT", f"sum-4:{fault}")
    assert main(["reproduce", "tiny", "--out", str(tmp_path / "out"), "--jobs", str(jobs)]) == 2
    assert capsys.readouterr().err == f"driftline: {said}\n"


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("[0.2", "[0.3", 1),
        lambda text: "[]",
        lambda text: "\xff",
        lambda text: '{"sha256": "0"}',
    ],
)
def test_a_damaged_answer_is_done_again(damage, unbroken: dict[str, bytes], out: Path) -> None:
    file = out / "answers" / "sum-2.json"
    file.write_bytes(damage(file.read_text()).encode("latin-1"))
    assert contents(out) != unbroken
    assert whole(out) == unbroken


def test_an_answer_to_another_question_is_done_again(unbroken: dict[str, bytes], out: Path) -> None:
    (out / "answers" / "sum-2.json").write_bytes((out / "answers" / "sum-3.json").read_bytes())
    assert whole(out) == unbroken


def test_what_a_killed_run_was_writing_is_cleared_away(unbroken: dict[str, bytes], out: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".manifest.json.77.part").write_text("{")
    assert whole(tmp_path / "new") == unbroken
    (out / "answers" / ".sum-1.json.77.part").write_text("{")
    (out / ".mine.part").write_text("kept")
    assert whole(out) == {**unbroken, ".mine.part": b"kept"}


@pytest.mark.parametrize(
    "setting, said",
    [
        (Setting(quick=True), "made with quick true, got {out!r} made with false"),
        (Setting(seed=3), "made with seed 3, got {out!r} made with 0"),
    ],
)
def test_a_folder_of_another_setting_is_refused_and_fresh_starts_over(
    setting: Setting, said: str, unbroken: dict[str, bytes], out: Path, tmp_path: Path
) -> None:
    said = f"reproduce: out must be a folder {said}. Choose another folder, or pass --fresh to start over"
    with pytest.raises(ValueError, match=re.escape(said.format(out=str(out)))):
        reproduce("tiny", out, setting, jobs=1)
    assert contents(out) == unbroken
    (out / "mine.txt").write_text("mine")
    (out / "answers" / "mine.json").write_text("mine")
    (out / "figures" / "mine.png").write_text("mine")
    reproduce("tiny", out, setting, jobs=1, fresh=True)
    mine = {"mine.txt": b"mine", "answers/mine.json": b"mine", "figures/mine.png": b"mine"}
    assert contents(out) == {**whole(tmp_path / "other", quick=setting.quick, seed=setting.seed), **mine}


def test_a_folder_of_another_version_or_experiment_is_refused(out: Path) -> None:
    EXPERIMENTS["other"] = "tests.support.tiny_experiment"
    with pytest.raises(ValueError, match=r'out must be a folder made with experiment "other", got .* made with "tiny"'):
        reproduce("other", out)
    manifest = json.loads((out / MANIFEST).read_text())
    (out / MANIFEST).write_text(json.dumps({**manifest, "version": "0.0.1"}))
    with pytest.raises(ValueError, match=r'version "[\d.]+\w*", got .* made with "0.0.1"\. Choose another folder, or'):
        reproduce("tiny", out)


def test_answers_of_other_data_are_not_mixed_with_new_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_DATA", "yes")
    out, data = tmp_path / "out", tmp_path / "data"
    facts = json.loads(whole(out)[VERDICTS])
    assert facts["data"] == {"usps/usps.h5": "the digits of scikit-learn"}
    (data / "usps").mkdir(parents=True)
    (data / "usps" / "usps.h5").write_text("no pixels")
    with pytest.raises(
        ValueError, match=r"user's folder, sha256 [0-9a-f]{16}, got .* took it from the digits of scikit-learn"
    ):
        reproduce("tiny", out, Setting(sources=Sources(str(data))), jobs=1)
    with pytest.raises(ValueError, match=r"usps\.h5 must be an HDF5 file .* \(in task sum-0\)"):
        reproduce("tiny", out, Setting(sources=Sources(str(data))), jobs=1, fresh=True)


def test_data_are_told_by_their_content(tmp_path: Path) -> None:
    for place, content in (("a", "some"), ("b", "some"), ("c", "other")):
        (tmp_path / place / "usps").mkdir(parents=True)
        (tmp_path / place / "usps" / "usps.h5").write_text(content)
    one, same, other = (origins(Sources(str(tmp_path / place)), ["usps/usps.h5"]) for place in "abc")
    assert one == same != other


def test_data_that_nobody_asks_for_do_not_matter(unbroken: dict[str, bytes], out: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "usps").mkdir(parents=True)
    (tmp_path / "data" / "usps" / "usps.h5").write_text("no pixels")
    reproduce("tiny", out, Setting(sources=Sources(str(tmp_path / "data"))), jobs=1)
    assert contents(out) == unbroken


@pytest.mark.parametrize("fresh", [False, True])
def test_a_run_that_was_killed_before_its_manifest_goes_on(
    unbroken: dict[str, bytes], fresh: bool, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    for name in ("answers", "figures"):
        (out / name).mkdir(parents=True)
    reproduce("tiny", out, Setting(), jobs=1, fresh=fresh)
    assert contents(out) == unbroken
    other = tmp_path / "other"
    (other / "answers").mkdir(parents=True)
    (other / "answers" / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="with 'answers'"):
        reproduce("tiny", other, Setting(), jobs=1, fresh=fresh)


@pytest.mark.parametrize("fresh", [False, True])
def test_a_folder_with_files_of_others_is_refused(fresh: bool, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    said = (
        f"reproduce: out must be empty or the folder of an experiment, got {str(tmp_path)!r} with 'letter.txt'. Choose"
    )
    with pytest.raises(ValueError, match=re.escape(said)):
        reproduce("tiny", tmp_path, fresh=fresh)
    assert contents(tmp_path) == {"letter.txt": b"dear"}


@pytest.mark.parametrize(
    "manifest", ["", "{}", "[1]", '{"files": ["../letter.txt"]}', '{"files": ["/letter.txt"]}', '{"files": 3}']
)
@pytest.mark.parametrize("fresh", [False, True])
def test_a_manifest_that_is_none_is_refused_and_nothing_goes(manifest: str, fresh: bool, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / MANIFEST).write_text(manifest)
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match=r"manifest\.json must be the manifest of an experiment, got something else"):
        reproduce("tiny", out, fresh=fresh)
    assert contents(tmp_path) == {f"out/{MANIFEST}": manifest.encode(), "letter.txt": b"dear"}


def test_a_file_or_what_cannot_be_written_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert main(["reproduce", "tiny", "--out", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"driftline: reproduce: out must be a folder, got the file {str(file)!r}. Choose another name\n"
    )
    assert main(["reproduce", "tiny", "--out", str(file / "below"), "--jobs", "1"]) == 2
    err = capsys.readouterr().err
    assert "out must be a writable folder, got" in err and err.endswith("Choose another folder\n")
    assert err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="out must be a writable folder"):
        reproduce("tiny", tmp_path / "out", jobs=1)
    tmp_path.chmod(0o700)


def test_the_command_prints_verdicts_and_where_the_report_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["reproduce", "tiny", "--out", str(out), "--jobs", "1"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.splitlines() == [
        "tiny",
        "3 claims: 1 hold in every case, 0 in some cases only, 2 in none. "
        "3 verdicts: 1 hold, 1 do not hold, 1 undecided.",
        "verdict        judged on      claim",
        "holds          sums           a is less than b",
        "does not hold  sums & <more>  a is more than b",
        "undecided      one            a is a",
        f"report: {out / REPORT}",
        "",
    ]


def test_two_processes_find_the_same_bytes_as_one(unbroken: dict[str, bytes], tmp_path: Path) -> None:
    reproduce("tiny", tmp_path / "two", jobs=2)
    assert contents(tmp_path / "two") == unbroken


def test_all_go_on_where_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    EXPERIMENTS.clear()
    EXPERIMENTS.update(dict.fromkeys(("tiny", "twin"), "tests.support.tiny_experiment"))
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "all", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.count("report: ") == 2
    assert (tmp_path / "reproduced" / "tiny" / REPORT).exists() and (tmp_path / "reproduced" / "twin" / REPORT).exists()
    (tmp_path / "reproduced" / "tiny" / "answers" / "sum-1.json").unlink()
    monkeypatch.setenv("TINY_FAULT", "sum-1:refuse")
    assert main(["reproduce", "all", "--jobs", "1"]) == 2
    printed = capsys.readouterr()
    assert printed.err == "driftline: tiny: tiny: sums must be small, got 7. Use less (in task sum-1)\n"
    assert printed.out.startswith("twin\n")
    (tmp_path / "other" / "twin").mkdir(parents=True)
    (tmp_path / "other" / "twin" / "letter.txt").write_text("dear")
    assert main(["reproduce", "all", "--out", "other"]) == 2  # before any work
    assert not (tmp_path / "other" / "tiny").exists()


@pytest.mark.parametrize("name", [[], ["nobody1999"]])
def test_an_unknown_name_lists_those_that_are_known(name: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", *name]) == 2
    err = capsys.readouterr().err
    assert "NAME must be one of kivinen2002, shen2009, forgetron, gentile2005, winnow, tiny or all, got" in err


@pytest.mark.parametrize(
    "options, said",
    [
        (["--seed", "-1"], "--seed must be from 0 to 1000000000000000, got -1. Give 0"),
        (["--seed", "9" * 16], "--seed must be from 0 to 1000000000000000, got 9999999999999999. Give 0"),
        (["--jobs", "0"], "--jobs must be >= 1, got 0. Leave it out to use all cores"),
        (["--data", "nowhere"], "--data must name a folder with data, got 'nowhere'. Give one, or leave it out"),
    ],
)
def test_bad_options_are_one_line(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "tiny", *options]) == 2
    assert capsys.readouterr().err == f"driftline: {said}\n"


def test_the_help_names_every_experiment() -> None:
    assert command.__doc__ is not None
    assert all(name in command.__doc__ for name in EXPERIMENTS if name != "tiny")


def test_bad_keys_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from driftline.reproduce.experiment import Task

    for keys in (["a", "A"], ["../a"], [".a"], [""]):
        monkeypatch.setattr(TINY, "tasks", lambda setting, keys=keys: [Task(key, {}) for key in keys])
        with pytest.raises(ValueError, match="tiny: keys of tasks must be different names of letters, digits and -_"):
            reproduce("tiny", tmp_path / "out")


def test_an_answer_that_json_does_not_have_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TINY, "solve", lambda what, setting: {"set": {1}})
    with pytest.raises(ValueError, match="the answer of task sum-0 must be plain JSON, got Object of type set"):
        reproduce("tiny", tmp_path / "out", jobs=1)


def test_progress_tells_tasks_and_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("driftline.evaluate.progress.perf_counter", lambda: now[0])
    line = TaskProgress(10, 4, True, "tiny: ")
    assert capsys.readouterr().err == "\rtiny: 4 of 10 tasks [############..................] 40 %"
    now[0] = 6.0
    line.update(6)
    assert capsys.readouterr().err == "\rtiny: 6 of 10 tasks [##################............] 60 %, 12 s left"
    TaskProgress(10, 4, None, "tiny: ").update(6)
    assert capsys.readouterr().err == ""

"""The demo: every rule of the registry, a table for each stream, a report, and one-line errors."""

from __future__ import annotations

import re
import sys
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import driftline as dl
from driftline.cli import demo
from driftline.report import Summary
from tests.support.bitwise import LINEAR

TITLES = ("Rotating target", "Switching target", "Rotating bananas", "Four phases of digits")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The folder of a short run."""
    pytest.importorskip("sklearn")
    return tmp_path_factory.mktemp("demo") / "not" / "yet"


@pytest.fixture(scope="module")
def told(quick):
    """What a short run writes into pipes, and its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        out, err = _Pipe(), _Pipe()
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        code = demo.main(["--quick", "--out", str(quick), "--seed", "3"])
    return code, out.text, err.text


class _Pipe:
    """A stream that is no terminal."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


def test_every_linear_rule_of_the_registry_and_the_tracker_take_part():
    assert {type(make()) for make in demo.learners().values()} == {
        dl.Tracker,
        *(dl.REGISTRY[name] for name in LINEAR),
    }


def of(name: str, mistakes: float) -> Summary:
    return Summary(0, name, "", mistakes, 0.0, mistakes / 100.0, 0.0, 0.0, 0.0, 1.0)


def test_the_charts_show_the_tracker_the_best_and_the_worst_rule_and_the_perceptron():
    found = [of("Tracker", 5.0), of("PA1", 7.0), of("Perceptron", 9.0), of("NORMA", 6.0), of("ALMA", 12.0)]
    assert demo.protagonists(found) == ["Tracker", "NORMA", "ALMA", "Perceptron"]
    assert demo.protagonists(found[:3]) == ["Tracker", "PA1", "Perceptron"]
    assert demo.protagonists(found[1:2]) == ["PA1"]


def test_the_text_of_a_stream_tells_the_result():
    found = [of("Tracker", 5.0), of("PA1", 7.0), of("NORMA", 6.0), of("ALMA", 12.0)]
    assert demo.result(found) == (
        "The best of 3 linear rules is NORMA, with 6.00% wrong labels; the worst, ALMA, has 12.00%. "
        "The Tracker has 5.00%, fewer than every rule."
    )
    assert demo.result([of("Tracker", 7.0), *found[1:]]).endswith("The Tracker has 7.00%, fewer than 1 of 3 rules.")
    assert demo.result(found[1:]).endswith("has 12.00%.") and demo.result(found[1:2]) == ""


def test_a_rule_without_a_setting_takes_part_with_its_defaults(monkeypatch):
    monkeypatch.delitem(demo.SETTINGS, "PA1")
    assert repr(demo.learners()["PA1"]()) == repr(dl.PA1(bias=False))


def test_every_stream_has_a_table_of_all_learners_and_the_report_is_named_last(told, quick):
    code, out, _ = told
    assert code == 0
    *tables, last = out.rstrip("\n").split("\n\n")
    assert [one.split(":")[0] for one in tables] == list(TITLES)
    for one in tables:
        _, header, *rows = one.split("\n")
        assert header.split() == ["learner", "mistakes", "error", "examples/s"]
        assert sorted(re.match(r"(.*?)\s{2,}", row).group(1) for row in rows) == sorted(demo.learners())
        mistakes = [float(row.split()[-3].replace(",", "")) for row in rows]
        assert mistakes == sorted(mistakes)
        assert len({len(line) for line in (header, *rows)}) == 1
    assert last == f"report: {quick / 'report.html'}"


def test_there_is_no_progress_in_a_pipe(told):
    _, out, err = told
    assert err == ""
    assert "\r" not in out


def test_the_report_has_every_learner_and_needs_no_other_host(told, quick):
    html = (quick / "report.html").read_text(encoding="utf-8")
    for name, make in demo.learners().items():
        assert name in html
        assert repr(make()) in unescape(html)
    for title in TITLES:
        assert f"<h2>{title}</h2>" in html
    assert "http://" not in html
    assert "https://" not in html
    parser = HTMLParser()
    parser.feed(html)
    parser.close()
    pictures = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]
    drawn = [svg for svg in pictures if svg.get("class") == "chart"]
    assert len(drawn) == 2 * len(TITLES)
    names = [[e.text for e in svg.iter("text") if e.get("class") == "name"] for svg in drawn]
    assert all("Tracker" in some for some in names)
    assert all(3 <= len(some) <= 4 for some in names)


def test_the_table_and_the_report_have_the_same_figures(told, quick):
    _, out, _ = told
    html = (quick / "report.html").read_text(encoding="utf-8")
    for row in out.split("\n\n")[0].split("\n")[2:]:
        mistakes, error, _ = row.split()[-3:]
        assert f">{error}</td>" in html.replace("</span>", "")
        assert f"</i>{mistakes}</span>" in html


def test_on_a_terminal_it_says_that_it_compiles(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    demo._compile()
    err = capsys.readouterr().err
    lines = err.split("\r")
    assert lines[1].startswith("compiling")
    assert all(any(line.rstrip().endswith(name) for line in lines) for name in demo.learners())
    assert {len(line) for line in lines} == {0, 79}
    assert lines[-2:] == [" " * 79, ""]
    monkeypatch.setenv("COLUMNS", "40")
    demo._compile()
    assert {len(line) for line in capsys.readouterr().err.split("\r")} == {0, 39}


def test_without_scikit_learn_one_stream_is_skipped_in_one_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    monkeypatch.setattr(demo, "learners", lambda: {"PA1": dl.PA1})
    assert demo.main(["--quick", "--out", str(tmp_path)]) == 0
    said = [line for line in capsys.readouterr().out.split("\n") if line.startswith(TITLES[-1])]
    assert said == ["Four phases of digits: skipped, needs scikit-learn. Install driftline[demo]"]
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(title in html for title in TITLES[:-1])
    assert TITLES[-1] not in html


@pytest.mark.parametrize(("name", "reason"), [("file", "File exists"), ("file/below", "Not a directory")])
def test_a_folder_that_cannot_be_written_gives_one_line_before_all_work(name, reason, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(demo, "_compile", lambda: pytest.fail("it began to work"))
    (tmp_path / "file").write_text("kept")
    assert demo.main(["--out", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"demo: --out must be a folder that can be written, got {str(tmp_path / name)!r}: {reason}. "
        "Choose another one\n"
    )
    assert (tmp_path / "file").read_text() == "kept"


def test_a_report_that_cannot_be_written_in_the_end_gives_one_line_too(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(demo, "learners", lambda: {"PA1": dl.PA1})
    (tmp_path / "report.html").mkdir()
    assert demo.main(["--quick", "--out", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert re.fullmatch(r"demo: write_report: path must be .*: a folder\. Choose another folder\n", err)


@pytest.mark.parametrize("seed", ["-1", "x", "1.5", ""])
def test_a_bad_option_gives_one_line_and_exit_code_2(seed, capsys):
    with pytest.raises(SystemExit) as caught:
        demo.main(["--seed", seed])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"seed must be a whole number >= 0, got {seed!r}" in err


def test_the_seed_fixes_all_but_the_speed(tmp_path, capsys, monkeypatch):
    pytest.importorskip("sklearn")
    made = {"PA1": dl.PA1, "NORMA": lambda: dl.NORMA(alpha=0.3)}
    monkeypatch.setattr(demo, "learners", lambda: made)
    said = {}
    for run, seed in (("one", 0), ("again", 0), ("other", 1)):
        assert demo.main(["--quick", "--out", str(tmp_path / run), "--seed", str(seed)]) == 0
        out = capsys.readouterr().out.replace(run, "")
        said[run] = re.sub(r" +[\d,]+$", "", out, flags=re.MULTILINE)
    assert said["one"] == said["again"]
    for one, other in zip(*(said[run].split("\n\n")[:4] for run in ("one", "other")), strict=True):
        assert one != other

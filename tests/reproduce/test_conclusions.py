"""Conclusions: a claim that holds in one reading only is never said to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftline.cli.reproduce import _print
from driftline.reproduce.conclusions import MANY, conclusions, count_text, every
from driftline.reproduce.document import Findings, document, outcome
from driftline.reproduce.driver import Reproduced
from driftline.reproduce.experiment import Setting, Verdict
from driftline.reproduce.rendered_figure import RenderedFigure
from tests.support.tiny_experiment import EXPERIMENT


def verdict(claim: str, holds: bool | None, reading: str = "", where: str = "here", judged: bool = True) -> Verdict:
    return Verdict(claim, where, holds, {}, "So it is.", reading, judged)


def test_all_must_hold() -> None:
    assert every([True, None, False]) is False
    assert every([True, None]) is None
    assert every([True, True]) is True


def test_a_claim_holds_in_a_reading_if_it_holds_on_all_data() -> None:
    found = conclusions(
        [
            verdict("a", True, "one", "x"),
            verdict("a", False, "one", "y"),
            verdict("a", True, "two", "x"),
            verdict("a", None, "two", "y"),
            verdict("a", True, "three", "x"),
            verdict("a", None, "three", "y", judged=False),
            verdict("b", None, "one", judged=False),
        ]
    )
    assert [(one.claim, one.cases) for one in found] == [("a", {"one": False, "two": None, "three": True}), ("b", {})]
    assert [one.text for one in found] == ["1 of 3, 1 undecided", "not judged"]


def test_one_reading_is_not_every_reading() -> None:
    both = [verdict("a", True, "one"), verdict("a", True, "two")]
    assert count_text(both).startswith("1 claims: 1 hold in every reading, 0 in some readings only, 0 in none.")
    for more in ([verdict("a", False, "two")], [verdict("a", None, "two")], [], [verdict("b", None, "two")]):
        assert "0 hold in every reading, 1 in some readings only" in count_text([both[0], *more])
    assert "1 hold in every case" in count_text([verdict("a", True)])  # there is only one reading


def test_controls_are_no_claims() -> None:
    said = count_text(
        [verdict("Control: a", True, "one"), verdict("Control: a", True, "two"), verdict("b", None, "one")]
    )
    assert said == (
        "1 claims: 0 hold in every reading, 0 in some readings only, 1 in none. "
        "3 verdicts: 2 hold, 0 do not hold, 1 undecided."
    )


def test_a_result_that_is_only_shown_is_called_so() -> None:
    assert outcome(verdict("a", None)) == "undecided"
    assert outcome(verdict("a", None, judged=False)) == "not judged"
    assert count_text([verdict("a", None, judged=False)]).endswith("0 undecided, 1 shown but not judged.")


@pytest.mark.parametrize("number", [MANY, MANY + 1])
def test_the_report_opens_with_the_count_and_the_main_figure(number: int) -> None:
    verdicts = [verdict(f"claim {k % 7}", k % 2 == 0, f"reading {k // 7}") for k in range(number)]
    figures = [
        RenderedFigure(name, f"The {name} figure", "It rises.", b"", "<svg ></svg>") for name in ("first", "next")
    ]
    page = document(EXPERIMENT, Setting(), Findings(verdicts, [], [], {}), figures)
    parts = ["<h2>Summary", count_text(verdicts), "The first figure", "<h2>What holds", "<details", "The next figure"]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert f"All {number} verdicts" in page
    assert ("<details open>" in page) is (number <= MANY)
    assert ("Claims by reading" in page) is (number > MANY)


def test_many_verdicts_are_printed_by_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = [verdict(f"claim {k % 2}", k % 2 == 0, f"reading {k // 2}") for k in range(MANY + 2)]
    _print(Reproduced("tiny", verdicts, tmp_path / "report.html", ""), None)
    assert capsys.readouterr().out.splitlines() == [
        "tiny",
        count_text(verdicts),
        "readings in which it holds  claim",
        "16 of 16                    claim 0",
        "0 of 16                     claim 1",
        f"report: {tmp_path / 'report.html'}",
        "",
    ]

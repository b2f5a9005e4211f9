"""A sweep gives every setting the result of a separate run, in one pass, and names the best."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.evaluate import Heat
from driftline.report import DataSummary, sweep_report
from tests.support.linear_cases import stream

COUNTED = ("examples", "mistakes", "label_errors", "margin_errors", "updates", "infeasible", "hinge", "asked")
FORM = re.compile(r"^\w+: .+ must .+, got .+")
DATA = DataSummary("here", "arrays", 10, 3, [("a", 5), ("b", 5)], 3.0, 0, [], None)


def settings() -> list[dl.Learner]:
    """Settings for two banks, and settings that run separately."""
    return [
        *dl.grid("norma", alpha=[0.1, 1.0], lam=[0.0, 0.01]),
        dl.AROW(diagonal=True),
        *dl.grid("pa1", C=[0.1, 1.0], scale="unit"),
        dl.PNormPerceptron(),
        dl.L1PA(beta=3.0),
        dl.L2PA(beta=0.5, infeasible="skip"),
        dl.L2PA(beta=50.0, infeasible="raise"),
    ]


def test_every_setting_has_what_a_run_of_its_own_gives() -> None:
    data = stream(1, rounds=700, n=5)
    given = settings()
    found = dl.sweep(given, (data.X, data.y), rows=128, points=50)
    assert len(found) == len(given)
    assert not any(one.n_seen for one in given)
    for learner in given:
        run, swept = dl.run(learner, (data.X, data.y), points=50), found[repr(learner)]
        for name in (
            "examples",
            "mistakes",
            "label_errors",
            "margin_errors",
            "updates",
            "infeasible",
            "hinge",
            "asked",
        ):
            assert getattr(swept, name) == getattr(run, name), name
        assert {k: v.tolist() for k, v in swept.curve.items()} == {k: v.tolist() for k, v in run.curve.items()}
        assert swept.learner.score_many(data.X).tobytes() == learner.score_many(data.X).tobytes()
        assert type(swept.learner) is type(learner) and swept.learner.n_seen == 700


def test_the_stream_is_read_once() -> None:
    data = stream(2, rounds=60, n=3)
    once = iter(list(zip(data.X, data.y, strict=True)))
    assert dl.sweep(settings(), once, progress=False).examples == 60


def test_sample_weights_reach_every_setting() -> None:
    data = stream(3, rounds=90, n=3, weights=(0.0, 0.5, 2.0))
    blocks = [(data.X[:40], data.y[:40], data.w[:40]), (data.X[40:], data.y[40:], data.w[40:])]
    found = dl.sweep(dl.grid("pa1", C=[0.1, 1.0]), blocks)
    alone = dl.run(dl.PA1(C=0.1), blocks)
    assert found[repr(dl.PA1(C=0.1))].learner.weights() == alone.learner.weights()


def test_the_best_comes_first() -> None:
    data = stream(4, rounds=400, n=4)
    found = dl.sweep(dl.grid("pa1", C=[10.0, 1.0, 0.1, 0.01]), (data.X, data.y))
    counts = [row["mistakes"] for row in found.table()]
    assert counts == sorted(counts) and len(set(counts)) > 1
    assert found.best.mistakes == counts[0] and found.best.name == found.table()[0]["learner"]
    assert found.best.learner is found.best.learner
    lines = str(found).splitlines()
    assert len(lines) == 5 and lines[1].startswith(found.best.name)
    same = dl.sweep({"second": dl.PA(), "first": dl.PA()}, (data.X, data.y))
    assert same.best.name == "second"
    with pytest.raises(KeyError, match="no setting named 'x'; there are second, first"):
        same["x"]


def test_a_grid_is_every_combination() -> None:
    made = dl.grid("norma", alpha=[0.1, 1], lam=np.array([0.0, 0.5]), rho=0.0, labels=("a", "b"))
    assert [(one.rule.alpha, one.rule.lam) for one in made] == [(0.1, 0.0), (0.1, 0.5), (1.0, 0.0), (1.0, 0.5)]
    assert all(one.options["labels"] == ("a", "b") and one.rule.rho == 0.0 for one in made)
    assert len(dl.grid("PA")) == 1
    assert [one.options["scale"] for one in dl.grid("pa", scale=[None, "unit"])] == [None, "unit"]


@pytest.mark.parametrize(
    ("name", "parameters", "what"),
    [
        ("nobody", {}, "learner must be one of"),
        (3, {}, "learner must be one of"),
        ("pa1", {"C": []}, "C must have at least one value"),
        ("pa1", {"D": [1.0]}, "parameters must be those of PA1, got"),
        ("pa1", {"C": [1.0, -1.0]}, "C must be > 0"),
    ],
)
def test_what_makes_no_grid(name: Any, parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=re.escape(what)) as caught:
        dl.grid(name, **parameters)
    assert FORM.match(str(caught.value))


@pytest.mark.parametrize(
    ("given", "options", "what"),
    [
        ([], {}, "learners must be a non-empty list"),
        (dl.PA1(), {}, "learners must be a list or a dict of learners, got PA1("),
        (None, {}, "learners must be a list or a dict of learners, got None. Pass a list"),
        ([dl.PA(), dl.PA()], {}, "of different learners"),
        ([dl.PA(), "pa1"], {}, "must be a driftline learner, got 'pa1'"),
        ([dl.PA()], {"rows": 0}, "rows must be a whole number >= 1"),
        ([dl.PA()], {"points": 1}, "points must be a whole number >= 2"),
    ],
)
def test_what_cannot_be_swept(given: Any, options: Any, what: str) -> None:
    with pytest.raises(ValueError, match=re.escape(what)) as caught:
        dl.sweep(given, [({"a": 1.0}, True)], **options)
    assert FORM.match(str(caught.value))


def small() -> dl.Sweep:
    data = stream(5, rounds=300, n=4)
    return dl.sweep(dl.grid("norma", alpha=[1.0, 0.1], lam=[0.0, 0.01, 0.1], rho=[0.0, 1.0]), (data.X, data.y))


def test_heat_is_the_fewest_mistakes_over_the_rest() -> None:
    found = small()
    assert list(found.varied) == ["alpha", "lam", "rho"]
    heat = found.heat("lam", "alpha")
    assert (heat.x, heat.y, heat.xs, heat.ys) == ("lam", "alpha", [0.0, 0.01, 0.1], [0.1, 1.0])
    for i, alpha in enumerate(heat.ys):
        for j, lam in enumerate(heat.xs):
            counts = [
                one.ledger.mistakes
                for one in found.settings
                if (one.parameters["alpha"], one.parameters["lam"]) == (alpha, lam)
            ]
            assert len(counts) == 2 and heat.values[i, j] == min(counts)
    row, column = heat.best
    assert heat.values[row, column] == found.best.mistakes
    with pytest.raises(ValueError, match=r"x and y must be given .*, got 3 that vary"):
        found.heat()
    with pytest.raises(ValueError, match=r"must be parameters that vary, got 'p'"):
        found.heat("p", "alpha")


def test_heat_of_one_parameter_and_of_several_kinds() -> None:
    data = stream(6, rounds=100, n=3)
    one = dl.sweep(dl.grid("pa1", C=[1.0, 0.1]), (data.X, data.y)).heat()
    assert (one.x, one.y, one.xs, one.ys, one.values.shape) == ("C", "learner", [0.1, 1.0], ["PA1"], (1, 2))
    kinds = dl.sweep([*dl.grid("pa1", C=[0.1, 1.0]), *dl.grid("pa2", C=[0.1]), dl.ROMMA()], (data.X, data.y))
    heat = kinds.heat("C", "learner")
    assert sorted(heat.ys) == ["PA1", "PA2"]
    assert np.isnan(heat.values[heat.ys.index("PA2"), 1]) and np.count_nonzero(np.isnan(heat.values)) == 1
    with pytest.raises(ValueError, match="got 0 that vary"):
        dl.sweep([dl.PA()], (data.X, data.y)).heat()
    assert Heat.of("a", "b", [({"a": "x", "b": True}, 3), ({"a": 2, "b": True}, 1)]).xs == [2, "x"]


def test_plot_draws_every_cell() -> None:
    figure = small().plot("lam", "alpha")
    axes = figure.axes[0]
    assert axes.images[0].get_array().shape == (2, 3)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "0.01", "0.1"]
    assert axes.get_ylabel() == "alpha"


def test_the_report_has_a_map_for_each_pair_and_all_settings() -> None:
    found = small()
    page = sweep_report("A <sweep>", found, DATA)
    assert "A &lt;sweep&gt;" in page and "<script" not in page and "http" not in page
    maps = re.findall(r'<svg class="heat".*?</svg>', page, re.DOTALL)
    assert len(maps) == 3
    root = ElementTree.fromstring(maps[0])
    heat = found.heat("alpha", "lam")
    shown = [text.text for group in root.iter("g") for text in group.iter("text")]
    assert sorted(shown) == sorted(f"{value:,.0f}" for value in heat.values.ravel())
    framed = [g for g in root.iter("g") if g.find("rect").get("class") == "least"]  # type: ignore[union-attr]
    assert len(framed) == 1 and framed[0].find("text").text == f"{found.best.mistakes:,}"  # type: ignore[union-attr]
    for one in found.settings:
        assert one.name in page
    alone = sweep_report("one", dl.sweep([dl.PA()], [({"a": 1.0}, True), ({"a": 1.0}, False)]), DATA)
    assert '<svg class="heat"' not in alone


def csv(path: Path, rounds: int = 200) -> None:
    data = stream(7, rounds=rounds, n=3)
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(data.X.tolist(), data.y, strict=True)]
    path.write_text("a,b,c,y\n" + "\n".join(lines) + "\n")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    csv(Path("a.csv"))
    start = ["sweep", "a.csv", "--target", "y", "--learner", "norma", "--alpha", "0.1,1", "--lam", "0,0.001,0.01"]
    assert main([*start, "--json", "--report", "r.html", "--save", "m.dl"]) == 0
    facts = json.loads(capsys.readouterr().out)
    found = dl.sweep(
        dl.grid("norma", alpha=[0.1, 1], lam=[0, 0.001, 0.01]), dl.streams.read("a.csv", target="y"), progress=False
    )
    assert [(one["learner"], one["mistakes"]) for one in facts["settings"]] == [
        (row["learner"], row["mistakes"]) for row in found.table()
    ]
    assert facts["examples"] == 200 and set(facts["varied"]) == {"alpha", "lam"}
    assert facts["settings"][0]["parameters"]["alpha"] == found.settings[0].parameters["alpha"]
    assert '<svg class="heat"' in Path("r.html").read_text()
    assert dl.load("m.dl").weights() == found.best.learner.weights()
    assert main([*start, "--top", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("NORMA(") == 2 and "and 4 more" in printed and "200 examples, 3 features" in printed


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--learner", "nobody"], "--learner must be one of"),
        (["--C", "1,,2"], "--C must be comma-separated values"),
        (["--C", "1,-2"], "C must be > 0"),
        (["--D", "1"], "--D must be an option of this command or of pa1"),
        (["--top", "0"], "--top must be >= 1"),
    ],
)
def test_what_the_command_refuses(
    arguments: list[str],
    what: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    csv(Path("a.csv"), 10)
    assert main(["sweep", "a.csv", "--target", "y", *arguments]) == 2
    error = capsys.readouterr().err
    assert what in error and error.count("\n") == 1


def test_values_with_parentheses_are_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv(tmp_path / "a.csv", 30)
    base = "norma(alpha=0.5, lam=0.1),pa1"
    assert main(["sweep", str(tmp_path / "a.csv"), "--target", "y", "--learner", "averaged", "--base", base]) == 0
    assert capsys.readouterr().out.count("Averaged(") == 2
    assert main(["sweep", str(tmp_path / "a.csv"), "--target", "y", "--learner", "pa,pa1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["varied"] == ["learner"]


def test_what_learners_are_made_of_may_vary() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    found = dl.sweep(dl.grid("averaged", learner=["pa1", "perceptron"]), (X, X[:, 0] > 0.0))
    assert list(found.varied) == ["base"]


def test_equal_hashing_does_not_vary_and_shares_a_bank() -> None:
    rows = [({"a": 1.0, "b": float(i)}, i % 2 == 0) for i in range(40)]
    made = [dl.PA1(C, hashing=dl.Hashing(6)) for C in (0.1, 1.0)]
    assert dl.Hashing(6) == dl.Hashing(6) != dl.Hashing(7) and len({dl.Hashing(6), dl.Hashing(6)}) == 1
    assert list(dl.sweep(made, rows).varied) == ["C"]


def test_no_map_of_parameters_that_no_setting_has_together() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    found = dl.sweep(dl.grid("pa1", C=[0.1, 1.0]) + dl.grid("norma", alpha=[0.1, 1.0]), (X, X[:, 0] > 0.0))
    with pytest.raises(ValueError, match="heat: a setting must have both parameters, got none with C and alpha"):
        found.heat("C", "alpha")


@pytest.mark.parametrize("label", [True, False])
def test_weights_that_have_overflowed_are_never_the_best(label: bool) -> None:
    """Whether their score is infinite, with the right sign, or no number at all."""
    stream = [({"a": 1e5}, label), ({"a": 1e5, "b": 1.0}, label), ({"a": -1e5}, not label)] * 4
    beyond = dl.NORMA(alpha=1e305, lam=0.0, bias=False, labels=(False, True))
    slow = dl.NORMA(alpha=1e-9, lam=0.0, rho=0.0, bias=False, labels=(False, True))
    for alone in (dl.run(beyond, stream), dl.run(slow, stream)):
        assert alone.ledger.overflowed == (alone.learner is beyond)
    found = dl.sweep([dl.NORMA(**vars(one.rule), **one.options) for one in (beyond, slow)], stream)
    assert found[repr(beyond)].mistakes <= found.best.mistakes
    assert found.best.learner.rule == slow.rule
    assert found.heat("alpha").best == (0, 0) and found.heat("alpha").values[0, 0] == found.best.mistakes
    headline = sweep_report("two", found, DATA)
    assert "The weights of 1 setting have overflowed; these are ignored." in headline
    with pytest.raises(ValueError, match="overflowed"):
        found.settings[1].run.learner.score_one({"a": 1e5})


def test_where_all_weights_have_overflowed_the_report_says_so() -> None:
    found = dl.sweep(dl.grid("norma", alpha=[1e305, 1e306], lam=0.0), [({"a": 1e5}, k % 2) for k in range(6)])
    page = sweep_report("two", found, DATA)
    assert "The weights of all 2 settings have overflowed." in page and 'class="least"' not in page

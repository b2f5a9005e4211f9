"""A run with late labels has the bits of the obvious loop, for every learner and kind of rows."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import driftline as dl
from driftline.learners.late_rounds import record_of
from driftline.streams import ReadError
from tests.support.bitwise import assert_same, snapshot
from tests.support.late_loop import Loop, watched
from tests.support.learner_cases import OTHERS, ROWS, examples, rows_of
from tests.support.linear_cases import one_of_each

every_case = pytest.mark.parametrize("case", [*one_of_each(), *OTHERS], ids=str)
few = pytest.mark.parametrize("name", ["pa1", "tracker", "multiclasspa"])


def assert_as_loop(run: Any, seen: Any, loop: Loop, y: Any) -> None:
    """The run and the loop have the same predictions and the same learner."""
    several = seen.blocks[-1].several
    assert seen.all("scores").tolist() == (loop.margins if several else loop.scores)
    assert_same(snapshot(loop.learner), snapshot(run.learner))
    assert run.examples == len(y)
    if several:
        wrong = [predicted != true for predicted, true in zip(loop.labels, y, strict=True)]
        assert seen.all("wrong").tolist() == wrong
        assert run.label_errors == sum(wrong)
        labels = (*run.learner.labels, None)
        assert [labels[int(k)] for k in seen.all("predicted")] == loop.labels


@every_case
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
def test_every_learner(case: Any, kind: str) -> None:
    X, y = examples(getattr(case, "feed", "signed"))
    for n in (1, 7):
        loop = Loop(case.learner(), n).run(rows_of(kind, X), y)
        assert_as_loop(*watched(case.learner(), (rows_of(kind, X), y), n), loop, y)


@every_case
def test_every_learner_on_files_with_new_features(case: Any) -> None:
    if getattr(case, "advised", False):
        pytest.skip("the number of experts is fixed")
    X, y = examples(getattr(case, "feed", "signed"))
    rows = [{f"{name}{k // 9}": v for name, v in zip("abcde", x, strict=True) if v} for k, x in enumerate(X.tolist())]
    if case.name in ("gridhalving", "multilinearperceptron"):
        rows = rows_of("dicts", X)
    text = "".join(json.dumps(x | {"y": label}) + "\n" for x, label in zip(rows, y.tolist(), strict=True))
    stream = dl.streams.read(io.BytesIO(text.encode()), format="jsonl", target="y")
    loop = Loop(case.learner(), 5).run(rows, y)
    assert_as_loop(*watched(case.learner(), stream, 5), loop, y)


@few
@pytest.mark.parametrize(
    "options", [{"scale": "standard"}, {"scale": dl.RandomFourier(16)}, {"scale": "unit"}], ids=str
)
def test_scaled_rows_with_new_features(name: str, options: Any) -> None:
    X, y = examples("classes" if name == "multiclasspa" else "signed")
    rows = [{f"{name}{k // 9}": v for name, v in zip("abcde", x, strict=True)} for k, x in enumerate(X.tolist())]
    wide = np.zeros((ROWS, 5 * (1 + ROWS // 9)))
    for k in range(ROWS):
        wide[k, 5 * (k // 9) : 5 * (k // 9) + 5] = X[k]
    blocks = [(csr_array(wide[:, : 5 * (1 + k)])[9 * k : 9 * k + 9], y[9 * k : 9 * k + 9]) for k in range(6)]
    make = dl.REGISTRY[name]
    for stream, single in (
        ((rows, y), (rows, y)),
        (blocks, ([b[0][[i]] for b in blocks for i in range(9)], y[:54])),
        ((X, y), (X, y)),
    ):
        loop = Loop(make(**options), 4).run(*single)
        assert_as_loop(*watched(make(**options), stream, 4), loop, single[1])


@pytest.mark.parametrize("learner", [dl.Tracker(), dl.PA1(), dl.Tracker(hashing=dl.Hashing(6))], ids=str)
def test_missing_values_of_features_that_are_not_known_yet(learner: dl.Learner) -> None:
    rng = np.random.default_rng(2)
    rows: list[dict[str, Any]] = []
    for k in range(200):
        x = {f"f{j}": (None if rng.random() < 0.4 else float(rng.normal())) for j in range(1 + k // 8)}
        rows.append(x if k % 3 else x | {"colour": "red" if k % 2 else "blue"})
    y = rng.integers(0, 2, 200).tolist()
    for n in (1, 3, 30):
        loop = Loop(deepcopy(learner), n).run(rows, y)
        assert_as_loop(*watched(deepcopy(learner), (rows, y), n), loop, y)
        text = "".join(json.dumps(x | {"y": label}) + "\n" for x, label in zip(rows, y, strict=True))
        if learner.options["hashing"] is None:
            stream = dl.streams.read(io.BytesIO(text.encode()), format="jsonl", target="y")
            run, _ = watched(deepcopy(learner), stream, n)
            assert run.mistakes == sum((s * (2 * t - 1)) <= 0 for s, t in zip(loop.scores, y, strict=True))


@pytest.mark.parametrize("n", [1, 6, 25, 59, 60, 1000])
@pytest.mark.parametrize("rows", [1, 7, 8192])
def test_any_delay_and_any_blocks(n: int, rows: int) -> None:
    X, y = examples("classes")
    loop = Loop(dl.Tracker(), n).run(X, y)
    run, seen = watched(dl.Tracker(), (X, y), n, rows)
    assert_same(snapshot(loop.learner), snapshot(run.learner))
    at, wrong = 0, 0
    for block in seen.blocks:  # two labels first, then several
        for k in range(len(block)):
            if block.several:
                assert block.scores[k] in (loop.margins[at], loop.margins[at] / 2)  # of two labels the vote, not twice
                wrong += loop.labels[at] != y[at]
            else:
                assert block.scores[k] == loop.scores[at]
                wrong += (loop.scores[at] >= 0.0) != (block.y[k] > 0.0)
            at += 1
    assert at == ROWS and run.label_errors == wrong


def test_no_delay_is_the_plain_run() -> None:
    X, y = examples("signed")
    plain, late = dl.run(dl.PA1(), (X, y)), dl.run(dl.PA1(), (X, y), delay=0)
    assert_same(snapshot(plain.learner), snapshot(late.learner))
    assert plain.mistakes == late.mistakes and plain.hinge == late.hinge


def test_probabilities_are_those_of_the_moment_of_prediction() -> None:
    X, y = examples("classes")
    for learner, labels in ((dl.PA1(), np.where(y > 1, "b", "a")), (dl.MulticlassPA(), y)):
        loop = Loop(deepcopy(learner), 3).run(X, labels)
        run, seen = watched(learner, (X, labels), 3, shares=True)
        assert_same(snapshot(loop.learner), snapshot(run.learner))
        at = 0
        for block in seen.blocks:
            for row in block.probabilities:
                expected = [loop.shares[at].get(label, 0.0) for label in run.learner.labels[: len(row)]]
                assert row.tolist() == pytest.approx(expected, rel=1e-12)
                at += 1
        assert at == ROWS


def test_comparisons_have_the_same_delay_for_all() -> None:
    X, y = examples("signed")
    found = dl.compare([dl.PA1(), dl.Perceptron()], (X, y), delay=9)
    assert [run.mistakes for run in found.runs] == [
        dl.run(learner, (X, y), delay=9).mistakes for learner in (dl.PA1(), dl.Perceptron())
    ]


def test_a_delay_longer_than_the_stream_is_a_warning() -> None:
    X, y = examples("signed")
    run = dl.run(dl.PA1(), (X, y), delay=ROWS)
    plain = dl.PA1()
    plain.learn_many(X, y)
    assert run.mistakes == run.examples == ROWS
    assert_same(snapshot(plain), snapshot(run.learner))
    assert "no label arrived before the end of the stream (delay: 60 rows)" in run.warnings[-1]
    assert not dl.run(dl.PA1(), (X, y), delay=ROWS - 2).warnings


@pytest.mark.parametrize(
    ("make", "labels", "said"),
    [
        (dl.Tracker, ("no", "yes"), "no"),
        (dl.Tracker, ("a", "b", "c"), "a"),
        (dl.MulticlassPA, ("a", "b", "c"), "a"),
        (dl.PA1, ("no", "yes"), "yes"),
        (dl.Tracker, None, None),
        (dl.PA1, None, None),
    ],
)
def test_the_answer_before_any_label(make: Any, labels: Any, said: Any) -> None:
    """The same when records are kept. A run counts the same with declared labels and without."""
    learner = make(labels=labels)
    x = np.array([1.0, -2.0])
    assert learner.predict_one(x) == said
    assert record_of(learner, x) is None or make is dl.Tracker
    assert learner.predict_one(x) == said
    if labels is not None and len(labels) == 2:
        X, y = np.ones((9, 2)), [*["no"] * 6, *["yes"] * 3]
        expected = sum(label != said for label in y)
        for one in (make(labels=labels), make()):
            assert dl.run(one, (X, y), delay=8, progress=False).label_errors == expected


def test_rows_without_a_label_do_not_count() -> None:
    X, y = examples("signed")
    some = [None if k % 4 == 1 else label for k, label in enumerate(y.tolist())]
    chosen = [k for k in range(ROWS) if k % 4 != 1]
    run = dl.run(dl.PA1(), (X, some), delay=3)
    loop = Loop(dl.PA1(), 3).run(X[chosen], y[chosen])
    assert_same(snapshot(loop.learner), snapshot(run.learner))
    assert run.unlabelled == ROWS - len(chosen)


@pytest.mark.parametrize("delay", [-1, 2.5, True, None])
def test_wrong_delays(delay: Any) -> None:
    with pytest.raises(ValueError, match=r"^run: delay must be a whole number of rows >= 0, or the name of a column"):
        dl.run(dl.PA1(), [([1.0], 1)], delay=delay)


def test_no_certificate_with_late_labels() -> None:
    with pytest.raises(ValueError, match=r"^run: delay must be 0 with certify=True, got 3"):
        dl.run(dl.PA1(), [([1.0], 1)], delay=3, certify=True)


# refused rows -----------------------------------------------------------------------------------
def test_a_refused_row_of_an_iterable_is_an_error_that_names_it() -> None:
    rows = [({"a": 1.0}, 1), ({"a": 2.0}, 0), ({"a": np.inf}, 1), ({"a": 2.0}, 1)]
    with pytest.raises(ValueError, match=r"^PA1: row 2, feature 'a' must be finite, got inf"):
        dl.run(dl.PA1(), rows, delay=1)
    rows = [({"a": 1.0}, 1), ({"a": 2.0}, 0), ({"a": 2.0}, "three"), ({"a": 2.0}, 1), ({"a": 2.0}, 1)]
    with pytest.raises(ValueError, match=r"^PA1: row 2, a label must be 0 or 1, got 'three'"):
        dl.run(dl.PA1(), rows, delay=1)


def test_refused_rows_of_files_are_left_out(tmp_path: Path) -> None:
    X, y = examples("signed")
    lines, chosen = [], []
    for k in range(ROWS):
        bad = k in (0, 11, 12, 40)
        lines.append(f"{int(y[k])} " + " ".join(f"{j + 1}:{'1e70' if bad else v}" for j, v in enumerate(X[k])))
        if not bad:
            chosen.append(k)
    file = tmp_path / "rows.svmlight"
    file.write_text("\n".join(lines))
    stream = dl.streams.read(file, on_error="skip")
    for n in (1, 4, 20):
        run = dl.run(dl.PA1(), stream, delay=n)
        assert run.examples == len(chosen) and stream.skipped == 4
        learner, open_rows, wrong = dl.PA1(), [], 0
        ((rows, labels),) = list(stream)
        for k in range(ROWS):  # the rows keep their turns
            open_rows, due = [j for j in open_rows if j > k - n - 1], [j for j in open_rows if j <= k - n - 1]
            for j in due:
                learner.learn_many(rows[j : j + 1], labels[j : j + 1])
            if k in chosen:
                wrong += y[k] * learner.score_many(rows[k : k + 1]).item() <= 0.0
                open_rows.append(k)
        for j in open_rows:
            learner.learn_many(rows[j : j + 1], labels[j : j + 1])
        assert run.mistakes == wrong
        assert run.learner.weights() == learner.weights()
    strict = dl.streams.read(io.BytesIO("\n".join(lines[1:]).encode()), format="svmlight")
    with pytest.raises(ReadError, match="line 11: "):
        dl.run(dl.PA1(), strict, delay=4)


def test_a_baseline_stops_at_a_refused_row() -> None:
    stream = [({"a": 1.0}, 1), ({"a": 0.5}, 0), ({"a": 1.0}, 1), ({"a": np.inf}, 0), ({"a": 2.0}, 1)]
    found = dl.compare({"all": dl.Tracker(), "some": dl.PA1()}, stream, beside=["some"], delay=1)
    assert [run.examples for run in found.runs] == [5, 2]
    assert "row 3, feature 'a' must be finite" in found["some"].stopped


# arrival times ----------------------------------------------------------------------------------
def table(rows: int = 300, early: int = -1) -> str:
    rng = np.random.default_rng(4)
    lines = ["asked,answered,a,b,y"]
    for k in range(rows):
        a, b = rng.normal(size=2).round(3)
        minute, lag = k // 3, int(rng.integers(0, 50))
        answered = minute + lag if k != early else minute - 1
        lines.append(f"2024-03-01T{minute // 60:02}:{minute % 60:02},{answered_text(answered)},{a},{b},{int(a > b)}")
    return "\n".join(lines)


def answered_text(minute: int) -> str:
    return f"2024-03-01 {minute // 60:02}:{minute % 60:02}:00Z"


def read(text: str, **options: Any) -> Any:
    given = {"keep": ["asked", "answered"], "drop": ["answered"], "time": "asked"} | options
    return dl.streams.read(io.BytesIO(text.encode()), format="csv", target="y", **given)


@pytest.mark.parametrize("make", [dl.PA1, dl.Tracker])
def test_labels_arrive_at_the_times_of_a_column(make: Any) -> None:
    rows = []
    for line in table().splitlines()[1:]:
        asked, answered, a, b, y = line.split(",")
        time, arrival = asked[11:], answered[11:16]
        rows.append((time, arrival, {"a": float(a), "b": float(b)}, int(y)))
    learner, open_rows, wrong = make(), [], 0
    loop = Loop(learner, 0)
    for position, (time, arrival, x, y) in enumerate(rows):
        for _, _, *one in sorted((one for one in open_rows if one[0] <= time), key=lambda one: one[:2]):
            loop.learn(*one)
        open_rows = [one for one in open_rows if one[0] > time]
        wrong += (2 * y - 1) * learner.score_one(x) <= 0.0
        open_rows.append((arrival, position, x, y, record_of(learner, x)))
    for _, _, *one in sorted(open_rows, key=lambda one: one[:2]):
        loop.learn(*one)
    run = dl.run(make(), read(table()), delay="answered")
    assert run.mistakes == wrong
    assert run.learner.weights() == learner.weights()


def test_an_arrival_before_the_example_is_refused() -> None:
    with pytest.raises(ReadError, match=r"line 52: a label must not arrive before its example, got 'answered'"):
        dl.run(dl.PA1(), read(table(early=50)), delay="answered")
    stream = read(table(early=50), on_error="skip")
    assert dl.run(dl.PA1(), stream, delay="answered").examples == 299
    assert stream.skipped == 1
    with pytest.raises(ReadError, match=r"line 5: column 'answered' must be a number or an ISO time, got 'later'"):
        dl.run(dl.PA1(), read("\n".join([*table().splitlines()[:4], "2024-03-02,later,1,2,0"])), delay="answered")


def test_what_a_column_of_arrivals_needs() -> None:
    with pytest.raises(ValueError, match=r"^run: a stream must have a time column for delay='answered', got list\. "):
        dl.run(dl.PA1(), [({"answered": 1.0}, 1)], delay="answered")
    with pytest.raises(ValueError, match=r"got none\. Pass dl\.streams\.read\(data, target=\.\.\., time=TIME, keep="):
        dl.run(dl.PA1(), read(table(), time=None), delay="answered")
    with pytest.raises(ValueError, match=r"must keep .* got \['asked'\]\. Pass keep=\['asked', 'answered'\]"):
        dl.run(dl.PA1(), read(table(), keep=["asked"]), delay="answered")
    with pytest.raises(ValueError, match=r"must not be a feature, .* Pass drop=\['answered'\]"):
        dl.run(dl.PA1(), read(table(), drop=[], kinds={"answered": "time"}), delay="answered")


# checkpoints ------------------------------------------------------------------------------------
class Killed(Exception):  # noqa: N818
    pass


def killed_after(stream: Any, blocks: int) -> Any:
    for k, block in enumerate(stream):
        if k == blocks:
            raise Killed
        yield block


@pytest.mark.parametrize("n", [1, 13, 70, 500])
@pytest.mark.parametrize("name", ["pa1", "tracker", "multiclasspa"])
def test_a_killed_run_is_resumed_to_the_bit(tmp_path: Path, name: str, n: int) -> None:
    data, made = np.random.default_rng(3), dl.REGISTRY[name]
    X = data.normal(size=(200, 3))
    y = np.argmax(X, axis=1).astype(float)
    y[:40] = np.minimum(y[:40], 1.0)
    if name == "pa1":
        y = np.minimum(y, 1.0)
    blocks = [(X[k : k + 20], y[k : k + 20]) for k in range(0, 200, 20)]
    whole = dl.run(made(), blocks, delay=n)
    folder = tmp_path / "run"
    for stop in (3, 4, 8):
        with pytest.raises(Killed):
            dl.run(made(), killed_after(blocks, stop), delay=n, checkpoint=dl.Checkpoint(folder, 17, resume=True))
    for _ in range(2):  # a finished run that is resumed is as it was
        run = dl.run(made(), blocks, delay=n, checkpoint=dl.Checkpoint(folder, 17, resume=True))
        assert_same(snapshot(whole.learner), snapshot(run.learner))
        assert whole.ledger.last().tolist() == run.ledger.last().tolist()
        assert whole.ledger.curve.rows.tolist() == run.ledger.curve.rows.tolist()
        assert (run.warnings == whole.warnings) or n == 500


def test_runs_with_arrival_times_are_resumed(tmp_path: Path) -> None:
    whole = dl.run(dl.PA1(), read(table()), delay="answered")
    file = tmp_path / "t.csv"
    given: dict[str, Any] = {"target": "y", "time": "asked", "keep": ["asked", "answered"], "drop": ["answered"]}
    checkpoint = dl.Checkpoint(tmp_path / "c", 50, resume=True)
    for rows in (100, 210, 300):
        file.write_text("\n".join(table().splitlines()[: rows + 1]))
        run = dl.run(dl.PA1(), dl.streams.read(file, **given), delay="answered", checkpoint=checkpoint)
    assert_same(snapshot(whole.learner), snapshot(run.learner))
    assert whole.ledger.last().tolist() == run.ledger.last().tolist()


def test_a_checkpoint_of_another_delay_is_refused(tmp_path: Path) -> None:
    X, y = examples("signed")
    for first, second, said in ((3, 4, "delay 3 instead of 4"), (0, 3, "a run without delay"), (3, 0, "late")):
        folder = tmp_path / f"{first}{second}"
        dl.run(dl.PA1(), (X, y), delay=first, checkpoint=dl.Checkpoint(folder, 17))
        with pytest.raises(dl.ModelError, match=said):
            dl.run(dl.PA1(), (X, y), delay=second, checkpoint=dl.Checkpoint(folder, 17, resume=True))


def test_ctrl_c_leaves_the_open_rows_open(tmp_path: Path) -> None:
    X, y = examples("signed")

    def stream() -> Any:
        yield X[:30], y[:30]
        raise KeyboardInterrupt

    with pytest.raises(dl.Interrupted) as stop:
        dl.run(dl.PA1(), stream(), delay=9, checkpoint=dl.Checkpoint(tmp_path, 1000))
    assert stop.value.result.examples == 20
    resumed = dl.run(dl.PA1(), [(X, y)], delay=9, checkpoint=dl.Checkpoint(tmp_path, 1000, resume=True))
    assert_same(snapshot(dl.run(dl.PA1(), (X, y), delay=9).learner), snapshot(resumed.learner))

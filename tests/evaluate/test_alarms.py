"""Alarms of a run: on the error, the inputs and the labels; dated; saved and resumed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import driftline as dl
from driftline.evaluate.alarm import Alarm
from driftline.saved import ModelError
from driftline.saved.container import read, write

SIZE, JUMP, SHIFT = 9000, 4000, 6500
RNG = np.random.default_rng(5)
X = RNG.normal(size=(SIZE, 4))
NOISE = RNG.random(SIZE) < np.where(np.arange(SIZE) < JUMP, 0.03, 0.3)
Y = np.where((X[:, 0] + X[:, 1] > 0) ^ NOISE, "fraud", "ok")
X[SHIFT:, 2] += 1.5


def frame() -> pd.DataFrame:
    made = pd.DataFrame(X, columns=list("abcd"))
    return made.assign(when=pd.date_range("2024-03-01", periods=SIZE, freq="min"), y=Y)


def kinds(run: dl.Run) -> list[str]:
    return [alarm.what for alarm in run.alarms]


def test_the_error_and_the_input_that_changed_are_named() -> None:
    run = dl.run(dl.PA1(), (X, Y), alarms=True)
    assert kinds(run) == ["error", "input column 2"]
    error, shift = run.alarms
    assert JUMP < error.examples < JUMP + 500 and abs(error.since - JUMP) < 200
    assert error.before < 0.2 and error.after > 0.3 and error.detector == "ADWIN"
    assert SHIFT < shift.examples < SHIFT + 500 and shift.measure.startswith("the share of values of at least ")
    assert error.time is None and str(error).startswith(f"example {error.examples:,}: the error rose from ")
    assert str(shift).startswith(f"example {shift.examples:,}: input column 2: the share of values of at least")
    assert json.loads(json.dumps(error.to_dict()))["what"] == "error"


def test_no_alarms_unless_asked_for() -> None:
    run = dl.run(dl.PA1(), (X, Y))
    assert run.alarms == [] and run.times is None


@pytest.mark.parametrize("learner", ["pa1", "tracker"])
def test_alarms_do_not_depend_on_blocks_and_change_no_bit_of_the_learner(learner: str) -> None:
    make = dl.REGISTRY[learner]
    plain = dl.run(make(), (X, Y))
    runs = [dl.run(make(), (X, Y), alarms=True, rows=rows) for rows in (8192, 1000, 777)]
    assert runs[0].alarms == runs[1].alarms == runs[2].alarms and runs[0].alarms
    assert {run.mistakes for run in (plain, *runs)} == {plain.mistakes}


def test_every_kind_of_rows() -> None:
    names = list("abcd")
    dicts = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    expected = [alarm.examples for alarm in dl.run(dl.PA1(), (X, Y), alarms=True).alarms]
    streams: list[Any] = [
        (dicts, Y),
        (pd.DataFrame(X, columns=names), Y),
        zip(dicts, Y.tolist(), strict=True),
        dl.streams.read(frame().drop(columns="when"), target="y"),
    ]
    for stream in streams:
        run = dl.run(dl.PA1(), stream, alarms=True)
        assert kinds(run) == ["error", "input 'c'"]
        assert [alarm.examples for alarm in run.alarms] == expected
    assert "input column 2" in kinds(dl.run(dl.PA1(), (sp.csr_matrix(X), Y), alarms=True))
    hashed = dl.run(dl.PA1(hashing=dl.Hashing(10)), (dicts, Y), alarms=True)
    assert kinds(hashed)[0] == "error" and kinds(hashed)[1].startswith("input with hash ")


def test_a_share_of_a_label_and_several_classes() -> None:
    rng = np.random.default_rng(1)
    rare = np.concatenate([rng.random(4000) < 0.02, rng.random(2000) < 0.12])
    inputs = rng.normal(size=(6000, 2))
    only = dl.Alarms(error=None, inputs=False)
    run = dl.run(dl.PA1(), (inputs, np.where(rare, "fraud", "ok")), alarms=only)
    assert kinds(run) == ["share of label 'fraud'"]
    assert "the share of label 'fraud' rose from" in str(run.alarms[0])
    three = np.where(rare, "c", np.where(inputs[:, 0] > 0, "a", "b"))
    for learner in (dl.MulticlassPA(), dl.Tracker()):
        again = dl.run(learner, (inputs, three), alarms=only)
        assert "share of label 'c'" in kinds(again) and len(again.alarms) <= 3


def test_an_improvement_of_the_error_is_no_alarm() -> None:
    y = np.where((X[:, 0] > 0) ^ NOISE[::-1], 1, -1)
    assert kinds(dl.run(dl.PA1(), (X, y), alarms=dl.Alarms(inputs=False))) == []


def test_the_detector_of_the_error_can_be_chosen() -> None:
    for error in ("cusum", dl.drift.CUSUM(baseline=0.1), dl.drift.ADWIN(every=1)):
        run = dl.run(dl.PA1(), (X, Y), alarms=dl.Alarms(error=error, inputs=False, shares=False))
        assert run.alarms and run.alarms[0].what == "error"
        assert run.alarms[0].detector in ("CUSUM", "ADWIN")
    given = dl.drift.CUSUM(baseline=0.1)
    dl.run(dl.PA1(), (X, Y), alarms=dl.Alarms(error=given))
    assert given.n_seen == 0, "a run must copy the detector"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dl.Alarms(error="ddm"), "Alarms: error must be 'adwin', 'cusum', a detector or None, got 'ddm'"),
        (lambda: dl.Alarms(inputs=0.5), "Alarms: inputs must be a whole number from 1 to 1024, got 0.5"),
        (lambda: dl.Alarms(shares=2), "Alarms: shares must be True or False, got 2"),
        (lambda: dl.Alarms(delta=1.0), "Alarms: delta must be > 0 and at most 0.01, got 1.0"),
        (lambda: dl.Alarms(None, False, False), "Alarms: error, inputs or shares must be on, got 'none'"),
        (lambda: dl.run(dl.PA1(), (X, Y), alarms=3), "run: alarms must be True, False or dl.Alarms(...), got 3"),
        (lambda: dl.run(dl.PA1(), (X, Y), on_alarm=3), "run: on_alarm must be a function of an alarm, got 3"),
    ],
)
def test_bad_settings_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        make()
    assert str(error.value) == message


def test_the_callback_is_called_once_for_each_alarm_and_its_errors_end_the_run() -> None:
    called: list[Alarm] = []
    run = dl.run(dl.PA1(), (X, Y), on_alarm=called.append)
    assert called == run.alarms and called

    def stop(alarm: Alarm) -> None:
        raise RuntimeError(str(alarm))

    with pytest.raises(RuntimeError, match="the error rose"):
        dl.run(dl.PA1(), (X, Y), on_alarm=stop)


def test_each_run_of_a_comparison_has_its_own_alarms() -> None:
    found = dl.compare([dl.PA1(), dl.AROW()], (X, Y), alarms=True)
    assert all(kinds(run) == ["error", "input column 2"] for run in found.runs)
    assert found.runs[0].alarms is not found.runs[1].alarms


def test_a_learner_that_has_learned_before_counts_the_examples_of_the_run() -> None:
    learner = dl.PA1()
    learner.learn_many(X[:500], Y[:500])
    run = dl.run(learner, (X, Y), alarms=dl.Alarms(shares=False))
    assert JUMP < run.alarms[0].examples < JUMP + 500


# times ------------------------------------------------------------------------------------------
def files(folder: Path) -> dict[str, Path]:
    import pyarrow as pa
    import pyarrow.parquet

    data = frame()
    iso = data.assign(when=data.when.dt.strftime("%Y-%m-%dT%H:%M:%S"))
    iso.to_csv(folder / "iso.csv", index=False)
    data.assign(when=data.when.astype("datetime64[ms]").astype("int64")).to_csv(folder / "ms.csv", index=False)
    iso.to_json(folder / "iso.jsonl", orient="records", lines=True, double_precision=15)
    data.assign(when=data.when.astype("datetime64[s]").astype("int64")).to_json(
        folder / "s.json", orient="records", double_precision=15
    )
    pa.parquet.write_table(pa.Table.from_pandas(data), folder / "a.parquet")
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["iso.csv", "ms.csv", "iso.jsonl", "s.json", "a.parquet", "frame", "dicts"])
def test_alarms_are_dated_whatever_the_format(name: str, tmp_path: Path) -> None:
    given: Any = {"frame": frame(), "dicts": frame().to_dict("records")}.get(name) if "." not in name else None
    source = files(tmp_path)[name] if given is None else given
    run = dl.run(dl.PA1(), dl.streams.read(source, target="y", time="when"), alarms=True)
    assert kinds(run) == ["error", "input 'c'"]
    for alarm in run.alarms:
        expected = datetime(2024, 3, 1, tzinfo=UTC).timestamp() + 60 * (alarm.examples - 1)
        assert alarm.seconds == expected and alarm.time == datetime.fromtimestamp(expected, UTC)
        assert str(alarm).startswith(f"{alarm.time:%Y-%m-%d %H:%M}, example ")
    assert run.times is not None and len(run.times["examples"]) <= 2002
    assert run.times["examples"][[0, -1]].tolist() == [1.0, SIZE]
    first = datetime(2024, 3, 1, tzinfo=UTC).timestamp()
    assert run.times["seconds"].tolist() == (first + 60 * (run.times["examples"] - 1)).tolist()


def test_times_come_from_a_cache_too(tmp_path: Path) -> None:
    path = files(tmp_path)["iso.csv"]
    runs = [dl.run(dl.PA1(), dl.streams.read(path, target="y", time="when", cache=True), alarms=True) for _ in range(2)]
    assert runs[0].alarms == runs[1].alarms and runs[1].alarms[0].seconds is not None


def test_counters_and_texts_are_no_dates(tmp_path: Path) -> None:
    for when in (np.arange(SIZE), [f"t{k:06d}" for k in range(SIZE)]):
        run = dl.run(dl.PA1(), dl.streams.read(frame().assign(when=when), target="y", time="when"), alarms=True)
        assert run.alarms and all(alarm.time is None for alarm in run.alarms) and run.times is None


def test_skipped_rows_and_files_that_go_back_in_time(tmp_path: Path) -> None:
    data = frame()
    data.loc[100, "when"] = data.loc[50, "when"]  # goes backwards, and is skipped
    data[:6000].to_csv(tmp_path / "1.csv", index=False)
    early = data[6000:].assign(when=pd.date_range("2020-01-01", periods=SIZE - 6000, freq="min"))
    early.to_csv(tmp_path / "2.csv", index=False)
    stream = dl.streams.read(tmp_path / "1.csv", tmp_path / "2.csv", target="y", time="when", on_error="skip")
    run = dl.run(dl.PA1(), stream, alarms=True)
    assert run.examples == SIZE - 1
    first, second = run.alarms
    assert first.time == data.when[first.examples].to_pydatetime().replace(tzinfo=UTC)
    assert second.time is not None and second.time.year == 2020
    assert run.times is not None and np.diff(run.times["seconds"]).min() < 0.0


def test_the_time_line_has_at_most_so_many_points() -> None:
    run = dl.run(dl.PA1(), dl.streams.read(frame(), target="y", time="when"), points=50)
    assert run.times is not None and 25 <= len(run.times["examples"]) <= 52


# checkpoints ------------------------------------------------------------------------------------
def test_a_resumed_run_has_the_same_alarms_and_does_not_repeat_calls(tmp_path: Path) -> None:
    data = frame()

    def stream(rows: int = SIZE) -> Any:
        data[:rows].to_csv(tmp_path / "a.csv", index=False)
        return dl.streams.read(tmp_path / "a.csv", target="y", time="when")

    expected = dl.run(dl.PA1(), stream(), alarms=True)
    for stop in (700, 4500, 7000):
        folder = tmp_path / str(stop)
        first: list[Alarm] = []
        second: list[Alarm] = []
        dl.run(dl.PA1(), stream(stop), checkpoint=dl.Checkpoint(folder, 100), on_alarm=first.append)
        resumed = dl.Checkpoint(folder, 100, resume=True)
        run = dl.run(dl.PA1(), stream(), checkpoint=resumed, on_alarm=second.append)
        assert run.alarms == expected.alarms == first + second
        assert run.times is not None and expected.times is not None
        assert run.times["seconds"].tolist() == expected.times["seconds"].tolist()


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    dl.run(dl.PA1(), (X[:7000], Y[:7000]), alarms=True, checkpoint=dl.Checkpoint(tmp_path, 1000), progress=False)
    return tmp_path


def resume(folder: Path, alarms: Any = True) -> dl.Run:
    checkpoint = dl.Checkpoint(folder, 1000, resume=True)
    return dl.run(dl.PA1(), (X, Y), alarms=alarms, checkpoint=checkpoint, progress=False)


def test_other_options_are_refused(begun: Path) -> None:
    for alarms in (
        False,
        dl.Alarms(inputs=False),
        dl.Alarms(error="cusum"),
        dl.Alarms(delta=1e-5),
        dl.Alarms(inputs=3),
    ):
        with pytest.raises(ModelError, match="checkpoint"):
            resume(begun, alarms)
    assert kinds(resume(begun)) == ["error", "input column 2"]


def test_hostile_checkpoints_are_refused(begun: Path) -> None:
    path = begun / "checkpoint.dl"
    meta, arrays = read(path, "checkpoint")
    text = json.dumps(meta)

    def changed(change: Any) -> None:
        content, own = json.loads(text), {name: array.copy() for name, array in arrays.items()}
        change(content["observers"], own)
        write(path, "checkpoint", content, own)
        with pytest.raises(ModelError) as error:
            resume(begun)
        assert "\n" not in str(error.value)

    alarm = json.loads(text)["observers"]["alarms"]["alarms"][0]
    changed(lambda o, a: o["alarms"].update(seen=-1))
    changed(lambda o, a: o["alarms"].update(seen=6999))
    changed(lambda o, a: o["alarms"].update(alarms=3))
    changed(lambda o, a: o["alarms"].update(alarms=[3]))
    changed(lambda o, a: o["alarms"].update(alarms=[[*alarm[:3], -1, *alarm[4:]]]))
    changed(lambda o, a: o["alarms"].update(alarms=[[*alarm[:5], 1e300, *alarm[6:]]]))
    changed(lambda o, a: o["alarms"].update(alarms=[[*alarm[:6], 2.0, 0.1]]))
    changed(lambda o, a: o["alarms"].update(alarms=[[*alarm[:3], 99, 3, *alarm[5:]], [*alarm[:3], 98, 3, *alarm[5:]]]))
    changed(lambda o, a: o["alarms"].update(error=None))
    changed(lambda o, a: o["alarms"].update(error={}))
    changed(lambda o, a: o["alarms"].pop("inputs"))
    changed(lambda o, a: o.update(alarms=[]))
    changed(lambda o, a: o.update(times={}))
    changed(lambda o, a: o["times"].update(stride=3))
    changed(lambda o, a: a.update({"times rows": np.ones((2, 2))}))
    changed(lambda o, a: a.pop("alarms inputs windows"))
    for name in [one for one in arrays if one.startswith(("alarms ", "times "))]:
        changed(lambda o, a, name=name: a.update({name: np.full(3, np.nan)}))

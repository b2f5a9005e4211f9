"""A saved learner loads with the same bits: it scores, counts and learns on as before."""

from __future__ import annotations

import json
import math
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.saved import ModelError, load, model, save
from driftline.saved import atomic_write as replace
from driftline.saved.container import read, write
from driftline.saved.plain import parsed, written
from tests.support.bitwise import FORM, REGISTRY, assert_same, snapshot
from tests.support.linear_cases import Case, one_of_each, stream

DATA = stream(7, 90, 6, density=0.6, weights=(0.3, 1.0, 2.5))
DICTS = [{f"f{k}": value for k, value in enumerate(row) if value} for row in DATA.X.tolist()]
BLOCKS: dict[str, Callable[[slice], Any]] = {
    "dense": lambda part: DATA.X[part],
    "csr": lambda part: DATA.csr[part],
    "dicts": lambda part: DICTS[part],
}


def learn(learner: dl.Learner, block: Any, part: slice, labels: tuple[Any, Any]) -> list[float]:
    y = [labels[int(sign > 0)] for sign in DATA.y[part]]
    return learner.learn_many(block(part), y, DATA.w[part]).tolist()


def same(one: dl.Learner, other: dl.Learner) -> None:
    assert type(one) is type(other)
    assert repr(one) == repr(other)
    assert_same(snapshot(one), snapshot(other))
    assert repr(one.weights()) == repr(other.weights())  # tells 1 from True and 0.0 from -0.0; NaN equals NaN
    assert repr(one.labels) == repr(other.labels)
    for counter in ("n_seen", "mistakes", "label_errors", "margin_errors", "updates", "infeasible", "n_features"):
        assert getattr(one, counter) == getattr(other, counter)


def again(learner: dl.Learner, path: Path) -> dl.Learner:
    learner.save(path)
    return load(path)


# bit for bit ----------------------------------------------------------------------------------------------------------
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no bias, unit": {"bias": False, "scale": "unit"},
    "standard": {"scale": "standard"},
    "standard, hashed": {"scale": "standard", "hashing": dl.Hashing(5), "bias": False},
    "float32, unit": {"dtype": "float32", "scale": "unit"},
    "float32, hashed, declared": {"dtype": "float32", "hashing": dl.Hashing(4), "labels": ("no", "yes")},
    "float32, standard": {"dtype": "float32", "scale": "standard"},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("case", one_of_each(), ids=str)
def test_resumed_is_uninterrupted(case: Case, options: str, tmp_path: Path) -> None:
    labels = OPTIONS[options].get("labels", (-1, 1))
    for kind, block in BLOCKS.items():
        whole = case.learner(**OPTIONS[options])
        resumed = case.learner(**OPTIONS[options])
        for number, part in enumerate((slice(0, 1), slice(1, 40), slice(40, 41), slice(41, 90))):
            resumed = again(resumed, tmp_path / "halfway.dl")
            same(resumed, whole)
            assert learn(whole, block, part, labels) == learn(resumed, block, part, labels), (kind, number)
        same(again(resumed, tmp_path / "end.dl"), whole)
        loaded = load(tmp_path / "end.dl")
        assert loaded.score_many(block(slice(0, 90))).tolist() == whole.score_many(block(slice(0, 90))).tolist()
        assert loaded.predict_many(block(slice(0, 9))).tolist() == whole.predict_many(block(slice(0, 9))).tolist()
        if kind == "dicts":
            assert loaded.score_one(DICTS[0]) == whole.score_one(DICTS[0])
            assert loaded.learn_one(DICTS[1] | {"new": 1.0}, labels[0]) == whole.learn_one(
                DICTS[1] | {"new": 1.0}, labels[0]
            )
            same(loaded, whole)


def test_every_learner_is_among_the_cases() -> None:
    assert {case.name for case in one_of_each()} == set(REGISTRY)


@given(st.data())
def test_saved_at_any_point(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Dicts one by one, whose features come and go, with saves in between."""
    case = data.draw(st.sampled_from(one_of_each()))
    options = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "bias": st.booleans(),
                "scale": st.sampled_from([None, "unit", "standard"]),
                "dtype": st.sampled_from(["float64", "float32"]),
                "hashing": st.just(dl.Hashing(3)),
            },
        )
    )
    value = st.floats(-5, 5) | st.booleans() | st.sampled_from(["red", "blue"])
    name = st.sampled_from(["a", "b", "ß", 1, -7, 10**30, "\ud800"])
    rounds = data.draw(
        st.lists(st.tuples(st.dictionaries(name, value, max_size=4), st.booleans(), st.booleans()), max_size=12)
    )
    path = tmp_path_factory.getbasetemp() / "any.dl"
    whole, resumed = case.learner(**options), case.learner(**options)
    for x, y, saved in rounds:
        if saved:
            resumed = again(resumed, path)
        assert whole.learn_one(x, y) == resumed.learn_one(x, y)
    same(again(resumed, path), whole)


@pytest.mark.parametrize("case", one_of_each(), ids=str)
def test_the_same_learner_gives_the_same_bytes(case: Case, tmp_path: Path) -> None:
    learner = case.learner(scale="standard")
    learn(learner, BLOCKS["dicts"], slice(0, 60), ("no", "yes"))
    before = snapshot(learner)
    learner.save(tmp_path / "one.dl")
    learner.save(tmp_path / "two.dl")
    load(tmp_path / "one.dl").save(tmp_path / "three.dl")
    assert_same(before, snapshot(learner))
    assert (tmp_path / "one.dl").read_bytes() == (tmp_path / "two.dl").read_bytes()
    assert (tmp_path / "one.dl").read_bytes() == (tmp_path / "three.dl").read_bytes()


def test_what_was_once_listed_is_kept_too(tmp_path: Path) -> None:
    """A shorter list leaves its old end behind; the arrays are alike to the last bit all the same."""
    learner = dl.L1PA(beta=1.5, bias=False)
    learner.learn_one({f"f{k}": 0.1 + k for k in range(9)}, 1)
    for k in (1, 4, 2, 8):
        learner.learn_one({f"f{k}": 1.0}, 0)
        same(again(learner, tmp_path / "a.dl"), learner)
    assert learner._engine.support[0, int(learner._engine.state[2]) :].any()


def test_weights_that_have_overflowed_are_saved_as_they_are(tmp_path: Path) -> None:
    for case in one_of_each():
        learner = case.learner()
        with np.errstate(all="ignore"):
            for k in range(60):
                learner.learn_one({"a": 1.0 + k % 3}, k % 2, 1e9)
        same(again(learner, tmp_path / "a.dl"), learner)


def test_a_scale_that_has_overflowed_spoils_what_no_weight_is_in(tmp_path: Path) -> None:
    learner = dl.NORMA()
    learner.learn_many(DATA.X, DATA.y)
    learner._engine.state[0] = math.nan
    learner.learn_many(DATA.X, DATA.y)
    assert np.isnan(learner._engine.v).all()
    loaded = again(learner, tmp_path / "a.dl")
    assert np.isnan(loaded._engine.v[: 8 + 6]).all()
    assert loaded.n_seen == learner.n_seen
    with pytest.raises(ValueError, match="weights that have overflowed"):
        loaded.score_many(DATA.X)


def test_a_fresh_process_loads_it(tmp_path: Path) -> None:
    learner = dl.L1PA(scale="standard")
    learn(learner, BLOCKS["dicts"], slice(0, 60), ("no", "yes"))
    learner.save(tmp_path / "a.dl")
    code = (
        "import sys\n"
        "from driftline.saved import load\n"
        "learner = load(sys.argv[1])\n"
        "print(learner.learn_one({'f1': 1.5, 'f3': -2.0, 'f9': 1.0}, 'yes').hex(), learner.n_seen)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path / "a.dl")], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == f"{learner.learn_one({'f1': 1.5, 'f3': -2.0, 'f9': 1.0}, 'yes').hex()} 61\n"


# names and labels -----------------------------------------------------------------------------------------------------
class Colour(str, Enum):  # noqa: UP042
    RED = "red"


class Size(IntEnum):
    SMALL = 1


NAMES = ["", "a", "ünï", "\N{PILE OF POO}", "\ud83d\udca9", "\udc80", "a\0b", "(Bias)", 0, -1, 255, 2**64, -(10**300)]


def test_names_of_every_type(tmp_path: Path) -> None:
    learner = dl.PA1()
    learner.learn_many([{name: 1.0 + k} for k, name in enumerate(NAMES)] + [{True: 3.0}], [0, 1] * 7)
    loaded = again(learner, tmp_path / "a.dl")
    same(loaded, learner)
    assert list(loaded._encoder.names.index) == [*NAMES, True]
    assert type(list(loaded._encoder.names.index)[-1]) is bool


def test_whole_numbers_too_long_to_be_printed(tmp_path: Path) -> None:
    long = 10**5000
    learner = dl.PA1()
    learner.learn_many([{-long: 1.0}, {long: 2.0}], [long, -long])
    loaded = again(learner, tmp_path / "a.dl")
    assert_same(snapshot(learner), snapshot(loaded))
    assert loaded.labels == (long, -long)


@pytest.mark.parametrize(
    "name, expected",
    [(np.str_("a"), "a"), (np.int8(-3), -3), (Colour.RED, "red"), (Size.SMALL, 1)],
    ids=lambda value: type(value).__name__,
)
def test_other_names_come_back_plain(name: Any, expected: Any, tmp_path: Path) -> None:
    learner = dl.PA1(bias=False)
    learner.learn_one({name: 2.0}, 1)
    loaded = again(learner, tmp_path / "a.dl")
    (found,) = loaded.weights()
    assert (found, type(found)) == (expected, type(expected))
    assert loaded.learn_one({name: 1.0}, 0) == learner.learn_one({name: 1.0}, 0)
    assert loaded.n_features == 1


LABELS = [
    (0, 1), (1, 0), (-1, 1), (False, True), (True, False), ("ham", "spam"), ("", "\ud83d\udca9"), ("$int", "inf"),
    (0.1, 2.5), (-0.0, 1.0), (math.inf, -math.inf), (10**300, -(2**63)), (1, "one"), (2.0, True),
]  # fmt: skip


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("pair", LABELS, ids=lambda pair: "-".join(type(label).__name__ for label in pair))
def test_labels_of_every_type(pair: tuple[Any, Any], declared: bool, tmp_path: Path) -> None:
    learner = dl.PA1(labels=pair if declared else None)
    same(again(learner, tmp_path / "a.dl"), learner)
    for number, x in enumerate(DICTS[:6]):
        learner.learn_one(x, pair[number % 2])
        loaded = again(learner, tmp_path / "a.dl")
        same(loaded, learner)
        assert repr(loaded.predict_one(x)) == repr(learner.predict_one(x))
        assert loaded.learn_one(x, pair[1]) == load(tmp_path / "a.dl").learn_one(x, pair[1])


def test_other_labels_come_back_plain(tmp_path: Path) -> None:
    learner = dl.PA1(labels=(np.int64(3), np.float32(0.5)), dtype=np.dtype("float32"), bias=True)
    learner.learn_one({"a": 1.0}, 3)
    assert repr(again(learner, tmp_path / "a.dl")) == ("PA1(C=1.0, when='margin', labels=(3, 0.5), dtype='float32')")
    learner = dl.PA1(when=np.str_("mistake"))
    learner.learn_one({"a": 1.0}, Size.SMALL)
    learner.learn_one({"a": 1.0}, Colour.RED)
    loaded = again(learner, tmp_path / "a.dl")
    assert [(label, type(label)) for label in loaded.labels] == [("red", str), (1, int)]
    assert loaded.learn_one({"a": 2.0}, Colour.RED) == learner.learn_one({"a": 2.0}, Colour.RED)


@pytest.mark.parametrize("label", [(0, 1), b"a", 1j, frozenset()], ids=repr)
def test_labels_without_a_plain_form_are_not_saved(label: Any, tmp_path: Path) -> None:
    learner = dl.PA1()
    learner.learn_one({"a": 1.0}, label)
    with pytest.raises(ModelError, match="save: a label must be a str, int, float or bool, got ") as caught:
        learner.save(tmp_path / "a.dl")
    assert FORM.match(str(caught.value))
    assert list(tmp_path.iterdir()) == []


def test_only_known_learners_are_saved(tmp_path: Path) -> None:
    class PA1(dl.PA1):
        pass

    with pytest.raises(ModelError, match=r"save: a learner must be one of driftline\.REGISTRY, got PA1\. "):
        PA1().save(tmp_path / "a.dl")


# the file -------------------------------------------------------------------------------------------------------------
def test_safetensors_reads_it(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    for number, case in enumerate(one_of_each()):
        learner = case.learner(scale="standard", dtype=("float64", "float32")[number % 2])
        learn(learner, BLOCKS["dicts"], slice(0, number), ("no", "\ud800"))
        meta, arrays = model.state_of(learner)
        learner.save(tmp_path / "a.dl")
        found = safetensors.load_file(tmp_path / "a.dl")
        assert found.keys() == arrays.keys()
        for name, array in arrays.items():
            assert found[name].dtype == array.dtype
            assert found[name].shape == array.shape
            assert found[name].tobytes() == array.tobytes()
        with sys.modules["safetensors"].safe_open(tmp_path / "a.dl", "np") as file:
            about = file.metadata()
        assert parsed(about["content"]) == meta
        assert (about["format"], about["version"], about["kind"]) == ("driftline", "1", "model")


def test_what_people_find_in_it(tmp_path: Path) -> None:
    learner = dl.ALMA(B=math.inf, hashing=dl.Hashing(3))
    learn(learner, BLOCKS["dicts"], slice(0, 30), ("no", "yes"))
    learner.save(tmp_path / "a.dl")
    raw = (tmp_path / "a.dl").read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    content = json.loads(header["__metadata__"]["content"])
    assert content["learner"] == "alma"
    assert content["parameters"] == {"alpha": 1.0, "B": {"$float": "inf"}, "rho": 1.0, "p": 2.0}
    assert content["options"] == {"bias": True, "scale": None, "hashing": 3, "dtype": "float64"}
    assert content["labels"] == ["no", "yes"] or content["labels"] == ["yes", "no"]
    assert (content["vocabulary"], content["features"]) == ("hashed", 8)
    assert content["counters"]["n_seen"] == 30
    assert content["counters"]["mistakes"] == learner.mistakes
    assert content["versions"]["driftline"] == dl.__version__
    assert sorted(content["versions"]) == ["driftline", "numba", "numpy"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3).filter(lambda key: not key.startswith("$")), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["a", "b"]), VALUES))
def test_plain_values_survive(meta: dict[str, Any]) -> None:
    found = parsed(written(meta))
    assert repr(found) == repr(meta)
    assert written(found) == written(meta)


@pytest.mark.parametrize("meta", [{"$float": 1}, {1: 2}, {"a": b""}, {"a": {1, 2}}, {"a": object}], ids=repr)
def test_other_values_are_not_written(meta: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="write: a "):
        write(tmp_path / "a.dl", "checkpoint", meta, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shape", [(), (0,), (1,), (1000, 0), (3, 5), (2, 1, 3)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "u8", "u4", "u1", "i8", "i4", ">f8", ">u4"])
def test_arrays_of_every_kind(dtype: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    array = (np.arange(math.prod(shape)) + 0.5).astype(dtype).reshape(shape)
    given = {
        "a": array,
        "b": np.ones(3, np.uint8),
        "c": np.asfortranarray(array),
        "d": array[..., :0] if shape else array,
    }
    write(tmp_path / "a.dl", "checkpoint", {}, given)
    meta, found = read(tmp_path / "a.dl", "checkpoint")
    assert meta == {}
    for name, expected in given.items():
        assert np.array_equal(found[name], expected)
        assert found[name].shape == expected.shape
        assert found[name].dtype == expected.dtype.newbyteorder("=")
        assert found[name].flags.c_contiguous and found[name].flags.aligned


def test_the_order_of_arrays_is_no_matter(tmp_path: Path) -> None:
    """They are laid out so that each starts at a multiple of its item size, also in the file as a whole."""
    arrays = {"b": np.ones(3, np.uint8), "a": np.ones(1, np.uint8), "d": np.ones(3, np.uint32), "c": np.ones(2)}
    write(tmp_path / "a.dl", "checkpoint", {}, arrays)
    write(tmp_path / "b.dl", "checkpoint", {}, dict(sorted(arrays.items())))
    raw = (tmp_path / "a.dl").read_bytes()
    assert raw == (tmp_path / "b.dl").read_bytes()
    length = int.from_bytes(raw[:8], "little")
    table = json.loads(raw[8 : 8 + length])
    assert all((8 + length + table[name]["data_offsets"][0]) % array.itemsize == 0 for name, array in arrays.items())


@pytest.mark.parametrize("dtype", [object, "U3", "f2", "i2", "c16", bool, "M8[s]"], ids=str)
def test_other_arrays_are_not_written(dtype: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="write: a must have one of the dtypes F64, F32"):
        write(tmp_path / "a.dl", "checkpoint", {}, {"a": np.zeros(3, dtype)})
    assert list(tmp_path.iterdir()) == []


# on the disk ----------------------------------------------------------------------------------------------------------
def fail(*_: Any) -> Any:
    raise OSError(28, "No space left on device")


def interrupt(*_: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "stop, error", [(fail, ModelError), (interrupt, KeyboardInterrupt)], ids=["full", "interrupted"]
)
@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_save_that_fails_leaves_the_old_file(
    where: str, stop: Any, error: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = dl.PA1()
    old.learn_one({"a": 1.0}, 1)
    old.save(tmp_path / "a.dl")
    learner = load(tmp_path / "a.dl")
    learner.learn_one({"b": 1.0}, 0)
    if where == "fsync":
        monkeypatch.setattr(replace.os, "fsync", stop)
    else:
        monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(error) as caught:
        learner.save(tmp_path / "a.dl")
    if error is ModelError:
        assert f"save: {tmp_path / 'a.dl'} must be a file that can be written, got No space left" in str(caught.value)
        assert FORM.match(str(caught.value))
    assert [path.name for path in tmp_path.iterdir()] == ["a.dl"]
    same(load(tmp_path / "a.dl"), old)


def test_the_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data first, then the name, then the folder that holds the name."""
    happened: list[str] = []

    def fsync(handle: int) -> None:
        mode = os.fstat(handle).st_mode
        happened.append("folder" if stat.S_ISDIR(mode) else f"file of {os.fstat(handle).st_size}")

    plain_replace = Path.replace
    monkeypatch.setattr(replace.os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", lambda a, b: (happened.append("name"), plain_replace(a, b)))
    dl.PA1().save(tmp_path / "a.dl")
    assert happened == [f"file of {(tmp_path / 'a.dl').stat().st_size}", "name", "folder"]


def test_links_and_rights_stay(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    dl.PA1().save(tmp_path / "inner" / "a.dl")
    (tmp_path / "inner" / "a.dl").chmod(0o600)
    (tmp_path / "link.dl").symlink_to(tmp_path / "inner" / "a.dl")
    dl.PA2().save(tmp_path / "link.dl")
    assert (tmp_path / "link.dl").is_symlink()
    assert isinstance(load(tmp_path / "inner" / "a.dl"), dl.PA2)
    assert stat.S_IMODE((tmp_path / "inner" / "a.dl").stat().st_mode) == 0o600


@pytest.mark.parametrize("path", ["", "missing/a.dl", "a" * 300])
def test_places_that_cannot_be_written(path: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="must be a file that can be written, got ") as caught:
        dl.PA1().save(str(tmp_path / path))
    assert FORM.match(str(caught.value))
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_paths_of_either_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dl.PA1().save("a.dl")
    save(dl.PA2(), Path("b.dl"))
    assert isinstance(load("a.dl"), dl.PA1)
    assert isinstance(load(Path("b.dl")), dl.PA2)


# engines inside engines -----------------------------------------------------------------------------------------------
EXPERTS = {"adahedge", "exponentialweights", "fixedshare", "halving", "variableshare", "weightedmajority"}
REGRESSORS = {name for name, learner in dl.REGISTRY.items() if learner().rule.regresses}
MULTICLASS = {name for name in dl.REGISTRY if name.startswith("multiclass")}
OUTSIDE = EXPERTS | REGRESSORS | MULTICLASS | {"kernelized", "onevsrest"}


@pytest.mark.parametrize("name", sorted(dl.REGISTRY.keys() - OUTSIDE))
@pytest.mark.parametrize("wrap", [dl.OneVsRest, lambda one: dl.Committee([one, "pa1"])], ids=["classes", "committee"])
def test_a_learner_inside_another_comes_back(wrap: Any, name: str, tmp_path: Path) -> None:
    whole = wrap(name)
    rows = [dict.fromkeys("abc", 1.0), *({"abc"[k]: 1.0 for k in np.flatnonzero(x[:3])} for x in DATA.X)]
    whole.learn_many(rows[:30], DATA.y[:30])  # the first has all features, which some learners need
    resumed = again(whole, tmp_path / "m.dl")
    same(whole, resumed)
    due = whole.learn_many(rows[30:60], DATA.y[30:60]).tolist()
    assert resumed.learn_many(rows[30:60], DATA.y[30:60]).tolist() == due
    same(whole, resumed)

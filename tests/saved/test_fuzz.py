"""Damaged, foreign and crafted model files are refused in one line, or load as a sound learner."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import re
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline as dl
from driftline.saved import ModelError, load, model
from driftline.saved.container import read, write
from driftline.saved.feature_names import to_arrays
from driftline.saved.recipes import described
from driftline.streams.schema.recipe import Recipe
from tests.support.bitwise import FORM
from tests.support.crafted_models import (
    COLUMNS,
    MAKE,
    ROWS,
    START,
    dumped,
    header_of,
    learner_of,
    parts_of,
    rows_of,
    signed,
)


@pytest.fixture(params=list(MAKE))
def kind(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


def refused(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"load: {path} must be a driftline model, got "), message
    assert FORM.match(message), message
    assert "\n" not in message
    return message


# damaged --------------------------------------------------------------------------------------------------------------
def test_every_flipped_bit_is_noticed(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.dl"
    learner_of(kind).save(path)
    good = path.read_bytes()
    flips = 0
    with path.open("r+b", buffering=0) as file:
        for place, byte in enumerate(good):
            for bit in range(8):
                os.pwrite(file.fileno(), bytes([byte ^ (1 << bit)]), place)
                with pytest.raises(ModelError):
                    load(path)
                flips += 1
            os.pwrite(file.fileno(), bytes([byte]), place)
    assert flips == 8 * len(good) > 7000
    assert load(path).n_seen == 4


def test_every_missing_end_is_noticed(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.dl"
    learner_of(kind).save(path)
    good = path.read_bytes()
    for size in reversed(range(len(good))):
        os.truncate(path, size)
        message = refused(path)
        assert ("an empty file" if size == 0 else "damaged or cut short") in message, size
    for more in (b"\0", b" ", good):
        path.write_bytes(good + more)
        assert "damaged or cut short" in refused(path)


@given(st.data())
def test_damage_of_many_bytes_is_noticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.dl"
    learner_of("names").save(path)
    good = path.read_bytes()
    start = data.draw(st.integers(0, len(good)))
    stop = data.draw(st.integers(start, len(good)))
    bad = good[:start] + data.draw(st.binary(max_size=20)) + good[stop:]
    path.write_bytes(bad)
    if bad != good:
        refused(path)


# something else -------------------------------------------------------------------------------------------------------
def foreign_safetensors() -> bytes:
    header = json.dumps({"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})
    return struct.pack("<Q", len(header)) + header.encode() + bytes(8)


class Trap:
    def __reduce__(self) -> Any:
        return (os.mkdir, ("trap",))


FOREIGN = {
    "a PNG": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "a pickle": pickle.dumps(Trap()),
    "a pickled learner": pickle.dumps({"learner": 1, "v": np.zeros(100)}),
    "safetensors": foreign_safetensors(),
    "text": b"not a model, but long enough to be taken for one: " * 5,
    "one byte": b"x",
    "zeros": bytes(500),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_other_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.dl").write_bytes(FOREIGN[name])
    message = refused(tmp_path / "a.dl")
    assert ("damaged" if len(FOREIGN[name]) < 8 else "got a file of another format. Load a file written by") in message
    assert not (tmp_path / "trap").exists()


def test_no_file(tmp_path: Path) -> None:
    assert "got no such file. Check the path" in refused(tmp_path / "missing.dl")
    assert "got a folder. Check the path" in refused(tmp_path)
    assert "a file that cannot be read" in refused(tmp_path / ("a" * 300))
    os.mkfifo(tmp_path / "pipe")
    assert "a path that is not a regular file" in refused(tmp_path / "pipe")
    (tmp_path / "file").touch()
    assert "cannot be read" in refused(tmp_path / "file" / "a.dl")


def test_a_checkpoint_is_no_model(tmp_path: Path) -> None:
    write(tmp_path / "a.dl", "checkpoint", *model.state_of(dl.PA1()))
    assert "got a file of kind 'checkpoint'. Check the path" in refused(tmp_path / "a.dl")
    dl.PA1().save(tmp_path / "a.dl")
    with pytest.raises(ModelError, match=r"a\.dl must be a driftline checkpoint, got a file of kind 'model'\."):
        read(tmp_path / "a.dl", "checkpoint")


# crafted, with a right sum --------------------------------------------------------------------------------------------


def test_what_is_crafted_rightly_loads(kind: str, tmp_path: Path) -> None:
    """So that the refusals below are not due to how the files are made; arrays may stand anywhere, also unaligned."""
    meta, arrays = parts_of(kind)
    for sign in (1, -1):  # those of many bytes first, then last
        table, data = header_of(meta, dict(sorted(arrays.items(), key=lambda one: -sign * one[1].itemsize)))
        (tmp_path / "a.dl").write_bytes(signed(dumped(table), data))
        loaded, learner = load(tmp_path / "a.dl"), learner_of(kind)
        assert all(array.flags.aligned for array in read(tmp_path / "a.dl", "model")[1].values())
        assert loaded.scores_many(rows_of(kind)).tolist() == learner.scores_many(rows_of(kind)).tolist()


ABOUT: dict[str, tuple[dict[str, Any], str]] = {
    "newer": ({"version": "2"}, "a file written by a newer driftline (format 2, this one reads 1). Upgrade"),
    "much newer": ({"version": "20", "kind": 3, "other": []}, "a newer driftline (format 20,"),
    "format 0": ({"version": "0"}, "a file of format '0'"),
    "format 01": ({"version": "01"}, "a file of format '01'"),
    "format long": ({"version": "9" * 5000}, "a file of format '999"),
    "format 1": ({"version": 1}, "a file of format 1."),
    "another digit": ({"version": "\N{SUPERSCRIPT TWO}"}, "a file of format"),
    "kind": ({"kind": ["model"]}, "a file of kind ['model']"),
    "more": ({"more": ""}, "metadata with keys "),
    "no text": ({"content": {}}, "metadata with keys "),
    "no JSON": ({"content": "{"}, "a header that is not valid JSON"),
    "a list": ({"content": "[]"}, "content []"),
    "deep": ({"content": "[" * 100_000}, "a header that is not valid JSON"),
    "twice": ({"content": '{"a":1,"a":1}'}, "a header that is not valid JSON"),
    "NaN": ({"content": '{"a":NaN}'}, "a header that is not valid JSON"),
    "long number": ({"content": '{"a":' + "9" * 5000 + "}"}, "a header that is not valid JSON"),
    "unknown tag": ({"content": '{"a":{"$bytes":"00"}}'}, "a header that is not valid JSON"),
    "two tags": ({"content": '{"a":{"$int":"1","$float":"inf"}}'}, "a header that is not valid JSON"),
    "tag of no text": ({"content": '{"a":{"$int":1}}'}, "a header that is not valid JSON"),
    "no float": ({"content": '{"a":{"$float":"1"}}'}, "a header that is not valid JSON"),
}


@pytest.mark.parametrize("name", ABOUT)
def test_crafted_metadata(name: str, tmp_path: Path) -> None:
    meta, arrays = parts_of("names")
    about, words = ABOUT[name]
    table, data = header_of(meta, arrays, **about)
    (tmp_path / "a.dl").write_bytes(signed(dumped(table), data))
    assert words in refused(tmp_path / "a.dl")


def put(entry: Any, **changed: Any) -> Any:
    return lambda table: table.update({entry: table[entry] | changed})


TABLES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dtype": put("v", dtype="BF16"),
    "no dtype": put("v", dtype=["F64"]),
    "shape": put("v", shape=[12]),
    "negative shape": put("v", shape=[-1, -13]),
    "floats": put("v", shape=[13.0]),
    "bools": put("v", shape=[True, 13]),
    "huge": put("v", shape=[2**60]),
    "huge place": put("v", shape=[2**57], data_offsets=[0, 2**60]),
    "beyond": put("v", data_offsets=[10**6, 10**6 + 104]),
    "backwards": put("v", data_offsets=[104, 0]),
    "negative place": put("v", data_offsets=[-104, 0]),
    "three places": put("v", data_offsets=[0, 8, 16]),
    "places that are floats": put("v", data_offsets=[0.0, 104.0]),
    "no places": put("v", data_offsets=None),
    "more": put("v", more=1),
    "no entry": lambda table: table.update(v=[]),
    "overlap": lambda table: table["v"].update(data_offsets=[0, table["v"]["data_offsets"][1] - 40]),
    "same": lambda table: table.update(w=table["v"]),
    "gap": lambda table: table.pop("state"),
    "end": lambda table: table.pop(list(table)[-1]),
    "nothing": lambda table: [table.pop(name) for name in list(table)[1:]],
    "many axes": put("v", shape=[1] * 100 + [12]),
    "empty and huge": lambda table: table.update(
        w={"dtype": "F64", "shape": [0, 2**60, 2**60], "data_offsets": [0, 0]}
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_crafted_tables(name: str, tmp_path: Path) -> None:
    """Nothing is allocated for what is only claimed."""
    meta, arrays = parts_of("names")
    table, data = header_of(meta, arrays)
    TABLES[name](table)
    (tmp_path / "a.dl").write_bytes(signed(dumped(table), data))
    tracemalloc.start()
    message = refused(tmp_path / "a.dl")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert re.search("got (array '|arrays with gaps|bytes that belong)", message), message


@pytest.mark.parametrize("length", [0, 7, 111, 10**9, 2**60, 2**63, 2**64 - 1])
def test_crafted_lengths(length: int, tmp_path: Path) -> None:
    meta, arrays = parts_of("names")
    table, data = header_of(meta, arrays)
    (tmp_path / "a.dl").write_bytes(signed(dumped(table), data, length))
    assert "damaged or cut short" in refused(tmp_path / "a.dl")


def test_crafted_headers(tmp_path: Path) -> None:
    meta, arrays = parts_of("names")
    table, data = header_of(meta, arrays)
    good = dumped(table)
    for bad in (good[:-1], good + b"}", good[:-1] + b"\xff", good[:-1] + b',"__metadata__":{}}', START + b"0" * 64):
        (tmp_path / "a.dl").write_bytes(signed(bad, data))
        assert "a header that is not valid JSON" in refused(tmp_path / "a.dl")


def within(*path: Any, value: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    def change(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        place: Any = meta
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def array(name: str, of: Callable[[np.ndarray], Any]) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    return lambda meta, arrays: arrays.update({name: np.ascontiguousarray(of(arrays[name]))})


def element(name: str, at: Any, value: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    return lambda meta, arrays: arrays[name].__setitem__(at, value)


RECIPE: dict[str, Any] = {
    "target": "y",
    "positive": None,
    "time": None,
    "weight": None,
    "ngrams": 2,
    "na": ["", "NA"],
    "task": "classification",
    "kinds": {"a": "number", "body": "text", "$b": "category", "\ud800": "ignore"},
    "header": True,
    "open": False,
}


def with_recipe(**changed: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    values = described(Recipe.from_dict(RECIPE))
    return within("recipe", value={name: value for name, value in (values | changed).items() if value is not ...})


def test_a_recipe_is_read_back(tmp_path: Path) -> None:
    """Also with column names that JSON keys cannot hold; a model without a recipe has no such key."""
    learner = learner_of("names")
    assert "recipe" not in model.state_of(learner)[0]
    learner.recipe = Recipe.from_dict(RECIPE)
    learner.save(tmp_path / "a.dl")
    found = load(tmp_path / "a.dl").recipe
    assert found == learner.recipe and found is not None and found.to_dict() == RECIPE


CRAFTED: list[tuple[str, Any, str]] = [
    ("names", within("recipe", value=None), "recipe None"),
    ("names", within("recipe", value=[]), "recipe []"),
    ("names", within("recipe", value={}), "a recipe with kinds None"),
    ("names", with_recipe(kinds={"a": "number"}), "a recipe with kinds {'a': 'number'}"),
    ("names", with_recipe(kinds=[["a"]]), "a recipe with kinds [['a']]"),
    ("names", with_recipe(kinds=[["a", 1]]), "a recipe with kinds [['a', 1]]"),
    ("names", with_recipe(kinds=[["a", "number"], ["a", "text"]]), "a recipe with two kinds for one column"),
    ("names", with_recipe(kinds=[["a", "colour"]]), "a wrong recipe ("),
    ("names", with_recipe(target=1), "a wrong recipe ("),
    ("names", with_recipe(positive=["a"]), "a wrong recipe ("),
    ("names", with_recipe(time={}), "a wrong recipe ("),
    ("names", with_recipe(weight=0.5), "a wrong recipe ("),
    ("names", with_recipe(ngrams=0), "a wrong recipe ("),
    ("names", with_recipe(ngrams=True), "a wrong recipe ("),
    ("names", with_recipe(ngrams=10**9), "a wrong recipe ("),
    ("names", with_recipe(na="NA"), "a wrong recipe ("),
    ("names", with_recipe(na=[None]), "a wrong recipe ("),
    ("names", with_recipe(task="os.system"), "a wrong recipe ("),
    ("names", with_recipe(open=1), "a wrong recipe ("),
    ("names", with_recipe(more=1), "a wrong recipe ("),
    ("names", with_recipe(target=...), "a wrong recipe ("),
    ("names", within("learner", value="os.system"), "an unknown learner 'os.system'. Upgrade"),
    ("names", within("learner", value=["pa1"]), "learner ['pa1']"),
    ("names", within("learner", value="l2pa"), "wrong parameters ("),
    ("names", within("learner", value="pa"), "wrong parameters ("),
    ("names", within("parameters", value={}), "parameters [] where ['C', 'when'] were expected"),
    ("names", within("parameters", "C", value=-1.0), "wrong parameters (PA1: C must be > 0, got -1.0)"),
    ("names", within("parameters", "C", value=math.nan), "wrong parameters (PA1: C must be a number, got nan)"),
    ("names", within("parameters", "C", value="1"), "wrong parameters (PA1: C must be a number"),
    ("names", within("parameters", "C", value=[1.0]), "wrong parameters (PA1: C must be a number"),
    ("names", within("parameters", "C", value=10**400), "wrong parameters (PA1: C must be a float"),
    ("names", within("parameters", "when", value=None), "wrong parameters (PA1: when must be"),
    ("names", within("parameters", "bias", value=True), "wrong parameters ("),
    ("names", within("parameters", "rule", value=1), "wrong parameters ("),
    ("names", within("options", "more", value=1), "options ["),
    ("names", within("options", "bias", value=1), "wrong parameters (PA1: bias must be True or False"),
    ("names", within("options", "scale", value="log"), "wrong parameters (PA1: scale must be"),
    ("names", within("options", "scale", value="standard"), "arrays ["),
    ("names", within("options", "dtype", value="float32"), "v of shape (13,) and float64, expected"),
    ("names", within("options", "dtype", value="O"), "v of shape (13,) and float64"),
    ("names", within("options", "dtype", value={"a": 1}), "v of shape (13,) and float64"),
    ("names", within("options", "hashing", value=30), "wrong parameters (5 features cannot be those of Hash"),
    ("names", within("options", "hashing", value="2"), "wrong parameters (Hashing: bits must be"),
    ("names", within("labels", value=["ham"]), "wrong parameters (PA1: labels must be two different values"),
    ("names", within("labels", value=["ham", "ham"]), "wrong parameters (PA1: labels must be two"),
    ("names", within("labels", value=[None, 1]), "wrong parameters (PA1: a label must be a value"),
    ("names", within("labels", value=[[], {}]), "wrong parameters (PA1: a label must be a single value"),
    ("names", within("labels", value="ab"), "labels 'ab'"),
    ("compact", within("labels", value=[0, 1, 2]), "wrong labels (L1PA: a label must be 0 or 1, got 2."),
    ("compact", within("labels", value=[1, True]), "labels [1, True]"),
    ("compact", within("labels", value=[math.nan]), "wrong labels (L1PA: a label must be a value"),
    ("names", within("labels_declared", value=1), "labels_declared 1"),
    ("names", within("vocabulary", value="other"), "vocabulary 'other'"),
    ("names", within("vocabulary", value="columns"), "arrays ["),
    ("names", within("vocabulary", value="hashed"), "wrong parameters (5 features cannot be those of None)"),
    ("names", within("vocabulary", value="undecided"), "features 5 where a whole number up to 0 was expected"),
    ("names", within("features", value=4), "v of shape (13,) and float64, expected shape (12,)"),
    ("names", within("features", value=6), "v of shape (13,) and float64, expected shape (14,)"),
    ("names", within("features", value=-8), "features -8 where"),
    ("names", within("features", value=2**40), "features 1099511627776 where"),
    ("names", within("features", value=True), "features True"),
    ("names", within("scaled", value=3), "scaled 3 with scale None"),
    ("names", within("counters", "n_seen", value=-1), "n_seen -1 where a whole number"),
    ("names", within("counters", "n_seen", value=1.5), "n_seen 1.5 where"),
    ("names", within("counters", "updates", value=2**62 + 1), "updates 4611686018427387905 where"),
    ("names", within("counters", "mistakes", value=math.nan), "mistakes nan where"),
    ("names", lambda meta, arrays: meta["counters"].pop("mistakes"), "counters ["),
    ("names", lambda meta, arrays: meta.pop("versions"), "content ["),
    ("names", lambda meta, arrays: arrays.pop("v"), "arrays ["),
    ("names", lambda meta, arrays: arrays.pop("state"), "arrays ["),
    ("names", lambda meta, arrays: arrays.pop("name_types"), "arrays ["),
    ("names", lambda meta, arrays: arrays.update(more=np.zeros(1)), "arrays ["),
    ("names", array("v", lambda v: v[:-1]), "v of shape (12,)"),
    ("names", array("v", lambda v: v[:0]), "v of shape (0,)"),
    ("names", array("v", lambda v: v.reshape(1, -1)), "v of shape (1, 13)"),
    ("names", array("v", lambda v: v.view(np.int64)), "v of shape (13,) and int64"),
    ("names", element("v", 3, 1.0), "nonzero weights between the bias feature"),
    ("names", array("state", lambda state: state[:4]), "state of shape (4,)"),
    ("names", array("state", lambda state: np.append(state, 0.0)), "state of shape (6,)"),
    ("names", element("state", 4, math.inf), "state ["),
    ("names", element("state", 3, -1.0), "state ["),
    ("names", element("name_types", 0, 3), "a name of unknown type"),
    ("names", element("name_types", 0, 2), "a name that cannot be read"),
    ("names", array("name_types", lambda types: types[1:]), "names with mismatched ends or types"),
    ("names", array("name_types", lambda types: types.astype(np.int64)), "names with mismatched ends or types"),
    ("names", array("name_ends", lambda ends: ends.view(np.int64)), "names with mismatched ends or types"),
    ("names", array("name_ends", lambda ends: ends[::-1]), "names with invalid ends"),
    ("names", array("name_ends", lambda ends: ends + np.uint64(1)), "names with invalid ends"),
    ("names", element("name_ends", 0, 2**64 - 1), "names with invalid ends"),
    ("names", element("name_ends", 0, 2**63), "names with invalid ends"),
    ("names", array("names", lambda names: names.reshape(1, -1)), "names with mismatched ends or types"),
    ("names", array("names", lambda names: names[:-1]), "names with invalid ends"),
    ("names", element("names", 0, ord("b")), "a duplicate name, or the bias feature"),
    ("names", element("names", 4, ord("1")), "a duplicate name"),
    ("names", lambda meta, arrays: arrays.update(to_arrays([*"abc", 7, "(bias)"])), "a duplicate name, or the bias"),
    ("names", element("names", 0, 255), "a name that cannot be read"),
    ("names", element("names", slice(2, 5), ord("x")), "a name that cannot be read"),
    ("compact", array("support", lambda support: support[:-1]), "a list of weights that does not match"),
    ("compact", array("support", lambda support: np.append(support, np.uint32(13))), "a list of weights that"),
    ("compact", array("support", lambda support: np.zeros(50, np.uint32)), "a list of weights that"),
    ("compact", array("support", lambda support: support[None]), "a list of weights that"),
    ("compact", array("support", lambda support: support.astype(np.int64)), "a list of weights that"),
    ("compact", element("support", 0, 2**32 - 1), "a list of weights that"),
    ("compact", element("support", 0, 13), "a list of weights that"),
    ("compact", array("support", lambda support: support[[1, 1, *range(2, len(support))]]), "a list of weights that"),
    ("compact", element("state", 2, 1e9), "a list of weights that"),
    ("compact", element("state", 2, -1.0), "a list of weights that"),
    ("compact", element("state", 2, math.nan), "a list of weights that"),
    ("compact", element("state", 2, 1.5), "a list of weights that"),
    ("compact", element("state", 0, 2.0), "a list of weights that"),
    ("compact", element("v", 0, 0.0), "a list of weights that"),
    ("compact", within("learner", value="l2pa"), "arrays ["),
    ("hashed, float32", within("options", "hashing", value=1), "wrong parameters (4 features cannot be those of"),
    ("hashed, float32", within("options", "hashing", value=None), "wrong parameters (4 features cannot be those of"),
    ("hashed, float32", within("options", "hashing", value=31), "wrong parameters (Hashing: bits must be"),
    ("hashed, float32", within("vocabulary", value="columns"), "wrong parameters ("),
    ("hashed, float32", within("parameters", "sigma", value=0.0), "arrays ["),
    ("columns, standard", within("scaled", value=None), "scaled None with scale 'standard'"),
    ("columns, standard", within("scaled", value=-1), "scaled -1 where"),
    ("columns, standard", within("scaled", value=0.5), "scaled 0.5"),
    ("columns, standard", array("moments", lambda moments: moments[:, :2]), "moments of shape (3, 2)"),
    ("columns, standard", array("moments", lambda moments: moments[:2]), "moments of shape (2, 3)"),
    ("columns, standard", array("moments", lambda moments: moments.astype(np.float32)), "moments of shape (3, 3)"),
    ("columns, standard", element("moments", (2, 1), math.nan), "moments that are not finite"),
    ("columns, standard", within("vocabulary", value="names"), "arrays ["),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CRAFTED)))
def test_crafted_content(number: int, tmp_path: Path) -> None:
    kind, change, words = CRAFTED[number]
    meta, arrays = parts_of(kind)
    change(meta, arrays)
    write(tmp_path / "a.dl", "model", meta, arrays)
    message = refused(tmp_path / "a.dl")
    assert f"got {words}" in message


# whatever someone makes up --------------------------------------------------------------------------------------------
NUMBERS = st.sampled_from(
    [0, 1, -1, 2, 3, 5, 8, 30, 2**31, 2**53, 2**63, 10**400, 0.5, 1e-320, 1e308, math.inf, math.nan]
)
ODD = st.one_of(
    NUMBERS, st.none(), st.booleans(), st.sampled_from([[], {}, "", "x", [0], {"a": 1}, "names", "columns", "hashed"]),
    st.sampled_from([*dl.REGISTRY, "float32", "unit", "standard", "margin", "mistake", "best", "raise"]),
)  # fmt: skip
BITS = st.sampled_from([0, 1, 7, 8, 9, 13, 255, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 0x7FF0000000000000])


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in it with every key."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, one in inner for found in [(value, key), *places(one)]]


def change_array(data: st.DataObject, arrays: dict[str, np.ndarray]) -> None:
    name = data.draw(st.sampled_from(sorted(arrays)))
    old = arrays[name]
    how = data.draw(
        st.sampled_from(["element", "element", "shorter", "longer", "dtype", "axes", "drop", "add", "swap"])
    )
    if how == "element" and old.size:
        place = data.draw(st.integers(0, old.size - 1))
        raw = np.array([data.draw(BITS)], np.uint64).view(np.uint8)[: old.itemsize]
        old.reshape(-1)[place : place + 1] = raw.view(old.dtype)
    elif how == "shorter":
        arrays[name] = old[: data.draw(st.integers(0, len(old)))]
    elif how == "longer":
        arrays[name] = np.concatenate([old] * data.draw(st.integers(2, 3)))
    elif how == "dtype":
        arrays[name] = old.astype(data.draw(st.sampled_from(["f8", "f4", "u8", "u4", "u1", "i8"])))
    elif how == "axes":
        arrays[name] = old.reshape(1, -1)
    elif how == "drop":
        arrays.pop(name)
    elif how == "add":
        arrays[data.draw(st.sampled_from(["support", "moments", "names", "other"]))] = old
    elif how == "swap":
        other = data.draw(st.sampled_from(sorted(arrays)))
        arrays[name], arrays[other] = arrays[other], old


@settings(max_examples=400)
@given(st.data())
def test_whatever_is_made_up_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A file that loads all the same is a learner that scores and learns, or says why not, and can be saved."""
    kind = data.draw(st.sampled_from(list(MAKE)))
    meta, arrays = parts_of(kind)
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.booleans()) and arrays:
            with np.errstate(all="ignore"):
                change_array(data, arrays)
        else:
            container, key = data.draw(st.sampled_from([one for one in places(meta) if one[1] != "versions"]))
            container[key] = copy.deepcopy(data.draw(ODD))
    path = tmp_path_factory.getbasetemp() / "made_up.dl"
    write(path, "model", meta, arrays)
    try:
        learner = load(path)
    except ModelError as error:
        assert FORM.match(str(error)) and "\n" not in str(error)
        return
    with np.errstate(all="ignore"):
        for rows in (COLUMNS, ROWS):
            for use in (learner.score_many, lambda X: learner.learn_many(X, list(learner.labels or (0, 1))[:1] * 4)):
                try:
                    use(rows)
                except ValueError as error:
                    assert FORM.match(str(error))
    learner.save(path)
    assert load(path).n_seen == learner.n_seen

"""Random tables of numbers, categories, texts, times and bools, with missing cells and Unicode names, for hypothesis.

Cells that mean different things in typed and in untyped files are left out: categories that look like numbers, times,
bools or missing cells; names or values that make the same feature twice; and names with ; or |, which CSV files may
have as their delimiter.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from tests.support.table_routes import Table

LETTERS = "abzÅéßøжд中文한٣😀"
INSIDE = LETTERS + "AZ09 _-/+*()[]{}<>,'\"&%$#@!?~\\"
NAMES = st.builds(str.__add__, st.sampled_from(LETTERS), st.text(INSIDE, max_size=6)).map(str.strip)
WORDS = NAMES.map(lambda text: "k" + text)
TEXTS = st.lists(st.text(LETTERS + "ABC.,!-'09", min_size=1, max_size=5), max_size=5).map(" ".join)
TIMES = st.datetimes(datetime(1971, 1, 1), datetime(2099, 1, 1)).map(lambda time: time.replace(microsecond=0))
NUMBERS = st.one_of(
    st.floats(-1e6, 1e6, allow_nan=False),
    st.floats(-1e50, 1e50, allow_nan=False),
    st.sampled_from([0.0, -0.0, 1.0, 0.1, 5e-324, 1e-300, 123456789.125]),
)
INTEGERS = st.one_of(st.integers(-5, 5), st.integers(-(2**53), 2**53))
CELLS = {"number": NUMBERS, "integer": INTEGERS, "bool": st.booleans(), "text": TEXTS, "time": TIMES}


@dataclass(frozen=True)
class Mixed:
    """A table, the options to read it, and the labels that its rows have."""

    table: Table
    options: dict[str, Any]
    classes: list[Any]


@st.composite
def column(draw: st.DrawFn, kind: str, rows: int) -> list[Any]:
    """Cells of one kind, some missing, at least one not."""
    cells = st.sampled_from(draw(st.lists(WORDS, min_size=1, max_size=4))) if kind == "category" else CELLS[kind]
    found = draw(st.lists(st.one_of(cells, cells, cells, st.none()), min_size=rows, max_size=rows))
    if all(cell is None or cell == "" for cell in found):
        found[draw(st.integers(0, rows - 1))] = draw(cells.filter(lambda cell: cell != ""))
    return found


def casefolded(names: list[str]) -> set[str]:
    return {name.casefold() for name in names}


@st.composite
def mixed_tables(draw: st.DrawFn, most_rows: int = 12) -> Mixed:
    """Draw a table with a label, sometimes weights and a time, and one to five other columns."""
    rows = draw(st.integers(2, most_rows))
    kinds = draw(st.lists(st.sampled_from([*CELLS, "category", "category"]), min_size=1, max_size=5))
    names = draw(st.lists(NAMES, min_size=len(kinds), max_size=len(kinds), unique_by=str.casefold))
    columns = {name: draw(column(kind, rows)) for name, kind in zip(names, kinds, strict=True)}
    types = dict(zip(names, kinds, strict=True))
    taken = casefolded(names)
    options: dict[str, Any] = {"text": [name for name, kind in types.items() if kind == "text"]}
    options["kinds"] = {name: "time" for name, kind in types.items() if kind == "time" and draw(st.booleans())}
    if options["text"]:
        options["ngrams"] = draw(st.integers(1, 3))

    def role(option: str, name: str, kind: str, cells: list[Any]) -> None:
        while name.casefold() in taken:
            name += "x"
        taken.add(name.casefold())
        columns[name], types[name] = cells, kind
        options[option] = name

    classes = draw(st.sampled_from([["no", "yes"], [0, 1], [-1, 1], [False, True], ["ä b", "z,'"], [10, 9]]))
    labels = draw(st.lists(st.sampled_from([*classes, *classes, None]), min_size=rows, max_size=rows))
    labels[draw(st.integers(0, rows - 1))] = classes[0]
    kind = {str: "category", int: "integer", bool: "bool"}[type(classes[0])]
    role("target", "label", kind, labels)
    if draw(st.booleans()):
        role("weight", "weight", "number", draw(st.lists(st.floats(0, 4), min_size=rows, max_size=rows)))
    if draw(st.booleans()):
        steps = draw(st.lists(st.integers(0, 10**7), min_size=rows, max_size=rows))
        start = datetime(2020, 2, 28)
        role("time", "clock", "time", [start + timedelta(seconds=sum(steps[: k + 1])) for k in range(rows)])
    order = draw(st.permutations(list(columns)))
    return Mixed(Table({n: columns[n] for n in order}, types), options, classes)

"""Small random valid files of every format."""

from __future__ import annotations

import csv
import io
import json
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

COLOURS = ("red", "green", "dark blue", "", "été", "a,b", 'say "x"', "two\nlines")
NUMBERS = ("0", "1", "-1", "0.5", "-2.25e-3", "1e5", "007", ".5", "3.", "+4", "123456789012345678")


def file_of(kind: str, rng: Random) -> bytes:
    """Return a valid file of this format."""
    return MAKERS[kind](rng)


def _svmlight(rng: Random) -> bytes:
    lines = []
    for _ in range(rng.randint(1, 12)):
        pairs = [f"{rng.randint(0, 10 ** rng.randint(0, 7))}:{rng.choice(NUMBERS)}" for _ in range(rng.randint(0, 6))]
        query = [f"qid:{rng.randint(1, 9)}"] if rng.random() < 0.1 else []
        comment = ["# note"] if rng.random() < 0.2 else []
        lines.append(" ".join([rng.choice(("+1", "-1", "0", "1")), *query, *pairs, *comment]))
        lines += rng.choice(([], [], [], ["# comment"], [""]))
    return _text(lines, rng)


def _vw(rng: Random) -> bytes:
    lines = []
    for _ in range(rng.randint(1, 12)):
        head = rng.choice(("1", "-1", "1 2.5", "-1 0.5 0.1", "1 'tag", "-1 'x"))
        spaces = []
        for _ in range(rng.randint(1, 3)):
            space = rng.choice(("", "a", "user", "user:0.5", "été"))
            features = [
                rng.choice(("x", "word", "a_long_name", "日本")) + rng.choice(("", f":{rng.choice(NUMBERS)}"))
                for _ in range(rng.randint(0, 5))
            ]
            spaces.append("|" + " ".join([space, *features]))
        lines.append(" ".join([head, *spaces]))
        lines += rng.choice(([], [], [], [""]))
    return _text(lines, rng)


def _jsonl(rng: Random) -> bytes:
    lines = []
    for _ in range(rng.randint(1, 10)):
        one = {"y": rng.choice((0, 1)), "n": rng.uniform(-2.0, 2.0), "colour": rng.choice(COLOURS), "t": rng.random()}
        if rng.random() < 0.5:
            one |= {
                "in": {"deep": rng.randint(0, 9), "er": {"x": True}},
                "tags": ["a", "b"],
                "list": [1, 2.5],
                "no": None,
            }
        lines.append(json.dumps(one, ensure_ascii=rng.random() < 0.5))
        lines += rng.choice(([], [], [], [""]))
    return _text(lines, rng)


def _delimited(rng: Random, delimiter: str) -> bytes:
    file = io.StringIO()
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    # if lines end with \r, some versions of csv leave cells with \n unquoted
    quoting = csv.QUOTE_ALL if end == "\r" else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(["y", "n", "colour", "text"])
    for _ in range(rng.randint(1, 12)):
        writer.writerow([rng.choice("01"), rng.choice(NUMBERS), rng.choice(COLOURS), "some words and words"])
    return file.getvalue().encode()


def _arff(rng: Random) -> bytes:
    lines = ["% made up", "@relation r", "@attribute n numeric", "@attribute c {red, green}", "@attribute s string"]
    lines += ["@attribute class {0, 1}", "@data"]
    sparse = rng.random() < 0.3
    for _ in range(rng.randint(1, 10)):
        number, colour, text, label = rng.choice(NUMBERS), rng.choice(("red", "green", "?")), "'a b'", rng.choice("01")
        lines.append(f"{{0 {number}, 3 {label}}}" if sparse else ",".join([number, colour, text, label]))
        lines += rng.choice(([], [], [], [""], ["% comment"]))
    return _text(lines, rng)


def _table(rng: Random) -> pa.Table:
    rows = rng.randint(1, 30)
    colours = [rng.choice((*COLOURS, None)) for _ in range(rows)]
    return pa.table(
        {
            "y": [rng.randint(0, 1) for _ in range(rows)],
            "n": pa.array([rng.choice((None, rng.random())) for _ in range(rows)], pa.float64()),
            "colour": pa.array(colours, pa.string())
            if rng.random() < 0.5
            else pa.array(colours, pa.string()).dictionary_encode(),
            "flag": [rng.random() < 0.5 for _ in range(rows)],
        }
    )


def _parquet(rng: Random) -> bytes:
    file = io.BytesIO()
    table = _table(rng)
    compression = rng.choice(("none", "snappy", "gzip", "zstd"))
    pq.write_table(table, file, row_group_size=rng.randint(1, len(table)), compression=compression)
    return file.getvalue()


def _arrow(rng: Random) -> bytes:
    file = io.BytesIO()
    table = _table(rng)
    make = pa.ipc.new_file if rng.random() < 0.5 else pa.ipc.new_stream
    options = pa.ipc.IpcWriteOptions(compression=rng.choice((None, "lz4", "zstd")))
    with make(file, table.schema, options=options) as writer:
        writer.write_table(table, rng.randint(1, len(table)))
    return file.getvalue()


def _text(lines: list[str], rng: Random) -> bytes:
    end = rng.choice(("\n", "\n", "\n", "\r\n"))
    return (end.join(lines) + rng.choice(("", end))).encode()


MAKERS = {
    "svmlight": _svmlight,
    "vw": _vw,
    "jsonl": _jsonl,
    "csv": lambda rng: _delimited(rng, rng.choice(",,,;|")),
    "tsv": lambda rng: _delimited(rng, "\t"),
    "parquet": _parquet,
    "arrow": _arrow,
    "arff": _arff,
}

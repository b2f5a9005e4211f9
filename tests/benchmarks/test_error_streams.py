"""The streams of `make bench-error`: rows, order, words, labels and the file of each draw."""

from __future__ import annotations

import io
import json
import lzma
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.error_cases import classes, drawn, words
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
from error.stored import Stream, load  # noqa: E402
from error.streams import built, catalogue, mails, news, packaged, tables, texts  # noqa: E402


@pytest.mark.parametrize("stream", [drawn(), words(), classes()], ids=["dense", "sparse", "classes"])
def test_a_stream_comes_back_from_its_file(stream: Stream, tmp_path: Path) -> None:
    again = load(stream.save(tmp_path))
    for name in ("name", "seed", "sparse", "digest", "several", "classes", "labels"):
        assert getattr(again, name) == getattr(stream, name)
    assert again.X.shape == stream.X.shape
    assert abs(again.X - stream.X).sum() == 0.0
    np.testing.assert_array_equal(again.y, stream.y)


def test_labels_for_the_peers() -> None:
    two, three = drawn(), classes()
    assert two.classes == [False, True] and two.labels == (two.y > 0.0).tolist()
    assert three.classes == [2, 5, 9] and three.labels == three.y.tolist()


def test_another_number_or_label_is_another_stream() -> None:
    stream = drawn()
    X, y = stream.X.copy(), stream.y.copy()
    X[7, 2] += 1.0
    y[3] = -y[3]
    assert len({stream.digest, replace(stream, X=X).digest, replace(stream, y=y).digest}) == 3


def test_nominal_columns_of_numbers_are_numbers() -> None:
    text = (
        "@relation r\n@attribute day {1,2}\n@attribute p numeric\n@attribute c {UP,DOWN}\n\n@data\n1,.5,UP\n2,3,DOWN\n"
    )
    X, y = tables.arff(text, "UP")
    np.testing.assert_array_equal(X, [[1.0, 0.5], [2.0, 3.0]])
    np.testing.assert_array_equal(y, [1.0, -1.0])


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    absent: dict[str, str] = {}
    assert catalogue.read(tmp_path, catalogue.REAL, absent) == []
    assert set(absent) == set(catalogue.REAL)
    assert catalogue.read(tmp_path, ["plane-1", "drawn-sea"], {})[0][0].name == "plane-1"


def test_every_stream_has_its_name() -> None:
    wanted = ["bananas", "segments", "chessboard", "led", "digits-10"]
    found = catalogue.read(None, wanted, {})
    assert {draws[0].name: (draws[0].rows, len(draws[0].classes)) for draws in found} == {
        "bananas": (5300, 2),
        "segments": (2310, 7),
        "chessboard": (10_000, 2),
        "led": (10_000, 10),
        "digits-10": (1797, 10),
    }


def test_classes_of_a_table_are_its_last_column(tmp_path: Path) -> None:
    (tmp_path / "covtype").mkdir()
    with lzma.open(tmp_path / "covtype" / "covtype50k.csv.xz", "wt") as file:
        file.write("a,b,class\n" + "".join(f"{row},0.5,{1 + row % 3}\n" for row in range(5)))
    [stream] = tables.covtype(tmp_path)
    assert stream.X.tolist() == [[float(row), 0.5] for row in range(5)] and stream.y.tolist() == [1, 2, 3, 1, 2]
    assert stream.several


def test_svmlight_files_follow_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 1:1 3:2\n")
    (tmp_path / "b.svm").write_text("-1 2:0.5\n")
    X, y = texts.svmlight(tmp_path / "a.svm", tmp_path / "b.svm", width=6)
    assert X.toarray().tolist() == [[0, 1, 0, 2, 0, 0], [0, 0, 0.5, 0, 0, 0]] and y.tolist() == [1.0, -1.0]


def test_mails_are_in_order_of_their_dates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built, "FOLDER", tmp_path / "built")
    (tmp_path / "spam").mkdir()
    written = [
        ("spam-1", "Date: Fri, 2 Aug 2002 00:30:00 +0000\n\nwin win"),
        ("easy-ham-1", "Date: Fri, 2 Aug 2002 01:00:00 +0200\n\nhello a"),
    ]
    with lzma.open(tmp_path / "spam" / "spamassassin_public_corpus.jsonl.xz", "wt") as file:
        file.writelines(json.dumps({"group": group, "text": text}) + "\n" for group, text in written)
    for read in (mails._read, None):  # built, then found again
        monkeypatch.setattr(mails, "_read", read)
        [stream] = mails.spamassassin(tmp_path)
        assert stream.y.tolist() == [-1.0, 1.0]
        # the columns are date, fri, aug, hello and win
        assert stream.X.toarray().round(3).tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 0, 1.693]]
    assert len(list((tmp_path / "built").iterdir())) == 1


def archive(folder: Path) -> None:
    (folder / "20news").mkdir()
    with tarfile.open(folder / "20news" / "20news-bydate.tar.xz", "w:xz") as packed:
        for name, text in (
            ("20news-bydate-test/sci.med/3", "From: x\n\nLate"),
            ("20news-bydate-train/talk.politics.guns/2", "From: x\n\nGuns"),
            ("20news-bydate-train/sci.med/1", "From: x\n\nMed"),
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            packed.addfile(entry, io.BytesIO(text.encode()))


def test_posts_are_sorted_by_path_and_the_training_part_is_first(tmp_path: Path) -> None:
    archive(tmp_path)
    assert [(group, text) for _, group, text in news.read(tmp_path)] == [
        ("sci.med", "Med"),
        ("talk.politics.guns", "Guns"),
        ("sci.med", "Late"),
    ]


def test_news_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built, "FOLDER", tmp_path / "built")
    monkeypatch.setattr(news, "PAIRS", (("sci.med", "talk.politics.guns"),))
    archive(tmp_path)
    draws = news.pairs(tmp_path)
    assert [draw.seed for draw in draws] == [0, 1]
    for draw in draws:
        assert sorted(draw.y.tolist()) == [-1.0, 1.0, 1.0] and draw.X.sum() == 3.0
    [twenty] = news.twenty(tmp_path)
    order = np.random.default_rng(0).permutation(3)
    assert twenty.y.tolist() == np.array([0, 1, 0])[order].tolist() and twenty.X.shape == (3, 3)


def test_the_control_keeps_blocks() -> None:
    rows = 2 * catalogue.BLOCK + 7
    stream = Stream("s", 3, np.arange(rows, dtype=float)[:, None], np.arange(rows) % 4)
    mixed = catalogue.shuffled(stream)
    order = mixed.X[:, 0].astype(int)
    assert (order // catalogue.BLOCK == np.arange(rows) // catalogue.BLOCK).all()
    assert sorted(order) == list(range(rows)) and (order != np.arange(rows)).mean() > 0.9
    np.testing.assert_array_equal(mixed.y, order % 4)
    assert catalogue.shuffled(stream).digest == mixed.digest


def test_packaged_classes_are_numbers() -> None:
    [stream] = packaged.segments()
    assert stream.classes == list(range(7)) and stream.X.shape == (2310, 18)

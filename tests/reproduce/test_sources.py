"""Data of experiments: a folder, a public source or a stand-in; damaged data are refused."""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from driftline.reproduce import sources
from driftline.reproduce.data_origins import missing_data_text, origins
from driftline.reproduce.sources import (
    GROUPS,
    MIN_DOCUMENTS,
    NEWS,
    SPAM,
    SRAA,
    USPS,
    VARIABLE,
    VEHICLES,
    Sources,
    bag_of_words,
    missing_data_error,
)

h5py = pytest.importorskip("h5py")
datasets = pytest.importorskip("sklearn.datasets")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No folder of the user's, and nothing kept from another test."""
    monkeypatch.delenv(VARIABLE, raising=False)
    kept = (sources._usps, sources._fetched_usps, sources._digits, sources._read_archive, sources._fetched_news)
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()


def digits_file(folder: Path, **changes: object) -> Path:
    """A small usps.h5, with changes such as ``train_data``; None leaves a table out."""
    rng = np.random.default_rng(0)
    tables: dict[str, object] = {
        "train_data": rng.random((6, 256)).astype("f4"),
        "train_target": np.arange(6),
        "test_data": rng.random((4, 256)).astype("f4"),
        "test_target": np.arange(6, 10),
    }
    path = folder / USPS
    path.parent.mkdir(exist_ok=True)
    with h5py.File(path, "w") as file:
        for name, table in (tables | changes).items():
            if table is not None:
                file[name.replace("_", "/")] = table
    return path


def archive(path: Path, posts: Mapping[str, str], mode: str) -> Path:
    """A tar of posts by their names."""
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, mode) as tar:
        for name, text in posts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode("latin-1"))
            tar.addfile(member, io.BytesIO(text.encode("latin-1")))
    return path


def posts(groups: tuple[str, ...]) -> dict[str, str]:
    """Some posts of each group: a header, words that all have, and one that only the group has."""
    return {
        f"all/{group}/{k}": f"Subject: header{k}\n\nWe all say {group.replace('.', '')}, we do\n"
        for group in groups
        for k in range(MIN_DOCUMENTS)
    }


# where they come from ------------------------------------------------------------------------------------------
def test_the_folder_is_the_one_given_or_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Sources.of_user() == Sources(None, False)
    other = tmp_path / "other"
    for folder in (tmp_path, other):
        (folder / USPS).parent.mkdir(parents=True)
        (folder / USPS).touch()
    assert Sources.of_user(str(tmp_path), fetch=True) == Sources(str(tmp_path), True)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert Sources.of_user() == Sources(str(tmp_path))
    assert Sources.of_user(str(other)) == Sources(str(other))
    monkeypatch.setenv(VARIABLE, "")
    assert Sources.of_user() == Sources(None)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = str(tmp_path / "gone")
    with pytest.raises(ValueError) as error:
        Sources.of_user(gone)
    assert str(error.value) == f"--data must name a folder with data, got {gone!r}. Give one, or leave it out"
    monkeypatch.setenv(VARIABLE, gone)
    with pytest.raises(ValueError) as error:
        Sources.of_user()
    assert str(error.value) == f"{VARIABLE} must name a folder with data, got {gone!r}. Give one, or leave it out"


def test_a_folder_that_is_given_and_has_no_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError) as error:
        Sources.of_user(str(tmp_path))
    assert str(error.value) == (
        "--data must have at least one of usps/usps.h5, 20news/20news-bydate.tar.xz, "
        f"spam/katakis_spam_9324x39916.svm.xz, sraa/sraa.tar.gz, got none of them in {str(tmp_path)!r}. "
        "Give the folder that contains them, or leave it out"
    )
    monkeypatch.setenv(VARIABLE, str(tmp_path))  # which others use as well
    assert Sources.of_user() == Sources(str(tmp_path))


def test_has_asks_the_folder(tmp_path: Path) -> None:
    assert not Sources(None).has(USPS)
    assert not Sources(str(tmp_path)).has(USPS)
    (tmp_path / USPS).mkdir(parents=True)
    assert not Sources(str(tmp_path)).has(USPS)  # a folder of that name is no file
    archive(tmp_path / SRAA, posts(VEHICLES), "w:gz")
    assert Sources(str(tmp_path)).has(SRAA)
    assert not Sources(str(tmp_path)).has(NEWS)


def test_missing_says_what_to_do() -> None:
    assert str(missing_data_error("20 Newsgroups")) == (
        f"reproduce: 20 Newsgroups must be available, got no data. Set {VARIABLE} to a folder that has it, "
        "or pass --fetch to download it from its public source"
    )
    assert str(missing_data_error("SRAA")).endswith(f"Set {VARIABLE} to a folder that has it")


def test_lacking_data_are_told_with_every_way_to_get_them() -> None:
    folder = f"Set {VARIABLE} or pass --data to name a folder that has them"
    files = [USPS.as_posix(), NEWS.as_posix(), SRAA.as_posix(), SPAM.as_posix()]
    assert missing_data_text(origins(Sources(), files)) == (
        "Missing data: 20news/20news-bydate.tar.xz, spam/katakis_spam_9324x39916.svm.xz, sraa/sraa.tar.gz, "
        f"usps/usps.h5 (replaced by the digits of scikit-learn). {folder}; "
        "--fetch downloads 20 Newsgroups and USPS from their public source."
    )
    assert missing_data_text(origins(Sources(fetch=True), files)) == (
        f"Missing data: spam/katakis_spam_9324x39916.svm.xz, sraa/sraa.tar.gz. {folder}."
    )
    assert missing_data_text(origins(Sources(fetch=True), files[:2])) == ""


# digits --------------------------------------------------------------------------------------------------------
def test_usps_of_the_folder_is_both_parts(tmp_path: Path) -> None:
    path = digits_file(tmp_path)
    found = Sources(str(tmp_path), fetch=True).usps()  # the folder goes before the public source
    assert (found.name, found.stands_in, found.words) == ("USPS", "", ())
    assert found.y.tolist() == [str(k) for k in range(10)]
    with h5py.File(path) as file:
        np.testing.assert_array_equal(found.X[6:], file["test/data"])
    assert found.X.dtype == np.float64


def test_digits_stand_in_for_usps(tmp_path: Path) -> None:
    found = Sources(str(tmp_path)).usps()
    assert (found.name, found.stands_in) == ("digits", "USPS")
    assert found.X.shape == (1797, 64)
    assert (found.X.min(), found.X.max()) == (0.0, 1.0)
    assert set(found.y) == set("0123456789")


def test_fetched_usps_is_as_that_of_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fetch(*args: object, **options: object) -> SimpleNamespace:
        asked.append((args, options))
        return SimpleNamespace(data=np.array([[-1.0, 0.0], [1.0, 0.5]]), target=np.array(["1", "10"]))

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    found = Sources(None, fetch=True).usps()
    assert found.X.tolist() == [[0.0, 0.5], [1.0, 0.75]]
    assert found.y.tolist() == ["0", "9"]
    assert (found.name, found.stands_in) == ("USPS", "")
    assert Sources(None, fetch=True).usps() is found
    assert asked == [(("USPS",), {"version": 2, "as_frame": False})]


@pytest.mark.parametrize(
    ("changes", "got"),
    [
        ({"train_data": None}, "data"),
        ({"test_target": None}, "target"),
        ({"train_data": np.zeros((6, 255))}, "255"),
        ({"train_target": np.arange(5)}, "data of shape (10, 256), target of shape (9,)"),
        ({"train_target": np.zeros((6, 1), int), "test_target": np.zeros((4, 1), int)}, "target of shape (10, 1)"),
        ({"train_data": np.full((6, 256), np.nan)}, "pixels that are not in [0, 1]"),
        ({"train_data": np.full((6, 256), 1.5)}, "pixels that are not in [0, 1]"),
        ({"train_data": np.full((6, 256), -1.0)}, "pixels that are not in [0, 1]"),
        ({"test_target": np.arange(7, 11)}, "targets that are not digits"),
    ],
)
def test_a_wrong_usps_file_is_named(tmp_path: Path, changes: dict[str, object], got: str) -> None:
    path = digits_file(tmp_path, **changes)
    with pytest.raises(ValueError) as error:
        Sources(str(tmp_path)).usps()
    text = str(error.value)
    assert text.startswith(
        f"reproduce: {path} must be an HDF5 file with groups train and test of data and target, got "
    )
    assert got in text
    assert text.endswith("Copy it again from its source")
    assert error.value.__suppress_context__


@pytest.mark.parametrize("end", [0, 100, -40])
def test_a_damaged_usps_file_is_named(tmp_path: Path, end: int) -> None:
    path = digits_file(tmp_path)
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(ValueError, match="must be an HDF5 file") as error:
        Sources(str(tmp_path)).usps()
    assert str(path) in str(error.value)


def test_an_error_without_words_is_named_by_its_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / SRAA, posts(VEHICLES), "w:gz")

    def stop(_: str) -> None:
        raise EOFError

    monkeypatch.setattr(tarfile, "open", stop)
    with pytest.raises(ValueError) as error:
        Sources(str(tmp_path)).sraa()
    assert f"{path} must be a tar archive" in str(error.value)
    assert "got EOFError. Copy it again" in str(error.value)


# texts ---------------------------------------------------------------------------------------------------------
def test_posts_of_the_folder_are_words_after_their_header(tmp_path: Path) -> None:
    others = {f"all/sci.space/{k}": "Subject: no\n\nWe all say rocket\n" for k in range(MIN_DOCUMENTS)}
    archive(tmp_path / NEWS, {**posts(GROUPS), **others, "all/notes": "no group\n\nof its own"}, "w:xz")
    found = Sources(str(tmp_path), fetch=True).newsgroups()  # the folder goes before the public source
    assert found is not None
    assert (found.name, found.stands_in) == ("20 Newsgroups", "")
    names = sorted(group.replace(".", "") for group in GROUPS)
    assert found.words == tuple(sorted(["all", "do", "say", "we", *names]))
    assert found.X.shape == (4 * MIN_DOCUMENTS, 8)
    assert set(found.X.data) == {1.0}  # "we" comes twice and counts once
    assert found.X.sum() == 5 * 4 * MIN_DOCUMENTS
    first = [found.words[k] for k in found.X[[0]].indices]
    assert first == ["all", "do", "recsportbaseball", "say", "we"]
    assert found.y.tolist() == [group for group in GROUPS for _ in range(MIN_DOCUMENTS)]


def test_other_groups_may_be_asked_for(tmp_path: Path) -> None:
    archive(tmp_path / NEWS, posts(("sci.med", "sci.space")), "w:xz")
    found = Sources(str(tmp_path)).newsgroups(("sci.med", "sci.space"))
    assert found is not None
    assert set(found.y) == {"sci.med", "sci.space"}


def test_sraa_is_read_from_its_folders(tmp_path: Path) -> None:
    archive(tmp_path / SRAA, posts(VEHICLES), "w:gz")
    found = Sources(str(tmp_path)).sraa()
    assert found is not None
    assert found.name == "SRAA"
    assert set(found.y) == set(VEHICLES)
    assert found.X.shape == (4 * MIN_DOCUMENTS, 8)


def test_texts_that_are_not_there_are_none(tmp_path: Path) -> None:
    assert Sources(str(tmp_path)).newsgroups() is None
    assert Sources(None).newsgroups() is None
    assert Sources(str(tmp_path), fetch=True).sraa() is None


def test_fetched_news_have_their_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fetch(**options: object) -> SimpleNamespace:
        asked.append(options)
        texts = ["From: me\n\nball and bat", "From: you\n\nball and puck"] * MIN_DOCUMENTS
        return SimpleNamespace(
            data=texts, target=[1, 0] * MIN_DOCUMENTS, target_names=["rec.autos", "rec.sport.hockey"]
        )

    monkeypatch.setattr(datasets, "fetch_20newsgroups", fetch)
    found = Sources(None, fetch=True).newsgroups(("rec.autos", "rec.sport.hockey"))
    assert found is not None
    assert found.y[:2].tolist() == ["rec.sport.hockey", "rec.autos"]
    assert found.words == ("and", "ball", "bat", "puck")
    assert asked == [{"subset": "all", "categories": ["rec.autos", "rec.sport.hockey"]}]


def test_a_source_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(datasets, "fetch_openml", refuse)
    monkeypatch.setattr(datasets, "fetch_20newsgroups", refuse)
    for call, what in (
        (Sources(None, fetch=True).usps, "USPS"),
        (Sources(None, fetch=True).newsgroups, "20 Newsgroups"),
    ):
        with pytest.raises(ValueError) as error:
            call()
        remedy = f"Set {VARIABLE} to a folder that has it"
        assert str(error.value) == f"reproduce: {what} must be reachable, got no network. {remedy}"
        assert error.value.__suppress_context__


@pytest.mark.parametrize("file", [NEWS, SRAA])
@pytest.mark.parametrize("end", [0, 30, -200])
def test_a_damaged_archive_is_named(tmp_path: Path, file: Path, end: int) -> None:
    both = {**posts(GROUPS), **posts(VEHICLES)}
    path = archive(tmp_path / file, both, "w:xz" if file == NEWS else "w:gz")
    path.write_bytes(path.read_bytes()[:end])
    found = Sources(str(tmp_path))
    with pytest.raises(ValueError) as error:
        found.newsgroups() if file == NEWS else found.sraa()
    assert str(error.value).startswith(f"reproduce: {path} must be a tar archive with folders ")
    assert str(error.value).endswith("Copy it again from its source")


def test_an_archive_without_a_group_is_named(tmp_path: Path) -> None:
    archive(tmp_path / SRAA, posts(VEHICLES[:3]), "w:gz")
    with pytest.raises(ValueError, match=r"got none of simaviation\. Copy it again"):
        Sources(str(tmp_path)).sraa()


def test_words_are_those_of_enough_texts() -> None:
    often = ["h\n\nCommon rare2" if k < MIN_DOCUMENTS - 1 else "h\n\ncommon" for k in range(MIN_DOCUMENTS)]
    found = bag_of_words("some", [*often, "h\r\n\r\nOTHER common", "all header"], ["a"] * MIN_DOCUMENTS + ["b", "b"])
    assert found.words == ("common",)
    assert found.X.toarray().ravel().tolist() == [1.0] * (MIN_DOCUMENTS + 1) + [0.0]


# e-mails -------------------------------------------------------------------------------------------------------
def mails_file(folder: Path, labels: list[str]) -> Path:
    """E-mails of a word each, with these labels."""
    path = folder / SPAM
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lzma.compress("".join(f"{label} {k + 1}:1\n" for k, label in enumerate(labels)).encode()))
    return path


@pytest.mark.parametrize(
    ("labels", "due"),
    [(["1", "-1", "1"], ["1", "-1", "1"]), (["0", "1"], ["0", "1"]), (["+1", "-1.0"], ["1", "-1"])],
)
def test_mails_are_spam_or_not(tmp_path: Path, labels: list[str], due: list[str]) -> None:
    mails_file(tmp_path, labels)
    found = Sources(str(tmp_path)).spam()
    assert found is not None
    assert found.y.tolist() == due


@pytest.mark.parametrize(
    ("labels", "got"),
    [
        (["3", "4", "5"], "3, 4, 5"),
        (["1", "2"], "1, 2"),
        (["1", "1"], "1"),
        (["-1", "0"], "-1, 0"),
        (["-1", "0", "1"], "-1, 0, 1"),
        (["0.5", "-0.5"], "-0.5, 0.5"),
        (["1.5", "0"], "0, 1.5"),
        ([str(k) for k in range(20)], "0, 1, 2, ..."),
    ],
)
def test_mails_with_other_labels_are_refused(tmp_path: Path, labels: list[str], got: str) -> None:
    path = mails_file(tmp_path, labels)
    with pytest.raises(ValueError) as error:
        Sources(str(tmp_path)).spam()
    assert str(error.value) == (
        f"reproduce: {path} must be an svmlight file of e-mails with labels 1 and -1 or 0, got labels {got}. "
        "Copy it again from its source"
    )


def test_a_package_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digits_file(tmp_path)

    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(sources, "import_module", refuse)
    with pytest.raises(ImportError) as error:
        Sources(str(tmp_path)).usps()
    assert str(error.value) == 'reproduce needs h5py: pip install "driftline[reproduce]"'

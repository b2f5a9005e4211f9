"""A cache of compiled code that cannot be read or written is never an error of the call."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from driftline.internals import code_cache
from driftline.internals.compiled import INTERPRETED, jit
from tests.support.compiled_source import SOURCE, imported
from tests.support.processes import printed, python

__all__ = ["imported"]

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # every write to a file fails
import driftline as dl
learner = dl.PA1()
for x in ({{"a": 1.0}}, {{"a": 2.0, "b": 1.0}}):
    print(learner.learn_one(x, {label!r}))
"""


@pytest.fixture(autouse=True)
def not_warned_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(code_cache, "warned", [])
    code_cache._private_folder.cache_clear()
    yield
    code_cache._private_folder.cache_clear()


def no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# a full disk ------------------------------------------------------------------------------------
def test_a_failed_write_warns_once_and_the_call_succeeds(imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache.SignedFile, "_save_data", no_space)
    total = imported(SOURCE)
    with pytest.warns(RuntimeWarning, match=r"^driftline: compiled code must .*No space left.* Set NUMBA_CACHE_DIR"):
        assert total(np.ones(3)) == 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert total(np.ones(3, np.float32)) == 3.0  # another signature, another failed write


def test_a_failed_write_with_warnings_as_errors_is_printed(
    imported: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(code_cache.SignedFile, "save", no_space)
    assert imported(SOURCE)(np.ones(3)) == 3.0  # pytest turns warnings into errors
    assert capsys.readouterr().err.startswith("driftline: compiled code must be stored on disk, got 'No space left")


def test_a_full_disk_is_no_error_of_learning(tmp_path: Path) -> None:
    done = python("-W", "default", "-c", FULL_DISK.format(label="spam"), NUMBA_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "0.0" and len(done.stdout.split()) == 2
    assert done.stderr.count("Set NUMBA_CACHE_DIR") == 1 and "File too large" in done.stderr, done.stderr


# damaged files ----------------------------------------------------------------------------------
@pytest.mark.parametrize("damage", [b"", b"no pickle", b"\x80\x05K\x01."], ids=["empty", "text", "another object"])
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_is_a_miss_and_is_written_anew(
    imported: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, damage: bytes
) -> None:
    assert imported(SOURCE)(np.ones(3)) == 3.0
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert len(files) == 2  # what Python calls, and what compiled functions call
    for file in files:
        file.write_bytes(damage)
    assert imported(SOURCE)(np.ones(3)) == 3.0
    found = imported(SOURCE)
    assert found(np.ones(3)) == 3.0
    assert sum(found.stats.cache_hits.values()) == 1


# the temporary folder ---------------------------------------------------------------------------
@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary directory, which every user can write."""
    tmp_path.chmod(0o1777)
    monkeypatch.setattr(code_cache.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def own(folder: Path) -> Path:
    return folder / f"driftline-{os.geteuid()}"


def test_the_temporary_folder_belongs_to_the_user_alone(temporary: Path) -> None:
    for _ in range(2):
        assert code_cache.private_folder() == own(temporary)
        assert own(temporary).stat().st_mode & 0o7777 == 0o700
        code_cache._private_folder.cache_clear()


def readable_by_others(temporary: Path) -> None:
    own(temporary).mkdir()
    own(temporary).chmod(0o755)


def a_link(temporary: Path) -> None:
    (temporary / "elsewhere").mkdir(mode=0o700)
    own(temporary).symlink_to(temporary / "elsewhere")


def a_file(temporary: Path) -> None:
    own(temporary).write_bytes(b"")


def of_another_user(temporary: Path) -> None:
    own(temporary).mkdir(mode=0o700)
    if os.geteuid() != 0:
        pytest.skip("impossible")
    os.chown(own(temporary), 65534, 65534)


def replaceable(temporary: Path) -> None:
    temporary.chmod(0o777)


@pytest.mark.parametrize("prepare", [readable_by_others, a_link, a_file, of_another_user, replaceable])
def test_a_folder_that_another_user_could_fill_is_not_used(temporary: Path, prepare: Any) -> None:
    prepare(temporary)
    with pytest.raises(OSError, match=r"driftline-|other users"):
        code_cache.private_folder()


def test_the_temporary_folder_is_the_fourth_choice(
    temporary: Path, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_cache.CompileResultCacheImpl, "_locator_classes", [])
    with pytest.warns(RuntimeWarning, match=rf"stored in {own(temporary)}\. Set NUMBA_CACHE_DIR"):
        assert imported(SOURCE)(np.ones(3)) == 3.0
    found = imported(SOURCE)
    assert found(np.ones(3)) == 3.0
    assert sum(found.stats.cache_hits.values()) == 1
    assert list(own(temporary).rglob("*.nbc"))


def test_without_any_folder_nothing_is_stored(temporary: Path, imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache.CompileResultCacheImpl, "_locator_classes", [])
    readable_by_others(temporary)
    with pytest.warns(RuntimeWarning, match=r"Every process compiles again\. Set NUMBA_CACHE_DIR"):
        assert imported(SOURCE)(np.ones(3)) == 3.0
    assert isinstance(imported(SOURCE)._cache, code_cache.ReadOnlyCache)
    assert not list(temporary.rglob("*.nb?"))


@pytest.mark.parametrize("usable", [True, False], ids=["temporary folder", "no folder"])
def test_code_in_a_folder_that_became_read_only_is_still_used(
    temporary: Path, imported: Any, monkeypatch: pytest.MonkeyPatch, usable: bool
) -> None:
    assert imported(SOURCE)(np.ones(3)) == 3.0
    monkeypatch.setattr(code_cache.CompileResultCacheImpl, "_locator_classes", [])
    if not usable:
        readable_by_others(temporary)
    found = imported(SOURCE)
    assert found(np.ones(3)) == 3.0
    assert sum(found.stats.cache_hits.values()) == 1
    assert code_cache.warned == []


def test_locators_that_allow_no_folder_are_respected(imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache.config, "CACHE_LOCATOR_CLASSES", "IPythonCacheLocator", raising=False)
    with pytest.warns(RuntimeWarning, match=r"Every process compiles again\. Set NUMBA_CACHE_DIR"):
        assert imported(SOURCE)(np.ones(3)) == 3.0


def test_choosing_a_cache_does_not_warn(temporary: Path, imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache.CompileResultCacheImpl, "_locator_classes", [])
    imported(SOURCE)  # pytest turns warnings into errors
    assert code_cache.warned == []


def test_every_compiled_function_has_a_cache() -> None:
    assert isinstance(jit(test_every_compiled_function_has_a_cache)._cache, code_cache.CodeCache)  # type: ignore[attr-defined]


# the bits of compiled and of loaded code ----------------------------------------------------------
DIGEST = """
import hashlib
import numpy as np
import driftline as dl
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
tracker = dl.Tracker()
tracker.learn_many(X, X[:, 0] + 0.3 * rng.normal(size=200) > 0.0)
arrays = sorted(tracker._engine.arrays().items())
print(hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for _, array in arrays)).hexdigest())
"""


def test_code_that_was_just_compiled_and_loaded_code_give_the_same_bits(tmp_path: Path) -> None:
    """The compiler may round differently in each copy of a function, unless it is told not to."""
    compiled, loaded = (printed(DIGEST, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert len(compiled.strip()) == 64
    assert compiled == loaded

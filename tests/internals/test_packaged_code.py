"""Compiled code in the package is used where it fits, and otherwise ignored with the same results."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import driftline
from driftline.internals.compiled import INTERPRETED
from tests.support.paths import ROOT
from wheels.baselines import BASELINES, DEFAULTS, default_name

pytestmark = pytest.mark.skipif(INTERPRETED or sys.platform == "win32", reason="nothing is compiled")

USE = """
import json
import numba, llvmlite.binding
import driftline as dl
from driftline.internals.compiled import compiling
from driftline.internals.packaged_code import archive_or_reason
count = []
with compiling(lambda: count.append(None)):
    detector = dl.drift.CUSUM()
    changes = detector.update_many([0.1 * (k % 7) / 3 + (k > 300) / 2 for k in range(600)])
reason = archive_or_reason()
mine = numba.njit(lambda x: x + 1)
assert mine(1) == 2
processor = mine.targetctx.codegen().magic_tuple()[1]
print(json.dumps({
    "compiled": len(count), "bits": [repr(changes), repr(detector.state())],
    "reason": reason if isinstance(reason, str) else "",
    "own": processor == (numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()),
}))
"""


def run(home: Path, **variables: str) -> dict[str, Any]:
    """What a process with this copy of the package finds; its own cache is empty."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    cache = home / "caches" / str(len(list((home / "caches").glob("*"))))
    cache.mkdir(parents=True)
    environment = plain | {"PYTHONPATH": f"{home}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(cache)} | variables
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["own"], "numba must compile the user's functions as before"
    return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package that carries the code of one detector."""
    if default_name() not in BASELINES:
        pytest.skip("no baseline for this processor")
    home = tmp_path_factory.mktemp("installed")
    sources = Path(driftline.__file__).parent
    shutil.copytree(sources, home / "driftline", ignore=shutil.ignore_patterns("__pycache__", "compiled"))
    baseline = BASELINES[default_name()]
    cache = str(home / "build")
    assert run(home, NUMBA_CACHE_DIR=cache, **baseline.environment())["compiled"] > 0
    pack = [sys.executable, "-m", "wheels.pack", cache, default_name(), str(home / "driftline" / "compiled")]
    subprocess.run(pack, env=os.environ | {"PYTHONPATH": f"{home}{os.pathsep}{ROOT}"}, check=True)
    return home


@pytest.fixture(scope="module")
def fitting(installed: Path) -> dict[str, Any]:
    found = run(installed)
    assert found["compiled"] == 0 and found["reason"] == ""
    return found


@pytest.fixture
def restored(installed: Path) -> Iterator[Path]:
    """The copy, whose files a test may change."""
    files = [*(installed / "driftline" / "compiled").iterdir(), installed / "driftline" / "drift" / "cusum.py"]
    before = {file: file.read_bytes() for file in files}
    yield installed / "driftline"
    for file, content in before.items():
        file.write_bytes(content)


def edit_index(home: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = home / "compiled" / "index.json"
    index = json.loads(file.read_text())
    change(index)
    file.write_text(json.dumps(index))


def another_numba(home: Path) -> None:
    edit_index(home, lambda index: index["versions"].update(numba="0.0.1"))


def another_processor(home: Path) -> None:
    edit_index(home, lambda index: index["baseline"]["features"].append("a-feature-of-tomorrow"))


def another_source(home: Path) -> None:
    with (home / "drift" / "cusum.py").open("a") as file:
        file.write("# changed\n")


def another_format(home: Path) -> None:
    edit_index(home, lambda index: index.update(format=99))


def no_index(home: Path) -> None:
    (home / "compiled" / "index.json").write_text("{")


def damaged_code(home: Path) -> None:
    file = home / "compiled" / "code.bin"
    file.write_bytes(bytes(255 - byte for byte in file.read_bytes()))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (another_numba, "is for numba 0.0.1"),
        (another_processor, "needs a processor with a-feature-of-tomorrow"),
        (another_source, ""),
        (another_format, "has format 99"),
        (no_index, "cannot be read"),
        (damaged_code, ""),
    ],
)
def test_code_that_does_not_fit_is_ignored(
    fitting: dict[str, Any], restored: Path, change: Callable[[Path], None], reason: str
) -> None:
    change(restored)
    found = run(restored.parent)
    assert found["compiled"] > 0 and found["bits"] == fitting["bits"]
    assert reason in found["reason"] and bool(reason) == bool(found["reason"])


def test_a_chosen_processor_is_respected(installed: Path) -> None:
    found = run(installed, **BASELINES[default_name()].environment())
    assert found["compiled"] > 0 and "NUMBA_CPU_NAME" in found["reason"]


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("raise SystemExit('unpickled')",)


def test_code_with_another_hash_is_not_unpickled(fitting: dict[str, Any], restored: Path) -> None:
    file = restored / "compiled" / "code.bin"
    bomb = zlib.compress(pickle.dumps(Bomb()))
    size = file.stat().st_size
    file.write_bytes(bomb.ljust(size, b"\0"))
    edit_index(
        restored, lambda index: index.update(functions={k: [0, len(bomb), v[2]] for k, v in index["functions"].items()})
    )
    assert run(restored.parent)["bits"] == fitting["bits"]


SUMS = """
import numpy as np
from driftline.engines.experts.expert_engine import vote
from driftline.internals.numeric.cholesky import dot
rng = np.random.default_rng(0)
for size in (*range(1, 70), 257):
    a, b = rng.normal(size=(2, size))
    print(dot(a, b).hex(), vote(np.abs(a), np.sign(b)).hex())
"""


def test_processors_with_the_same_features_add_in_the_same_order(tmp_path: Path) -> None:
    """The order of these sums is the compiler's choice, so another processor could change their bits."""
    if default_name() != "x86-64-v3":
        pytest.skip("no second baseline for this processor")
    printed = []
    for name in ("x86-64-v3", "haswell"):
        environment = os.environ | BASELINES[name].environment() | {"NUMBA_CACHE_DIR": str(tmp_path / name)}
        done = subprocess.run([sys.executable, "-c", SUMS], env=environment, capture_output=True, text=True, check=True)
        printed.append(done.stdout)
    assert printed[0] == printed[1] and len(printed[0].splitlines()) == 70


def test_every_baseline_is_the_default_of_an_architecture_or_a_variant_of_one() -> None:
    assert set(DEFAULTS.values()) <= set(BASELINES)
    assert BASELINES["haswell"].features == BASELINES["x86-64-v3"].features

"""First and second runs from process start: driftline from a wheel and from source, and the peers on the same task.

The task: test, then train on each of 1,000 rows of a CSV with 8 numbers and a label. A first run has
an empty folder for compiled code. What a first run needs beyond a second one is the processor time
of compilation; it is compared with that of an earlier commit, measured in turns. The run from a
wheel needs the result of ``make wheel`` in ``dist``. All sources are compiled to bytecode before, as
pip does when it installs a wheel. Verdicts compare processor seconds, which other programs on the
machine hardly change.
"""

from __future__ import annotations

import compileall
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import install_size
import numpy as np
from earlier_commit import CACHE, HOME, sources_of

EARLIER = "13cd703c"
LEARNERS = ("tracker", "pa1")
HALF, WHEEL = 0.5, 1.3  # targets: compilation against the earlier commit; first against second run from a wheel
ROWS = "rows = [(list(map(float, r[:-1])), int(r[-1])) for r in list(csv.reader(open(sys.argv[1])))[1:]]; wrong = 0"
PEERS = {
    "vowpalwabbit": f"""
import csv, sys; from vowpalwabbit import Workspace
{ROWS}; vw = Workspace("--quiet --loss_function logistic --passes 1")
for x, y in rows:
    text = " | " + " ".join(f"f{{i}}:{{v}}" for i, v in enumerate(x))
    wrong += (vw.predict(text) > 0) != y; vw.learn(f"{{2 * y - 1}}{{text}}")
""",
    "river": f"""
import csv, sys; from river import linear_model
{ROWS}; model = linear_model.PAClassifier()
for x, y in rows:
    x = dict(enumerate(x)); wrong += model.predict_one(x) != y; model.learn_one(x, y)
""",
    "scikit-learn": f"""
import csv, sys; from sklearn.linear_model import SGDClassifier
{ROWS}; model = SGDClassifier()
for x, y in rows:
    if wrong or hasattr(model, "coef_"): wrong += model.predict([x])[0] != y
    model.partial_fit([x], [y], classes=[0, 1])
""",
}
IMPORTS = {"river": "river.linear_model", "scikit-learn": "sklearn.linear_model", "vowpalwabbit": "vowpalwabbit"}


def measure(peers: Path | None) -> dict[str, Any]:
    """Return seconds and processor seconds of each run.

    Parameters
    ----------
    peers
        The interpreter of the peers; None leaves them out.
    """
    sources = {"earlier": sources_of(EARLIER), "source": HOME / "src"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = _write(folder / "rows.csv")
        wheel = _installed(folder / "wheel")
        if wheel is not None:
            sources["wheel"] = wheel
        for source in sources.values():
            compileall.compile_dir(source, quiet=2)
        runs = {
            learner: {
                kind: _pair(source, rows, learner, folder / f"{kind}-{learner}") for kind, source in sources.items()
            }
            for learner in LEARNERS
        }
        each = [] if peers is None else [(peer, code) for peer, code in PEERS.items() if _has(peers, peer)]
        tasks = {peer: [_timed([str(peers), "-c", code, str(rows)], {}) for _ in range(2)] for peer, code in each}
        imports = {"driftline": _timed([sys.executable, "-c", "from driftline import *"], {})}
        imports |= {peer: _timed([str(peers), "-c", f"import {IMPORTS[peer]}"], {}) for peer, _ in each}
    return {"runs": runs, "peers": tasks, "imports": imports, "sizes": install_size.sizes()}


def lines(told: dict[str, Any]) -> list[str]:
    """Return the times and verdicts as lines of text."""
    found = ["first and second run from process start, 1,000 rows of CSV (seconds; processor seconds in brackets):"]
    for learner, kinds in told["runs"].items():
        for kind, pair in kinds.items():
            name = f"{learner}, {kind if kind != 'earlier' else EARLIER}"
            found.append(f"  {name:22}" + ", ".join(f"{wall:.2f} ({used:.2f})" for wall, used in pair))
    for peer, pair in told["peers"].items():
        found.append(f"  {peer:22}" + ", ".join(f"{wall:.2f} ({used:.2f})" for wall, used in pair))
    found.append("import: " + ", ".join(f"{name} {wall:.2f} s" for name, (wall, _) in told["imports"].items()))
    for learner, kinds in told["runs"].items():
        compiled = {kind: pair[0][1] - pair[1][1] for kind, pair in kinds.items()}
        ratio = compiled["source"] / compiled["earlier"]
        verdict = "met" if ratio <= HALF else "missed"
        found.append(
            f"  {learner}: compilation {compiled['source']:.1f} s against {compiled['earlier']:.1f} s of {EARLIER}, "
            f"ratio {ratio:.2f}, target <= {HALF}  {verdict}"
        )
        if "wheel" in kinds:
            first, second = (used for _, used in kinds["wheel"])
            verdict = "met" if first <= WHEEL * second else "missed"
            found.append(
                f"  {learner}: from the wheel {first / second:.2f} times the processor time of the second run, "
                f"target <= {WHEEL}  {verdict}"
            )
    if not any("wheel" in kinds for kinds in told["runs"].values()):
        found.append("  no wheel in dist: make wheel builds one")
    return [*found, *install_size.lines(told["sizes"])]


def _write(path: Path) -> Path:
    """Write the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 8)).round(4)
    y = (X @ rng.normal(size=8) > 0.0).astype(int)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"f{k}" for k in range(8)), "y"])
        writer.writerows([*x, label] for x, label in zip(X.tolist(), y.tolist(), strict=True))
    return path


def _installed(folder: Path) -> Path | None:
    """The newest wheel of ``dist``, unpacked; None if there is none."""
    wheels = sorted((HOME / "dist").glob("*.whl"), key=lambda one: one.stat().st_mtime)
    if wheels:
        shutil.unpack_archive(wheels[-1], folder, "zip")
    return folder if wheels else None


def _pair(source: Path, rows: Path, learner: str, cache: Path) -> list[tuple[float, float]]:
    """The first and the second run of ``driftline run`` with these sources."""
    command = [sys.executable, "-m", "driftline.cli", "run", str(rows), "--target", "y", "--learner", learner]
    return [_timed(command, {"PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(cache)}) for _ in range(2)]


def _timed(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds and processor seconds of a process."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, env=kept | environment, stdout=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, used


def _has(python: Path, peer: str) -> bool:
    return subprocess.run([python, "-c", f"import {IMPORTS[peer]}"], capture_output=True, check=False).returncode == 0


def peers_python(no_peers: bool) -> Path | None:
    """The interpreter of the peers; None without peers."""
    if no_peers:
        return None
    import environment

    return environment.ensure(CACHE / "venv")[0]

"""First and second runs from process start: driftline from a wheel and from source, and the peers on the same task.

The task: test, then train on each of 1,000 rows of a CSV with 8 numbers and a label. A first run has
an empty folder for compiled code. What a first run needs beyond a second one is the processor time
of compilation; it is compared with that of an earlier commit. The first run from a wheel is compared
with the second one by the clock. All take turns, and the figures are medians. The run from a wheel
needs the result of ``make wheel`` in ``dist``. All sources are compiled to bytecode before, as pip
does when it installs a wheel.
"""

from __future__ import annotations

import compileall
import csv
import os
import shutil
import statistics
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
Times = tuple[float, float]  # seconds and processor seconds
Pair = list[Times]  # the first and the second run
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


def measure(peers: Path | None, repeats: int) -> dict[str, Any]:
    """Return seconds and processor seconds of each run.

    Parameters
    ----------
    peers
        The interpreter of the peers; None leaves them out.
    repeats
        How often everything runs.
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
        runs: dict[str, dict[str, list[Pair]]] = {one: {kind: [] for kind in sources} for one in LEARNERS}
        each = [] if peers is None else [(peer, code) for peer, code in PEERS.items() if _has(peers, peer)]
        tasks: dict[str, list[Pair]] = {peer: [] for peer, _ in each}
        imports: dict[str, list[Times]] = {name: [] for name in ("driftline", *tasks)}
        for turn in range(repeats):
            for learner, kinds in runs.items():
                for kind, pairs in kinds.items():
                    pairs.append(_pair(sources[kind], rows, learner, folder / f"{kind}-{learner}-{turn}"))
            for peer, code in each:
                tasks[peer].append([_timed([str(peers), "-c", code, str(rows)], {}) for _ in range(2)])
                imports[peer].append(_timed([str(peers), "-c", f"import {IMPORTS[peer]}"], {}))
            imports["driftline"].append(_timed([sys.executable, "-c", "from driftline import *"], {}))
    return {"runs": runs, "peers": tasks, "imports": imports, "sizes": install_size.sizes()}


def lines(told: dict[str, Any]) -> list[str]:
    """Return the times and verdicts as lines of text."""
    found = ["first and second run from process start, 1,000 rows of CSV (seconds; processor seconds in brackets):"]
    for learner, kinds in told["runs"].items():
        for kind, pairs in kinds.items():
            found.append(f"  {learner + ', ' + (EARLIER if kind == 'earlier' else kind):22}{_medians(pairs)}")
    found += [f"  {peer:22}{_medians(pairs)}" for peer, pairs in told["peers"].items()]
    imports = {name: statistics.median(wall for wall, _ in times) for name, times in told["imports"].items()}
    found.append("import: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in imports.items()))
    for learner, kinds in told["runs"].items():
        compiled = {kind: [first[1] - second[1] for first, second in pairs] for kind, pairs in kinds.items()}
        source, earlier = (statistics.median(compiled[kind]) for kind in ("source", "earlier"))
        each = [mine / theirs for mine, theirs in zip(compiled["source"], compiled["earlier"], strict=True)]
        found.append(
            f"  {learner}: compilation {source:.1f} s against {earlier:.1f} s of {EARLIER}, ratio "
            f"{source / earlier:.2f} ({min(each):.2f} - {max(each):.2f}), target <= {HALF}  "
            f"{'met' if source / earlier <= HALF else 'missed'}"
        )
        if "wheel" in kinds:
            wall, used = ([first[k] / second[k] for first, second in kinds["wheel"]] for k in range(2))
            ratio = statistics.median(wall)
            found.append(
                f"  {learner}: first run from the wheel {ratio:.2f} ({min(wall):.2f} - {max(wall):.2f}) times the "
                f"second, target <= {WHEEL}  {'met' if ratio <= WHEEL else 'missed'}; processor time "
                f"{statistics.median(used):.2f} times"
            )
    if not any("wheel" in kinds for kinds in told["runs"].values()):
        found.append("  no wheel in dist: make wheel builds one")
    return [*found, *install_size.lines(told["sizes"])]


def _medians(pairs: list[Pair]) -> str:
    """The medians of the first and of the second runs."""
    times = [[statistics.median(pair[run][k] for pair in pairs) for k in range(2)] for run in range(2)]
    return ", ".join(f"{wall:.2f} ({used:.2f})" for wall, used in times)


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


def _pair(source: Path, rows: Path, learner: str, cache: Path) -> Pair:
    """The first and the second run of ``driftline run`` with these sources."""
    command = [sys.executable, "-m", "driftline.cli", "run", str(rows), "--target", "y", "--learner", learner]
    return [_timed(command, {"PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(cache)}) for _ in range(2)]


def _timed(command: list[str], environment: dict[str, str]) -> Times:
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

"""Build the wheel with compiled code, install it into a fresh environment that cannot be written, and use it.

    python tests/support/wheel_install.py [WHEEL]

Each command runs in a new process of a user without special rights, with an empty cache folder. It
must compile nothing, and leave the same bits as the same package without its compiled code. Then every
learner is used with the code of the wheel, and with code for another processor, which stands for
another machine. The scores must have the same bits. One line is printed for each step; the exit code
is 1 if one of them fails.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.support.container import USERS, Container, read_only, starts, writable  # noqa: E402
from tests.support.doc_blocks import blocks  # noqa: E402
from wheels.baselines import BASELINES, default_name  # noqa: E402

MOST_BYTES = 25_000_000
OTHER = "haswell"
FIRST_BLOCK = next(block.text for block in blocks((ROOT / "README.md").read_text()) if block.language == "python")
USE = """
import sys
from numba.core.event import Listener, install_listener

class Count(Listener):
    count = 0
    def on_start(self, event):
        self.count += 1
    def on_end(self, event):
        pass

count = Count()
with install_listener("numba:compile", count):
    {code}
print("compiled", count.count, file=sys.stderr)
"""
MAIN = "from driftline.cli.main import main; assert main({arguments!r}) == 0"
LOAD = """
    import driftline as dl
    learner = dl.load({model!r})
    X = [{{"a": k % 7, "b": k % 5 - 2.5}} for k in range(50)]
    print([score.hex() for score in learner.score_many(X).tolist()])
    print([learner.learn_one(x, label).hex() for x, label in zip(X, learner.labels * 25)])
"""
COMMANDS = {
    "the first block of the README": FIRST_BLOCK.strip().replace("\n", "\n    ") + "\n    learner.save('block.dl')",
    "run, Tracker, CSV": ["run", "a.csv", "--target", "y", "--save", "csv.dl"],
    "run, Tracker, svmlight": ["run", "a.svm", "--save", "svm.dl"],
    "run, PA1, CSV": ["run", "a.csv", "--target", "y", "--learner", "pa1", "--save", "pa1.dl"],
    "predict, CSV": ["predict", "csv.dl", "a.csv", "--proba"],
    "predict, svmlight": ["predict", "svm.dl", "a.svm"],
    "dl.load": LOAD.format(model="csv.dl"),
}


def write_files(folder: Path) -> None:
    rows = [(k % 7, k % 5 - 2, k * k % 3 % 2) for k in range(500)]
    (folder / "a.csv").write_text("a,b,y\n" + "".join(f"{a},{b},{['no', 'yes'][y]}\n" for a, b, y in rows))
    (folder / "a.svm").write_text("".join(f"{2 * y - 1:+d} 1:{a} 2:{b}.25\n" for a, b, y in rows))


def used(made: Container, command: Any) -> tuple[int, str, float]:
    """The functions that a command compiled, what it printed, and its seconds."""
    code = MAIN.format(arguments=command) if isinstance(command, list) else command.strip()
    begin = time.perf_counter()
    done = made.run("-c", USE.format(code=code))
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr}")
    return int(done.stderr.rpartition("compiled ")[2]), done.stdout, seconds


def left(made: Container) -> dict[str, str]:
    """The hash of each model that the commands have written."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (made.root / "work").glob("*.dl")}


EVERY_LEARNER = """
import json, sys
from driftline.internals.compiled import compiling
from tests.support.every_learner import scores
compiled = []
with compiling(lambda: compiled.append(None)):
    found = scores()
print(json.dumps(found))
print("compiled", len(compiled), file=sys.stderr)
"""


def every_learner(site: Path, **variables: str) -> tuple[int, str]:
    """The functions that were compiled for all learners, and their scores."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    with tempfile.TemporaryDirectory() as cache:
        own = {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": cache} | variables
        command = [sys.executable, "-c", EVERY_LEARNER]
        done = subprocess.run(command, env=plain | own, capture_output=True, text=True, check=True)
    return int(done.stderr.rpartition("compiled ")[2]), done.stdout


def learners_agree(package: Path, folder: Path) -> bool:
    """Whether the code of the wheel and code for another processor give the same scores."""
    shutil.copytree(package, folder / "driftline", ignore=shutil.ignore_patterns("__pycache__"))
    compiled, scores = every_learner(folder)
    print(f"every learner: {compiled} functions compiled", flush=True)
    if default_name() != "x86-64-v3":
        return compiled == 0
    same = every_learner(folder, **BASELINES[OTHER].environment())[1] == scores
    print(f"every learner, compiled for {OTHER}: {'the same' if same else 'OTHER'} bits", flush=True)
    return compiled == 0 and same


def folders(root: Path, python: Path, site: Path | None) -> Container:
    """Folders of which only ``tmp`` and ``work`` can be written; ``site`` comes before what Python has installed."""
    for name in ("home", "tmp", "work", "site"):
        (root / name).mkdir(parents=True)
    root.chmod(0o755)
    if site is not None:
        shutil.copytree(site, root / "site" / "driftline", ignore=shutil.ignore_patterns("__pycache__", "compiled"))
    (root / "tmp").chmod(0o1777)
    (root / "work").chmod(0o777)
    read_only(root / "site")
    read_only(root / "home")
    write_files(root / "work")
    return next(filter(starts, (Container(root, user, str(python)) for user in USERS)))


def main() -> int:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        if not sys.argv[1:]:
            subprocess.run([sys.executable, "-m", "wheels.build", "--out", str(folder)], cwd=ROOT, check=True)
        (wheel,) = map(Path, sys.argv[1:] or folder.glob("*.whl"))
        size = wheel.stat().st_size
        print(f"{wheel.name}: {size / 1e6:.1f} MB", flush=True)
        venv.create(folder / "fresh", with_pip=True)
        python = folder / "fresh" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
        (package,) = (folder / "fresh").glob("lib/python*/site-packages/driftline")
        read_only(folder / "fresh", keep_execution=True)
        packaged, plain = folders(folder / "a", python, None), folders(folder / "b", python, package)
        bad = size > MOST_BYTES
        for name, command in COMMANDS.items():
            compiled, printed, first = used(packaged, command)
            _, _, second = used(packaged, command)
            on_the_spot, expected, cold = used(plain, command)
            used(plain, command)  # as often as above: models go on
            shows_times = isinstance(command, list) and command[0] == "run"
            same = (shows_times or printed == expected) and left(packaged) == left(plain)
            bad |= compiled > 0 or not same
            print(
                f"{name}: {compiled} functions compiled, {first:.1f} s, again {second:.1f} s; without the code of the "
                f"wheel {on_the_spot} functions, {cold:.1f} s; {'the same' if same else 'OTHER'} bits",
                flush=True,
            )
        bad |= not learners_agree(package, folder / "learners")
        return int(bad)
    finally:
        writable(folder)
        shutil.rmtree(folder)


if __name__ == "__main__":
    raise SystemExit(main())

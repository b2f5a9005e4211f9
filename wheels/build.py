"""Build a wheel that carries compiled code for this Python, this numba and a baseline processor.

    python -m wheels.build --out dist [--baseline x86-64-v3] [--processes 2] [--only TEXT ...]

Every public function is compiled in fresh processes with NUMBA_CPU_NAME set to the baseline. The
code goes into two files (``driftline.internals.packaged_code``), and ``hatch_build.py`` puts them
into the wheel. ``--only`` compiles the tasks with a text in their names, for tests.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from wheels.baselines import BASELINES, Baseline, default_name

ROOT = Path(__file__).resolve().parents[1]


def compile_all(baseline: Baseline, folder: Path, processes: int, only: list[str]) -> Path:
    """Compile for a processor; return the folder with ``index.json`` and ``code.bin``.

    Parameters
    ----------
    baseline
        The processor.
    folder
        A folder for everything that is written.
    processes
        The number of processes that compile.
    only
        Texts of the names of tasks; empty compiles all.
    """
    taken = folder / "taken"
    taken.mkdir(parents=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    plain["PYTHONPATH"] = f"{ROOT / 'src'}{os.pathsep}{ROOT}"  # these sources, whatever is installed
    environment = plain | baseline.environment() | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "wheels.compile_tasks", str(taken), *only]
    workers = [subprocess.Popen(command, cwd=ROOT, env=environment) for _ in range(processes)]
    codes = [worker.wait() for worker in workers]
    if any(codes):
        raise SystemExit("make wheel: every task must succeed, got an error above. Mend it and run make wheel again")
    pack = [sys.executable, "-m", "wheels.pack", str(folder / "cache"), baseline.cpu, str(folder / "compiled")]
    subprocess.run(pack, cwd=ROOT, env=plain, check=True)
    return folder / "compiled"


def build_wheel(compiled: Path, out: Path) -> None:
    """Build the wheel with the files of ``compile_all``."""
    environment = os.environ | {"DRIFTLINE_COMPILED": str(compiled)}
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(ROOT)]
    subprocess.run(command, env=environment, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--baseline", choices=BASELINES, default=default_name())
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compiled = compile_all(BASELINES[given.baseline], Path(folder), given.processes, given.only)
        build_wheel(compiled, given.out)
    for wheel in sorted(given.out.glob("*.whl")):
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

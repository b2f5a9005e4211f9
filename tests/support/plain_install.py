"""Build the wheel, install it into a fresh environment without extras, and run every file format there.

    python tests/support/plain_install.py

Prints one line for each format. The exit code is 1 if one of them fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [(f"{k % 7}", f"{k % 5 - 2}", "yes" if k * k % 3 % 2 else "no") for k in range(200)]
MAKE_TABLES = """
import pyarrow as pa, pyarrow.csv, pyarrow.feather, pyarrow.parquet
table = pyarrow.csv.read_csv("a.csv")
pyarrow.parquet.write_table(table, "a.parquet")
pyarrow.feather.write_feather(table, "a.arrow")
"""
FORMATS = {
    "svmlight": ["a.svm"],
    "VW": ["a.vw"],
    "JSON lines": ["a.jsonl", "--target", "y"],
    "CSV": ["a.csv", "--target", "y"],
    "TSV": ["a.tsv", "--target", "y"],
    "Parquet": ["a.parquet", "--target", "y"],
    "Arrow": ["a.arrow", "--target", "y"],
    "ARFF": ["a.arff"],
}


def write_files(folder: Path, python: Path) -> None:
    signs = {"yes": "+1", "no": "-1"}
    texts = {
        "a.svm": "".join(f"{signs[y]} 1:{a} 2:{b}\n" for a, b, y in ROWS),
        "a.vw": "".join(f"{signs[y]} | a:{a} b:{b}\n" for a, b, y in ROWS),
        "a.jsonl": "".join(json.dumps({"a": int(a), "b": int(b), "y": y}) + "\n" for a, b, y in ROWS),
        "a.csv": "a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in ROWS),
        "a.tsv": "a\tb\ty\n" + "".join(f"{a}\t{b}\t{y}\n" for a, b, y in ROWS),
        "a.arff": "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y {no, yes}\n@data\n"
        + "".join(f"{a},{b},{y}\n" for a, b, y in ROWS),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    subprocess.run([python, "-c", MAKE_TABLES], cwd=folder, check=True)


def main() -> int:
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
        subprocess.run(wheel, check=True, env=plain)
        venv.create(folder / "fresh", with_pip=True)
        python = folder / "fresh" / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", *folder.glob("*.whl")]
        subprocess.run(install, check=True, env=plain)
        write_files(folder, python)
        failed = 0
        for form, arguments in FORMATS.items():
            command = [python.with_name("driftline"), "run", *arguments, "--learner", "pa1", "--json"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=plain, check=False)
            good = done.returncode == 0 and json.loads(done.stdout)["runs"][0]["examples"] == len(ROWS)
            print(f"{form}: {'ok' if good else done.stderr.strip()}", flush=True)
            failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Check that a release can be made: ``python tests/support/release_check.py [--short]``.

Builds the source distribution and the wheel from it, checks their metadata with twine, and installs
the wheel into a fresh environment of every interpreter from 3.11 to 3.14 on this machine. There a
part of the tests runs against the installed wheel. Then the whole suite runs from the source
distribution; ``--short`` leaves it out. Prints one line for each check. The exit code is 1 if one of
them fails. Missing addresses of the project are a warning only: they are set before an upload.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
CLASSIFIER = "Programming Language :: Python :: "
TOOLS = ("build>=1.2", "twine>=6.0")
TESTS = ("tests/rules/linear", "tests/bounds", "tests/saved/test_old_files.py")
NEEDED = ("pytest>=8.3", "pytest-xdist>=3.6", "hypothesis>=6.100", "scikit-learn>=1.5", "safetensors>=0.5")
"""What these tests need."""


def interpreters() -> Iterator[tuple[str, str]]:
    """The versions of Python on this machine, and their programs."""
    for version in VERSIONS:
        for program in _programs(version):
            command = [program, "-c", "import sys, venv, ensurepip; print(sys.version_info[:2])"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.stdout.strip() == f"({version.replace('.', ', ')})":
                yield version, program
                break


def _programs(version: str) -> list[str]:
    """Programs that may be this version: on the path, or among those of pyenv."""
    found = [path for path in (shutil.which(f"python{version}"),) if path]
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return [*found, *(str(path / "bin" / "python") for path in sorted(kept.glob(f"{version}.*")))]


def tell(what: str, command: Sequence[object], folder: Path) -> bool:
    """Run a command, print whether it succeeded, and return that."""
    plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(one) for one in command], cwd=folder, capture_output=True, text=True, env=plain, check=False
    )
    told = (done.stdout.strip() or done.stderr.strip()).splitlines() or [""]  # pip warns on stderr
    print(f"{what}: {'ok' if done.returncode == 0 else 'FAILED'}, {told[-1]}", flush=True)
    if done.returncode:
        print("\n".join((done.stdout + done.stderr).strip().splitlines()[-40:]), flush=True)
    return done.returncode == 0


def told_urls(project: dict[str, Any]) -> str:
    """The line about the addresses of the project, given the table ``project`` of pyproject.toml.

    >>> told_urls({"urls": {"Source": "https://example.org/driftline"}})
    'urls: Source https://example.org/driftline'
    """
    urls = project.get("urls")
    if not urls:
        return "urls: none set; set [project.urls] before an upload"
    return "urls: " + ", ".join(f"{name} {address}" for name, address in urls.items())


def untested(project: dict[str, Any], found: Collection[str]) -> list[str]:
    """The versions of Python that the classifiers name, and that are not on this machine.

    >>> untested({"classifiers": ["Programming Language :: Python :: 3.11"]}, ["3.12"])
    ['3.11']
    """
    named = [one.removeprefix(CLASSIFIER) for one in project["classifiers"] if one.startswith(f"{CLASSIFIER}3.")]
    return [version for version in named if version not in found]


def main(arguments: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return 0 if _checked(folder, "--short" in arguments) else 1


def _checked(folder: Path, short: bool) -> bool:
    tools = folder / "tools" / "bin" / "python"
    if not (
        tell("environment of the tools", [sys.executable, "-m", "venv", folder / "tools"], folder)
        and tell("tools", [tools, "-m", "pip", "install", "--quiet", *TOOLS], folder)
        and tell("source distribution and wheel", [tools, "-m", "build", "--outdir", folder / "dist", ROOT], folder)
    ):
        return False
    (wheel,), (archive,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    good = tell("twine check", [tools, "-m", "twine", "check", "--strict", wheel, archive], folder)
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    source = folder / archive.name.removesuffix(".tar.gz")
    found = dict(interpreters())
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    print(told_urls(project), flush=True)
    for version in untested(project, found):
        good = False
        print(f"Python {version}: FAILED, the classifiers name it, but it is not on this machine", flush=True)
    for version in VERSIONS:
        if version not in found:
            print(f"Python {version}: not on this machine", flush=True)
    for version, program in found.items():
        good &= _tested(version, program, wheel, source, folder)
    if not short:
        good &= tell("the whole suite from the source distribution", ["make", "test"], source)
    return good


def _tested(version: str, program: str, wheel: Path, source: Path, folder: Path) -> bool:
    python = folder / f"python{version}" / "bin" / "python"
    return (
        tell(f"Python {version}, environment", [program, "-m", "venv", python.parents[1]], folder)
        and tell(f"Python {version}, wheel", [python, "-m", "pip", "install", "--quiet", wheel, *NEEDED], folder)
        and tell(
            f"Python {version}, tests",
            [python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *TESTS],
            source,
        )
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

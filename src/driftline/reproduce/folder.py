"""The output folder of an experiment. An interrupted run continues from it.

    manifest.json     the setting of the run, and the list of files that belong to the experiment
    answers/KEY.json  one task: its arguments, its answer, the data used, and a checksum
    figures/, results.csv, verdicts.json, report.html

Files are written atomically. A stored answer is ignored if it is damaged or if the arguments of
its task differ. The content of the folder does not depend on the time of the run, on the number of
processes or on interruptions.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from driftline.report.pages.document import write_whole
from driftline.reproduce.experiment import Answer, Task

WHERE = "reproduce"
MANIFEST, REPORT, RESULTS, VERDICTS = "manifest.json", "report.html", "results.csv", "verdicts.json"
ANSWERS, FIGURES = "answers", "figures"
OWN_FILE = re.compile(rf"(?:(?:{ANSWERS}|{FIGURES})/)?\w[\w.-]*", re.ASCII)
"""Valid entries of the manifest's list of files: paths inside the folder only."""
PART = re.compile(r"\..+\.\d+\.part")
"""Temporary files that a killed run leaves behind."""


class SolvedTask(NamedTuple):
    """The answer of a task, and the origin of each data file that it used."""

    answer: Answer
    data: dict[str, str]


class Folder:
    """The output folder at ``path``.

    ``settings`` identifies the run. ``files`` lists the files that the experiment wrote.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], files: Sequence[str]) -> None:
        self.path = path
        self.settings = dict(settings)
        self.files = list(files)

    @classmethod
    def open(cls, path: Path, settings: Mapping[str, Any], tasks: Sequence[Task], fresh: bool) -> Folder:
        """Create the folder or continue an existing one.

        ``fresh`` removes the files that an experiment wrote.
        """
        check_folder(path, None if fresh else settings)
        try:
            path.mkdir(parents=True, exist_ok=True)
            found = _read_manifest(path)
            if found is not None and fresh:
                _clear(path, found["files"])
                found = None
            for entry in path.rglob(".*.part"):
                if PART.fullmatch(entry.name):
                    entry.unlink()
            for name in (ANSWERS, FIGURES):
                (path / name).mkdir(exist_ok=True)
        except OSError as error:
            raise OSError(_unusable_folder(path, error)) from None
        folder = cls(path, settings, found["files"] if found else [])
        folder.claim_files([MANIFEST, REPORT, RESULTS, VERDICTS, *(_answer_path(task) for task in tasks)])
        return folder

    def claim_files(self, names: Sequence[str]) -> None:
        """Add the names to the manifest's list of files. Call this before writing the files."""
        self.files = sorted({*self.files, *names})
        self.write(MANIFEST, pretty_json({**self.settings, "files": self.files}))

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file atomically."""
        write_whole(self.path / name, content, WHERE)

    def store_answer(self, task: Task, solved: SolvedTask) -> SolvedTask:
        """Store an answer, and return it as a later run would read it."""
        facts = {"what": task.what, "answer": solved.answer, "data": solved.data}
        try:
            line = json.dumps(facts, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{WHERE}: the answer of task {task.key} must be plain JSON, got {error}") from None
        self.write(_answer_path(task), json.dumps({"sha256": _digest(line), **json.loads(line)}, sort_keys=True) + "\n")
        return _solved(json.loads(line))

    def stored_answer(self, task: Task) -> SolvedTask | None:
        """Return the stored answer of a task, or None if it is missing, damaged or outdated."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            facts = json.loads((self.path / _answer_path(task)).read_text(encoding="utf-8"))
            sound = facts.pop("sha256") == _digest(json.dumps(facts, sort_keys=True))
            if sound and facts["what"] == json.loads(json.dumps(task.what)):
                return _solved(facts)
        return None


def check_folder(path: Path, settings: Mapping[str, Any] | None) -> None:
    """Refuse a path that is not a folder, a folder with other files, or one with other settings.

    ``settings=None`` accepts any settings.
    """
    try:
        if not path.is_dir():
            if path.exists():
                raise ValueError(f"{WHERE}: out must be a folder, got the file {str(path)!r}. Choose another name")
            return
        found = _read_manifest(path)
        strange = sorted(entry.name for entry in path.iterdir() if not _left_by_killed_run(entry))
    except OSError as error:
        raise OSError(_unusable_folder(path, error)) from None
    if found is None:
        if strange:
            raise ValueError(
                f"{WHERE}: out must be empty or the folder of an experiment, got {str(path)!r} "
                f"with {strange[0]!r}. Choose another folder"
            )
        return
    for name, value in (settings or {}).items():
        if found.get(name) != value:
            raise ValueError(
                f"{WHERE}: out must be a folder made with {name} {_as_json(value)}, got {str(path)!r} made with "
                f"{_as_json(found.get(name))}. Choose another folder, or pass --fresh to start over"
            )


def pretty_json(facts: Any) -> str:
    """Return indented JSON with sorted keys and a final newline. NaN and infinity become null."""
    return json.dumps(_without_nan(facts), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the content of the manifest, or None if the folder has none."""
    file = path / MANIFEST
    if not file.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if all(OWN_FILE.fullmatch(name) for name in found["files"]):
            return found
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(
        f"{WHERE}: {file} must be the manifest of an experiment, got something else. Choose another folder"
    )


def _left_by_killed_run(entry: Path) -> bool:
    """Return whether a run killed before it wrote its manifest may have left this entry."""
    empty = entry.name in (ANSWERS, FIGURES) and entry.is_dir() and not any(entry.iterdir())
    return empty or PART.fullmatch(entry.name) is not None


def _clear(path: Path, files: Sequence[str]) -> None:
    """Remove the files, the manifest last.

    If the run is killed meanwhile, the folder still has a manifest and can be used again.
    """
    for name in sorted(files, key=lambda name: name == MANIFEST):
        (path / name).unlink(missing_ok=True)


def _answer_path(task: Task) -> str:
    return f"{ANSWERS}/{task.key}.json"


def _solved(facts: dict[str, Any]) -> SolvedTask:
    return SolvedTask(facts["answer"], facts["data"])


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()


def _as_json(value: Any) -> str:
    return json.dumps(value)


def _unusable_folder(path: Path, error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    return f"{WHERE}: out must be a writable folder, got {str(path)!r}: {reason}. Choose another folder"


def _without_nan(facts: Any) -> Any:
    """Replace NaN and infinity, which JSON does not support, by None."""
    if isinstance(facts, Mapping):
        return {key: _without_nan(value) for key, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [_without_nan(value) for value in facts]
    if isinstance(facts, float):
        return float(facts) if abs(facts) < float("inf") else None
    return facts

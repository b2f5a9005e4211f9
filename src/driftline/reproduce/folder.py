"""The folder that an experiment is written to, and from which one that was stopped goes on.

    manifest.json     what all in it was made with, and which files are the experiment's own
    answers/KEY.json  a piece of work: the question, the answer, the data used, and a checksum over them
    figures/, results.csv, verdicts.json, report.html

Every file is written whole or not at all. An answer that is damaged, or that answers another question, counts as none.
Nothing in the folder depends on the clock, on the number of processes or on how often it was stopped.
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
OWN = re.compile(rf"(?:(?:{ANSWERS}|{FIGURES})/)?\w[\w.-]*", re.ASCII)
"""What may be in the manifest's list of files: nothing outside the folder."""
PART = re.compile(r"\..+\.\d+\.part")
"""Files that were being written when a run was killed."""


class Solved(NamedTuple):
    """An answer, and where the data that it was made of came from."""

    answer: Answer
    data: dict[str, str]


class Folder:
    """The folder at ``path`` with all that was ``made`` with one setting; ``files`` are its own."""

    def __init__(self, path: Path, made: Mapping[str, Any], files: Sequence[str]) -> None:
        self.path = path
        self.made = dict(made)
        self.files = list(files)

    @classmethod
    def opened(cls, path: Path, made: Mapping[str, Any], tasks: Sequence[Task], fresh: bool) -> Folder:
        """Make the folder, or take up the one that is there; with ``fresh`` whatever an experiment wrote there goes."""
        check(path, None if fresh else made)
        try:
            path.mkdir(parents=True, exist_ok=True)
            found = _manifest(path)
            if found is not None and fresh:
                _clear(path, found["files"])
                found = None
            for entry in path.rglob(".*.part"):
                if PART.fullmatch(entry.name):
                    entry.unlink()
            for name in (ANSWERS, FIGURES):
                (path / name).mkdir(exist_ok=True)
        except OSError as error:
            raise OSError(_unusable(path, error)) from None
        folder = cls(path, made, found["files"] if found else [])
        folder.own([MANIFEST, REPORT, RESULTS, VERDICTS, *(_place(task) for task in tasks)])
        return folder

    def own(self, names: Sequence[str]) -> None:
        """Say in the manifest that these files are the experiment's own, before they are written."""
        self.files = sorted({*self.files, *names})
        self.write(MANIFEST, text({**self.made, "files": self.files}))

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file, whole or not at all."""
        write_whole(self.path / name, content, WHERE)

    def keep(self, task: Task, solved: Solved) -> Solved:
        """Keep an answer, and return it as it will be read again."""
        facts = {"what": task.what, "answer": solved.answer, "data": solved.data}
        try:
            line = json.dumps(facts, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{WHERE}: the answer of task {task.key} must be plain JSON, got {error}") from None
        self.write(_place(task), json.dumps({"sha256": _digest(line), **json.loads(line)}, sort_keys=True) + "\n")
        return _solved(json.loads(line))

    def kept(self, task: Task) -> Solved | None:
        """The answer of a task, if there is a sound one."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            facts = json.loads((self.path / _place(task)).read_text(encoding="utf-8"))
            sound = facts.pop("sha256") == _digest(json.dumps(facts, sort_keys=True))
            if sound and facts["what"] == json.loads(json.dumps(task.what)):
                return _solved(facts)
        return None


def check(path: Path, made: Mapping[str, Any] | None) -> None:
    """Refuse a folder that is none, is another's, or was made with something else than ``made`` (None: it may be)."""
    try:
        if not path.is_dir():
            if path.exists():
                raise ValueError(f"{WHERE}: out must be a folder, got the file {str(path)!r}. Choose another name")
            return
        found = _manifest(path)
        strange = sorted(entry.name for entry in path.iterdir() if not _left(entry))
    except OSError as error:
        raise OSError(_unusable(path, error)) from None
    if found is None:
        if strange:
            raise ValueError(
                f"{WHERE}: out must be empty or the folder of an experiment, got {str(path)!r} "
                f"with {strange[0]!r}. Choose another folder"
            )
        return
    for name, value in (made or {}).items():
        if found.get(name) != value:
            raise ValueError(
                f"{WHERE}: out must be a folder made with {name} {_said(value)}, got {str(path)!r} made with "
                f"{_said(found.get(name))}. Choose another folder, or pass --fresh to start over"
            )


def text(facts: Any) -> str:
    """JSON for people: indented, sorted, with a last line end; what is no number is null."""
    return json.dumps(_finite(facts), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _manifest(path: Path) -> dict[str, Any] | None:
    """What the manifest says; None where there is none."""
    file = path / MANIFEST
    if not file.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if all(OWN.fullmatch(name) for name in found["files"]):
            return found
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(
        f"{WHERE}: {file} must be the manifest of an experiment, got something else. Choose another folder"
    )


def _left(entry: Path) -> bool:
    """Whether this may be all that a run left that was killed before it had written its manifest."""
    empty = entry.name in (ANSWERS, FIGURES) and entry.is_dir() and not any(entry.iterdir())
    return empty or PART.fullmatch(entry.name) is not None


def _clear(path: Path, files: Sequence[str]) -> None:
    """Remove these files, the manifest last, so that a run killed meanwhile leaves a folder that is known."""
    for name in sorted(files, key=lambda name: name == MANIFEST):
        (path / name).unlink(missing_ok=True)


def _place(task: Task) -> str:
    return f"{ANSWERS}/{task.key}.json"


def _solved(facts: dict[str, Any]) -> Solved:
    return Solved(facts["answer"], facts["data"])


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()


def _said(value: Any) -> str:
    return json.dumps(value)


def _unusable(path: Path, error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    return f"{WHERE}: out must be a folder that can be written, got {str(path)!r}: {reason}. Choose another one"


def _finite(facts: Any) -> Any:
    """The same with null for NaN and infinity, which JSON does not have."""
    if isinstance(facts, Mapping):
        return {key: _finite(value) for key, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [_finite(value) for value in facts]
    if isinstance(facts, float):
        return float(facts) if abs(facts) < float("inf") else None
    return facts

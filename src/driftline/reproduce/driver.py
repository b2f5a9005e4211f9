"""One experiment from its tasks to its report."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from driftline.report.pages.page import versions
from driftline.reproduce.document import Findings, document
from driftline.reproduce.experiment import Experiment, Setting, Task, Verdict
from driftline.reproduce.folder import FIGURES, REPORT, RESULTS, VERDICTS, Folder, Solved, check, text
from driftline.reproduce.listed import module_of
from driftline.reproduce.pictures import style
from driftline.reproduce.plates import Plate, plate
from driftline.reproduce.sources import imported
from driftline.reproduce.used import Watched, lacking, origins
from driftline.reproduce.work import TaskProgress, cores, work
from driftline.version import __version__

KEY = re.compile(r"\w[\w.-]*", re.ASCII)
FORMAT = 3
"""Of the answers: another one whenever those of any experiment are made otherwise within a version."""


@dataclass(frozen=True)
class Reproduced:
    """An experiment that was run: what holds of its claims, and where the report is."""

    name: str
    verdicts: list[Verdict]
    report: Path
    lacks: str
    """Data that were not at hand, and how to have them; empty: none."""


def reproduce(
    name: str,
    out: str | Path,
    setting: Setting = Setting(),  # noqa: B008
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: bool | None = None,
) -> Reproduced:
    """Run an experiment and write its folder; what a run that was stopped has left there is not done again.

    ``jobs`` is the number of processes, by default one a core. ``fresh`` removes what an experiment wrote into the
    folder, and nothing else. ``progress`` shows a line on stderr; None: on a terminal only.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"reproduce: jobs must be >= 1, got {jobs}. Leave it out for one a core")
    prepare(name, out, setting, fresh)
    module = module_of(name)
    experiment: Experiment = import_module(module).EXPERIMENT
    sources = Watched.over(setting.sources)
    tasks = experiment.tasks(replace(setting, sources=sources))
    _checked(name, "keys of tasks", [task.key for task in tasks])
    folder = Folder.opened(Path(out), _made(name, setting), tasks, fresh)
    solved = _solved(folder, module, tasks, setting, jobs or cores(), progress)
    data = {where: origin for one in solved.values() for where, origin in one.data.items()}
    answers = {key: one.answer for key, one in solved.items()}
    rows = json.loads(json.dumps(experiment.rows(answers)))
    verdicts = [
        replace(one, holds=None if one.holds is None else bool(one.holds)) for one in experiment.verdicts(answers)
    ]
    data = dict(sorted({**data, **sources.used()}.items()))
    lacks = lacking(data)
    found = Findings(verdicts, rows, [lacks] * bool(lacks) + [*experiment.notes(answers)], data)
    with style():
        plates = [plate(drawing) for drawing in experiment.drawings(answers)]
    _checked(name, "names of figures", [one.name for one in plates])
    _write(folder, experiment, setting, found, plates)
    return Reproduced(name, verdicts, folder.path / REPORT, lacks)


def prepare(name: str, out: str | Path, setting: Setting = Setting(), fresh: bool = False) -> None:  # noqa: B008
    """Refuse, before all work, a name that is none, a library that is missing, or a folder that is not its own."""
    module_of(name)
    imported("matplotlib")
    check(Path(out), None if fresh else _made(name, setting))


def _made(name: str, setting: Setting) -> dict[str, Any]:
    facts = {"experiment": name, "quick": setting.quick, "seed": setting.seed}
    return {**facts, "version": __version__, "format": FORMAT}


def _checked(name: str, what: str, names: Sequence[str]) -> None:
    """They must be names of files, and different ones wherever capitals do not count."""
    bad = [one for one in names if not KEY.fullmatch(one)]
    if bad or len({one.lower() for one in names}) < len(names):
        raise ValueError(f"{name}: {what} must be different names of letters, digits and -_., got {(bad or names)!r}")


def _solved(
    folder: Folder, module: str, tasks: Sequence[Task], setting: Setting, jobs: int, progress: bool | None
) -> dict[str, Solved]:
    """The answers in the order of the tasks: those that are kept, and what was missing."""
    found = {task.key: one for task in tasks if (one := folder.kept(task)) is not None}
    for key, one in found.items():
        _same_data(folder.path, key, one.data, origins(setting.sources, one.data))
    left = [task for task in tasks if task.key not in found]
    line = TaskProgress(len(tasks), len(found), progress, f"{folder.made['experiment']}: ")
    try:
        with closing(work(module, left, setting, jobs)) as done:
            for task, solved in done:
                found[task.key] = folder.keep(task, solved)
                line.update(len(found))
    finally:
        line.close()
    return {task.key: found[task.key] for task in tasks}


def _same_data(path: Path, key: str, kept: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Answers of other data must not be mixed with what is found now."""
    for name, origin in now.items():
        if kept[name] != origin:
            raise ValueError(
                f"reproduce: out must be a folder made with {name} taken from {origin}, got {str(path)!r}, whose task "
                f"{key} took it from {kept[name]}. Choose another folder, or pass --fresh to start over"
            )


def _write(folder: Folder, experiment: Experiment, setting: Setting, found: Findings, plates: Sequence[Plate]) -> None:
    """All files that people read; the report last."""
    folder.own([f"{FIGURES}/{one.name}.{ending}" for one in plates for ending in ("png", "svg")])
    for one in plates:
        folder.write(f"{FIGURES}/{one.name}.png", one.png)
        folder.write(f"{FIGURES}/{one.name}.svg", one.svg)
    folder.write(RESULTS, _csv(found.rows))
    facts = {**folder.made, "versions": versions(), "data": found.data}
    folder.write(VERDICTS, text({**facts, "verdicts": [asdict(one) for one in found.verdicts]}))
    folder.write(REPORT, document(experiment, setting, found, plates))


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    file = io.StringIO()
    if rows:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file.getvalue()

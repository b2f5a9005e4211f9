"""Run one experiment: solve its tasks, judge its claims and write its report."""

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
from driftline.reproduce.data_origins import RecordingSources, missing_data_text, origins
from driftline.reproduce.document import Findings, document
from driftline.reproduce.experiment import Experiment, Setting, Task, Verdict
from driftline.reproduce.folder import FIGURES, REPORT, RESULTS, VERDICTS, Folder, SolvedTask, check_folder, pretty_json
from driftline.reproduce.plotting import style
from driftline.reproduce.registry import module_of
from driftline.reproduce.rendered_figure import RenderedFigure, render
from driftline.reproduce.sources import import_optional
from driftline.reproduce.task_runner import TaskProgress, cores, run_tasks
from driftline.version import __version__

KEY = re.compile(r"\w[\w.-]*", re.ASCII)
FORMAT = 4
"""Format number of the stored answers.

Increase it when an experiment changes its answers without a change of the package version.
"""


@dataclass(frozen=True)
class Reproduced:
    """The result of a finished experiment."""

    name: str
    verdicts: list[Verdict]
    report: Path
    lacks: str
    """Which data were missing and how to get them. Empty if nothing was missing."""


def reproduce(
    name: str,
    out: str | Path,
    setting: Setting = Setting(),  # noqa: B008
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: bool | None = None,
) -> Reproduced:
    """Run an experiment and write its report, figures and results to a folder.

    If the folder holds the answers of an interrupted run with the same setting, the run continues
    from them.

    Parameters
    ----------
    name : str
        Name of the experiment, one of ``EXPERIMENTS``.
    out : str or Path
        Folder to write to. It must be new, empty, or written by the same experiment with the same
        setting.
    setting : Setting
        Quick or full run, seed and data sources.
    jobs : int, optional
        Number of worker processes. The default is one per core.
    fresh : bool, default=False
        Remove the files that an experiment wrote into the folder, and start over. Other files
        stay.
    progress : bool, optional
        Show a progress line on stderr. By default it is shown only on a terminal.

    Returns
    -------
    Reproduced
        The verdicts and the path of the report.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"reproduce: jobs must be >= 1, got {jobs}. Leave it out to use one process per core")
    prepare(name, out, setting, fresh)
    module = module_of(name)
    experiment: Experiment = import_module(module).EXPERIMENT
    sources = RecordingSources.over(setting.sources)
    tasks = experiment.tasks(replace(setting, sources=sources))
    _check_names(name, "keys of tasks", [task.key for task in tasks])
    folder = Folder.open(Path(out), _manifest_facts(name, setting), tasks, fresh)
    solved = _solve_all(folder, module, tasks, setting, jobs or cores(), progress)
    data = {where: origin for one in solved.values() for where, origin in one.data.items()}
    answers = {key: one.answer for key, one in solved.items()}
    rows = json.loads(json.dumps(experiment.rows(answers)))
    verdicts = [
        replace(one, holds=None if one.holds is None else bool(one.holds)) for one in experiment.verdicts(answers)
    ]
    data = dict(sorted({**data, **sources.used()}.items()))
    lacks = missing_data_text(data)
    found = Findings(verdicts, rows, [lacks] * bool(lacks) + [*experiment.notes(answers)], data)
    with style():
        figures = [render(drawing) for drawing in experiment.drawings(answers)]
    _check_names(name, "names of figures", [one.name for one in figures])
    _write(folder, experiment, setting, found, figures)
    return Reproduced(name, verdicts, folder.path / REPORT, lacks)


def prepare(name: str, out: str | Path, setting: Setting = Setting(), fresh: bool = False) -> None:  # noqa: B008
    """Check, before any work starts, that ``reproduce`` can run with these arguments.

    Parameters
    ----------
    name : str
        Name of the experiment. An unknown name is refused.
    out : str or Path
        Output folder. A folder with other files, or with another setting, is refused.
    setting : Setting
        Setting of the run.
    fresh : bool, default=False
        The run will start over, so the setting of an existing folder need not match.
    """
    module_of(name)
    import_optional("matplotlib")
    check_folder(Path(out), None if fresh else _manifest_facts(name, setting))


def _manifest_facts(name: str, setting: Setting) -> dict[str, Any]:
    facts = {"experiment": name, "quick": setting.quick, "seed": setting.seed}
    return {**facts, "version": __version__, "format": FORMAT}


def _check_names(name: str, what: str, names: Sequence[str]) -> None:
    """Check that the names are valid file names, and distinct even if case is ignored."""
    bad = [one for one in names if not KEY.fullmatch(one)]
    if bad or len({one.lower() for one in names}) < len(names):
        raise ValueError(f"{name}: {what} must be different names of letters, digits and -_., got {(bad or names)!r}")


def _solve_all(
    folder: Folder, module: str, tasks: Sequence[Task], setting: Setting, jobs: int, progress: bool | None
) -> dict[str, SolvedTask]:
    """Return the answers in task order.

    Stored answers are reused and the other tasks are solved.
    """
    found = {task.key: one for task in tasks if (one := folder.stored_answer(task)) is not None}
    for key, one in found.items():
        _check_same_data(folder.path, key, one.data, origins(setting.sources, one.data))
    left = [task for task in tasks if task.key not in found]
    line = TaskProgress(len(tasks), len(found), progress, f"{folder.settings['experiment']}: ")
    try:
        with closing(run_tasks(module, left, setting, jobs)) as done:
            for task, solved in done:
                found[task.key] = folder.store_answer(task, solved)
                line.update(len(found))
    finally:
        line.close()
    return {task.key: found[task.key] for task in tasks}


def _check_same_data(path: Path, key: str, kept: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Refuse to mix stored answers with answers computed from other data."""
    for name, origin in now.items():
        if kept[name] != origin:
            raise ValueError(
                f"reproduce: out must be a folder made with {name} taken from {origin}, got {str(path)!r} in which "
                f"task {key} took it from {kept[name]}. Choose another folder, or pass --fresh to start over"
            )


def _write(
    folder: Folder, experiment: Experiment, setting: Setting, found: Findings, figures: Sequence[RenderedFigure]
) -> None:
    """Write figures, results and verdicts, and the report last."""
    folder.claim_files([f"{FIGURES}/{one.name}.{ending}" for one in figures for ending in ("png", "svg")])
    for one in figures:
        folder.write(f"{FIGURES}/{one.name}.png", one.png)
        folder.write(f"{FIGURES}/{one.name}.svg", one.svg)
    folder.write(RESULTS, _csv(found.rows))
    facts = {**folder.settings, "versions": versions(), "data": found.data}
    folder.write(VERDICTS, pretty_json({**facts, "verdicts": [asdict(one) for one in found.verdicts]}))
    folder.write(REPORT, document(experiment, setting, found, figures))


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    file = io.StringIO()
    if rows:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file.getvalue()

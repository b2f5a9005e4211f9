"""``driftline reproduce``: the experiments of the papers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftline.reproduce import Reproduced

ALL = "all"
OUT = "reproduced"
LAST_SEED = 10**15
"""A thousand seeds are drawn from each, and those must have at most 63 bits."""


def reproduce(
    name: str = "",
    *,
    out: str | None = None,
    quick: bool = False,
    seed: int = 0,
    data: str | None = None,
    fetch: bool = False,
    jobs: int | None = None,
    fresh: bool = False,
) -> int:
    """Run an experiment of a paper; print which of its claims hold, and write a report.

    Parameters
    ----------
    name
        kivinen2002, shen2009, gentile2005 or winnow; or all.
    out
        Folder of the report; of all: folder of their folders. A run that was stopped there goes on.
    quick
        Short streams, few repetitions, small grids: verdicts are weak.
    seed
        Seed of everything that is drawn.
    data
        Folder with data; without it that of DRIFTLINE_DATA.
    fetch
        Load data that the folder does not have from their public source.
    jobs
        Processes; without it one for each core.
    fresh
        Start over: remove what an experiment wrote into the folder, and nothing else.
    """
    from driftline.reproduce import EXPERIMENTS, Setting, Sources, prepare
    from driftline.reproduce import reproduce as run

    if not 0 <= seed <= LAST_SEED:
        raise ValueError(f"--seed must be from 0 to {LAST_SEED}, got {seed}. Give 0")
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs must be >= 1, got {jobs}. Leave it out for one a core")
    setting = Setting(quick, seed, Sources.of_user(data, fetch))
    names = list(EXPERIMENTS) if name == ALL else [name]
    folders = {one: Path(out or OUT) / one if name == ALL or out is None else Path(out) for one in names}
    for one, folder in folders.items():
        prepare(one, folder, setting, fresh)
    failed = 0
    for one, folder in folders.items():
        try:
            _print(run(one, folder, setting, jobs=jobs, fresh=fresh), setting.sources.folder)
        except (ValueError, ImportError, OSError) as error:
            if len(names) == 1:
                raise
            failed += 1
            print(f"driftline: {one}: {' '.join(str(error).splitlines())}", file=sys.stderr)
        except KeyboardInterrupt:
            print(f"driftline: what is done is kept in {folder}; the same command goes on", file=sys.stderr)
            raise
    return 2 if failed else 0


def _print(found: Reproduced, looked: str | None) -> None:
    """The verdicts as a table, which data were lacking in the folder looked into, and where the report is."""
    from driftline.evaluate.text_table import aligned
    from driftline.reproduce.document import outcome

    rows: list[Sequence[str]] = [("verdict", "judged on", "claim")]
    rows += [(outcome(one), one.where, one.claim) for one in found.verdicts]
    lines = [line.rstrip() for line in aligned(rows, words=3).splitlines()]
    if found.lacks:
        lines.append(f"data: {found.lacks}" + (f" Looked in {looked!r}." if looked else ""))
    print(found.name, *lines, f"report: {found.report}", sep="\n", end="\n\n", flush=True)

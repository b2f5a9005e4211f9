"""``driftline reproduce``: repeat the experiments of the papers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from driftline.internals.visible_text import visible

if TYPE_CHECKING:
    from driftline.reproduce import Reproduced

ALL = "all"
OUT = "reproduced"
LAST_SEED = 10**15
"""Each seed is expanded into a thousand seeds, which must fit into 63 bits."""


def reproduce(
    name: Annotated[str, Parameter(show_default=False)] = "",
    *,
    out: str | None = None,
    quick: bool = False,
    seed: int = 0,
    data: str | None = None,
    fetch: bool = False,
    jobs: int | None = None,
    fresh: bool = False,
) -> int:
    """Repeat the experiments of a paper, print which of its claims hold, and write a report.

    An interrupted run is resumed by the same command.

    Parameters
    ----------
    name
        kivinen2002, shen2009, forgetron, gentile2005, winnow, or all.
    out
        Folder of the report. With all, each paper gets a folder in it.
        Default: reproduced/NAME, or reproduced with all.
    quick
        Use short streams, few repetitions and small grids. Verdicts are then weak.
    seed
        Seed of all random numbers.
    data
        Folder of the data sets. Default: the environment variable DRIFTLINE_DATA.
    fetch
        Download missing data sets from their public source.
    jobs
        Number of processes. Default: one per core.
    fresh
        Start over. Only files that the experiment wrote to the folder are removed.
    """
    from driftline.reproduce import EXPERIMENTS, Setting, Sources, prepare
    from driftline.reproduce import reproduce as run

    if not 0 <= seed <= LAST_SEED:
        raise ValueError(f"--seed must be from 0 to {LAST_SEED}, got {seed}. Give 0")
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs must be >= 1, got {jobs}. Leave it out to use all cores")
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
            print(f"driftline: {one}: {visible(' '.join(str(error).splitlines()))}", file=sys.stderr)
        except KeyboardInterrupt:
            print(
                f"driftline: results so far are in {visible(folder)}; run the same command to resume", file=sys.stderr
            )
            raise
    return 2 if failed else 0


def _print(found: Reproduced, data_folder: str | None) -> None:
    """Print the number of claims that hold, the verdicts, the missing data and the report's path.

    Many verdicts are summarised by claim.
    """
    from driftline.internals.text_table import aligned
    from driftline.reproduce.conclusions import MANY, conclusions, count_text, unit
    from driftline.reproduce.document import outcome

    rows: list[Sequence[str]]
    if len(found.verdicts) <= MANY:
        rows = [("verdict", "judged on", "claim")]
        rows += [(outcome(one), one.where, one.claim) for one in found.verdicts]
    else:
        rows = [(f"{unit(found.verdicts)}s in which it holds", "claim")]
        rows += [(one.text, one.claim) for one in conclusions(found.verdicts)]
    lines = [line.rstrip() for line in aligned(rows, words=len(rows[0])).splitlines()]
    lines.insert(0, count_text(found.verdicts))
    if found.lacks:
        lines.append(f"data: {visible(found.lacks)}" + (f" Looked in {data_folder!r}." if data_folder else ""))
    print(found.name, *lines, f"report: {visible(found.report)}", sep="\n", end="\n\n", flush=True)

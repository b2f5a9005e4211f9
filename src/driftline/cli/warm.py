"""``driftline warm``: compile everything before it is needed."""

from __future__ import annotations

BAR = 30


def warm(*learners: str, processes: int | None = None) -> int:
    """Compile the functions of learners and store them in the cache folder, so that later calls start at once.

    Each learner is called in every way, on arrays, sparse rows and dicts. A second call of this
    command continues an interrupted one, because compiled code is stored at once.

    Parameters
    ----------
    learners
        Names of learners, such as tracker or pa1. Default: all learners, file formats and detectors,
        which takes many minutes.
    processes
        The number of processes. Default: one for each core.
    """
    import sys

    from driftline.cli.learner import class_of
    from driftline.warm_up.parallel import cores
    from driftline.warm_up.parallel import warm as run_tasks

    names = sorted({class_of(name, "a learner").__name__.lower() for name in learners})
    if processes is not None and processes < 1:
        raise ValueError(f"--processes must be >= 1, got {processes}. Leave it out for one on each core")

    def tell(done: int, total: int, name: str) -> None:
        if sys.stderr.isatty():
            filled = BAR * done // total
            print(f"\r\033[K[{'#' * filled}{' ' * (BAR - filled)}] {done}/{total} {name[:60]}", end="", file=sys.stderr)

    try:
        count, functions = run_tasks(names, processes or cores(), tell)
    finally:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    print(f"{count} tasks done, {functions} functions compiled")
    return 0

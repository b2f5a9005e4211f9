"""``driftline run --key``: a learner for each key of the files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from driftline.cli.options import FileOptions, LearnerOptions

if TYPE_CHECKING:
    from driftline.evaluate.keyed_run import KeyedRun

CLASSIFIER, REGRESSOR = "pa1", "pa1regressor"
"""The learners of a key that are taken if none is named; they are small."""
FILE = "keyed.dl"
"""The file in the folder of --checkpoint."""


@Parameter(name="*")
@dataclass
class KeyOptions:
    """Options for a learner for each key.

    Parameters
    ----------
    key
        Column of a key, such as a customer: each key has a learner of its own. It is not a feature.
        Default: one learner for all rows.
    max_keys
        Most keys in memory; the others are in a temporary file in the folder of --spill.
        Default: all.
    spill
        Folder of the temporary file for the keys that are not in memory.
    worst
        Number of keys with the most errors that are printed.
    """

    key: str | None = None
    max_keys: int | None = None
    spill: str | None = None
    worst: Annotated[int, Parameter(name="--worst")] = 10


def run_keyed(
    files: tuple[str, ...],
    learner: str | None,
    parameters: dict[str, str],
    keyed: KeyOptions,
    reading: FileOptions,
    making: LearnerOptions,
    save: str | None,
    checkpoint: str | None,
    every: int,
    resume: bool,
    json: bool,
    typed: list[str],
) -> int:
    """Run a learner for each key, and print the errors.

    Parameters
    ----------
    files, learner, parameters, keyed, reading, making, save, checkpoint, every, resume, json
        The options of ``driftline run``.
    typed
        The names of all options, for suggestions.
    """
    from dataclasses import replace

    import driftline as dl
    from driftline.cli import output
    from driftline.cli.learner import learner_of
    from driftline.cli.task import default_learner

    key = keyed.key
    assert key is not None
    if keyed.worst < 0:
        raise ValueError(f"--worst must be >= 0, got {keyed.worst}. 0 prints none")
    output.check_writable(save)
    dropped = reading if key in reading.drop else replace(reading, drop=(*reading.drop, key))
    stream = dropped.stream(files, labelled=True, keep=(key,))
    chosen = learner
    if chosen is None:
        chosen, making = default_learner(stream, reading, making, CLASSIFIER)
        chosen = CLASSIFIER if chosen == CLASSIFIER else REGRESSOR
    made = learner_of(chosen, parameters, reading.labelled_by(making), reading.words, typed)
    memory: dict[str, Any] = {"max_keys_in_memory": keyed.max_keys, "spill": keyed.spill}
    path = None if checkpoint is None else _path(Path(checkpoint), resume)
    learners = None
    if path is not None and path.exists():
        learners = dl.Keyed.load(path, **memory)
        if learners.key != key or repr(learners.template) != repr(made):
            raise ValueError(
                f"{path}: --key and the learner must be those of the checkpoint, {learners.key} and "
                f"{learners.template!r}, got {key} and {made!r}. Resume with the same options"
            )
    with learners or dl.Keyed(made, key=key, **memory) as all_learners:
        done = all_learners.run(stream, checkpoint=path, every=every)
        if save is not None:
            all_learners.save(save)
        _print(done, made.rule.regresses, repr(made), keyed.worst, json)
    return 0


def _path(folder: Path, resume: bool) -> Path:
    """The file of the checkpoints."""
    path = folder / FILE
    if path.exists() and not resume:
        raise ValueError(f"{folder}: must not contain a checkpoint, got one. Resume it with --resume, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    return path


def _print(done: KeyedRun, regresses: bool, learner: str, worst: int, json: bool) -> None:
    from driftline.internals.visible_text import visible

    found = done.worst(worst) if worst else []
    error = done.mae if regresses else done.error
    if json:
        import orjson

        keys = [{"key": str(key), "rows": one.rows, "errors": one.errors, "loss": one.loss} for key, one in found]
        result = {
            "learner": learner,
            "examples": done.examples,
            "keys": done.keys,
            "mae" if regresses else "error": error,
            "errors": done.errors,
            "unlabelled": done.unlabelled,
            "worst": keys,
        }
        print(orjson.dumps(result, option=orjson.OPT_INDENT_2).decode())
        return
    print(f"{learner} for each of {done.keys:,} keys, {done.examples:,} examples")
    if regresses:
        print(f"mean absolute error {error:.6g}")
    else:
        print(f"wrong predictions {done.errors:,} ({error:.2%})")
    for key, one in found:
        own = f"mean absolute error {one.loss / one.rows:.6g}" if regresses else f"{one.errors:,} wrong"
        print(f"  {visible(str(key))}: {own} of {one.rows:,}")

"""``driftline run --key``: a learner for each key of the files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from driftline.cli.options import FileOptions, LearnerOptions

if TYPE_CHECKING:
    from driftline import Learner
    from driftline.evaluate.keyed_run import KeyedRun
    from driftline.streams import FileStream

CLASSIFIER, REGRESSOR = "pa1", "pa1regressor"
"""The learners of a key that are taken if none is named; they are small."""
FILE = "keyed.dl"
"""The file in the folder of --checkpoint."""
SHARDS = "keyed.json"
"""The file that the folder has with --engine ray."""


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
    engine
        ray shares the keys among the workers of Ray, with the same results as local. It needs
        --checkpoint, a folder that all machines see, and driftline[ray]. --every then counts the
        rows of one worker. A row that the learner refuses ends the run.
    """

    key: str | None = None
    max_keys: int | None = None
    spill: str | None = None
    worst: Annotated[int, Parameter(name="--worst")] = 10
    engine: Literal["local", "ray"] = "local"


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
    run = _on_ray if keyed.engine == "ray" else _local
    done = run(made, keyed, stream, checkpoint, every, resume)
    with done.keyed as all_learners:
        if save is not None:
            all_learners.save(save)
        _print(done, made.rule.regresses, repr(made), keyed.worst, json)
    return 0


def _local(
    made: Learner, keyed: KeyOptions, stream: FileStream, checkpoint: str | None, every: int, resume: bool
) -> KeyedRun:
    """Run in this process."""
    import driftline as dl

    memory: dict[str, Any] = {"max_keys_in_memory": keyed.max_keys, "spill": keyed.spill}
    path = None if checkpoint is None else _path(Path(checkpoint), resume)
    learners = None
    if path is not None and path.exists():
        learners = dl.Keyed.load(path, **memory)
        if learners.key != keyed.key or repr(learners.template) != repr(made):
            raise ValueError(
                f"{path}: --key and the learner must be those of the checkpoint, {learners.key} and "
                f"{learners.template!r}, got {keyed.key} and {made!r}. Resume with the same options"
            )
    if learners is None:
        learners = dl.Keyed(made, key=keyed.key, **memory)
    try:
        return learners.run(stream, checkpoint=path, every=every)
    except BaseException:
        learners.close()
        raise


def _on_ray(
    made: Learner, keyed: KeyOptions, stream: FileStream, checkpoint: str | None, every: int, resume: bool
) -> KeyedRun:
    """Run on the workers of Ray."""
    if checkpoint is None:
        raise ValueError(
            "--engine ray must come with --checkpoint, got none: workers that are lost start again from it. "
            "Give a folder that all machines see"
        )
    if keyed.max_keys is not None or keyed.spill is not None:
        raise ValueError("--engine ray must come without --max-keys and --spill, got one. Leave them out")
    from driftline import scale

    folder = Path(checkpoint)
    if (folder / FILE).exists() or ((folder / SHARDS).exists() and not resume):
        kind = "of --engine local" if (folder / FILE).exists() else "one"
        remedy = "Choose another folder" if (folder / FILE).exists() else "Resume it with --resume, or remove it"
        raise ValueError(f"{folder}: must not contain a checkpoint, got {kind}. {remedy}")
    with scale.Keyed(made, keyed.key, folder=folder, every=every) as learners:
        return learners.run(stream)


def _path(folder: Path, resume: bool) -> Path:
    """The file of the checkpoints."""
    path = folder / FILE
    if (folder / SHARDS).exists():
        raise ValueError(f"{folder}: must not contain a checkpoint of --engine ray, got one. Choose another folder")
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

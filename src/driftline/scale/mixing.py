"""Iterative parameter mixing: learners of shards of one stationary stream are averaged after each round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from driftline.evaluate.file_recipe import expect_task, read_by_recipe, sort_labels, told_recipe
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.run import run
from driftline.internals.require import require, whole
from driftline.learners import Learner
from driftline.learners.state import add_labels
from driftline.saved import from_bytes
from driftline.scale.mixing_shards import Shard, shards_of

WHERE = "mix"
STATIONARY = (
    'mix: assume must be "stationary", got {!r}. The mean of learners of different parts of a stream is useful only if '
    "all parts follow one distribution: on a stream that drifts, mixing contiguous shards had an error of .43, one "
    'pass in order .035. If your examples are in random order, pass assume="stationary". Otherwise use dl.run'
)


@dataclass(frozen=True)
class Mixed:
    """The result of parameter mixing.

    Attributes
    ----------
    learner
        The learner with the mixed weights. Its counters are those of the first shard.
    examples
        The number of examples in all shards.
    errors
        For each round, the share of wrong predictions in the shards, each example predicted before
        it was learned; for regressors the mean absolute error.
    skipped
        The number of malformed rows that were left out (``on_error="skip"``).
    """

    learner: Learner
    examples: int
    errors: tuple[float, ...]
    skipped: int = 0


@dataclass(frozen=True)
class Pass:
    """What a shard returns after a round: the learner as a model file, and its counts."""

    model: bytes
    examples: int
    error: float
    skipped: int


def mix(
    learner: Learner,
    data: Any,
    *,
    assume: str | None = None,
    rounds: int = 3,
    shards: int | None = None,
    engine: Literal["local", "ray"] = "local",
    rows: int | None = None,
    **reading: Any,
) -> Mixed:
    """Train a linear learner on shards of a stationary stream, and average the weights after each round.

    Iterative parameter mixing (McDonald, Hall, Mann 2010). In each round, every shard continues
    from the mixed weights and learns its examples once, in order. The mixed weights are the mean
    over the shards, weighted by their examples. Use it for data that no machine can read in
    time. If one machine can read them once, ``dl.Averaged`` is as accurate and needs one pass.

    Parameters
    ----------
    learner : Learner
        A linear learner with ``set_weights``, such as ``dl.PA1()``, with ``scale`` None or "unit".
        It stays as it is.
    data : path, list of paths, pair (X, y) or iterable of blocks
        Files, which each worker reads by itself, or arrays or blocks ``(X, y)`` or ``(X, y, w)``,
        which must fit into memory. File or block k belongs to the shard k modulo ``shards``. The
        columns of the files and their kinds are found from the first rows of the first file.
    assume : "stationary"
        The statement that all parts of the data follow one distribution. It must be given.
    rounds : int, default=3
        How often the data are learned.
    shards : int or None, default=None
        The number of shards. None means 8, or the number of files or blocks if it is smaller. The
        result depends on it, but not on the number of workers.
    engine : {"local", "ray"}, default="local"
        "ray" learns the shards on the workers of Ray, with the same bits as "local".
    rows : int or None, default=None
        The number of examples of a block, for arrays. None means 8192, or fewer if there would be
        fewer blocks than shards.
    **reading
        Options of ``dl.streams.read`` for files, such as ``target``.

    Returns
    -------
    Mixed
        The learner, and the errors of each round.

    Notes
    -----
    Counters are not added up. The step of a rule such as ``SelfTuningALMA`` depends on its
    number of updates, and the mean of learners with t updates each is as far as one of them. So
    the mixed learner has the counters of the first shard (``n_seen``, updates, and an adapted tube
    of a regressor), and all shards continue with them in the next round.

    >>> import driftline as dl
    >>> from driftline import scale
    >>> data = dl.streams.RotatingHyperplane(4000, 5, angle=0.0, seed=1, block=500)
    >>> mixed = scale.mix(dl.PA1(), data, shards=4, assume="stationary")
    >>> mixed.examples, mixed.learner.n_seen, len(mixed.errors)
    (4000, 3000, 3)
    """
    if assume != "stationary":
        raise ValueError(STATIONARY.format(assume))
    whole(WHERE, "rounds", rounds, 1)
    for name, given in (("rows", rows), ("shards", shards)):
        if given is not None:
            whole(WHERE, name, given, 1)
    require(engine in ("local", "ray"), WHERE, "engine must be 'local' or 'ray'", engine)
    _check_mixable(learner)
    each = shards_of(data, shards, rows, reading)
    start = _prepared(learner, each)
    return _on_ray(start, each, rounds) if engine == "ray" else _mixed(start, rounds, lambda model: local(model, each))


def _check_mixable(learner: Any) -> None:
    """Raise ValueError unless the weights are all that the learner learns."""
    require(isinstance(learner, Learner), WHERE, "learner must be a driftline learner", learner)
    if learner.options["scale"] not in (None, "unit"):
        raise ValueError(
            f"{WHERE}: scale must be None or 'unit', got {learner.options['scale']!r}: each shard would scale its "
            "features differently. Scale the data, or leave scale out"
        )
    try:
        deepcopy(learner).set_weights({})
    except ValueError as error:
        raise ValueError(f"{WHERE}: the weights must be all that the learner learns. {error}") from None


def _prepared(learner: Learner, shards: Sequence[Shard]) -> Learner:
    """A copy of the learner that knows the columns and the two labels, so that all shards agree on them."""
    start = from_bytes(learner.to_bytes())
    for shard in shards:
        stream = shard.stream()
        read_by_recipe([start], stream)
        expect_task([start], stream)
        for _, y, *_ in stream:
            sort_labels(start, stream)
            start.recipe = start.recipe or told_recipe(stream)
            if start.rule.regresses or len(start.labels) >= 2:
                return start
            found = list(dict.fromkeys(label for label in _values(y) if label is not None))
            add_labels(start, found[:2])
    return start


def _values(y: Any) -> list[Any]:
    """Labels as Python objects."""
    found: list[Any] = y.tolist() if hasattr(y, "tolist") else list(y)
    return found


def learn_shard(model: bytes, shard: Shard, number: int) -> Pass:
    """Learn one shard from the given model.

    Parameters
    ----------
    model
        The learner at the start of the round, as a model file.
    shard, number
        The shard, and its number for error messages.
    """
    stream = shard.stream()
    try:
        done = run(from_bytes(model), stream, points=2, progress=False)
    except ValueError as error:
        raise ValueError(f"{WHERE}: shard {number}: {error}") from None
    wrong = done.mae if isinstance(done, RegressionRun) else done.mistakes / max(1, done.examples)
    return Pass(done.learner.to_bytes(), done.examples, wrong, getattr(stream, "skipped", 0))


def local(model: bytes, shards: Sequence[Shard]) -> list[Pass]:
    """Learn all shards in this process."""
    return [learn_shard(model, shard, number) for number, shard in enumerate(shards)]


def _on_ray(start: Learner, shards: Sequence[Shard], rounds: int) -> Mixed:
    """``_mixed`` on the workers of Ray."""
    from driftline.scale.cluster import cluster  # first: without Ray its error says what to install

    with cluster():
        from driftline.scale.mixing_on_ray import passes

        return _mixed(start, rounds, passes(shards))


def _mixed(start: Learner, rounds: int, learned: Callable[[bytes], Sequence[Pass]]) -> Mixed:
    """Learn all rounds; ``learned`` returns what the shards learned from a model."""
    mixed, errors = start, []
    for _ in range(rounds):
        done = learned(mixed.to_bytes())
        examples = sum(one.examples for one in done)
        if not examples:
            raise ValueError(f"{WHERE}: data must have an example with a label, got none. Check the files")
        errors.append(sum(one.error * one.examples for one in done) / examples)
        mixed = _mean(done, examples)
    return Mixed(mixed, examples, tuple(errors), sum(one.skipped for one in done))


def _mean(done: Sequence[Pass], examples: int) -> Learner:
    """The first learner with the mean of all weights, weighted by the examples of the shards."""
    each = [from_bytes(one.model) for one in done]
    total: dict[Any, float] = {}
    for one, learner in zip(done, each, strict=True):
        for name, weight in learner.weights().items():
            total[name] = total.get(name, 0.0) + weight * (one.examples / examples)
    each[0].set_weights(total)
    return each[0]

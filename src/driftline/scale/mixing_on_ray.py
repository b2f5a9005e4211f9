"""The rounds of parameter mixing on the workers of Ray."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ray

from driftline.scale.mixing import Pass, learn_shard
from driftline.scale.mixing_shards import Shard

_learn = ray.remote(learn_shard)


def passes(shards: Sequence[Shard]) -> Callable[[bytes], list[Pass]]:
    """A function that learns all shards from a model, each on a worker of the running Ray.

    Parameters
    ----------
    shards
        The shards. Blocks are stored in the object store once, for all rounds.
    """
    stored = [ray.put(shard) for shard in shards]

    def learned(model: bytes) -> list[Pass]:
        given = ray.put(model)
        running = [_learn.remote(given, shard, number) for number, shard in enumerate(stored)]
        return [_of(reference) for reference in running]

    return learned


def _of(reference: object) -> Pass:
    """The result of a shard; its own error, not Ray's."""
    try:
        done: Pass = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, ValueError) else error) from None
    return done

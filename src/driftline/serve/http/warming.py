"""Compile the loops of a learner in a thread, once for each kind of model, while others answer."""

from __future__ import annotations

import asyncio

from driftline.learners import REGISTRY
from driftline.serve import warming
from driftline.serve.spec import Spec

_warm: set[str] = set()


async def warm(spec: Spec) -> None:
    """Compile the loops of this kind of model. Faults of the spec are left to the hub to report."""
    key = repr((spec.learner, sorted(spec.options.items()), spec.asking, spec.labels))
    if key not in _warm and spec.learner in REGISTRY:
        await asyncio.to_thread(warming.warm, spec)
        _warm.add(key)

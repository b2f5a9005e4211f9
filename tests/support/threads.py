"""Threads that are switched often, and that report their errors."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def hasty() -> Iterator[None]:
    """Within this context threads are switched as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_threads(*works: Callable[[], object]) -> None:
    """Run all works at once, in threads that are switched often; raise the first error."""
    errors: list[BaseException] = []
    start = threading.Barrier(len(works))

    def guard(work: Callable[[], object]) -> None:
        try:
            start.wait(60)
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guard, args=(work,)) for work in works]
    with hasty():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]

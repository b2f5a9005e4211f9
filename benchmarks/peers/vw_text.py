"""Vowpal Wabbit through its Python package: plain gradient descent on the hinge loss (`--sgd`,
its fastest mode).

One task learns from lines of text, which are parsed within the timing. The other learns from
parsed examples. Its step sizes differ from the other learners', so its weights are not
comparable; its time per row is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from contest import Attempt, Task, block_heat
from data import Data
from vowpalwabbit import Workspace

OPTIONS = "--quiet --loss_function hinge --sgd --noconstant -b 18"


def versions() -> dict[str, str]:
    """Return Vowpal Wabbit's version."""
    return {"vowpalwabbit": version("vowpalwabbit")}


def tasks(data: Data) -> Iterator[Task]:
    """Yield the pass over text and the pass over parsed examples."""
    lines = [_line(data, row) for row in range(data.sizes.text_rows)]
    parsed = lines[: data.sizes.parsed_rows]
    heat = block_heat("sparse", None)
    yield Task(heat, "Vowpal Wabbit, text", len(lines), _learn(lines, lambda _, line: line))
    yield Task(heat, "Vowpal Wabbit, parsed", len(parsed), _learn(parsed, Workspace.example))


def _line(data: Data, row: int) -> str:
    start, end = data.indptr[row], data.indptr[row + 1]
    pairs = zip(data.indices[start:end].tolist(), data.values[start:end].tolist(), strict=True)
    return f"{data.sparse_y[row]:.0f} | " + " ".join(f"{index}:{value:.6g}" for index, value in pairs)


def _learn(lines: list[str], ready: Callable[[Any, str], Any]) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        workspace = Workspace(OPTIONS)
        examples = [ready(workspace, line) for line in lines]

        def run() -> None:
            learn = workspace.learn
            for example in examples:
                learn(example)

        def after() -> None:
            for example in examples:
                if not isinstance(example, str):
                    workspace.finish_example(example)
            workspace.finish()

        return Attempt(run, after)

    return prepare

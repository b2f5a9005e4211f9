"""A small experiment of six sums; TINY_FAULT=KEY:WHAT makes one of its tasks fail."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from typing import Any

from driftline.reproduce import plotting
from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict
from driftline.reproduce.intervals import less, paired

LONG = 600


class Tiny:
    name = "tiny"
    title = "Six <sums>"
    citation = "Nobody. On sums. 2001."
    lead = "What is summed & why."

    def tasks(self, setting: Setting) -> list[Task]:
        return [Task(f"sum-{k}", {"k": k, "n": 3 if setting.quick else 5}) for k in range(6)]

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        key, _, fault = os.environ.get("TINY_FAULT", "").partition(":")
        if key == f"sum-{what['k']}":
            _fail(fault, setting)
        if os.environ.get("TINY_DATA"):
            assert setting.sources.usps().stands_in
        return {"values": [what["k"] / 7 + j + setting.seed for j in range(what["n"])], "nan": float("nan")}

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        return [{"task": key, "sum": sum(one["values"])} for key, one in answers.items()]

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        a, b = answers["sum-0"]["values"], answers["sum-5"]["values"]
        difference, error = paired(a, b)
        return [
            Verdict("a is less than b", "sums", less(a, b), {"difference": difference, "error": error}, "It is."),
            Verdict("a is more than b", "sums & <more>", False, {"infinite": float("inf")}, "It is not."),
            Verdict("a is a", "one", None, {}, "Who knows."),
        ]

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        for name in ("first", "second"):
            figure, ax = plotting.axes("sum", "value", width=2.5, height=2.0)
            plotting.band(ax, range(len(answers["sum-0"]["values"])), [a["values"] for a in answers.values()], "all", 0)
            plotting.legend(ax)
            yield Drawing(name, f"The {name} <figure>", "It rises & rises.", figure)

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        return [f"{len(answers)} sums were chosen."]


def _fail(fault: str, setting: Setting) -> None:
    if fault == "stop":
        raise KeyboardInterrupt
    if fault == "bug":
        raise TypeError("no such sum")
    if fault == "refuse":
        raise ValueError("tiny: sums must be small, got 7. Use less")
    if fault == "die":
        os._exit(1)
    # the process that started this one gets the signal; this one would go on for long
    os.kill(os.getppid(), {"kill": signal.SIGKILL, "interrupt": signal.SIGINT}[fault])
    time.sleep(LONG)


EXPERIMENT = Tiny()

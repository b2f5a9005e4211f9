"""Observed mistakes and guaranteed bounds on real streams.

    python benchmarks/certificates.py PAGE [--only STREAM]

The streams are read from the folder DRIFTLINE_DATA. Every row is one run; all examples have length 1. With --only the
rows of some streams are printed, and the page stays as it is.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import only

import driftline as dl
from driftline.evaluate.certificate import Certificate
from driftline.streams import FourPhase

FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "Elec2": ("elec2/elecNormNew.arff.zip", {}),
    "spam": ("spam/katakis_spam_9324x39916.svm.xz", {}),
    "usenet1": ("usenet/usenet1.arff.xz", {}),
    "a9a": ("svmlight/a9a.xz", {"format": "svmlight"}),
}
USPS = "USPS, four phases"
LEARNERS: dict[str, Callable[[], dl.Learner]] = {
    "Perceptron()": lambda: dl.Perceptron(scale="unit"),
    "PNormPerceptron(3)": lambda: dl.PNormPerceptron(3.0, scale="unit"),
    "NORMA(0.3, 0.001, 0.1)": lambda: dl.NORMA(0.3, 0.001, 0.1, scale="unit"),
    "NORMA(0.1, 0.1)": lambda: dl.NORMA(0.1, 0.1, scale="unit"),
    "ALMA(0.1, 2, 0.1)": lambda: dl.ALMA(0.1, 2.0, 0.1, scale="unit"),
    "PA()": lambda: dl.PA(scale="unit"),
    "PA1(1)": lambda: dl.PA1(1.0, scale="unit"),
    "PA2(1)": lambda: dl.PA2(1.0, scale="unit"),
    "L2PA(10)": lambda: dl.L2PA(10.0, scale="unit"),
    "AROW(1)": lambda: dl.AROW(1.0, scale="unit"),
    "ProjectionPerceptron(0.05)": lambda: dl.ProjectionPerceptron(0.05, scale="unit"),
}
TOO_WIDE = {("AROW(1)", "spam")}
HEAD = """# Observed and guaranteed

`make certificates` writes this page. Every row is one run over a real stream. The columns show the
observed mistakes (or updates, if the theorem bounds updates), the tightest bound found with a
fixed comparator and with a moving one, the number of pieces of the moving comparator, and the
ratio of the observed number to the smaller bound. A bound holds for any data. It is small if some
comparator has a small loss on them.

Elec2 drifts, and usenet1 changes its labels every 300 examples. a9a has no order, and one rule
gives the labels in all four phases of USPS. "Not useful" means that no comparator was found with a
bound below the number of examples. The matrix of AROW is too wide for spam, with 39,914 features.

| stream | learner | examples | observed | fixed comparator | moving comparator | pieces | ratio |
|---|---|---:|---:|---:|---:|---:|---:|
"""


def main(arguments: list[str]) -> int:
    """Run all, and write the page; or run some, and print their rows."""
    options = _options(arguments)
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder:
        print(
            "certificates: DRIFTLINE_DATA must name the folder of the data sets, got nothing. Set it", file=sys.stderr
        )
        return 2
    for make in LEARNERS.values():  # so that what is compiled once is not counted
        dl.run(make(), dl.streams.SEA(500), certify=True).certificate()
    lines, slowest = [], (0.0, 0.0, "")
    for stream in options.chosen:
        for name, make in LEARNERS.items():
            _tell(f"{stream}: {name}")
            if (name, stream) in TOO_WIDE:
                continue
            start = time.perf_counter()
            run = dl.run(make(), _stream(Path(folder), stream), certify=True)
            middle = time.perf_counter()
            certificate = run.certificate()
            slowest = max(slowest, (time.perf_counter() - middle, middle - start, f"{name} on {stream}"))
            lines.append(f"| {stream} | `{name}` | {run.examples:,} | {_cells(certificate)} |")
    _tell("")
    seconds, ran, what = slowest
    end = (
        f"\nThe longest search for comparators took {seconds:.1f} s ({what}).\n"
        f"Reading that stream and running the learner took {ran:.1f} s.\n"
    )
    if options.only:
        print("\n".join(lines) + "\n" + end)
    else:
        options.page.write_text(HEAD + "\n".join(lines) + "\n" + end, encoding="utf-8")
    return 0


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="certificates", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path, help="where the page goes")
    parser.add_argument("--only", default="", metavar="TEXT", help="only streams with this in their name; print them")
    options = parser.parse_args(arguments)
    try:
        options.chosen = only.chosen(options.only, (*FILES, USPS))
    except ValueError as error:
        parser.error(str(error))
    return options


def _stream(folder: Path, name: str) -> Any:
    if name != USPS:
        path, options = FILES[name]
        return dl.streams.read(folder / path, **options)
    import h5py

    with h5py.File(folder / "usps/usps.h5") as file:
        parts = [(file[f"{part}/data"][:], file[f"{part}/target"][:]) for part in ("train", "test")]
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return FourPhase(X, y, classes=(3, 7, 8, 9), phase=500)


def _cells(certificate: Certificate) -> str:
    best = min(certificate.useful, key=lambda one: one.value, default=None)
    if best is None:
        return f"{certificate.mistakes:,} mistakes | not useful | not useful | | "
    found = {one.moves: one for one in certificate.useful}
    observed = certificate.observed(best)
    values = [f"{found[moves].value:,.0f}" if moves in found else "not useful" for moves in (False, True)]
    smaller = [f"**{one}**" if best.moves is moves else one for moves, one in zip((False, True), values, strict=True)]
    pieces = str(found[True].segments) if True in found else ""
    return f"{observed:,} {best.bound.limits} | {smaller[0]} | {smaller[1]} | {pieces} | {observed / best.value:.2f}"


def _tell(message: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

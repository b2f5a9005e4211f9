"""``python -m driftline.cli.demo``: every rule on three streams that drift, as tables and as a report."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import driftline as dl

if TYPE_CHECKING:
    from driftline.report import Section, Summary

SETTINGS: dict[str, Callable[[], dl.Learner]] = {
    "Perceptron": lambda: dl.Perceptron(bias=False),
    "PNormPerceptron": lambda: dl.PNormPerceptron(p=2.2, bias=False),
    "ProjectionPerceptron": lambda: dl.ProjectionPerceptron(eta=0.15, radius=1.0, bias=False),
    "NORMA": lambda: dl.NORMA(alpha=0.3, lam=0.001, rho=0.5, bias=False),
    "ALMA": lambda: dl.ALMA(alpha=0.3, B=6.0, rho=0.5, bias=False),
    "SelfTuningALMA": lambda: dl.SelfTuningALMA(alpha=0.7, bias=False),
    "PA margin": lambda: dl.PA(when="margin", bias=False),
    "PA mistake": lambda: dl.PA(when="mistake", bias=False),
    "PA1": lambda: dl.PA1(C=0.7, when="margin", bias=False),
    "PA2": lambda: dl.PA2(C=0.25, when="margin", bias=False),
    "ShrunkPA": lambda: dl.ShrunkPA(alpha=0.001, when="margin", bias=False),
    "L2PA margin": lambda: dl.L2PA(beta=9.0, when="margin", bias=False),
    "L2PA mistake": lambda: dl.L2PA(beta=9.0, when="mistake", bias=False),
    "L1PA": lambda: dl.L1PA(beta=50.0, when="margin", bias=False),
    "ROMMA margin": lambda: dl.ROMMA(when="margin", bias=False),
    "ROMMA mistake": lambda: dl.ROMMA(when="mistake", bias=False),
}
"""For examples of length one, the same on all streams.

A coarse search (1 to 16 settings a rule) for the least sum of the three errors on seed 0. Where the best
setting makes a rule the same as a simpler one (a ball that is never reached, a p of 2, no shrinkage), a
setting near it is taken at which the rule still differs.
"""

FEATURES, NOISE, MARGIN = 50, 0.05, 0.05
ANGLE = 0.001
DIGITS = (3, 7, 8, 9)
PHASE = 160
BLOCK = 5000
TITLE = "Every rule on moving targets"
LEAD = (
    "Every rule of the package, test then train: each example is scored, the score is counted, and only then "
    "is the example learned. All examples have length one, and each rule has the same parameters on all "
    "streams: they come from a coarse search, 1 to 16 settings a rule, on seed 0 of these same streams, and "
    "the streams were made such that the rules differ. So this shows how rules behave; it does not rank "
    "them. Speeds are those of the machine that ran this, with all counting, on one core."
)


def learners() -> dict[str, Callable[[], dl.Learner]]:
    """The learners of all two-number rules: with the settings above, or else with their default parameters."""
    from driftline.learners import LINEAR

    set_above = {name.split()[0] for name in SETTINGS}
    others = {make.__name__: partial(make, bias=False) for make in LINEAR.values() if make.__name__ not in set_above}
    return SETTINGS | others


@dataclass(frozen=True)
class Scene:
    """A stream of the demo, drawn once or several times, and what the report says about it."""

    title: str
    text: str
    streams: Sequence[dl.streams.Stream[Any]]
    window: int
    marks: Sequence[float] = ()
    marked: str = ""
    floor: float | None = None

    @property
    def heading(self) -> str:
        """Its title and size."""
        runs = f"{len(self.streams)} runs of " if len(self.streams) > 1 else ""
        return f"{self.title}: {runs}{len(self.streams[0]):,} examples, {len(learners())} learners"

    def section(self) -> Section:
        """Run all learners, with a progress line on a terminal."""
        from driftline.report import Section

        comparisons = [dl.compare({name: make() for name, make in learners().items()}, s) for s in self.streams]
        return Section(self.title, self.text, comparisons, self.window, self.marks, self.marked, self.floor)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and exit with 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def demo(*, out: str = "demo", quick: bool = False, seed: int = 1) -> int:
    """Run every rule on three streams that drift, and write a report.

    Parameters
    ----------
    out
        Folder of the report.
    quick
        Short streams: a few seconds once compiled.
    seed
        Seed of the streams.
    """
    return main(["--out", out, "--seed", str(seed), *(["--quick"] if quick else [])])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; return 0, or 2 where the report cannot be written."""
    from driftline.report import write_report

    options = _parser().parse_args(argv)
    try:
        _prepare(options.out)
        _compile()
        sections = []
        for scene in _scenes(options.quick, options.seed):
            print(scene.heading, flush=True)
            sections.append(scene.section())
            print(_table(sections[-1].summaries), end="\n\n", flush=True)
        path = write_report(options.out / "report.html", TITLE, sections, LEAD)
    except OSError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    print(f"report: {path}")
    return 0


def _parser() -> Parser:
    parser = Parser(prog="demo", description="Run every rule on three streams that drift, and write a report.")
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="folder of the report (demo)")
    parser.add_argument("--quick", action="store_true", help="short streams: a few seconds once compiled")
    parser.add_argument("--seed", type=_seed, default=1, help="seed of the streams, from 0 (1)")
    return parser


def _seed(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"seed must be a whole number >= 0, got {text!r}")
    return int(text)


def _prepare(folder: Path) -> None:
    """Make the folder, and find out before all work whether it can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OSError(
            f"--out must be a folder that can be written, got {str(folder)!r}: {reason}. Choose another one"
        ) from None


def _compile() -> None:
    """Run every learner on two examples, so that no stream waits for the compiler; say so on a terminal."""
    import numpy as np

    from driftline.evaluate.progress import columns

    X, y = np.eye(2, FEATURES), np.array([1.0, -1.0])
    shown, room = sys.stderr.isatty(), min(80, columns()) - 1
    every = learners()
    for number, (name, make) in enumerate(every.items(), 1):
        if shown:
            line = f"compiling (the first time takes half a minute): {number} of {len(every)}, {name}"
            sys.stderr.write(f"\r{line[:room]:<{room}}")
            sys.stderr.flush()
        dl.run(make(), (X, y), progress=False)
    if shown:
        sys.stderr.write(f"\r{'':{room}}\r")
        sys.stderr.flush()


def _scenes(quick: bool, seed: int) -> Iterator[Scene]:
    """The three streams; without scikit-learn two."""
    yield _rotating(5_000 if quick else 200_000, seed)
    yield _switching(5_000 if quick else 50_000, seed)
    digits = _digits()
    if digits is None:
        print("Four phases of digits: skipped, needs scikit-learn. Install driftline[demo]\n", flush=True)
    else:
        yield _four_phases(*digits, 2 if quick else 20, seed)


def _rotating(n: int, seed: int) -> Scene:
    return Scene(
        "Rotating target",
        f"The right answer is a hyperplane in {FEATURES} dimensions that turns by {ANGLE} radians every "
        f"round, in a plane drawn at random. {NOISE:.0%} of the labels are turned over. There is no end to "
        "learning here: a rule must forget at the pace of the target, and not faster, or it follows noise.",
        [dl.streams.RotatingHyperplane(n, FEATURES, angle=ANGLE, noise=NOISE, margin=MARGIN, seed=seed, block=BLOCK)],
        window=n // 50,
        floor=NOISE,
    )


def _switching(n: int, seed: int) -> Scene:
    every = n // 5
    return Scene(
        "Switching target",
        f"The right answer is a hyperplane in {FEATURES} dimensions that is drawn anew every {every:,} "
        f"rounds, without relation to the one before. {NOISE:.0%} of the labels are turned over. After a "
        "switch all that was learned is worth nothing: what differs is how fast a rule recovers, and where "
        "it settles.",
        [dl.streams.SwitchingHyperplane(n, FEATURES, every=every, noise=NOISE, margin=MARGIN, seed=seed, block=BLOCK)],
        window=n // 50,
        marks=range(every, n, every),
        marked="the target is drawn anew",
        floor=NOISE,
    )


def _four_phases(X: Any, y: Any, repeats: int, seed: int) -> Scene:
    return Scene(
        "Four phases of digits",
        "Scanned digits of 8 by 8 pixels from scikit-learn, the labels as they are. First 3 against 8; then "
        "7 joins the side of 3; then, at once, 7 against 8 and 9; at last 7 against 9. The schedule is Shen "
        f"and Dietterich's, {PHASE} examples a phase. Each run draws its examples anew.",
        [dl.streams.FourPhase(X, y, DIGITS, phase=PHASE, seed=100 * seed + k, block=BLOCK) for k in range(repeats)],
        window=50,
        marks=range(PHASE, 4 * PHASE, PHASE),
        marked="a phase ends",
    )


def _digits() -> tuple[Any, Any] | None:
    """scikit-learn's digits at length one, and what they are; None without scikit-learn."""
    import numpy as np

    try:
        from sklearn.datasets import load_digits
    except ImportError:
        return None
    X, y = load_digits(return_X_y=True)
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def _table(summaries: Sequence[Summary]) -> str:
    """Mistakes, error and speed as text, fewest mistakes first."""
    width = max(len(s.name) for s in summaries)
    lines = [f"{'learner':<{width}}  {'mistakes':>9}  {'error':>6}  {'examples/s':>12}"]
    for s in sorted(summaries, key=lambda s: (s.mistakes, s.index)):
        mistakes = f"{s.mistakes:,.0f}" if s.mistakes_se == 0.0 else f"{s.mistakes:,.1f}"
        lines.append(f"{s.name:<{width}}  {mistakes:>9}  {s.error:>6.2%}  {s.speed:>12,.0f}")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())

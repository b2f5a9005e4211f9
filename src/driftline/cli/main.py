"""``driftline``: the command line. One file a command; what takes long to import is imported by the command itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any, get_args

HELP = """Online classifiers for streams whose right answer changes.

A file in, a model and a report out: svmlight, VW text, JSON lines, CSV, TSV, Parquet, Arrow or ARFF, plain or
compressed.
"""
COMMANDS = {
    "run": "Test, then train on every example of the files; say how many mistakes were made.",
    "compare": "Run several learners over one pass of the files, and rank them by their mistakes.",
    "sweep": "Run a learner with many parameters over one pass of the files, and rank them by their mistakes.",
    "labels": "Run a learner on a part of the labels of the files; say how many mistakes each part costs.",
    "predict": "Print the line, label and score of every example of the files.",
    "inspect": "Print a model's parameters, counters and largest weights.",
    "bounds": "List the theorems, or print what one of them guarantees for given numbers.",
    "margins": "Print the quantities of files that mistake bounds are made of.",
    "reproduce": "Run an experiment of a paper; print which of its claims hold, and write a report.",
    "demo": "Run every rule on three streams that drift, and write a report.",
    "bench": "Print how fast every learner is on this machine.",
}
USAGE, INTERRUPTED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 after one line on stderr that says what is wrong."""
    tokens = ["/dev/stdin" if token == "-" else token for token in (sys.argv[1:] if argv is None else argv)]
    _spell_out()
    try:
        import cyclopts
    except ImportError:
        return _say("cyclopts must be installed for the command line, got none. Install driftline[cli]")
    try:
        result = _app()(tokens, exit_on_error=False, print_error=False)
        sys.stdout.flush()
        return int(result or 0)
    except cyclopts.CycloptsError as error:
        return _say(" ".join(str(error).split()))
    except (ValueError, ImportError, MemoryError) as error:
        return _say(str(error) or "there must be enough memory, got too little. Use --hash-bits")
    except BrokenPipeError:  # whoever reads the output has seen enough; what is left in the buffer goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _say(str(error))
    except KeyboardInterrupt:
        print("driftline: interrupted", file=sys.stderr)
        return INTERRUPTED


def _spell_out() -> None:
    """Output whose encoding lacks a letter gets its number, not an error after all the work."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _say(what: str) -> int:
    print(f"driftline: {' '.join(what.splitlines())}", file=sys.stderr)
    return USAGE


def _app() -> Any:
    from cyclopts import App

    from driftline.version import __version__

    app = App(
        name="driftline",
        help=HELP,
        version=__version__,
        help_format="plaintext",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        config=_whole,
    )
    for name, what in COMMANDS.items():
        app.command(f"driftline.cli.{name}:{name}", name=name, help=what, sort_key=list(COMMANDS).index(name))
    return app


def _whole(app: Any, commands: Any, arguments: Any) -> None:
    """Refuse fractions where a whole number is due, before they are rounded."""
    for argument in arguments:
        if argument.hint is int or int in get_args(argument.hint):
            for token in argument.tokens:
                if "." in token.value:
                    raise ValueError(
                        f"{token.keyword} must be a whole number, got {token.value!r}. Write it without a decimal point"
                    )


if __name__ == "__main__":
    raise SystemExit(main())

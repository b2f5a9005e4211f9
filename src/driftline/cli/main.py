"""``driftline``: the entry point of the command line.

Each command has its own module. Slow imports happen inside the command, so that help is fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any, get_args

HELP = """Online classifiers for data streams that drift.

Commands read svmlight, VW text, JSON lines, CSV, TSV, Parquet, Arrow and ARFF files.
Files may be compressed with gzip, xz, bzip2, zstd or zip.
"""
COMMANDS = {
    "run": "Test, then train a learner on every example of the files, and print its mistakes.",
    "compare": "Run several learners in one pass over the files, and rank them by mistakes.",
    "sweep": "Run a learner with many parameter settings in one pass, and rank them by mistakes.",
    "labels": "Train a learner on part of the labels, and print its mistakes against the share of labels.",
    "predict": "Print the line number, predicted label and score of every example.",
    "inspect": "Print the parameters, counters and largest weights of a saved model.",
    "bounds": "List the theorems, or evaluate the bound of one of them.",
    "margins": "Print the quantities of a data set that mistake bounds depend on.",
    "reproduce": "Repeat the experiments of a paper, print which of its claims hold, and write a report.",
    "demo": "Run every linear rule on three drifting streams, and write a report.",
    "data": "Write a copy of a sample data set: mails, payments or sensors.",
    "bench": "Print the speed of every linear learner on this machine, in examples per second.",
}
USAGE, INTERRUPTED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Return 0, 130 after Ctrl-C, or 2 after printing the error to stderr."""
    tokens = ["/dev/stdin" if token == "-" else token for token in (sys.argv[1:] if argv is None else argv)]
    _escape_unencodable_output()
    import cyclopts

    try:
        result = _app()(tokens, exit_on_error=False, print_error=False)
        sys.stdout.flush()
        return int(result or 0)
    except cyclopts.CycloptsError as error:
        return _print_error(" ".join(str(error).split()))
    except (ValueError, ImportError, MemoryError) as error:
        return _print_error(str(error) or "out of memory. Limit the number of weights with --hash-bits")
    except BrokenPipeError:  # the reader closed the pipe: discard the rest of the buffer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _print_error(str(error))
    except KeyboardInterrupt:
        print("driftline: interrupted", file=sys.stderr)
        return INTERRUPTED


def _escape_unencodable_output() -> None:
    """Print characters that the encoding of stdout lacks as backslash escapes."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _print_error(message: str) -> int:
    from driftline.internals.visible_text import visible

    print(f"driftline: {visible(' '.join(message.splitlines()))}", file=sys.stderr)
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
        config=_refuse_fractions,
    )
    for name, what in COMMANDS.items():
        app.command(f"driftline.cli.{name}:{name}", name=name, help=what, sort_key=list(COMMANDS).index(name))
    return app


def _refuse_fractions(app: Any, commands: Any, arguments: Any) -> None:
    """Refuse a fraction for an option of type int, which cyclopts would round."""
    for argument in arguments:
        if argument.hint is int or int in get_args(argument.hint):
            for token in argument.tokens:
                if "." in token.value:
                    raise ValueError(
                        f"{token.keyword} must be a whole number, got {token.value!r}. Write it without a decimal point"
                    )


if __name__ == "__main__":
    raise SystemExit(main())

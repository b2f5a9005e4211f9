"""``driftline``: the entry point of the command line.

Each command has its own module. Slow imports happen inside the command, so that help is fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from itertools import pairwise
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
    "evaluate": "Print the errors of a saved model on labelled files.",
    "inspect": "Print the parameters, counters, columns and largest weights of a saved model.",
    "export": "Write the weights of a saved linear model to a JSON or ONNX file.",
    "learners": "List the learners, or describe the parameters, paper and theorems of one of them.",
    "bounds": "List the theorems, or evaluate the bound of one of them.",
    "margins": "Print the quantities of a data set that mistake bounds depend on.",
    "reproduce": "Repeat the experiments of a paper, print which of its claims hold, and write a report.",
    "serve": "Answer predictions over HTTP, and learn from labels that come later.",
    "token": "Make, rotate, revoke or list the access tokens of a server.",
    "backup": "Copy the database of a server while it runs, and check the copy.",
    "replay": "Make the model of a service again from its log, and write it to a file.",
    "feed": "Let a model of the service learn each message of a Kafka topic once.",
    "follow": "Learn a Kafka topic with a learner for each key, each message once.",
    "stress": "Send random examples to a running service, and print its speed and errors.",
    "demo": "Run the Tracker and every linear rule on four drifting streams, and write a report.",
    "data": "Write a copy of a sample data set: mails, payments or sensors.",
    "info": "Print versions, whether compiled code of the installed package is used, and the cache folder.",
    "warm": "Compile the functions of learners before they are first used.",
    "bench": "Print the speed of every linear learner on this machine, in examples per second.",
}
USAGE, INTERRUPTED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Return 0, 130 after Ctrl-C, or 2 after printing the error to stderr."""
    tokens = _named_stdin(sys.argv[1:] if argv is None else argv)
    _escape_unencodable_output()
    import cyclopts

    try:
        result = _app()(tokens, exit_on_error=False, print_error=False)
        _print_learner_help(tokens)
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


def _named_stdin(tokens: Sequence[str]) -> list[str]:
    """Name standard input for -, which cyclopts takes for an option; after --na it is a text."""
    before = ("", *tokens)
    return [
        "/dev/stdin" if token == "-" and last != "--na" else token for last, token in zip(before, tokens, strict=False)
    ]


def _print_learner_help(tokens: Sequence[str]) -> None:
    """Print the parameters of the learner if help was asked for with --learner."""
    if not {"--help", "-h"} & set(tokens) or tokens[0] not in ("run", "sweep"):
        return
    given = [after for before, after in pairwise(tokens) if before == "--learner"]
    given += [token.partition("=")[2] for token in tokens if token.startswith("--learner=")]
    if given:
        from driftline.cli.learners import parameter_help

        print(f"\n{parameter_help(given[-1].partition('(')[0])}")


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

    from driftline.cli.examples import epilogue
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
        app.command(
            f"driftline.cli.{name}:{name}",
            name=name,
            help=what,
            help_epilogue=epilogue(name),
            sort_key=list(COMMANDS).index(name),
        )
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

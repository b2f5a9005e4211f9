"""``driftline margins``: print the quantities of a data set that mistake bounds depend on."""

from __future__ import annotations

from driftline.cli.options import FileOptions, LearnerOptions


def margins(
    *files: str,
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
    making: LearnerOptions = LearnerOptions(),  # noqa: B008
) -> int:
    """Print the quantities of a data set that mistake bounds depend on.

    These are the lengths of the examples, and their distance from being separable.

    Parameters
    ----------
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    json
        Print the result as JSON.
    """
    import json as as_json
    import math

    import driftline as dl
    from driftline.certify.quantities import quantities
    from driftline.cli import output
    from driftline.cli.learner import options_of
    from driftline.cli.notes import print_notes

    if not files:
        raise ValueError("margins must be given a file, got none. Give a path, or - for stdin")
    stream = reading.stream(files, labelled=True)
    options = options_of(reading.labelled_by(making), reading.words)
    run = dl.run(dl.Perceptron(**options), stream, certify=True)
    output.check_learned(stream, run.examples)
    found = quantities(run.evidence)
    if json:
        plain = {name: [value if math.isfinite(value) else None, meaning] for name, (value, meaning) in found.items()}
        print(as_json.dumps(plain))
        return 0
    print_notes(stream)
    for name, (value, meaning) in found.items():
        if name == "bound" and not value < run.examples:
            print(f"{name:<14}{'none':>14}  no useful bound: no fixed u gives a value below the number of examples")
        else:
            print(f"{name:<14}{value:>14.6g}  {meaning}")
    return 0

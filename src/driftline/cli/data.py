"""``driftline data``: write a copy of a sample data set."""

from __future__ import annotations


def data(name: str, target: str | None = None) -> int:
    """Write a copy of a sample data set: mails, payments or sensors.

    Parameters
    ----------
    name
        mails (JSON lines, label), payments (CSV, fraud) or sensors (CSV, state).
    target
        File to write. If its name ends in .gz, it is compressed. Another file is not overwritten.
        Default: mails.jsonl, payments.csv or sensors.csv in this folder.
    """
    import gzip
    from pathlib import Path

    from driftline.cli import output
    from driftline.datasets import FILES, path_of

    stored = path_of(name).read_bytes()
    example = f"driftline data {name} sample-{FILES[name]}"
    path = Path(FILES[name] if target is None else target)
    output.check_writable(str(path))
    content = stored if path.suffix == ".gz" else gzip.decompress(stored)
    if path.is_file() and path.read_bytes() != content:
        raise ValueError(f"{path}: must be a new file, got one with other content. Give another name: {example}")
    path.write_bytes(content)
    print(f"{path}: {len(gzip.decompress(stored).splitlines()):,} lines, {len(content):,} bytes")
    return 0

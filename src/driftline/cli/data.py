"""``driftline data``: write a copy of a sample data set."""

from __future__ import annotations


def data(name: str, target: str | None = None) -> int:
    """Write a copy of a sample data set: mails, payments or sensors.

    Parameters
    ----------
    name
        mails (JSON lines, label), payments (CSV, fraud) or sensors (CSV, state).
    target
        File to write. If its name ends in .gz, it is compressed.
        Default: mails.jsonl, payments.csv or sensors.csv in this folder.
    """
    import gzip
    from pathlib import Path

    from driftline.cli import output
    from driftline.datasets import FILES, path_of

    stored = path_of(name).read_bytes()
    path = Path(FILES[name] if target is None else target)
    output.check_writable(str(path))
    content = stored if path.suffix == ".gz" else gzip.decompress(stored)
    path.write_bytes(content)
    print(f"{path}: {len(gzip.decompress(stored).splitlines()):,} lines, {len(content):,} bytes")
    return 0

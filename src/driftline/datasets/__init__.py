"""Small data sets for trying out driftline: mails, payments and sensor readings.

They are synthetic. ``generate/datasets.py`` writes them.
"""

from __future__ import annotations

from pathlib import Path

FILES = {"mails": "mails.jsonl", "payments": "payments.csv", "sensors": "sensors.csv"}
"""The name of each data set, and its file in this package without the ending .gz."""


def mails() -> Path:
    """JSON lines of 3,000 mails, spam or ham, with a vocabulary that drifts.

    The columns are ``when``, ``from``, ``subject``, ``body`` and ``label`` ("spam" or "ham").

    Returns
    -------
    pathlib.Path
        The file, compressed with gzip.

    >>> import driftline as dl
    >>> stream = dl.streams.read(dl.datasets.mails(), target="label", time="when", text=["subject", "body"])
    >>> dl.run(dl.PA1(hashing=dl.Hashing(18)), stream).examples
    3000
    """
    return path_of("mails")


def payments() -> Path:
    """CSV of 10,000 card payments, of which about 2 % are fraud.

    The columns are ``when``, ``amount``, ``currency``, ``merchant``, ``country``, ``card_present``
    and ``fraud`` ("yes" or "no"). Some cells are missing.

    Returns
    -------
    pathlib.Path
        The file, compressed with gzip.
    """
    return path_of("payments")


def sensors() -> Path:
    """CSV of 6,000 readings of machines in three states, with drift.

    The columns are ``when``, ``device``, ``temperature``, ``vibration``, ``current``, ``pressure``
    and ``state`` ("ok", "worn" or "failing"). Some readings are missing.

    Returns
    -------
    pathlib.Path
        The file, compressed with gzip.
    """
    return path_of("sensors")


def path_of(name: str) -> Path:
    """The file of a data set.

    Parameters
    ----------
    name
        "mails", "payments" or "sensors".

    Returns
    -------
    pathlib.Path
        The file, compressed with gzip.
    """
    if name not in FILES:
        raise ValueError(f"datasets: name must be one of {', '.join(FILES)}, got {name!r}")
    return Path(__file__).parent / f"{FILES[name]}.gz"

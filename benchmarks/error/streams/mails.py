"""SpamAssassin: raw mails, header included, in order of their Date header.

Features are words of two letters and more, lower case, with the value 1 + ln(count).
"""

from __future__ import annotations

import calendar
import email.utils
import json
import lzma
import re
from pathlib import Path

import numpy as np

from error.stored import Stream
from error.streams.built import built
from error.streams.words import counted

DATE = re.compile(r"^date:(.*)$", re.IGNORECASE | re.MULTILINE)


def spamassassin(folder: Path) -> list[Stream]:
    """Return the mails of the public corpus. Spam is +1."""
    file = folder / "spam" / "spamassassin_public_corpus.jsonl.xz"
    return [built("spamassassin", file, lambda: _read(file))]


def _read(file: Path) -> Stream:
    with lzma.open(file, "rt") as lines:
        mails = [json.loads(line) for line in lines]
    order = by_date([mail["text"] for mail in mails])
    X = counted(mails[k]["text"] for k in order)
    y = np.array([1.0 if "spam" in mails[k]["group"] else -1.0 for k in order])
    return Stream("spamassassin", 0, X, y)


def by_date(texts: list[str]) -> list[int]:
    """Return the order of mails by date. A mail without a readable date keeps its place after the
    mail before it.

    >>> by_date(["Date: Fri, 2 Aug 2002 00:00:00 +0000", "Date: ?", "Date: Thu, 1 Aug 2002 23:00:00 -0000"])
    [2, 0, 1]
    """
    dates, last = [], 0
    for text in texts:
        found = DATE.search(text)
        parsed = email.utils.parsedate_tz(found[1]) if found is not None else None
        if parsed is not None:
            last = calendar.timegm((*parsed[:6], 0, 1, 0)) - (parsed[9] or 0)
        dates.append(last)
    return sorted(range(len(texts)), key=dates.__getitem__)

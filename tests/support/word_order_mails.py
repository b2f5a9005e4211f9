"""Mails of two kinds with the same words in another order: only pairs of words tell them apart."""

from __future__ import annotations

from random import Random

PHRASES = {
    "spam": ("not good", "win now", "free money", "red hot"),
    "ham": ("good not", "now win", "money free", "hot red"),
}
ENDS = ("a", "b", "c", "d", "e")


def mails(count: int, seed: int) -> list[dict[str, str]]:
    """Records with the columns id, body and kind."""
    rng = Random(seed)
    kinds = [rng.choice(list(PHRASES)) for _ in range(count)]
    return [
        {"id": f"m{k}", "body": f"{rng.choice(PHRASES[kind])} {rng.choice(ENDS)}", "kind": kind}
        for k, kind in enumerate(kinds)
    ]

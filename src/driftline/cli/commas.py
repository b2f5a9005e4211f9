"""Comma-separated values of command-line options."""

from __future__ import annotations


def between_commas(text: str) -> list[str]:
    """Split the text at commas outside parentheses, and strip the values.

    >>> between_commas("pa1, onevsrest:base=pa1(C=0.5, when=mistake)")
    ['pa1', 'onevsrest:base=pa1(C=0.5, when=mistake)']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [one.strip() for one in parts]

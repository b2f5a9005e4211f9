"""The line styles of a chart: six colours, and another dash pattern for each further six lines.

The colours maximise the distance in OKLab for normal, deuteranopic, protanopic and tritanopic
vision, with a contrast of at least 3 to the background. There is one set for light pages and one
for dark pages. The number of each line is also shown at its end and in the legend, so that nothing
depends on colour alone.
"""

from __future__ import annotations

import re

LIGHT = ("#4b45bb", "#e05e07", "#339f8e", "#9e1767", "#996ee9", "#234704")
DARK = ("#4d86ee", "#fd8f72", "#8ef9fd", "#b0713f", "#a4abf1", "#f1ed41")
ON_BOTH = ("#6f6ae0", "#d9660f", "#1f9a86", "#c93f8f", "#8a7a1f", "#6b7f95")
"""Colours with a contrast of at least 3 to white and to black, for notebooks."""
DASHES = ("none", "8 4", "2.5 3", "9 3 2 3")


def variables(colours: tuple[str, ...]) -> str:
    """Return the CSS variables that hold the colours."""
    return "".join(f"--c{k}:{colour};" for k, colour in enumerate(colours))


def style_of(index: int) -> str:
    """Return the CSS class of the line with this index, from 0."""
    return f"s{index}"


def styles_in(html: str) -> int:
    """Return the number of line styles that a page uses.

    >>> styles_in('<path class="line s2"/><p>s7</p>')
    3
    """
    classes = re.findall(r'class="([^"]*)"', html)
    return max((int(one) + 1 for some in classes for one in re.findall(r"\bs(\d+)\b", some)), default=0)


def css(count: int) -> str:
    """Return the CSS of ``count`` lines: colours, dashes, and dimming of the others on hover or
    focus.
    """
    rules = []
    for k in range(count):
        colour, dash = k % len(LIGHT), DASHES[k // len(LIGHT) % len(DASHES)]
        rules.append(f".{style_of(k)}{{--ink:var(--c{colour});--dash:{dash}}}")
        pointed = ",".join(f".{style_of(k)}:{state}" for state in ("hover", "focus"))
        rules.append(f".group:has({pointed}) .line:not(.{style_of(k)}){{opacity:.13}}")
    return "\n".join(rules)

"""The HTML document around a report."""

from __future__ import annotations

import platform
from importlib import import_module

from driftline.report.charts.palette import styles_in
from driftline.report.pages.style import style_sheet
from driftline.report.safe_text import escaped

LIBRARIES = ("driftline", "numpy", "scipy", "numba")


def versions() -> str:
    """Return the versions of driftline, Python and the numerical libraries in one line."""
    found = [f"{name} {import_module(name).__version__}" for name in LIBRARIES]
    return " · ".join([found[0], f"Python {platform.python_version()}", *found[1:]])


def page(title: str, lead: str, body: str, lines: int, style: str = "") -> str:
    """Return an HTML document without external resources.

    Parameters
    ----------
    title : str
        Title, as plain text.
    lead : str
        First paragraph, as plain text. May be empty.
    body : str
        Content, as HTML.
    lines : int
        Least number of line styles. There are more if the body uses more.
    style : str, default=""
        CSS added to the common style sheet.

    Returns
    -------
    str
    """
    opening = f'<p class="lead">{escaped(lead)}</p>\n' if lead else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escaped(title)}</title>
<style>{style_sheet(max(lines, styles_in(body)))}{style}</style>
</head>
<body>
<main>
<header>
<h1>{escaped(title)}</h1>
{opening}<p class="versions">{escaped(versions())}</p>
</header>
{body}
</main>
</body>
</html>
"""

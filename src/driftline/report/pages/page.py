"""The page around a report: one HTML document that needs nothing else."""

from __future__ import annotations

import platform
from importlib import import_module

from driftline.report.pages.style import style_sheet
from driftline.report.safe_text import escaped

LIBRARIES = ("driftline", "numpy", "scipy", "numba")


def versions() -> str:
    """Return the versions that a result depends on, in one line."""
    found = [f"{name} {import_module(name).__version__}" for name in LIBRARIES]
    return " · ".join([found[0], f"Python {platform.python_version()}", *found[1:]])


def page(title: str, lead: str, body: str, lines: int, style: str = "") -> str:
    """Return the document: title and lead are text, body is HTML, ``lines`` the most in one chart.

    ``style`` is CSS beside that of every page.
    """
    opening = f'<p class="lead">{escaped(lead)}</p>\n' if lead else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escaped(title)}</title>
<style>{style_sheet(lines)}{style}</style>
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

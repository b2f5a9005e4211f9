"""A whole report: an overview of all sections, then each of them, written in one piece or not at all."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.pages.comparison import Section
from driftline.report.pages.page import page
from driftline.report.safe_text import escaped, named


def report(title: str, sections: Sequence[Section], lead: str = "") -> str:
    """Return the report as an HTML document."""
    if not sections:
        raise ValueError("report: sections must hold at least one section, got none")
    parts = [_contents(sections), _overview(sections)] if len(sections) > 1 else []
    parts += [section.html(f"part-{k}") for k, section in enumerate(sections, 1)]
    return page(title, lead, "\n".join(parts), max(len(section.summaries) for section in sections))


def write_report(path: str | os.PathLike[str], title: str, sections: Sequence[Section], lead: str = "") -> Path:
    """Write the report to a file and return its path.

    Whoever reads the path meanwhile finds the old file or the new one, never a part.
    """
    return write_whole(Path(path), report(title, sections, lead))


def write_whole(path: Path, content: str | bytes, where: str = "write_report") -> Path:
    """Write a text, or bytes, to a file beside the path, then move it there; on failure nothing is left behind."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            beside.write_bytes(content.encode() if isinstance(content, str) else content)
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OSError(
            f"{where}: path must be a file that can be written, got {str(path)!r}: {reason}. Choose another folder"
        ) from None
    return path


def _contents(sections: Sequence[Section]) -> str:
    """Links to the sections."""
    links = "".join(f'<a href="#part-{k}">{escaped(s.title)}</a>' for k, s in enumerate(sections, 1))
    return f"<nav>{links}</nav>"


def _overview(sections: Sequence[Section]) -> str:
    """The error of every learner in every section; the least of each section is in bold type."""
    errors = [{s.name: s.error for s in section.summaries} for section in sections]
    names = list(dict.fromkeys(name for found in errors for name in found))
    least = [_least(found) for found in errors]
    most = max((e for found in errors for e in found.values() if not math.isnan(e)), default=0.0) or 1.0
    rows = []
    for name in names:
        cells = [named(name)]
        for found, best in zip(errors, least, strict=True):
            error = found.get(name, math.nan)
            if math.isnan(error):
                cells.append(MISSING)
                continue
            cell = bar(f"{error:.2%}", error / most)
            cells.append(f'<span class="best">{cell}</span>' if error == best else cell)
        rows.append(Row(cells))
    header = ["learner", *(section.title for section in sections)]
    figures = table("Share of wrong labels; the least of each stream in bold type", header, rows)
    return f'<section id="overview">\n<h2>Overview</h2>\n{figures}\n</section>'


def _least(errors: dict[str, float]) -> float:
    """The least error that is a number."""
    return min((e for e in errors.values() if not math.isnan(e)), default=math.nan)

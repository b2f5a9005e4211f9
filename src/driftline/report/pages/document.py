"""A report of several sections with an overview. Files are written atomically."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from driftline.internals.file_targets import is_sink, replacing, write_to_sink
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.pages.comparison import Section
from driftline.report.pages.page import page
from driftline.report.safe_text import escaped, named


def report(title: str, sections: Sequence[Section], lead: str = "") -> str:
    """Return a report of comparisons as an HTML document.

    Parameters
    ----------
    title : str
        Title of the report.
    sections : sequence of Section
        Sections in the order of the page. More than one get an overview.
    lead : str, default=""
        First paragraph.

    Returns
    -------
    str
    """
    if not sections:
        raise ValueError("report: sections must hold at least one section, got none")
    parts = [_contents(sections), _overview(sections)] if len(sections) > 1 else []
    parts += [section.html(f"part-{k}") for k, section in enumerate(sections, 1)]
    return page(title, lead, "\n".join(parts), max(len(section.numbers) for section in sections))


def write_report(path: str | os.PathLike[str], title: str, sections: Sequence[Section], lead: str = "") -> Path:
    """Write a report of comparisons to a file atomically.

    Other processes see either the old file or the complete new one.

    Parameters
    ----------
    path : str or path-like
        File to write.
    title : str
        Title of the report.
    sections : sequence of Section
        Sections in the order of the page. More than one get an overview.
    lead : str, default=""
        First paragraph.

    Returns
    -------
    Path
        The file.
    """
    return write_whole(Path(path), report(title, sections, lead))


def write_whole(path: Path, content: str | bytes, where: str = "write_report") -> Path:
    """Write the content to a temporary file in the same folder, then rename it to ``path``.

    If this fails, the temporary file is removed. A pipe or the null device cannot be replaced; the
    content is written straight to it.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        if is_sink(path):
            write_to_sink(path, [data])
        else:
            with replacing(path, f".{path.name}.{os.getpid()}.part") as file:
                file.write(data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OSError(
            f"{where}: path must be a file that can be written, got {str(path)!r}: {reason}. Choose another folder"
        ) from None
    return path


def _contents(sections: Sequence[Section]) -> str:
    """Return links to the sections."""
    links = "".join(f'<a href="#part-{k}">{escaped(s.title)}</a>' for k, s in enumerate(sections, 1))
    return f"<nav>{links}</nav>"


def _overview(sections: Sequence[Section]) -> str:
    """Return the table of the error of every learner in every section, the smallest in bold."""
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
    figures = table("Share of wrong labels; the smallest of each stream is bold", header, rows)
    return f'<section id="overview">\n<h2>Overview</h2>\n{figures}\n</section>'


def _least(errors: dict[str, float]) -> float:
    """Return the smallest error that is not NaN."""
    return min((e for e in errors.values() if not math.isnan(e)), default=math.nan)

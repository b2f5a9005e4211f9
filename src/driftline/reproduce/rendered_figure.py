"""Figures rendered as PNG and SVG. The same figure always gives the same bytes."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from driftline.reproduce.experiment import Drawing

DOTS = 200
"""Resolution of the PNG files, in dots per inch."""
NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
"""SVG metadata without date and creator, so that the bytes do not change between runs."""


@dataclass(frozen=True)
class RenderedFigure:
    """A figure as PNG and SVG."""

    name: str
    title: str
    caption: str
    png: bytes
    svg: str

    def inline(self) -> str:
        """Return the SVG for embedding in HTML, without header, with unique ids and a label."""
        body = self.svg[self.svg.index("<svg") :]
        body = re.sub(r'(\bid="|"#|url\(#)', rf"\g<1>{self.name}-", body)
        body = body.replace("*{", f"#{self.name} *{{")
        return re.sub(r"^<svg ", f'<svg id="{self.name}" role="img" aria-labelledby="title-{self.name}" ', body)


def render(drawing: Drawing) -> RenderedFigure:
    """Render a drawing as PNG and SVG."""
    png, svg = io.BytesIO(), io.StringIO()
    drawing.figure.savefig(png, format="png", dpi=DOTS, metadata={"Software": None})
    drawing.figure.savefig(svg, format="svg", metadata=NOTHING)
    return RenderedFigure(drawing.name, drawing.title, drawing.caption, png.getvalue(), svg.getvalue())

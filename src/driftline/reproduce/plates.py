"""Figures as files and inside a page: PNG and SVG with the same bits for the same figure."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from driftline.reproduce.experiment import Drawing

DOTS = 200
"""Of a PNG, per inch."""
NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
"""What is said inside an SVG about itself: neither when nor by what it was made."""


@dataclass(frozen=True)
class Plate:
    """A figure that was drawn."""

    name: str
    title: str
    caption: str
    png: bytes
    svg: str

    def inline(self) -> str:
        """The SVG as a part of a page: no header, names that meet no others of the page, labelled by its title."""
        body = self.svg[self.svg.index("<svg") :]
        body = re.sub(r'(\bid="|"#|url\(#)', rf"\g<1>{self.name}-", body)
        body = body.replace("*{", f"#{self.name} *{{")
        return re.sub(r"^<svg ", f'<svg id="{self.name}" role="img" aria-labelledby="title-{self.name}" ', body)


def plate(drawing: Drawing) -> Plate:
    """Draw it, in either form."""
    png, svg = io.BytesIO(), io.StringIO()
    drawing.figure.savefig(png, format="png", dpi=DOTS, metadata={"Software": None})
    drawing.figure.savefig(svg, format="svg", metadata=NOTHING)
    return Plate(drawing.name, drawing.title, drawing.caption, png.getvalue(), svg.getvalue())

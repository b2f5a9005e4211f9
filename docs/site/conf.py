"""The settings of Sphinx. ``make site`` copies this file to the folder of the pages."""

import re
from typing import Any

from driftline.version import __version__

project = "driftline"
author = "The driftline developers"
copyright = "The driftline developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
exclude_patterns = ["examples", "site"]
suppress_warnings = [
    "myst.header",  # files that are shown may begin below the first level of headings
    "ref.python",  # names of types that several classes have as an attribute
]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "html_image"]

autodoc_typehints = "none"  # the descriptions of parameters say their types
autodoc_member_order = "bysource"
autoclass_content = "class"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
add_module_names = False
python_display_short_literal_types = True
default_role = "code"
smartquotes = False  # options such as --time keep both hyphens, and quotes in formulas stay straight

html_theme = "furo"
html_title = "driftline"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"
pygments_dark_style = "monokai"

LITERAL = re.compile(r"(``.*?``)")
SPECIAL = re.compile(r"\||(?<!\*)\*(?![* ])|(?<=\w)_(?!\w)")
"""What reStructuredText reads as a substitution, an emphasis or a reference; a list begins with * and a space."""


def escape_formulas(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Show | and * in formulas, and names like n_features_in_, as they stand.

    reStructuredText has other uses for these signs.
    """
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = LITERAL.split(line)
            parts[::2] = [SPECIAL.sub(r"\\\g<0>", part) for part in parts[::2]]
            lines[number] = "".join(parts)


def setup(app: Any) -> None:
    """Register the change of docstrings, before their sections are read."""
    app.connect("autodoc-process-docstring", escape_formulas, priority=400)

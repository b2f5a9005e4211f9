"""``python -m generate.site FOLDER``: build the website, and check its links and requests.

The pages are put together in FOLDER/pages, and Sphinx writes the HTML files to FOLDER/html. A
warning of Sphinx is an error. Nothing is fetched from the network.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from generate.site.built_pages import faults
from generate.site.pages import write_pages


def build(folder: Path) -> int:
    """Build the site in a folder, print its faults, and return the exit code."""
    pages, html = folder / "pages", folder / "html"
    write_pages(pages)
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet"]
    finished = subprocess.run([*command, "--doctree-dir", str(folder / "cache"), str(pages), str(html)], check=False)
    if finished.returncode:
        return finished.returncode
    found = faults(html)
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        print(f"the site begins at {html / 'index.html'}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(build(Path(sys.argv[1])))

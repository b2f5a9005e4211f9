"""The pages of the site, as Markdown: those of docs/, and the generated references.

Links of the pages to sources and tests become links to pages that show these files.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from generate.site import commands, learners, reference
from generate.source import ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LANGUAGES = {".py": "python", ".js": "javascript", ".toml": "toml", ".service": "ini", ".css": "css"}

OUTSIDE = {
    ROOT / "CHANGELOG.md": Path("changelog.md"),
    ROOT / "CONTRIBUTING.md": Path("contributing.md"),
    ROOT / "SECURITY.md": Path("security.md"),
}
"""Files outside docs/ that are pages of the site."""

KNOWN = OUTSIDE | {ROOT / "README.md": Path("index.md")}
"""The pages of the site to which links to files outside docs/ lead."""

TOCTREES = {"bounds/README.md": "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"}
"""What a page needs for the navigation of the site only."""


def write_pages(folder: Path) -> None:
    """Write all pages to a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shown: set[Path] = set()
    for source in sorted(DOCS.rglob("*.*")):
        target = folder / source.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = _with_site_links(source, target, folder, shown)
            target.write_text(text + TOCTREES.get(source.relative_to(DOCS).as_posix(), ""))
        else:
            shutil.copyfile(source, target)
    shutil.copyfile(DOCS / "site" / "conf.py", folder / "conf.py")
    for source, page in OUTSIDE.items():
        (folder / page).write_text(_with_site_links(source, folder / page, folder, shown))
    for name, text in (reference.pages() | learners.pages() | commands.pages()).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    for path in sorted(shown):
        target = folder / _page_of(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_file_page(path))


def _with_site_links(source: Path, target: Path, folder: Path, shown: set[Path]) -> str:
    """The text of a page, with links to the pages of the site. Files outside docs/ are added to ``shown``."""

    def changed(found: re.Match[str]) -> str:
        text, path, place = found.groups()
        if re.match(r"\w+:", path):
            return found.group(0)
        linked = Path(os.path.normpath(source.parent / path))
        page = linked.relative_to(DOCS) if linked.is_relative_to(DOCS) else KNOWN.get(linked)
        if page is None:
            shown.add(linked.relative_to(ROOT))
            page = _page_of(linked.relative_to(ROOT))
        return f"[{text}]({Path(os.path.relpath(folder / page, target.parent)).as_posix()}{place or ''})"

    return _outside_fences(source.read_text(), lambda prose: LINK.sub(changed, prose))


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Change the prose of a page, and leave its blocks of code as they are."""
    blocks = FENCE.findall(text)
    parts = FENCE.split(text)
    changed = [change(part) for part in parts]
    return changed[0] + "".join(block + part for block, part in zip(blocks, changed[1:], strict=True))


def _page_of(path: Path) -> Path:
    """The page that shows a file, by its path from the root of the repository."""
    return Path("files") / path.parent / f"{path.name}.md"


def _file_page(path: Path) -> str:
    """A page that shows a file, or lists a folder. Searches leave it out."""
    full = ROOT / path
    head = f"---\norphan: true\nnosearch: true\n---\n\n# {path.name}\n\n`{path.as_posix()}`\n\n"
    if full.is_dir():
        return head + "\n".join(f"* `{one.name}`" for one in sorted(full.iterdir()) if one.name[0] not in "_.") + "\n"
    if full.suffix == ".md":
        return head.replace(f"# {path.name}\n", "") + LINK.sub(r"\1", full.read_text())
    text, fence = full.read_text(), "`" * 6
    return f"{head}{fence}{LANGUAGES.get(full.suffix, 'text')}\n{text.rstrip()}\n{fence}\n"

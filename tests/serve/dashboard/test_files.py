"""The files of the dashboard: complete, and free of everything that its policy forbids."""

from __future__ import annotations

import posixpath
import re

from driftline.serve.dashboard import POLICY, static_files

FILES = {path: content.decode() for path, (_, content) in static_files().items()}
SCRIPTS = {path: text for path, text in FILES.items() if path.endswith(".js")}


def test_every_imported_module_and_linked_file_exists():
    imports = 0
    for path, text in SCRIPTS.items():
        for target in re.findall(r'from "([^"]+)"', text):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) in FILES, (path, target)
            imports += 1
    assert imports > 30
    for target in re.findall(r'(?:src|href)="(/[^"]*)"', FILES["/"]):
        assert target in FILES


FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\b|new Function"
)
HARMLESS = re.compile(r"^\s*//.*$|\"http://www\.w3\.org/2000/svg\"", re.MULTILINE)


def test_nothing_parses_html_runs_text_or_names_another_host():
    for path, text in SCRIPTS.items():
        assert not FORBIDDEN.search(text), path
        assert not re.search(r"(?:https?:)?//[a-z]", HARMLESS.sub("", text)), path
    assert not re.search(r"\son[a-z]+=|<style|style=|<script(?![^>]*src=)", FILES["/"])
    assert not re.search(r"@import|url\(", FILES["/static/style.css"])


def test_the_policy_allows_own_files_only():
    allowed = dict(part.strip().split(" ", 1) for part in POLICY.split(";"))
    assert allowed["default-src"] == allowed["frame-ancestors"] == "'none'"
    assert allowed["script-src"] == allowed["style-src"] == allowed["connect-src"] == "'self'"
    assert "unsafe" not in POLICY


def test_files_stay_small():
    assert max(text.count("\n") for text in FILES.values()) < 400
    assert sum(map(len, FILES.values())) < 120_000

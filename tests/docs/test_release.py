"""What a release promises: the version policy is on the site, and classifiers and addresses are checked."""

from __future__ import annotations

import tomllib

from generate.site import pages
from tests.support import release_check
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_missing_addresses_are_said() -> None:
    assert release_check.told_urls({}) == "urls: none set; set [project.urls] before an upload"
    assert release_check.told_urls({"urls": {"Source": "a", "Issues": "b"}}) == "urls: Source a, Issues b"


def test_a_classifier_of_a_python_that_was_not_tested_is_found() -> None:
    known = {"classifiers": [f"{release_check.CLASSIFIER}{one}" for one in ("3 :: Only", "3.11", "3.14")]}
    assert release_check.untested(known, {"3.11": "python"}) == ["3.14"]
    assert set(release_check.untested(PROJECT, ())) <= set(release_check.VERSIONS)
    assert release_check.untested(PROJECT, release_check.VERSIONS) == []


def test_the_version_policy_is_a_page_of_the_site() -> None:
    page = pages.OUTSIDE[ROOT / "SECURITY.md"]
    assert f"\n{page.stem}\n" in (ROOT / "docs" / "index.md").read_text()
    text = (ROOT / "SECURITY.md").read_text()
    for promise in ("Saved models", "Bits", "Logs of the service", "Exported weights", "Python"):
        assert f"* **{promise}" in text


def test_the_citation_names_the_licence_of_the_package() -> None:
    cited = dict(line.split(": ", 1) for line in (ROOT / "CITATION.cff").read_text().splitlines() if ": " in line)
    assert cited["license"] == PROJECT["license"] and "driftline" in cited["title"]

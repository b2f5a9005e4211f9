"""Untrusted text in a report: escaped, made visible, and cut by width."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from driftline.report.safe_text import brief, clipped, escaped, isolated, shown
from tests.support.report_html import Tags


@given(st.text(st.characters(codec=None, categories=None), max_size=30))
def test_any_text_becomes_html_and_xml_that_can_be_written(text):
    html = escaped(text)
    html.encode("utf-8")
    assert "".join(ElementTree.fromstring(f'<a b="{html}">{html}</a>').itertext()) == shown(text)
    assert Tags(f"<p>{html}</p>").found == [("p", {})]


def test_what_cannot_be_seen_is_written_out_and_what_scripts_need_is_kept():
    assert shown("a\x00\n\u202e\ud800\ufffe") == "a\\x00\\n\\u202e\\ud800\\ufffe"
    for kept in ("👩\u200d🔬", "שלום", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "日本", "a b", "é"):
        assert shown(kept) == kept


def test_long_names_are_cut_by_the_columns_they_take():
    assert clipped("x" * 21, 21) == "x" * 21
    assert clipped("x" * 22, 21) == "x" * 20 + "…"
    assert clipped("日" * 11, 21) == "日" * 10 + "…"
    assert clipped("e\u0301" * 5, 5) == "e\u0301" * 5
    one, other = brief("x" * 300 + "1"), brief("x" * 300 + "2")
    assert one != other
    assert len(one) <= 61
    assert brief("x" * 60) == "x" * 60


def test_isolates_are_kept_only_if_they_are_closed():
    """An open isolate would reorder the text after it, an extra end would leave the isolate around the name."""
    closed = "\u2067\u05d0\u2069 a"
    assert shown(closed) == closed
    assert shown("\u2066open") == "\\u2066open"
    assert shown("\u2069\u2067a") == "\\u2069\\u2067a"
    assert isolated("\u2069\u202e\u2067") == "\u2068\\u2069\u202e\\u2067\u2069"
    assert shown(isolated("\u2069\u202e\u2067")) == "\u2068\\u2069\\u202e\\u2067\u2069"
    assert brief("\u2067" + "x" * 50 + "\u2069" + "x" * 100).startswith("\\u2067x")

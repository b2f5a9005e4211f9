"""Splitting text into words: the same as a slow loop over characters."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.streams.files.formats.delimited import read_delimited
from driftline.streams.files.scan import feature_names as names_file
from driftline.streams.files.scan.words import words
from tests.support.read_files import read


def slow_words(text: str) -> list[str]:
    found, word = [], ""
    for letter in text.lower() + " ":
        if letter == "_" or letter.isalnum():
            word += letter
        elif word:
            found.append(word)
            word = ""
    return found


ANY_TEXT = st.text(st.characters() | st.sampled_from("aZ_9 .\n\0é漢字ǅİß²Ⅷ٣\u0301\u200d\ud800\udfff🙂"), max_size=40)


@settings(max_examples=500)
@given(ANY_TEXT)
def test_as_letter_by_letter(text: str) -> None:
    assert words(text) == slow_words(text)


@settings(max_examples=300)
@given(ANY_TEXT, st.integers(1, 4))
def test_words_that_stand_together(text: str, ngrams: int) -> None:
    single = slow_words(text)
    expected = [" ".join(single[k : k + n]) for n in range(1, ngrams + 1) for k in range(len(single) - n + 1)]
    assert words(text, ngrams) == expected


def test_every_character_there_is() -> None:
    text = " ".join(map(chr, range(sys.maxunicode + 1)))
    assert words(text) == slow_words(text)


def test_a_column_of_text_counts_words() -> None:
    found = read(
        read_delimited, b'text,n,y\n"Free, FREE money!",1,1\n"\x00\x07 -- ",2,0\n,3,0\n', target="y", text=("text",)
    )
    assert found.rows == [{"text:free": 2.0, "text:money": 1.0, "n": 1.0}, {"n": 2.0}, {"n": 3.0}]


def test_a_word_and_a_column_of_the_same_name_add_up() -> None:
    found = read(read_delimited, b"s,s:a,y\na b a,5,0\n", target="y", text=("s",))
    assert found.rows == [{"s:a": 7.0, "s:b": 1.0}]


def test_many_words_begin_a_new_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_file, "MOST_NAMES", 3)
    monkeypatch.setattr("driftline.streams.files.formats.delimited.CHUNK", 16)
    body = "".join(f"w{k} common,{k % 2}\n" for k in range(20))
    found = read(read_delimited, f"s,y\n{body}".encode(), target="y", text=("s",))
    assert found.rows == [{f"s:w{k}": 1.0, "s:common": 1.0} for k in range(20)]
    assert found.blocks > 5

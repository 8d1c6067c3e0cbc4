"""Sentences: where they end in English, German and Chinese prose, and that they are always the whole text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.text.sentences import complete, first_sentence, sentences

SAMPLES = [
    ("One. Two! Three?", ["One. ", "Two! ", "Three?"]),
    ("“Stop!” he said. She did.", ["“Stop!” he said. ", "She did."]),
    ('She said "No." He left.', ['She said "No." ', "He left."]),
    ("Mr. Hale met Dr. J. Smith. They ate.", ["Mr. Hale met Dr. J. Smith. ", "They ate."]),
    ("1. First point. Next.", ["1. First point. ", "Next."]),
    ("It cost 3.50 in all. Good.", ["It cost 3.50 in all. ", "Good."]),
    ("He waited… and waited. Then… Nothing.", ["He waited… and waited. ", "Then… ", "Nothing."]),
    ("One\n\nTwo", ["One\n\n", "Two"]),
    ("One.\nTwo", ["One.\n", "Two"]),
    ("雨下得很大。“你来了？”她说。", ["雨下得很大。", "“你来了？”", "她说。"]),
    ("»Komm!« rief er z. B. laut. Sie kam.", ["»Komm!« rief er z. B. laut. ", "Sie kam."]),
    ("", []),
    ("   ", ["   "]),
]


@pytest.mark.parametrize(("text", "parts"), SAMPLES)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(st.text(alphabet='aB. !?\n"”。雨…1', max_size=60))
def test_sentences_are_the_whole_text_and_none_is_empty(text: str) -> None:
    spans = sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@pytest.mark.parametrize(
    ("text", "ended"),
    [("He left.", True), ("“Go!”  ", True), ("（好。）", True), ("He", False), ("", False), ("yes,", False)],
)
def test_an_end_is_known_behind_quotes_too(text: str, ended: bool) -> None:
    assert complete(text) is ended


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("It stopped. Your text is saved.", "It stopped."),
        ("引擎已停止。您的文字已保存。", "引擎已停止。"),
        ("vLLM 0.32 is gone", "vLLM 0.32 is gone"),
        ("", ""),
    ],
)
def test_the_first_sentence_ends_as_its_language_ends_one(text: str, first: str) -> None:
    assert first_sentence(text) == first

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.text.count import ago, last_sentence, words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("   \n\t ", 0),
        ("One two, three.", 3),
        ("It's a well-known trick", 4),
        ("word—word word–word word--word either/or", 8),
        ("And then … nothing", 3),
        ("你好，世界。", 4),
        ("他说了3个字", 6),
        ("第一章 海港", 5),
        ("カタカナとひらがな", 9),
        ("人々 〇", 3),
        ("안녕 하세요", 2),
        ("नमस्ते दुनिया", 2),
        ("été naïve cafe\u0301", 3),
        ("3.14 1,000", 2),
        ("𠀀𠀁", 2),
        ("😀 !", 0),
    ],
)
def test_words_are_counted_as_word_processors_do(text: str, number: int) -> None:
    assert words(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("# A heading\n\nText", 3),
        ("> *A* **bold** _word_", 3),
        ("- one\n- two\n1. three\n12) four", 4),
        ("***\n\n---\n\n```", 0),
        ("see [the letter](https://example.org/a-b c) here", 4),
        ("1984. A year at a line's start", 7),
    ],
)
def test_marks_of_markdown_are_no_words(text: str, number: int) -> None:
    assert words(text) == number


@given(st.text(), st.text())
def test_paragraphs_add_up(one: str, other: str) -> None:
    assert words(f"{one}\n\n{other}") == words(one) + words(other)


@pytest.mark.parametrize(
    "unit",
    ["hello world, it's — me\n", "你好，世界。", "](", "[a](", "<!--", "1. ", "a", " ", "-", ".", "“", "\n", "'"],
)
def test_counting_and_quoting_stay_linear(unit: str) -> None:
    def cost(size: int) -> float:
        text = unit * (size // len(unit))
        begun = time.process_time()
        words(text)
        last_sentence(text)
        return time.process_time() - begun

    small, large = (min(cost(size) for _ in range(3)) for size in (250_000, 2_000_000))
    assert large < 8 * 4 * small + 0.05  # linear is 8; quadratic would be 64


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ""),
        ("***\n", ""),
        ("He went. She stayed.", "She stayed."),
        ("He went. She stay", "She stay"),
        ("He went.\n\nShe", "She"),
        ("# Title\n", "Title"),
        ("He said “No.” Then he", "Then he"),
        ("“Stop!” he said", "“Stop!” he said"),
        ("It was Mr. Smith who came.", "It was Mr. Smith who came."),
        ("他走了。她留下。", "她留下。"),
        ("他走了。她留", "她留"),
        ("真的吗？“是的！”", "“是的！”"),
        ("One. Two\x1b[31m\x07 three", "Two␛[31m␇ three"),
        ("One. Two\nthree\n***\n", "three"),
    ],
)
def test_the_last_sentence(text: str, sentence: str) -> None:
    assert last_sentence(text) == sentence


def test_a_long_sentence_keeps_its_end() -> None:
    quoted = last_sentence("word " * 500 + "end", limit=20)
    assert len(quoted) == 20
    assert quoted.startswith("…")
    assert quoted.endswith("word end")


@given(st.text(alphabet=st.characters(), max_size=300), st.integers(2, 200))
def test_a_quote_is_one_safe_line(text: str, limit: int) -> None:
    quoted = last_sentence(text, limit)
    assert len(quoted) <= limit
    assert quoted == quoted.strip() or quoted.startswith("…")
    assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in quoted)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "just now"),
        (44, "just now"),
        (45, "a minute ago"),
        (240, "4 minutes ago"),
        (3599, "59 minutes ago"),
        (3600, "an hour ago"),
        (86399, "23 hours ago"),
        (86400, "yesterday"),
        (2 * 86400, "2 days ago"),
        (14 * 86400, "2 weeks ago"),
        (100 * 86400, "3 months ago"),
        (366 * 86400, "a year ago"),
    ],
)
def test_ago_in_plain_words(seconds: float, said: str) -> None:
    assert ago(seconds) == said

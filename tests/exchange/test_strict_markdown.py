"""What an author writes becomes what a converter understands, and not a word is changed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.exchange.paragraphs import demoted, strict

CASES = {
    "one Enter is a new paragraph": ("One.\nTwo.", "One.\n\nTwo."),
    "lines that were wrapped stay one": (
        "It was a dark night and the wind came over the\nharbour from the north-west, where nobody had\n"
        "seen a ship since Friday, or said that he had.",
        None,
    ),
    "two sentences in two lines are two": (
        "She asked whether he would stay.\nHe went.",
        "She asked whether he would stay.\n\nHe went.",
    ),
    "verses are lines": ("Roses are red\nViolets are blue", "Roses are red\n\nViolets are blue"),
    "a hard break stays": ("One  \nTwo\\\nThree\nFour", "One  \nTwo\\\nThree\n\nFour"),
    "an indented line is no code": ("    One.\n\tTwo.\n　　三。", "One.\n\nTwo.\n\n三。"),
    "a lone # is a scene break": ("One.\n#\nTwo.", "One.\n\n***\n\nTwo."),
    "dashes below a line make no heading of it": ("One.\n---\nTwo.", "One.\n\n***\n\nTwo."),
    "signs of a scene break": ("＊ ＊ ＊\n\n⁂\n\n* * *", "***\n\n***\n\n***"),
    "a heading is followed by its text": ("# One\nText.\nMore.", "# One\n\nText.\n\nMore."),
    "a list stays one": ("- one\n- two\n  more", "- one\n- two\n  more"),
    "a quotation stays one": ("> one\n> two", "> one\n> two"),
    "a table stays one": ("a | b\n--|--\n1 | 2", "a | b\n--|--\n1 | 2"),
    "code between fences stays": ("```\n  a\n\n***\n```", "```\n  a\n\n***\n```"),
    "footnotes have the chapter's number": ("A[^1].\n\n[^1]: B", "A[^7-1].\n\n[^7-1]: B"),
    "a list that follows a line": ("One.\n- two", "One.\n\n- two"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_author_is_understood(name: str) -> None:
    text, wanted = CASES[name]
    assert strict(text, prose=True, notes="7-") == (text if wanted is None else wanted)


def test_in_a_report_what_is_indented_may_be_code() -> None:
    assert strict("    x = 1", prose=False, notes="") == "    x = 1"


def test_only_the_first_heading_is_the_chapters() -> None:
    assert (
        demoted("# One\n\n# Two\n\n```\n# Three\n```\n\n#\n\n## Four")
        == "# One\n\n## Two\n\n```\n# Three\n```\n\n#\n\n## Four"
    )


@given(st.text(alphabet="ab #*-_\n\t>`|\u3000。[^]1:", max_size=200))
def test_no_letter_is_lost(text: str) -> None:
    kept = strict(text, prose=True, notes="")
    assert re.findall("[ab。1]", kept) == re.findall("[ab。1]", text)

"""The gate itself, without the widgets in front of it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from writer.tui.gate import clean, close_gate

CONSOLE = Console(force_terminal=True, color_system="truecolor")
OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;id=[^;\x1b]*;https?://[!-~]*\x1b\\|\x1b\]8;;\x1b\\")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
FOREIGN = st.text(
    st.one_of(st.characters(max_codepoint=0xA0), st.characters(categories=("Cc", "Cf", "Zl"))), max_size=40
)

close_gate()


@given(st.lists(FOREIGN, max_size=4))
def test_no_row_holds_a_control_code_of_a_text(texts: list[str]) -> None:
    strip = Strip([Segment(text, Style(bold=True)) for text in texts])
    width = strip.cell_length
    rendered = strip.render(CONSOLE)
    assert CONTROL.search(OURS.sub("", rendered)) is None
    assert strip.cell_length == width


@given(FOREIGN)
def test_a_link_cannot_smuggle_codes(text: str) -> None:
    for link in (text, f"https://example.org/{text}", f"javascript:{text}", f"file:///{text}"):
        rendered = Strip([Segment("here", Style(link=link))]).render(CONSOLE)
        assert CONTROL.search(OURS.sub("", rendered)) is None


def test_a_web_link_stays_a_link() -> None:
    assert "https://example.org" in Strip([Segment("here", Style(link="https://example.org"))]).render(CONSOLE)


@given(st.text(st.characters(categories=("L", "N", "P", "S", "M"))))
def test_ordinary_text_passes_unchanged(text: str) -> None:
    assert clean(text) == text


def test_characters_become_one_mark_each() -> None:
    assert clean("a\x1b[2Jb\n\tc") == "a␛[2Jb␊ c"

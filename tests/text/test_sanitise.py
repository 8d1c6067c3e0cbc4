from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from writer.text.sanitise import from_model, one_line, visible

any_text = st.text(alphabet=st.one_of(st.characters(), st.characters(categories=["Cc", "Cs", "Cf", "Zl", "Zp"])))
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"


def controls(text: str) -> list[str]:
    return [c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in BIDI]


@given(any_text)
@example("\x1b]0;title\x07\x9b31m\x7f" + BIDI)
def test_no_control_character_survives(text: str) -> None:
    shown = visible(text)
    assert set(controls(shown)) <= {"\n", "\t"}
    assert len(shown) == len(text)
    assert visible(shown) == shown
    shown.encode("utf-8")


@given(any_text)
def test_what_is_harmless_stays(text: str) -> None:
    assert all(new == old or controls(old) or old == "\ufeff" for old, new in zip(text, visible(text), strict=True))


def test_marks_tell_which_control_it_was() -> None:
    assert visible("\x00\x1b\r\x7f\x9b") == "␀␛␍␡�"


def test_joiners_of_emoji_and_scripts_stay() -> None:
    for text in ("👩‍🚀", "क्‍ष", "می‌خواهم", "❤️", "e\u0301", "\u3000段"):
        assert visible(text) == text


@given(any_text, st.integers(2, 50))
def test_one_line_is_one_safe_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert not controls(line)


@given(any_text)
def test_text_of_a_model_has_plain_line_breaks_and_no_controls(text: str) -> None:
    assert set(controls(from_model(text))) <= {"\n", "\t"}


@given(st.lists(st.text(alphabet="a\r\n", max_size=6), max_size=6))
def test_a_split_line_break_of_a_model_is_one_break(chunks: list[str]) -> None:
    assert "".join(map(from_model, chunks)) == from_model("".join(chunks))

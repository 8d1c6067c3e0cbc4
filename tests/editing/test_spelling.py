"""Unknown words are underlined quietly: names, numbers, markup and other scripts are no mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing.dictionary import LANGUAGES
from writer.editing.spelling import Spelling
from writer.errors import ConfigError

ENGLISH = Spelling("en-GB")


def unknown(text: str, spelling: Spelling | None = None) -> list[str]:
    return [text[a:b] for a, b in (spelling or ENGLISH).unknown(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("She walked along the corridor.", []),
        ("She walkd along the coridor.", ["walkd", "coridor"]),
        ("the corridor's end, the corridor’s end", []),
        ("the coridor's end", ["coridor's"]),
        ("don't, don’t, shan’t, she'd, o’clock, shouldn't’ve", []),
        ("’tis late", []),
        ("dno’t", ["dno’t"]),
        ("café, naïve, the colour of the theatre, organised, travelled", []),
        ("wil, fourty", ["wil", "fourty"]),
        ("café wtih", ["wtih"]),
        ("soft\u00adly wa\u00adlkd", ["wa\u00adlkd"]),
        ("well-knwon, ex-wife, re-enter", ["knwon"]),
        ("NASA, XQZT, iPhone, McQwert", []),
        ("3rd, 2nd, H2O, x86, 14qq", []),
        ("b c d", []),
        ("https://exampel.com/qwzx www.qwzx.com me@qwzx.com a/qwzx file.qwzx", []),
        ("snake_qwzx", []),
        ("`qwzx` [see](qwzx) **qwzx** _wxzq_", ["qwzx", "wxzq"]),
        ("中文wrod中文，他说hello。ไทย слово こんにちは", ["wrod"]),
    ],
)
def test_words_that_are_in_no_dictionary_are_found(text: str, wanted: list[str]) -> None:
    assert unknown(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["He met Qwzxa there.", '"Yes," Qwzxb said.', "Mr. Qwzxc came.", "“Stop!” Qwzxd cried.", "to J. Qwzxe and Qwzxe’s"],
)
def test_a_capital_within_a_sentence_is_a_name(text: str) -> None:
    assert unknown(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Teh end.",
        "It is. Teh end.",
        "“Teh end.”",
        'He said, "Teh end."',
        "# Teh End",
        "- Teh end",
        "— Teh end",
    ],
)
def test_a_capital_that_begins_a_sentence_is_judged(text: str) -> None:
    assert unknown(text, Spelling("en")) == ["Teh"]


def test_a_name_that_was_seen_is_known_where_a_sentence_begins() -> None:
    spelling = Spelling("en")
    assert unknown("Queequeg slept.", spelling) == ["Queequeg"]
    before = spelling.revision
    assert unknown("She saw Queequeg’s hat.", spelling) == []
    assert spelling.revision == before + 1
    assert unknown("Queequeg slept. Queequeg's hat.", spelling) == []
    assert unknown("She saw Queequeg.", spelling) == []
    assert spelling.revision == before + 1


def test_a_word_that_was_learnt_is_known_from_then_on() -> None:
    spelling = Spelling("en")
    assert unknown("the qwzx’s and Qwzx", spelling) == ["qwzx’s"]
    spelling.learn("Qwzx")
    assert unknown("the qwzx’s and Qwzx. Qwzx", spelling) == []
    assert spelling.revision


def test_suggestions_are_one_letter_away_and_written_alike() -> None:
    assert ENGLISH.near("walkd", 2) == ["walk", "walked"]
    assert ENGLISH.near("Teh")[0] == "The"
    assert ENGLISH.near("TEH", 1) == ["THE"]
    assert ENGLISH.near("coridor’s") == ["corridor’s"]
    assert "walk" not in ENGLISH.near("walk")
    assert ENGLISH.near("qwzxqwzx") == ENGLISH.near("") == ENGLISH.near("x" * 1000) == []


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("de", "Das Haustürschloss war offne.", ["offne"]),
        ("fr", "L’homme et l'eau, aujourd’hui, jsuqu’à", ["jsuqu’à"]),
        ("it", "l'acqua dell’uomo, dell'qwzx", ["dell'qwzx"]),
        ("ru", "слово словно qwzx щщщъ", ["щщщъ"]),
        ("ar", "السلام في qwzx", []),
    ],
)
def test_each_language_has_its_own_letters_and_joints(language: str, text: str, wanted: list[str]) -> None:
    assert unknown(text, Spelling(language)) == wanted


@pytest.mark.parametrize("language", ["", "xx", "../en", "english", "e\x1bn"])
def test_a_language_without_a_dictionary_is_refused_in_a_plain_sentence(language: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Spelling(language)
    assert ", ".join(LANGUAGES) in str(refused.value)
    assert "\x1b" not in str(refused.value)


TEXTS = st.text(alphabet=st.sampled_from(list("abqz'’ .Q*`_-1中é\u0301\u00ad/")), max_size=80)


@given(TEXTS, st.integers(0, 80))
@settings(max_examples=300)
def test_rows_show_their_parts_of_the_words_of_the_paragraph(text: str, cut: int) -> None:
    cut = min(cut, len(text))
    whole = {column for a, b in ENGLISH.unknown(text, 0, len(text)) for column in range(a, b)}
    whole = {column for a, b in ENGLISH.unknown(text, 0, len(text)) for column in range(a, b)}  # names are seen now
    rows = [*ENGLISH.unknown(text, 0, cut), *ENGLISH.unknown(text, cut, len(text))]
    assert all(a < b <= cut or cut <= a < b for a, b in rows)
    assert {column for a, b in rows for column in range(a, b)} == whole


def test_far_down_in_a_long_paragraph_only_the_row_and_a_little_more_is_read() -> None:
    """R4"""
    text = "word " * 100_000 + "qwzx " + "word " * 100_000
    assert ENGLISH.unknown(text, 499_960, 500_040) == [(500_000, 500_004)]
    assert ENGLISH.unknown(text, 500_002, 500_040) == [(500_002, 500_004)]
    assert ENGLISH.unknown("q" * 1_000_000, 0, 1_000_000) == []

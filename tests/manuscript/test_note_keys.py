"""Keys of notes: whole words, patterns, AND and NOT; a pattern that takes too long stops nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.errors import ManuscriptError
from writer.manuscript import keys
from writer.manuscript.keys import compiled, searched

OPERATORS = {"AND", "NOT"}


def holds(key: str, text: str) -> bool:
    return compiled(key).holds(searched(text))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("Mara", "and mara's coat"),
        ("Mara", "MARA!"),
        ("the captain", "It was The Captain who spoke"),
        ("Straße", "in der STRASSE"),
        ("é", "E\u0301"),
        ("瑪拉", "瑪拉走進港口"),
        ("港", "瑪拉走進港口"),
        ("มารา", "และมาราก็เดิน"),
        ("C++", "written in C++, of course"),
        ("/Holms?/", "the Holms"),
        ("/holm/i", "the HOLM"),
        ("/^Mara/", "x\nMara"),
        ("/a AND b/", "a AND b"),
        ("Mara AND harbour", "harbour, said Mara"),
        ("Mara AND NOT harbour", "Mara went home"),
        ("NOT harbour AND Mara", "Mara went home"),
        ("/M.ra/ AND NOT /h.rbour/ AND lamp", "Mira's lamp"),
        ("Mara  Holm", "Mara Holm"),
        ("AND/OR", "an and/or gate"),
        ("Andros", "on Andros"),
    ],
)
def test_a_key_holds(key: str, text: str) -> None:
    assert holds(key, text)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("Mara", "Maramures"),
        ("Mara", "Samara"),
        ("art", "the heart of art-less".replace("art-", "party ")),
        ("/Holm/", "holm"),
        ("Mara AND harbour", "Mara"),
        ("Mara AND NOT harbour", "Mara in the harbour"),
        ("é", "e"),
        ("Мара", "Самара"),
        ("مار", "أمارة"),
    ],
)
def test_a_key_does_not_hold(key: str, text: str) -> None:
    assert not holds(key, text)


@pytest.mark.parametrize(
    "key",
    [
        "/(/",
        "NOT harbour",
        "AND Mara",
        "Mara AND",
        "Mara AND AND lamp",
        "NOT",
        "AND",
        "x" * 501,
        "/((a{1000}){1000}){1000}/",
        "/(?:a{,90000}){,90000}/",
        r"/\p{Nonsense}/",
        "/(?<a>)(?<a/",
    ],
)
def test_a_key_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(ManuscriptError):
        compiled(key)


def test_a_pattern_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "SECONDS", 0.05)
    with pytest.raises(ManuscriptError, match="too long"):
        holds(r"/(a+)+$/", ("a" * 3000 + "!\n") * 20)


@given(st.text(min_size=1, max_size=30), st.text(max_size=60))
def test_any_key_is_used_or_refused(key: str, text: str) -> None:
    try:
        made = compiled(key)
    except ManuscriptError:
        return
    assert made.holds(searched(text)) in (True, False)


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=8).filter(lambda word: word not in OPERATORS))
def test_a_word_is_found_where_it_stands_alone(word: str) -> None:
    assert holds(f"{word}", f"before, {word}. After")

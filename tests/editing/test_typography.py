"""What is typed becomes what a printer would set, and stays what it is where it is no prose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing.typography import Typeset, front_matter, typed


def written(text: str, language: str = "en") -> str:
    """What stands there once all of `text` was typed, key by key."""
    shown = ""
    for character in text:
        turned = typed(shown, character, language)
        shown += character
        if turned:
            shown = shown[: len(shown) - turned.removed] + turned.inserted
    return shown


ENGLISH = [
    ('"Hello," she said.', "“Hello,” she said."),
    ("\"He said 'no'.\"", "“He said ‘no’.”"),
    ("'Don't go,' he said.", "‘Don’t go,’ he said."),
    ("the dogs' bowl isn't 'full'", "the dogs’ bowl isn’t ‘full’"),
    ('("Yes") ["No"]', "(“Yes”) [“No”]"),
    ('"But--" he said.', "“But—” he said."),
    ("'I didn't--' he said.", "‘I didn’t—’ he said."),
    ('word--"quoted"', "word—“quoted”"),
    ('"Wait--what?"', "“Wait—what?”"),
    ("word -- word", "word – word"),
    ("a --- b", "a — b"),
    ("well... so.... no", "well… so…. no"),
    ("in the '90s, '68, 'tis so", "in the ’90s, ’68, ’tis so"),
    ("rock 'n' roll, get 'em, '12' of", "rock ’n’ roll, get ’em, ‘12’ of"),
    ("*\"Hello\"* and **'so'**", "*“Hello”* and **‘so’**"),
    ('"*Hello*"', "“*Hello*”"),
    ('> "Quoted"', "> “Quoted”"),
    ('Line one.\n"Line two."', "Line one.\n“Line two.”"),
    ("A 6' man", "A 6’ man"),
    ("-- Yes.", "— Yes."),
]


@pytest.mark.parametrize(("keys", "expected"), ENGLISH)
def test_english_is_set(keys: str, expected: str) -> None:
    assert written(keys) == expected


LANGUAGES = [
    ("de", "\"Er sagte: 'Nein', ja?\", sagte sie -- und ging...", "„Er sagte: ‚Nein‘, ja?“, sagte sie – und ging…"),
    ("de", "\"Sie rief: 'Wie geht's dir?'\"", "„Sie rief: ‚Wie geht’s dir?‘“"),
    ("de", "So ist's in den '90er Jahren", "So ist’s in den ’90er Jahren"),
    ("de-CH", "\"Er sagte: 'Nein'\"", "«Er sagte: ‹Nein›»"),
    ("fr", '"Oui", dit-il. L\'été', "«\u202fOui\u202f», dit-il. L’été"),
    ("fr", '" Il dit "oui" et "non"."', "«\u202fIl dit “oui” et “non”.\u202f»"),
    ("fr", "-- Oui, dit-il.", "— Oui, dit-il."),
    ("es", '"Dijo "hola" y ¿"qué"?" dijo', "«Dijo “hola” y ¿“qué”?» dijo"),
    ("es", "--Hola --dijo--", "—Hola –dijo–"),
    ("it", '"L\'amico" disse', "«L’amico» disse"),
    ("nl", "\"Ik kom 's avonds, 't is laat\"", "“Ik kom ’s avonds, ’t is laat”"),
    ("pl", '"Tak" -- "Nie"', "„Tak” – „Nie”"),
    ("sv", "\"Ja\" sa 'hon'", "”Ja” sa ’hon’"),
    ("ru", '"Он сказал "да""', "«Он сказал „да“»"),
    ("pt_BR", '"Sim"', "“Sim”"),
    ("tlh", '"Qapla\'"', "“Qapla’”"),
    ("", '"Yes"', "“Yes”"),
    ("zh", '“你好”他说"好"--等等...', '“你好”他说"好"——等等……'),
    ("ja-JP", "「はい」'a' \"b\"", "「はい」'a' \"b\""),
]


@pytest.mark.parametrize(("language", "keys", "expected"), LANGUAGES)
def test_each_language_has_its_marks(language: str, keys: str, expected: str) -> None:
    assert written(keys, language) == expected


NO_PROSE = [
    "---",
    "----------",
    "> ---",
    "- - -",
    "* * *",
    "|---|:--|",
    'Use `print("it\'s")` and ``a`"b`` ',
    "```\"'",
    "<a href=\"x\" title='y'>",
    '<!-- it\'s a "note" -- or... -->',
    '[a](b "title")',
    "https://example.org/a--b...c",
    r"\" \' ",
    "--> a",
]


@pytest.mark.parametrize("keys", NO_PROSE)
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_what_is_no_prose_stays_as_it_is(keys: str, language: str) -> None:
    assert written(keys, language) == keys


def test_prose_goes_on_behind_code_and_links() -> None:
    assert written("`a` \"b\" [c](d) 'e' <i>f</i> -- g") == "`a` “b” [c](d) ‘e’ <i>f</i> – g"


def test_only_what_changes_is_replaced() -> None:
    assert typed("", '"', "en") == Typeset(1, "“")
    assert typed("so -", "-", "de") == Typeset(2, "–")
    assert typed("so..", ".", "en") == Typeset(3, "…")
    assert typed("--", "H", "es") == Typeset(3, "—H")
    assert typed("the ‘90", "s", "en") == Typeset(4, "’90s")
    assert typed("«\u202f", " ", "fr") == Typeset(1, "")
    assert typed("so ", "x", "en") is None


def test_what_an_undo_gave_back_stays() -> None:
    assert typed("so..", ".", "en") is not None
    assert typed("so...", ".", "en") is None
    assert typed("so --", "-", "en") is None
    assert typed("so --", " ", "en") is None
    assert typed("in the '90", "s", "en") is None


def test_a_long_paragraph_is_set_like_a_short_one() -> None:
    assert typed("word " * 2000, '"', "en") == Typeset(1, "“")
    assert typed("`code` " * 2000 + '"it', "'", "en") == Typeset(1, "’")


def test_a_burst_of_keys_is_set_like_single_ones() -> None:
    """K2"""
    assert typed("", '"Don\'t--"', "en") == Typeset(9, "“Don’t—”")
    assert typed("x", "你好", "en") is None
    assert typed("", '"' * 100, "en") is None


@given(st.text("ab1 .-\"'`*<>|—‘“«\\\n", max_size=30), st.sampled_from(["en", "de", "fr", "sv", "nl", "zh"]))
@settings(max_examples=300, deadline=None)
def test_a_burst_and_single_keys_end_the_same(keys: str, language: str) -> None:
    turned = typed("", keys, language) if "\n" not in keys else None
    if turned:
        assert 0 <= turned.removed <= len(keys)
        assert keys[: len(keys) - turned.removed] + turned.inserted == written(keys, language)
    elif "\n" not in keys:
        assert written(keys, language) == keys
    else:
        assert written(keys, language).count("\n") == keys.count("\n")


FRONT = [
    ('---\ntitle: "A"\n---\nText', '---\ntitle: "A"\n---'),
    ("---\ntitle: A\n\nfree text\n...\nText", "---\ntitle: A\n\nfree text\n..."),
    ('+++\ntitle = "A"\n+++\n', '+++\ntitle = "A"\n+++'),
    ('---\ntitle: "A', '---\ntitle: "A'),
    ("---\ntags:\n  - a\n- b\nProse begins.", "---\ntags:\n  - a\n- b"),
    ("---\n\nA rule, then prose: none.", ""),
    ("---\nProse.\n---\n", ""),
    ("---", ""),
    ("Title: x", ""),
    ("", ""),
]


@pytest.mark.parametrize(("head", "expected"), FRONT)
def test_front_matter_is_known(head: str, expected: str) -> None:
    assert head[: front_matter(head)] == expected

"""Two texts that grew out of one: what is merged, what is left to the author, and that no side loses a word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.manuscript.edits import applied, at_once, carried, in_turn, inside, moved
from writer.manuscript.merge import merge

BASE = "# One\n\nThe old man slept.\n\nRain fell on the harbour.\n\nNobody saw the light.\n"


def merged(base: str, ours: str, theirs: str) -> str | None:
    found = merge(base, ours, theirs)
    assert found is None or applied(ours, found.edits) == found.text
    return found.text if found else None


def test_different_paragraphs_are_merged() -> None:
    ours, theirs = BASE.replace("slept", "woke"), BASE.replace("saw the light", "saw anything")
    assert merged(BASE, ours, theirs) == ours.replace("saw the light", "saw anything")


def test_neighbouring_paragraphs_without_a_blank_line_are_merged() -> None:
    assert merged("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n") == "a\nB\nC\n"


def test_different_words_of_one_paragraph_are_merged_and_called_fine() -> None:
    found = merge("The old man slept.", "The old man slept. He dreamt", "The old woman slept.")
    assert found is not None
    assert (found.text, found.fine) == ("The old woman slept. He dreamt", True)
    other = merge(BASE, BASE, BASE.replace("slept", "woke"))
    assert other is not None
    assert not other.fine


def test_characters_of_a_chinese_paragraph_are_merged() -> None:
    assert (
        merged("老人睡着了，雨落在港口。", "老人醒了，雨落在港口。", "老人睡着了，雪落在港口。")
        == "老人醒了，雪落在港口。"
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("The old man woke.", "The old man died."),
        ("The old man slept. Then", "The old man slept. Now"),
        ("", "The old man died."),
        ("The old man slept well.", ""),
        ("The old man slept well.", " \n"),
    ],
)
def test_what_both_sides_changed_is_an_overlap(ours: str, theirs: str) -> None:
    assert merged("The old man slept.", ours, theirs) is None


def test_paragraphs_added_at_one_place_come_one_after_the_other() -> None:
    assert merged(BASE, BASE + "\nHe walked", BASE + "\nA note.\n") == BASE + "\nHe walked\nA note.\n"
    assert merged("One.", "One. And he", "One.\n\nA note.") == "One. And he\n\nA note."
    assert merged("One.", "One.\n\nSame.", "One.\n\nSame.\n\nMore.") is None


def test_a_part_of_ours_is_nothing_new() -> None:
    assert merged("One.", "One. And he walked", "One. And he") == "One. And he walked"
    assert merged("One.", "One. And he", "One. And he") == "One. And he"


def test_the_edits_are_small() -> None:
    found = merge(BASE, BASE, BASE.replace("man", "woman").replace("fell", "came down"))
    assert found is not None
    assert [edit[1:] for edit in found.edits] == [(4, " woman"), (5, " came down")]


def test_line_ends_that_are_none_stay_in_their_lines() -> None:
    base = "a\u2028b\x0bc\x85d\n\ne\n"
    assert merged(base, base.replace("a", "A"), base.replace("e", "E")) == base.replace("a", "A").replace("e", "E")


def test_what_would_take_minutes_is_an_overlap() -> None:
    lines = [f"{number % 90}\n" for number in range(20_000)]
    ours, theirs = [*lines[1:], "x\n"], lines[::-1]
    assert merged("".join(lines), "".join(ours), "".join(theirs)) is None


WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=9)
TEXTS = st.lists(WORDS.map(" ".join), max_size=7).map("\n".join)


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=300)
def test_edits_make_the_merged_text(base: str, ours: str, theirs: str) -> None:
    merged(base, ours, theirs)
    for text, expected in ((merged(base, base, theirs), theirs), (merged(base, ours, base), ours)):
        assert text == expected or (text is None and base.strip() and not theirs.strip())


@st.composite
def branches(draw: st.DrawFn) -> tuple[str, str, str]:
    """A base of numbered words, and two texts that grew out of it by new words, each used once."""
    count = draw(st.integers(0, 12))
    ends = st.sampled_from(["\n", "\n\n", " "])
    base = [f"b{number}" + draw(ends) for number in range(count)]

    def grown(mark: str) -> str:
        words = list(base)
        for number in range(draw(st.integers(0, 6))):
            at = draw(st.integers(0, len(words)))
            if words and at < len(words) and draw(st.booleans()):
                words.pop(at)
            words.insert(at, f"{mark}{number}" + draw(ends))
        return "".join(words)

    return "".join(base), grown("o"), grown("t")


@given(branches())
@settings(max_examples=300)
def test_no_side_loses_a_new_word_or_gets_it_twice(texts: tuple[str, str, str]) -> None:
    base, ours, theirs = texts
    text = merged(base, ours, theirs)
    if text is not None:
        words = re.findall(r"[bot]\d+", text)
        assert len(words) == len(set(words))
        for side in (ours, theirs):
            assert set(re.findall(r"[ot]\d+", side)) <= set(words)


# --- places


EDITS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), st.text("xyz", max_size=3)), max_size=4)


def sorted_edits(edits: list[tuple[int, int, str]], length: int) -> list[tuple[int, int, str]]:
    """Those of them that fit a text of that length and do not touch each other."""
    fitting, end = [], 0
    for at, removed, inserted in sorted(edits):
        if at >= end and at + removed <= length:
            fitting.append((at, removed, inserted))
            end = at + removed + 1
    return fitting


@given(st.text("abc", max_size=30), EDITS)
def test_edits_are_told_both_ways(text: str, edits: list[tuple[int, int, str]]) -> None:
    whole = sorted_edits(edits, len(text))
    turned = in_turn(whole)
    assert list(at_once(turned)) == whole
    one_by_one = text
    for at, removed, inserted in turned:
        one_by_one = one_by_one[:at] + inserted + one_by_one[at + removed :]
    assert applied(text, turned) == one_by_one


@given(st.text("abc", min_size=1, max_size=30), EDITS, st.integers(0, 29))
def test_a_place_stays_with_its_character(text: str, edits: list[tuple[int, int, str]], place: int) -> None:
    place %= len(text)
    whole = sorted_edits(edits, len(text))
    if any(at <= place < at + removed for at, removed, _ in whole):
        return
    marked = text[:place] + "|" + text[place + 1 :]
    after = applied(marked, in_turn(whole))
    assert after[moved(place, in_turn(whole), pushed=True)] == "|"


def test_what_is_inside() -> None:
    assert not inside(3, 6, [(3, 0, "x")])
    assert not inside(3, 6, [(6, 0, "x"), (0, 3, "")])
    assert inside(3, 6, [(4, 0, "x")])
    assert inside(3, 6, [(0, 4, "")])
    assert inside(3, 3, [(2, 2, "x")])
    assert not inside(3, 3, [(3, 0, "x")])


def test_edits_are_carried_over_to_a_text_that_has_grown() -> None:
    base = "one two three"
    edits = ((0, 3, "ONE"), (13, 0, " four"))
    for text, expected in [
        (base, "ONE two three four"),
        ("one 2 three", "ONE 2 three four"),
        ("one two three, and", "ONE two three, and four"),
        ("on two three", None),
        ("ones two three", None),
        ("onerous\n\none two 3", None),
        ("one ten\none two three", None),  # what was typed begins with the same letters: is it before, or behind?
        ("uno two three", None),
    ]:
        found = carried(edits, base, text)
        assert (applied(text, found) if found is not None else None) == expected

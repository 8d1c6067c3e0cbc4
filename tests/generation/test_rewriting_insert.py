"""Insertion: the marks of each family of models, the prompt without them, and seams that read as one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.errors import RequestRefused
from writer.generation.rewriting import Passage
from writer.generation.rewriting_insert import (
    FAMILIES,
    fitted,
    gap_of,
    inserted,
    insertion_prompt,
    mark_texts,
    require_gap,
)

PASSAGE = Passage("The lamp went out. ", "", "The ship was near. It came fast.")


def test_the_marks_of_every_family_are_found_and_no_others() -> None:
    for marks in FAMILIES:
        special = {"<s>": 1, marks.prefix: 7, marks.suffix: 8} | ({marks.middle: 9} if marks.middle else {})
        gap = gap_of(special)
        assert gap is not None
        assert (gap.prefix, gap.suffix, gap.middle) == (7, 8, 9 if marks.middle else None)
    assert gap_of({"<s>": 1, "<|im_start|>": 2}) is None
    assert gap_of({"<|fim_prefix|>": 7, "<|fim_suffix|>": 8}) is None, "one mark is missing"
    assert gap_of(dict.fromkeys(mark_texts(), 0)) is None, "a tokenizer that answers its unknown token to all"


def test_each_family_writes_the_gap_in_its_own_order() -> None:
    qwen = gap_of({"<|fim_prefix|>": 7, "<|fim_suffix|>": 8, "<|fim_middle|>": 9})
    codestral = gap_of({"[PREFIX]": 7, "[SUFFIX]": 8})
    assert qwen is not None
    assert codestral is not None
    assert qwen.ids((1,), (20, 21), (30,)) == (1, 7, 20, 21, 8, 30, 9)
    assert codestral.ids((1,), (20, 21), (30,)) == (1, 8, 30, 7, 20, 21)


def test_without_marks_the_model_is_asked_and_sees_both_sides() -> None:
    user = insertion_prompt(PASSAGE, "the keeper wakes.", words=80).messages[-1].content
    assert "<before>\nThe lamp went out.\n</before>" in user
    assert "<after>\nThe ship was near. It came fast.\n</after>" in user
    assert (
        "about 80 words. In it: the keeper wakes. It begins where <before> ends. It ends where <after> begins." in user
    )


def test_a_model_that_can_neither_is_refused_with_the_next_step() -> None:
    gap = gap_of({"[PREFIX]": 7, "[SUFFIX]": 8})
    assert require_gap(gap, " ") is gap
    with pytest.raises(RequestRefused, match="not into the middle"):
        require_gap(None, "")
    with pytest.raises(RequestRefused, match="without a wish"):
        require_gap(gap, "rain")


def test_what_follows_is_not_written_twice() -> None:
    assert inserted("He woke. The ship was near. It came fast. Then", PASSAGE) == "He woke. "
    assert inserted("Here is the missing text:\n\nThe lamp went out. He woke.", PASSAGE) == "He woke. "
    assert inserted("He woke. The ship was near. It", PASSAGE, filled=True) == "He woke. "
    assert inserted("The ship was near.", PASSAGE) == ""


def test_an_insertion_that_was_cut_short_ends_with_a_whole_sentence() -> None:
    assert inserted("He woke. He stood up and", PASSAGE, cut_short=True) == "He woke. "
    assert inserted("He woke. He stood up and", PASSAGE, filled=True, cut_short=True) == "He woke. "


SEAMS = [
    ("One.", "Two.", "Three.", " Two. "),
    ("One. ", "Two.", "Three.", "Two. "),
    ("One.", "Two.", " Three.", " Two."),
    ("One.\n\n", "Two.\n\nMore.", "Three.", "Two.\n\nMore.\n\n"),
    ("One.\n\n", "\n\nTwo.\n", "\n\nThree.", "Two."),
    ("", "Two.", "Three.", "Two. "),
    ("One.", "Two.", "", " Two."),
    ("一。", "二。", "三。", "二。"),
    ("“", "Two.", "” he said.", "Two."),
    ("One", ", two,", " three.", ", two,"),
    ("He", "went", "!", " went"),
    ("One.", "  ", "Three.", ""),
]


@pytest.mark.parametrize(("before", "text", "after", "fits"), SEAMS)
def test_seams_have_the_blanks_that_they_need_and_no_more(before: str, text: str, after: str, fits: str) -> None:
    assert fitted(text, before, after) == fits


def test_text_from_marks_may_begin_in_mid_word() -> None:
    assert fitted("ed on. He ", "He walk", " woke.", begun=True) == "ed on. He"
    assert fitted(" and slept", "He walked", ".", begun=True) == " and slept"
    assert fitted(" p", "lam", "s", begun=True) == " p", "the cursor stands in a word: what comes is left as it is"


@given(*[st.text(alphabet="aB. \n。“”", max_size=12)] * 3, st.booleans())
def test_a_seam_changes_white_space_only(before: str, text: str, after: str, begun: bool) -> None:
    fits = fitted(text, before, after, begun=begun)
    assert "".join(fits.split()) == "".join(text.split())
    if not begun and fits:
        assert not (before[-1:].isspace() and fits[0].isspace())
        assert not (after[:1].isspace() and fits[-1].isspace())


def test_it_suits_a_report_as_well_as_a_novel() -> None:
    assert "novelist" not in insertion_prompt(PASSAGE).messages[0].content

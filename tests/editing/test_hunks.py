"""Hunks: what an author sees of a rewriting, and that each can be taken or left."""

from __future__ import annotations

import random
from itertools import chain, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing.alignment import runs, tokens
from writer.editing.document import Document
from writer.editing.hunks import applied, changes, hunks, pieces
from writer.editing.layout import Layout

WORDS = st.sampled_from(
    ["the", "sea", "rose", "slowly", "She", "went", "naïve", "don't", "海", "浪", "夜", "ไทย", "👩‍👩‍👧", "é"]
)
PROSE = st.lists(
    st.tuples(WORDS, st.sampled_from([" ", " ", " ", ". ", ", ", "。", "\n\n", "", "  "])), max_size=30
).map(lambda parts: "".join(chain.from_iterable(parts)))
ANY = st.one_of(PROSE, st.text(max_size=40))


def marked(original: str, rewriting: str) -> str:
    signs = {"same": "{}", "removed": "[-{}-]", "inserted": "{{+{}+}}"}
    return "".join(signs[piece.kind].format(piece.text) for piece in pieces(original, hunks(original, rewriting)))


@settings(max_examples=300, deadline=None)
@given(ANY, ANY)
def test_all_accepted_give_the_rewriting_and_none_the_original(original: str, rewriting: str) -> None:
    found = hunks(original, rewriting)
    assert applied(original, found, range(len(found))) == rewriting
    assert applied(original, found, ()) == original
    assert (found == ()) is (original == rewriting)


@settings(max_examples=200, deadline=None)
@given(PROSE, PROSE, st.data())
def test_a_choice_of_hunks_in_an_editor_gives_the_same_text(original: str, rewriting: str, data: st.DataObject) -> None:
    found = hunks(original, rewriting)
    accepted = data.draw(st.sets(st.integers(0, max(0, len(found) - 1))))
    layout = Layout(Document("Before. " + original + " After."), 80)
    for change in changes(found, accepted, at=len("Before. ")):
        layout.replace(change.at, change.at + change.removed, change.inserted)
    assert layout.document.text == "Before. " + applied(original, found, accepted) + " After."


@settings(max_examples=200, deadline=None)
@given(ANY, ANY)
def test_hunks_stand_in_order_and_know_what_they_replace(original: str, rewriting: str) -> None:
    end = to = 0
    for hunk in hunks(original, rewriting):
        assert hunk.start >= end
        assert original[end : hunk.start] == rewriting[to : hunk.at]
        assert original[hunk.start : hunk.end] == hunk.original != hunk.replacement
        end, to = hunk.end, hunk.at + len(hunk.replacement)
    assert original[end:] == rewriting[to:]


@settings(max_examples=200, deadline=None)
@given(ANY, ANY)
def test_runs_cover_both_texts_in_turns(original: str, rewriting: str) -> None:
    found = runs(original, rewriting)
    assert "".join(original[run.start : run.end] for run in found) == original
    assert "".join(rewriting[run.at : run.to] for run in found) == rewriting
    assert all(one.equal != other.equal for one, other in pairwise(found))
    assert all(not run.equal or original[run.start : run.end] == rewriting[run.at : run.to] for run in found)


SAMPLES = [
    (
        "The lamp had gone out an hour before the ship was seen. Nobody spoke.",
        "The lamp had been dark for an hour when the ship was sighted. Nobody spoke.",
        "The lamp had [-gone out-]{+been dark for+} an hour [-before-]{+when+} the ship was [-seen-]{+sighted+}."
        " Nobody spoke.",
    ),
    (
        "She walked to the window and looks out. It is raining.",
        "She walked to the window and looked out. It was raining.",
        "She walked to the window and [-looks-]{+looked+} out. It [-is-]{+was+} raining.",
    ),
    (
        "The keeper climbed the stairs slowly, one hand on the wall.",
        "The old keeper climbed the stairs, one hand on the wall.",
        "The {+old +}keeper climbed the stairs[- slowly-], one hand on the wall.",
    ),
    (
        "A cat sat. A dog ran. A bird flew away over the roofs.",
        "The rain fell on everything. Nothing stirred at all. He waited.",
        "[-A cat sat.-]{+The rain fell on everything.+} [-A dog ran.-]{+Nothing stirred at all.+} "
        "[-A bird flew away over the roofs.-]{+He waited.+}",
    ),
    (
        'He said "no" and left the room in a hurry, slamming the door so that the whole house shook.',
        "He left, and the house shook.",
        '[-He said "no" and left the room in a hurry, slamming the door so that the whole house shook.-]'
        "{+He left, and the house shook.+}",
    ),
    (
        "他走进了房间，看见窗户开着。雨下得很大。她没有说话。",
        "他走进房间，发现窗户敞开着。雨下得很大。她沉默不语。",
        "[-他走进了房间，看见窗户开着。-]{+他走进房间，发现窗户敞开着。+}雨下得很大。[-她没有说话。-]{+她沉默不语。+}",
    ),
    ("One two three.\nFour five six.", "One two three.\n\nFour five six.", "One two three.\n{+\n+}Four five six."),
    ("", "All new.", "{+All new.+}"),
    ("All gone.", "", "[-All gone.-]"),
]


@pytest.mark.parametrize(("original", "rewriting", "shown"), SAMPLES)
def test_pieces_are_those_that_an_editor_would_mark(original: str, rewriting: str, shown: str) -> None:
    assert marked(original, rewriting) == shown


def test_a_sentence_that_stays_between_two_new_ones_stays() -> None:
    original = "He ran down to the harbour in the rain. The sea was calm. All the boats had left before the morning."
    rewriting = (
        "Nothing could have kept him at home that day. The sea was calm. On the quay stood a single child, alone."
    )
    assert len(hunks(original, rewriting)) == 2


def test_paragraphs_that_are_all_new_are_one_hunk_each() -> None:
    original = "It rained. Nobody came.\n\nHe slept."
    rewriting = "Three days went by under a low sky.\n\nAt last, in the night, a knock. Another."
    assert [hunk.original for hunk in hunks(original, rewriting)] == ["It rained. Nobody came.", "He slept."]


def test_between_two_hunks_of_a_sentence_stand_at_least_two_words() -> None:
    source = random.Random(3)
    words = [f"word{number}" for number in range(40)]
    for _ in range(60):
        original = " ".join(source.choices(words, k=25))
        rewriting = " ".join(word if source.random() < 0.8 else source.choice(words) for word in original.split())
        found = hunks(original, rewriting)
        for one, other in pairwise(found):
            assert len(tokens(original[one.end : other.start])) >= 2, marked(original, rewriting)


def test_five_thousand_new_words_are_compared_with_bounded_work() -> None:
    source = random.Random(4)
    words = [f"w{number}" for number in range(1500)]
    often = [1 / (number + 1) for number in range(1500)]
    one, other = (" ".join(source.choices(words, often, k=5000)) for _ in range(2))
    found = hunks(one, other)  # a quadratic comparison in Python takes minutes here
    assert applied(one, found, range(len(found))) == other

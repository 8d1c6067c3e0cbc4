"""What becomes of an answer: the passage, its difference, its place in a chapter that the author goes on writing in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.editing.hunks import applied
from writer.errors import NotResumable
from writer.generation.rewriting import Kind
from writer.runtime.rewriting import (
    RewriteRequest,
    Rewritten,
    Task,
    applied_to,
    carried_over,
    place_of,
    rewritten,
    signs,
)

NEAR = 40
"""Characters before a passage by which it is known again."""
CHAPTER = "It was late. The lamp had gone out. Nobody spoke."
START = CHAPTER.index("The lamp")
END = CHAPTER.index(" Nobody")


SHORTEN = Task(Kind.SHORTEN)


def answered(answer: str, task: Task = SHORTEN, *, complete: bool = True) -> Rewritten:
    end = START if task.kind is Kind.INSERT else END
    return rewritten("g1", "c.md", (CHAPTER, START, end), task, answer, complete=complete)


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("wish", ["", "the past: now"])
@pytest.mark.parametrize("marks", [False, True])
def test_a_task_survives_in_the_database(kind: Kind, wish: str, marks: bool) -> None:
    for near in ("", "0123456789abcdef"):
        assert Task.read(Task(kind, wish, marks, near).stored()) == Task(kind, wish, marks, near)


@pytest.mark.parametrize("stored", ["", "more rain", "shorten by magic", "shortened"])
def test_what_is_no_rewriting_is_not_taken_for_one(stored: str) -> None:
    with pytest.raises(NotResumable):
        Task.read(stored)


def test_an_answer_becomes_the_passage_with_its_hunks() -> None:
    found = answered("Here is the shortened passage:\n\nThe lamp was out.")
    assert (found.original, found.text) == ("The lamp had gone out.", "The lamp was out.")
    assert applied(found.original, found.hunks, range(len(found.hunks))) == found.text
    assert applied_to(CHAPTER, found, found.text) == "It was late. The lamp was out. Nobody spoke."
    assert (found.complete, found.sentence) == (True, "")


def test_an_insertion_replaces_nothing_and_leaves_no_seam() -> None:
    found = answered("He waited. The lamp had gone out. Nobody", Task(Kind.INSERT))
    assert found.original == ""
    assert applied_to(CHAPTER, found, found.text) == "It was late. He waited. The lamp had gone out. Nobody spoke."


@pytest.mark.parametrize(
    ("answer", "complete", "said"),
    [
        ("", True, "nothing that can be used"),
        ("Nobody spoke.", True, "nothing that can be used"),
        ("The lamp had gone out.", True, "left the passage as it is"),
        ("The lamp was out. And", False, "not complete"),
    ],
)
def test_the_author_is_told_what_he_must_know(answer: str, complete: bool, said: str) -> None:
    found = answered(answer, complete=complete)
    assert said in found.sentence
    assert "Try again" in found.sentence
    assert (found.hunks == ()) is (found.text == found.original)


def test_a_text_that_was_cut_short_ends_with_a_whole_sentence() -> None:
    assert answered("The lamp was out. And the", complete=False).text == "The lamp was out."


def test_the_place_follows_what_the_author_writes_elsewhere() -> None:
    found = answered("The lamp was out.")
    carried = carried_over(found, CHAPTER, "Later still. " + CHAPTER)
    assert carried is not None
    assert applied_to("Later still. " + CHAPTER, carried, carried.text).endswith(
        "It was late. The lamp was out. Nobody spoke."
    )
    behind = carried_over(found, CHAPTER, CHAPTER + " He slept.")
    assert behind is not None
    assert behind.start == found.start


def test_the_place_is_found_again_after_changes_on_both_sides() -> None:
    base = "He came home. " * 9 + CHAPTER + " He went on." * 9
    start = base.index("The lamp")
    end = start + END - START
    found = rewritten("g1", "c.md", (base, start, end), Task(Kind.SHORTEN), "The lamp was out.", complete=True)
    now = "One. " + base + " Two."
    carried = carried_over(found, base, now)
    assert carried is not None
    assert applied_to(now, carried, carried.text) == "One. " + base.replace("had gone", "was") + " Two."
    assert carried_over(found, base, f"One. {base} {base} Two.") is None, "it stands there twice"


def test_a_passage_that_was_changed_meanwhile_is_not_overwritten() -> None:
    found = answered("The lamp was out.")
    assert carried_over(found, CHAPTER, CHAPTER.replace("gone", "burnt")) is None
    assert carried_over(found, CHAPTER, CHAPTER.replace("out.", "out. Now")) is None
    assert carried_over(found, CHAPTER, "") is None


@given(st.integers(0, len(CHAPTER)), st.integers(0, 10), st.text(alphabet="xyz .", max_size=8))
def test_a_place_that_is_carried_over_always_holds_the_original(at: int, removed: int, typed: str) -> None:
    found = answered("The lamp was out.")
    now = CHAPTER[:at] + typed + CHAPTER[at + removed :]
    carried = carried_over(found, CHAPTER, now)
    if carried is not None:
        assert now[carried.start : carried.end] == found.original


def test_a_request_knows_its_surroundings_and_its_role() -> None:
    request = RewriteRequest("c.md", CHAPTER, START, END, Kind.FREE, "darker")
    assert (request.passage.before, request.passage.after) == ("It was late. ", " Nobody spoke.")
    assert request.role == "rewrite"
    assert RewriteRequest("c.md", CHAPTER, START, START, Kind.INSERT).role == "insert"


@given(st.text(alphabet="ab. \n海", max_size=30), st.text(alphabet="ab. \n海", max_size=30), st.data())
def test_a_passage_is_known_again_after_changes_before_and_behind_it(
    before: str, behind: str, data: st.DataObject
) -> None:
    chapter = "\n".join(f"Line {number} of the chapter is not like any other." for number in range(9))
    start = data.draw(st.integers(0, len(chapter)))
    end = data.draw(st.integers(start, len(chapter)))
    near = signs(chapter, start, end)
    assert place_of(near, chapter, start, end) == (start, end)
    now = before + chapter + behind
    if (start, end) != (len(chapter), len(chapter)):
        found = place_of(near, now, start, end)
        assert found in (None, (start + len(before), end + len(before)))
        if end > start and any(map(str.isdigit, chapter[max(0, start - NEAR) : end])):
            assert found is not None  # what stands between two numbers stands in every line


def test_a_passage_that_stands_twice_or_not_at_all_has_no_certain_place() -> None:
    near = signs(CHAPTER, START, END)
    assert place_of(near, CHAPTER + "\n" + CHAPTER, START + 1, END + 1) is None
    assert place_of(near, CHAPTER.replace("gone", "burnt"), START, END) is None
    assert place_of(near, "", START, END) is None

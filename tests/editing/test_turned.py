"""Two steps that are undone as one: what made room, and what came there. And what was chosen is told."""

from __future__ import annotations

from writer.editing.change import Change
from writer.editing.sheet import Sheet
from writer.editing.turned import Turned


def retried(between: str = "") -> Sheet:
    """ "one", then a text that has taken the place of another one; the author may have typed between the two."""
    sheet = Sheet("one")
    sheet.expect_generated()
    sheet.begin_generated("g", 3, 3)
    sheet.append_generated(" former")
    sheet.end_generated()
    sheet.discard_generated()
    sheet.expect_generated(instead=True)
    sheet.select(0, 0)
    sheet.type(between)
    sheet.begin_generated("h", 3, 3)
    sheet.append_generated(" new")
    return sheet


def test_a_retry_is_one_step() -> None:
    sheet = retried()
    sheet.end_generated()
    assert sheet.undo() == Turned("h", removed=True, other="g", place=(3, 10))
    assert sheet.text == "one former"
    assert sheet.redo() == Turned("h", removed=False, other="g")
    assert sheet.text == "one new"
    sheet.undo()
    assert sheet.undo() == Turned("g", removed=True, place=(3, 3))
    assert (sheet.text, sheet.undo()) == ("one", None)
    for _ in range(2):
        sheet.redo()
    assert (sheet.text, sheet.redo()) == ("one new", None)


def test_what_the_author_typed_meanwhile_stays() -> None:
    sheet = retried("X")
    sheet.end_generated()
    sheet.undo()
    assert sheet.text == "Xone former"
    assert sheet.undo() == Turned()
    assert sheet.text == "one former"


def test_while_it_is_written_undo_passes_over_both() -> None:
    sheet = retried("X")
    assert sheet.undo() == Turned()
    assert sheet.text == "one new"
    assert sheet.undo() is None
    sheet.end_generated()
    sheet.undo()
    assert sheet.text == "one former"


def test_the_next_text_makes_no_room_by_an_old_discard() -> None:
    sheet = retried()
    sheet.end_generated()
    sheet.expect_generated()
    sheet.begin_generated("i", 7, 7)
    sheet.append_generated(" more")
    sheet.end_generated()
    assert sheet.undo() == Turned("i", removed=True, place=(7, 7))
    assert sheet.text == "one new"


def test_what_cannot_be_redone_is_gone_with_what_went_along() -> None:
    sheet = retried()
    sheet.end_generated()
    sheet.undo()
    sheet.select(0, 0)
    sheet.type("X")
    assert sheet.redo() is None
    sheet.undo()
    sheet.undo()
    assert sheet.text == "one"
    sheet.redo()
    assert sheet.text == "one former"


def test_a_choice_that_is_undone_is_told_with_what_stands_there_then() -> None:
    sheet = Sheet("one")
    sheet.replace((Change(3, 0, " first"),), "t")
    sheet.replace((Change(3, 6, " second"),), "u", former="t")
    assert sheet.undo() == Turned("u", removed=True, other="t", chosen=True, place=(3, 9))
    assert sheet.text == "one first"
    assert sheet.undo() == Turned("t", removed=True, chosen=True, place=(3, 3))
    assert sheet.redo() == Turned("t", removed=False, chosen=True)
    assert sheet.redo() == Turned("u", removed=False, other="t", chosen=True)

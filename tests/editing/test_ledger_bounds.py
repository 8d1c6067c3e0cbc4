"""What a ledger keeps does not grow without end: old steps and hidden text are forgotten, runs of one kind joined."""

from __future__ import annotations

import pytest
from ledger_author import Author

from writer.editing import ledger as ledgers
from writer.editing.change import Change
from writer.editing.ledger import STEPS_KEPT, Ledger
from writer.editing.runs import Step


def test_old_steps_become_part_of_the_text() -> None:
    author = Author("start ")
    for number in range(STEPS_KEPT * 2):
        author.type(len(author.text), 0, f"{number} ")
        if number % 3 == 0:
            author.type(2, 1, "")
    text = author.text
    assert author.ledger.length == len(text)
    assert STEPS_KEPT <= len(author.ledger.undoable) <= STEPS_KEPT * 1.2
    assert len(author.ledger.runs) < STEPS_KEPT * 3
    while turned := author.ledger.undo():
        author.turn(turned)
    assert author.text != text
    assert author.ledger.length == len(author.text)


def test_one_step_of_many_keys_is_few_runs() -> None:
    author = Author("0123456789" * 10)
    step = Step()
    for at in reversed(range(10, 90)):
        author.type(at, 1, "", step)
    step = Step()
    for number in range(50):
        author.type(10 + number, 0, "x", step)
    assert len(author.ledger.runs) == 4
    author.turn(author.ledger.undo())
    author.turn(author.ledger.undo())
    assert author.text == "0123456789" * 10


def test_hidden_text_is_bounded_and_the_newest_step_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "HIDDEN_KEPT", 100)
    author = Author("x" * 600)
    for _ in range(5):
        author.type(0, 40, "")
    assert author.ledger.hidden == 80
    assert len(author.ledger.undoable) == 2
    author.type(0, 300, "")  # alone more than is kept
    assert [step.done for step in author.ledger.undoable] == [True]
    author.turn(author.ledger.undo())
    assert author.text == "x" * 400


def test_undone_text_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "HIDDEN_KEPT", 100)
    author = Author("")
    for character in "abcde":
        author.type(0, 0, character * 40)
    for _ in range(5):
        author.turn(author.ledger.undo())
    assert author.text == ""
    assert author.ledger.hidden == 80
    while turned := author.ledger.redo():
        author.turn(turned)
    assert author.text == "b" * 40 + "a" * 40


def test_a_key_in_a_long_text_reads_nothing_of_it() -> None:
    read: list[int] = []

    def reader(start: int, end: int) -> str:
        read.append(end - start)
        return "x" * (end - start)

    ledger = Ledger(5_000_000, reader)
    step = Step()
    ledger.record(Change(2_500_000, 0, "a"), step)
    ledger.record(Change(2_500_001, 3, ""), step)
    assert read == [3]
    assert [run.length for run in ledger.runs] == [2_500_000, 1, 3, 2_499_997]
    assert sum(len(run.text) for run in ledger.runs) == 3

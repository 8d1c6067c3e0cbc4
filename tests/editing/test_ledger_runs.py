"""The ledger against a text kept character by character: whatever is typed, streamed, undone and redone, both agree."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from ledger_author import Author

from writer.editing.change import Change
from writer.editing.runs import Run, Step

OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("type"), st.integers(0, 99), st.integers(0, 6), st.text("abc\n", max_size=4)),
        st.tuples(st.just("stream"), st.text("XY ", min_size=1, max_size=5)),
        st.tuples(st.sampled_from(["undo", "redo", "finish", "begin"])),
    ),
    max_size=40,
)


@settings(max_examples=300, deadline=None)
@given(st.text("abc\n", max_size=20), OPERATIONS)
def test_what_is_typed_streamed_and_taken_back_is_as_letter_by_letter(
    start: str, operations: list[tuple[object, ...]]
) -> None:
    author = Author(start)
    for operation in operations:
        author.do(operation)
        assert author.text == "".join(letter.character for letter in author.letters if letter.shown)
        assert author.ledger.length == len(author.text)


@settings(max_examples=300, deadline=None)
@given(st.text("abc\n", max_size=20), OPERATIONS)
def test_lengths_agree_with_the_text_and_only_hidden_text_is_kept(
    start: str, operations: list[tuple[object, ...]]
) -> None:
    author = Author(start)
    for operation in operations:
        author.do(operation)
        assert author.ledger.length == len(author.text)
        for run in author.ledger.runs:
            assert run.shown == run.in_force()
            assert len(run.text) == (0 if run.shown else run.length)


def there_and_back(start: str, operations: list[tuple[object, ...]]) -> None:
    author = Author(start)
    for operation in operations:
        if operation[0] not in ("undo", "redo"):
            author.do(operation)
    author.finish()
    last, steps = author.text, len(author.ledger.undoable)
    for _ in range(steps):
        author.turn(author.ledger.undo())
    assert author.text == start
    for _ in range(steps):
        author.turn(author.ledger.redo())
    assert author.text == last


@settings(max_examples=200, deadline=None)
@given(st.text("abc\n", max_size=20), OPERATIONS)
def test_undoing_everything_gives_the_first_text_and_redoing_the_last(
    start: str, operations: list[tuple[object, ...]]
) -> None:
    there_and_back(start, operations)


@settings(max_examples=200, deadline=None)
@given(st.text("abc\n", max_size=20), OPERATIONS)
def test_streamed_text_stays_together_whatever_is_typed_around_it(
    start: str, operations: list[tuple[object, ...]]
) -> None:
    author = Author(start)
    streamed = ""
    author.begin()
    for operation in operations:
        if operation[0] == "stream":
            streamed += str(operation[1])
            author.do(operation)
        elif operation[0] == "type":  # anywhere but inside the span
            first, last = author.ledger.span("g1") or (0, 0)
            at = int(str(operation[1])) % (len(author.text) + 1)
            if first < at < last:
                at = first
            author.type(at, 0, str(operation[3]))
        elif operation[0] in ("undo", "redo"):
            author.do(operation)
    first, last = author.ledger.span("g1") or (0, 0)
    assert author.text[first:last] == streamed


def test_the_authors_undo_passes_over_what_is_still_being_written() -> None:
    """C7"""
    author = Author("Once.")
    author.type(0, 0, "A ")
    author.stream(" upon")
    author.type(0, 0, "B ")
    author.turn(author.ledger.undo())
    assert author.text == "A Once. upon"
    author.turn(author.ledger.undo())
    assert author.text == "Once. upon"
    assert author.ledger.undo() is None
    author.finish()
    author.turn(author.ledger.undo())
    assert author.text == "Once."


def test_text_of_the_author_inside_generated_text_survives_its_undo() -> None:
    """C8"""
    author = Author("")
    author.stream("one three")
    author.type(4, 0, "TWO ")
    author.finish()
    turned = author.ledger.undo()
    assert turned is not None
    assert not turned[0].generation
    author.turn(turned)
    assert author.text == "one three"
    author.turn(author.ledger.redo())
    author.turn(author.ledger.undo())
    author.turn(author.ledger.undo())
    assert author.text == ""


def test_what_can_be_redone_survives_what_a_machine_writes() -> None:
    """C7"""
    author = Author("Start.")
    author.type(0, 0, "A ")
    author.turn(author.ledger.undo())
    author.stream(" More.")
    author.turn(author.ledger.redo())
    assert author.text == "A Start. More."


def test_a_span_is_found_again_after_its_text_was_deleted_and_restored() -> None:
    """C5b"""
    author = Author("Before. After.")
    author.ledger.place("g", 7, 7)
    author.make(Change(author.ledger.append("g", 8, Step(generation="g", open=True)), 0, " Middle."))
    author.type(3, 10, "")
    author.turn(author.ledger.undo())
    assert author.text == "Before. Middle. After."
    assert author.ledger.span("g") == (7, 15)


def test_a_generation_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        Author("text").ledger.append("g", 3, Step(generation="g"))


def test_a_ledger_that_forgets_what_it_hides_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The property above can fail: a planted fault breaks it."""

    def forgetful(run: Run, _text: str) -> None:
        run.shown, run.text = False, ""

    monkeypatch.setattr(Run, "hide", forgetful)
    quickly = settings(
        max_examples=200, deadline=None, database=None, phases=[Phase.generate], report_multiple_bugs=False
    )
    with pytest.raises(AssertionError):
        quickly(given(st.text("abc\n", max_size=20), OPERATIONS)(there_and_back))()

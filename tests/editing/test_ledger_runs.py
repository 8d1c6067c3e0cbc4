"""The ledger against a text kept character by character: whatever is typed, streamed, undone and redone, both agree."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from writer.editing import ledger as ledgers
from writer.editing.change import Change
from writer.editing.ledger import STEPS_KEPT, Ledger
from writer.editing.runs import Run, Step

OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("type"), st.integers(0, 99), st.integers(0, 6), st.text("abc\n", max_size=4)),
        st.tuples(st.just("stream"), st.text("XY ", min_size=1, max_size=5)),
        st.tuples(st.sampled_from(["undo", "redo", "finish", "begin"])),
    ),
    max_size=40,
)


@dataclass
class Letter:
    """One character for ever, or a generation's place: shown while its step is in force and none that took it out."""

    character: str
    born: Step
    deaths: list[Step] = field(default_factory=list)

    @property
    def shown(self) -> bool:
        return bool(self.character) and self.born.done and not any(step.done for step in self.deaths)


class Author:
    """Drives a ledger as the sheet does: the ledger first, then the document (a plain string)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ledger = Ledger(len(text), lambda start, end: self.text[start:end])
        self.machine: Step | None = None
        self.generations = 0
        self.letters = [Letter(character, Step()) for character in text]

    def type(self, where: int, length: int, inserted: str, step: Step | None = None) -> None:
        at = where % (len(self.text) + 1)
        change = Change(at, min(length, len(self.text) - at), inserted)
        if not change.removed and not inserted:
            return
        step = step or Step()
        self.ledger.record(change, step)
        self._letters_typed(change, step)
        self.make(change)

    def _letters_typed(self, change: Change, step: Step) -> None:
        first = self._letter(change.at)
        for letter in [letter for letter in self.letters[first:] if letter.shown][: change.removed]:
            letter.deaths.append(step)
        self.letters[first:first] = [Letter(character, step) for character in change.inserted]

    def _letter(self, at: int) -> int:
        """Index behind `at` shown letters. What is hidden there comes after it."""
        shown = [index for index, letter in enumerate(self.letters) if letter.shown]
        return shown[at - 1] + 1 if at else 0

    def begin(self) -> None:
        if self.machine is None:
            self.generations += 1
            self.machine = Step(generation=f"g{self.generations}", open=True)
            self.ledger.place(self.machine.generation, len(self.text), len(self.text))
            self.letters.insert(self._letter(len(self.text)), Letter("", self.machine))

    def stream(self, text: str) -> None:
        self.begin()
        assert self.machine
        place = max(index for index, letter in enumerate(self.letters) if letter.born is self.machine) + 1
        self.letters[place:place] = [Letter(character, self.machine) for character in text]
        self.make(Change(self.ledger.append(self.machine.generation, len(text), self.machine), 0, text))

    def finish(self) -> None:
        if self.machine:
            self.machine.open = False
            self.machine = None

    def turn(self, turned: tuple[Step, list[Change]] | None) -> None:
        for change in turned[1] if turned else []:
            self.make(change)

    def make(self, change: Change) -> None:
        self.text = self.text[: change.at] + change.inserted + self.text[change.at + change.removed :]

    def do(self, operation: tuple[object, ...]) -> None:
        match operation:
            case ("type", int(where), int(length), str(inserted)):
                self.type(where, length, inserted)
            case ("stream", str(text)):
                self.stream(text)
            case ("undo",):
                self.turn(self.ledger.undo())
            case ("redo",):
                self.turn(self.ledger.redo())
            case ("finish",):
                self.finish()
            case ("begin",):
                self.begin()


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

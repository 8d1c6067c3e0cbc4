"""The ledger against a plain string: whatever is typed, streamed, undone and redone, both agree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from writer.tui.widgets.ledger import STEPS_KEPT, Change, Ledger, Step

OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("type"), st.integers(0, 99), st.integers(0, 6), st.text("abc\n", max_size=4)),
        st.tuples(st.just("stream"), st.text("XY ", min_size=1, max_size=5)),
        st.tuples(st.sampled_from(["undo", "redo", "finish", "begin"])),
    ),
    max_size=40,
)


class Author:
    """Drives a ledger as the editor does, with a plain string beside it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ledger = Ledger(text)
        self.machine: Step | None = None
        self.generations = 0

    def type(self, where: int, length: int, inserted: str) -> None:
        at = where % (len(self.text) + 1)
        removed = min(length, len(self.text) - at)
        if removed or inserted:
            self.text = self.text[:at] + inserted + self.text[at + removed :]
            self.ledger.record(Change(at, removed, inserted), Step())

    def begin(self) -> None:
        if self.machine is None:
            self.generations += 1
            self.machine = Step(generation=f"g{self.generations}", open=True)
            self.ledger.place(self.machine.generation, len(self.text), len(self.text))

    def stream(self, text: str) -> None:
        self.begin()
        assert self.machine
        at = self.ledger.append(self.machine.generation, text, self.machine)
        self.text = self.text[:at] + text + self.text[at:]

    def finish(self) -> None:
        if self.machine:
            self.machine.open = False
            self.machine = None

    def turn(self, turned: tuple[Step, list[Change]] | None) -> None:
        for change in turned[1] if turned else []:
            end = change.at + change.removed
            self.text = self.text[: change.at] + change.inserted + self.text[end:]

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


@settings(max_examples=400, deadline=None)
@given(st.text("abc\n", max_size=20), OPERATIONS)
def test_the_ledger_says_what_the_text_is(start: str, operations: list[tuple[object, ...]]) -> None:
    author = Author(start)
    for operation in operations:
        author.do(operation)
        assert author.ledger.text == author.text


@settings(max_examples=200, deadline=None)
@given(st.text("abc\n", max_size=20), OPERATIONS)
def test_undoing_everything_gives_the_first_text_and_redoing_the_last(
    start: str, operations: list[tuple[object, ...]]
) -> None:
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
    assert author.text == author.ledger.text == last


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
    author = Author("")
    author.stream("one three")
    author.type(4, 0, "TWO ")
    author.finish()
    step, changes = author.ledger.undo() or (None, [])
    assert (step is not None and not step.generation, author.ledger.text) == (True, "one three")
    author.turn((step, changes))  # type: ignore[arg-type]
    author.turn(author.ledger.undo())
    assert author.text == ""


def test_old_steps_become_part_of_the_text() -> None:
    author = Author("start ")
    for number in range(STEPS_KEPT * 2):
        author.type(len(author.text), 0, f"{number} ")
        if number % 3 == 0:
            author.type(2, 1, "")
    text = author.text
    assert author.ledger.text == text
    assert STEPS_KEPT <= len(author.ledger.undoable) <= STEPS_KEPT * 1.2
    assert len(author.ledger.runs) < STEPS_KEPT * 3
    while turned := author.ledger.undo():
        author.turn(turned)
    assert author.text == author.ledger.text != text


def test_a_span_is_found_again_after_its_text_was_deleted_and_restored() -> None:
    author = Author("Before. After.")
    author.ledger.place("g", 7, 7)
    step = Step(generation="g", open=True)
    author.ledger.append("g", " Middle.", step)
    author.text = author.ledger.text
    author.type(3, 10, "")
    author.turn(author.ledger.undo())
    assert author.text == "Before. Middle. After."
    assert author.ledger.span("g") == (7, 15)

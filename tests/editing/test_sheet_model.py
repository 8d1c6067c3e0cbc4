"""A sheet against a plain string: whatever author and machine do in whatever order, both agree and all can go back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from writer.editing import cells
from writer.editing.change import Change
from writer.editing.document import Document
from writer.editing.layout import Damage
from writer.editing.runs import Run
from writer.editing.sheet import Sheet

TEXT = st.text("abc \n你\t\u0301\u200d👩", max_size=6)
PLACE = st.integers(0, 99)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("select"), PLACE, PLACE),
        st.tuples(st.just("type"), TEXT),
        st.tuples(st.just("delete"), PLACE, st.integers(1, 6)),
        st.tuples(st.just("replace"), st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), TEXT), max_size=4)),
        st.tuples(st.just("stream"), TEXT),
        st.tuples(st.just("begin"), PLACE),
        st.tuples(st.sampled_from(["end", "undo", "redo", "discard", "forget", "accept", "expect", "pause"])),
    ),
    max_size=40,
)


class Desk:
    """Does the same to a sheet and to a string, and looks at everything after each."""

    def __init__(self, text: str) -> None:
        self.now = 0.0
        self.sheet = Sheet(text, 7, lambda: self.now)
        self.text = self.told = text
        self.generations = 0
        self.sheet.listener = self.listen

    def listen(self, change: Change, damage: Damage) -> None:
        self.told = self.told[: change.at] + change.inserted + self.told[change.at + change.removed :]
        assert 0 <= self.sheet.cursor <= len(self.told)
        assert self.sheet.length == len(self.told)

    def put(self, at: int, removed: int, inserted: str) -> None:
        self.text = self.text[:at] + inserted + self.text[at + removed :]

    def select(self, mark: int, cursor: int) -> None:
        length = len(self.text) + 1
        self.sheet.select(mark % length, cursor % length)

    def type(self, text: str) -> None:
        start, end = self.sheet.selected
        self.put(start, end - start, text)
        self.sheet.type(text)
        assert self.sheet.cursor == self.sheet.mark == start + len(text)

    def delete(self, at: int, length: int) -> None:
        at %= len(self.text) + 1
        self.put(at, length, "")
        cursor = self.sheet.cursor
        self.sheet.delete(at, at + length)
        if at <= cursor <= at + length:
            assert self.sheet.cursor == self.whole(at)

    def replace(self, steps: list[tuple[int, int, str]]) -> None:
        changes, at = [], 0
        for gap, removed, inserted in steps:
            at += gap
            if at + removed > len(self.text):
                break
            changes.append(Change(at, removed, inserted))
            self.put(at, removed, inserted)
            at += len(inserted)
        self.sheet.replace(changes)

    def begin(self, place: int) -> None:
        if not self.sheet.writing:
            self.generations += 1
            at = place % (len(self.text) + 1)
            self.sheet.begin_generated(f"g{self.generations}", at, at)

    def stream(self, text: str) -> None:
        self.begin(len(self.text))
        span = self.sheet.generated_span()
        assert span is not None
        self.put(span[2], 0, text)
        low, high = self.sheet.selected
        low += len(text) if span[2] < low or (span[2] == low < high) else 0
        high += len(text) if span[2] < high else 0
        self.sheet.append_generated(text)
        assert self.sheet.selected in [(a, b) for a in (low, self.whole(low)) for b in (high, self.whole(high))]
        assert self.sheet.generated_span() == (*span[:2], span[2] + len(text), span[3] + len(text))

    def whole(self, offset: int) -> int:
        """The end of the character that the offset is inside of."""
        start, end = self.sheet.document.span(offset)
        text = self.sheet.document.slice(start, end)
        inside = cells.stop(text, offset - start) != offset - start
        return start + cells.next_stop(text, offset - start) if inside else offset

    def turn(self, turn: Callable[[], object]) -> None:
        turn()
        self.text = self.told

    def do(self, operation: tuple[object, ...]) -> None:
        name, *rest = operation
        if name in ("undo", "redo", "discard"):
            self.turn({"undo": self.sheet.undo, "redo": self.sheet.redo}.get(str(name), self.sheet.discard_generated))
        elif name == "pause":
            self.now += 10
        elif name == "forget" or name == "end" or name == "expect":
            getattr(self.sheet, f"{name}_generated")()
        elif name == "accept":
            had = bool(self.sheet.tint)
            assert self.sheet.accept() == had
            assert not self.sheet.tint
        else:
            getattr(self, str(name))(*rest)

    def check(self) -> None:
        sheet, length = self.sheet, len(self.text)
        assert sheet.text == self.text == self.told
        assert sheet._ledger.length == sheet.length == length
        assert 0 <= sheet.mark <= length
        assert 0 <= sheet.cursor <= length
        edges = [edge for pair in sheet.tint.ranges for edge in pair]
        assert edges == sorted(set(edges))
        assert not edges or (edges[0] >= 0 and edges[-1] <= length)
        if span := sheet.generated_span():
            assert 0 <= span[1] <= span[2] <= length


def agree(start: str, operations: list[tuple[object, ...]]) -> None:
    desk = Desk(start)
    for operation in operations:
        desk.do(operation)
        desk.check()
    _there_and_back(desk, start)


def _there_and_back(desk: Desk, first: str) -> None:
    desk.sheet.end_generated()
    while desk.sheet.redo():
        pass
    last = desk.sheet.text
    for turn, text in ((desk.sheet.undo, first), (desk.sheet.redo, last), (desk.sheet.undo, first)):
        while turn():
            desk.text = desk.told
            desk.check()
        assert desk.sheet.text == text


@settings(max_examples=300, deadline=None)
@given(TEXT, OPERATIONS)
def test_a_sheet_is_a_string_that_can_go_back(start: str, operations: list[tuple[object, ...]]) -> None:
    agree(start, operations)


@settings(max_examples=150, deadline=None)
@given(TEXT, OPERATIONS, st.integers(1, 12))
def test_the_rows_of_a_sheet_are_those_of_its_text(
    start: str, operations: list[tuple[object, ...]], width: int
) -> None:
    desk = Desk(start)
    desk.sheet.layout.resize(width)
    for operation in operations:
        desk.do(operation)
        rows = desk.sheet.layout.rows(0, 1000)
        fresh = Sheet(desk.sheet.text, width).layout.rows(0, 1000)
        assert [row.text for row in rows] == [row.text for row in fresh]


def forgets_hidden_text(run: Run, text: str) -> None:
    run.shown, run.text = False, "?" * len(text)


def stays(change: Change, offset: int, *, pushed: bool = False) -> int:
    return offset


@pytest.mark.parametrize(
    ("owner", "method", "fault"),
    [
        (Run, "hide", forgets_hidden_text),
        (Change, "moved", stays),
        (Document, "slice", lambda document, start, end: document.text[start : end - 1]),
    ],
    ids=["hidden text is lost", "the cursor stays when text comes before it", "the text is read wrongly"],
)
def test_a_planted_fault_is_found(
    monkeypatch: pytest.MonkeyPatch, owner: type, method: str, fault: Callable[..., object]
) -> None:
    monkeypatch.setattr(owner, method, fault)
    quickly = settings(
        max_examples=300, deadline=None, database=None, phases=[Phase.generate], report_multiple_bugs=False
    )
    with pytest.raises(AssertionError):
        quickly(given(TEXT, OPERATIONS)(agree))()

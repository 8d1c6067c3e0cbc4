"""A sheet knows who wrote each character, whatever is edited, accepted, undone and done again.

Everybody writes with letters of his own here, so that a character tells whose it must be.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from writer.editing.change import Change
from writer.editing.ledger import Ledger
from writer.editing.provenance import AUTHOR, Provenance
from writer.editing.runs import Run
from writer.editing.sheet import Sheet

START = "aa++bb++\ncc"
OLD = Provenance.of([(index, index + 1, "old") for index, sign in enumerate(START) if sign == "+"])
PLACE = st.integers(0, 99)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("type"), PLACE, PLACE, st.text("ab\n", max_size=3)),
        st.tuples(st.just("delete"), PLACE, st.integers(1, 6)),
        st.tuples(
            st.just("replace"), st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=60), st.booleans()
        ),
        st.tuples(st.just("stream"), st.integers(0, 4)),
        st.tuples(st.just("begin"), PLACE),
        st.tuples(st.sampled_from(["end", "undo", "redo", "discard", "accept"])),
    ),
    max_size=25,
)


def whose(sign: str) -> str:
    """Whose letter it is."""
    if sign == "+":
        return "old"
    if sign == "x":
        return "rewriting"
    return f"g{ord(sign) - 0x4E00}" if sign >= "\u4e00" else AUTHOR


class Page:
    """A sheet, and what its author and the machine do on it."""

    def __init__(self) -> None:
        self.sheet = Sheet(width=9)
        self.sheet.load(START, OLD)
        self.generations = 0

    def type(self, mark: int, cursor: int, text: str) -> None:
        length = self.sheet.length + 1
        self.sheet.select(mark % length, cursor % length)
        self.sheet.type(text)

    def delete(self, at: int, length: int) -> None:
        at %= self.sheet.length + 1
        self.sheet.delete(at, at + length)

    def replace(self, steps: list[tuple[int, int]], rewritten: bool) -> None:
        changes, at, length = [], 0, self.sheet.length
        for gap, removed in steps:
            at += gap
            if at + removed > length:
                break
            changes.append(Change(at, removed, "xx" if rewritten else "a"))
            length += len(changes[-1].inserted) - removed
            at = changes[-1].end
        self.sheet.replace(changes, "rewriting" if rewritten else AUTHOR)

    def begin(self, place: int) -> None:
        if not self.sheet.writing:
            self.generations += 1
            at = place % (self.sheet.length + 1)
            self.sheet.begin_generated(f"g{self.generations}", at, at)

    def stream(self, length: int) -> None:
        self.begin(self.sheet.length)
        span = self.sheet.generated_span()
        assert span is not None
        self.sheet.append_generated(chr(0x4E00 + int(span[0][1:])) * length)

    def do(self, operation: tuple[object, ...]) -> None:
        name, *rest = operation
        plain = {"end": self.sheet.end_generated, "discard": self.sheet.discard_generated}
        action = plain.get(str(name)) or getattr(self, str(name), None) or getattr(self.sheet, str(name))
        action(*rest)

    def check(self) -> None:
        origins = self.sheet.origins
        assert [origins.at(index) for index in range(self.sheet.length)] == [whose(sign) for sign in self.sheet.text]


def everybody_keeps_his_words(operations: list[tuple[object, ...]]) -> None:
    page = Page()
    for operation in operations:
        page.do(operation)
        page.check()
    page.sheet.end_generated()
    for turn in (page.sheet.undo, page.sheet.redo):
        while turn():
            page.check()


@settings(max_examples=200, deadline=None)
@given(OPERATIONS)
def test_each_character_is_whose_it_was_whatever_happens(operations: list[tuple[object, ...]]) -> None:
    everybody_keeps_his_words(operations)


def forgetful(length: int, born: object, mark: str = "", deaths: object = None, **more: object) -> Run:
    return Run(length, born, mark, deaths if isinstance(deaths, list) else [])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "plant",
    [
        lambda patch: patch.setattr("writer.editing.ledger.Run", forgetful),
        lambda patch: patch.setattr(
            Run,
            "continues",
            lambda run, other: run.born is other.born and run.shown == other.shown and run.deaths == other.deaths,
        ),
    ],
    ids=["a split run forgets", "runs of two origins become one"],
)
def test_a_planted_mistake_is_found(
    monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    plant(monkeypatch)
    quickly = settings(
        max_examples=300, deadline=None, database=None, phases=[Phase.generate], report_multiple_bugs=False
    )
    with pytest.raises(AssertionError):
        quickly(given(OPERATIONS)(everybody_keeps_his_words))()


def many_accepted_at_once() -> tuple[Sheet, list[str]]:
    """More changes than are made one by one; and whose each character must be."""
    text = "a+" * 200
    sheet = Sheet()
    sheet.load(text, Provenance.of([(at, at + 1, "old") for at in range(1, 400, 2)]))
    sheet.replace([Change(at * 4, 1, "x") for at in range(100)], "rewriting")
    return sheet, [whose(sign) for sign in sheet.text]


def test_between_accepted_hunks_all_stays_whose_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet, expected = many_accepted_at_once()
    assert set(expected) == {AUTHOR, "old", "rewriting"}
    assert [sheet.origins.at(index) for index in range(sheet.length)] == expected
    monkeypatch.setattr(Sheet, "_came", lambda sheet, change, parts, origin: ((len(change.inserted), origin),))
    wrong, expected = many_accepted_at_once()
    assert [wrong.origins.at(index) for index in range(wrong.length)] != expected, "a planted mistake is found"


def test_text_that_a_generation_had_written_before_the_sheet_was_opened_is_its_own() -> None:
    sheet = Sheet("Mine. Its own.")
    sheet.begin_generated("g1", 6, 14)
    assert sheet.origins == Provenance.of([(6, 14, "g1")])
    sheet.load("Mine. Its own.", Provenance.of([(6, 9, "g1")]))
    sheet.begin_generated("g1", 6, 14)
    assert sheet.origins == Provenance.of([(6, 9, "g1")]), "what was known is better"


def test_what_was_stored_is_what_comes_back() -> None:
    sheet = Sheet()
    sheet.load(START, OLD)
    assert sheet.origins == OLD
    assert Ledger(4, lambda start, end: "", ((2, "a"), (2, ""))).origins() == [(0, 2, "a")]
    assert OLD.came(len(START)) == ((2, ""), (2, "old"), (2, ""), (2, "old"), (3, ""))

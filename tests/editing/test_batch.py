"""Several edits at once: one step, few changes, and everything that stands in the text stays where it was."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing.batch import FEW, as_one, grouped
from writer.editing.change import Change
from writer.editing.sheet import Sheet


def all_of(text: str, word: str, instead: str) -> list[Change]:
    """What replaces every occurrence, each change holding after those before it."""
    shift = len(instead) - len(word)
    found = re.finditer(re.escape(word), text)
    return [Change(match.start() + number * shift, len(word), instead) for number, match in enumerate(found)]


def applied(text: str, changes: list[Change]) -> str:
    for change in changes:
        text = text[: change.at] + change.inserted + text[change.at + change.removed :]
    return text


RISING = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.text("xy", max_size=3)), max_size=3 * FEW)


@settings(max_examples=200, deadline=None)
@given(RISING, st.lists(st.integers(0, 300), max_size=2))
def test_groups_do_what_the_changes_do_and_keep_to_the_edges(
    steps: list[tuple[int, int, str]], edges: list[int]
) -> None:
    changes, at = [], 0
    text = first = "".join(chr(0x4E00 + number) for number in range(400))
    for gap, removed, inserted in steps:
        changes.append(Change(at + gap, removed, inserted))
        at = changes[-1].end
    groups = list(grouped(changes, edges))
    assert [change for group in groups for change in group] == changes
    shift = 0
    for group in groups:
        one = as_one(group, lambda start, end, now=text: now[start:end])  # type: ignore[misc]
        start, end = one.at - shift, one.at - shift + one.removed
        assert len(group) == 1 or not any(start < edge < end for edge in edges)
        shift += len(one.inserted) - one.removed
        text = applied(text, [one])
    assert text == applied(first, changes)


@pytest.mark.parametrize("count", [3, 1000])
def test_replacing_all_is_one_step(count: int) -> None:
    text = "the cat sat\n" * count
    sheet = Sheet(text)
    told: list[Change] = []
    sheet.listener = lambda change, damage: told.append(change)
    sheet.replace(all_of(text, "cat", "tiger"))
    assert sheet.text == "the tiger sat\n" * count
    assert len(told) <= FEW + 6
    sheet.undo()
    assert sheet.text == text
    assert sheet.undo() is None
    sheet.redo()
    assert sheet.text == "the tiger sat\n" * count


@pytest.mark.parametrize("count", [3, 1000])
def test_the_cursor_and_the_tint_stay_at_their_characters_when_all_is_replaced(count: int) -> None:
    text = "the cat sat\nno pet\n" * count
    sheet = Sheet(text)
    place = text.index("no pet", len(text) // 2)
    sheet.begin_generated("g", place, place + 6)
    sheet.end_generated()
    sheet.select(place, place + 6)
    sheet.replace(all_of(text, "cat", "tiger"))
    assert sheet.selected_text() == "no pet"
    assert [sheet.text[start:end] for start, end in sheet.tint.ranges] == ["no pet"]


@pytest.mark.parametrize("count", [3, 1000])
def test_what_is_replaced_in_a_span_stays_in_it(count: int) -> None:
    text = "cat and cat\n" * count
    sheet = Sheet(f"{text}{text}{text}")
    sheet.begin_generated("g", len(text), 2 * len(text) - 1)  # it begins and ends with a replaced word
    sheet.end_generated()
    sheet.replace(all_of(sheet.text, "cat", "tiger"))
    span = sheet.generated_span()
    assert span is not None
    assert sheet.text[span[1] : span[2]] == text.replace("cat", "tiger")[:-1]


def test_ten_thousand_replacements_are_a_handful_of_pieces() -> None:
    text = "the cat sat\n" * 10_000
    sheet = Sheet(text)
    sheet.replace(all_of(text, "cat", "tiger"))
    sheet.type("x")
    assert len(sheet._ledger.runs) < 4 * FEW


def test_changes_that_do_not_rise_are_made_one_by_one() -> None:
    changes = [Change(0, 0, "x")] * (FEW * 2)
    sheet = Sheet("y")
    sheet.replace(changes)
    assert sheet.text == "x" * FEW * 2 + "y"
    sheet.undo()
    assert sheet.text == "y"

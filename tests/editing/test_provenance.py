"""Provenance: each character keeps its origin through every edit, proved against a list of characters."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing.change import Change
from writer.editing.provenance import AUTHOR, Provenance, Range, changes_between, recalled
from writer.errors import StateDamaged

ORIGINS = st.sampled_from([AUTHOR, "a1", "b2", "c3"])
STEPS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 12), st.text(alphabet="xyz", max_size=9), ORIGINS), max_size=25
)


def grown(steps: list[tuple[int, int, str, str]]) -> tuple[Provenance, list[str]]:
    """The value after these steps, and the origin of each character as a plain list."""
    value, model = Provenance(), [AUTHOR] * 20
    for at, removed, inserted, origin in steps:
        at = min(at, len(model))
        removed = min(removed, len(model) - at)
        value = value.moved([Change(at, removed, inserted)], origin)
        model[at : at + removed] = [origin] * len(inserted)
    return value, model


def origins(value: Provenance, length: int) -> list[str]:
    return [value.at(offset) for offset in range(length)]


def in_order(value: Provenance) -> bool:
    apart = all(
        one.end < two.start or (one.end == two.start and one.origin != two.origin)
        for one, two in pairwise(value.ranges)
    )
    return apart and all(0 <= r.start < r.end and r.origin for r in value.ranges)


@settings(max_examples=300)
@given(STEPS)
def test_every_character_keeps_its_origin_through_all_edits(steps: list[tuple[int, int, str, str]]) -> None:
    value, model = grown(steps)
    assert origins(value, len(model)) == model
    assert in_order(value)
    assert value.at(len(model)) == AUTHOR


@settings(max_examples=200)
@given(STEPS, STEPS, ORIGINS)
def test_changes_made_at_once_do_what_they_do_one_by_one(steps: list, made: list, origin: str) -> None:
    value, model = grown(steps)
    changes, length = [], len(model)
    for at, removed, inserted, _ in made:
        at = min(at, length)
        changes.append(Change(at, min(removed, length - at), inserted))
        length += len(inserted) - changes[-1].removed
    one_by_one = value
    for change in changes:
        one_by_one = one_by_one.moved([change], origin)
        model[change.at : change.at + change.removed] = [origin] * len(change.inserted)
    assert value.moved(changes, origin) == one_by_one
    assert origins(one_by_one, len(model)) == model


@given(STEPS, st.integers(0, 60), st.integers(0, 60), ORIGINS)
def test_a_passage_can_be_given_to_anyone(steps: list, start: int, end: int, origin: str) -> None:
    value, model = grown(steps)
    start, end = min(start, len(model)), min(end, len(model))
    model[start:end] = [origin] * max(0, end - start)
    assert origins(value.marked(start, end, origin), len(model)) == model
    assert in_order(value.marked(start, end, origin))


@given(STEPS, st.integers(0, 60))
def test_a_chapter_split_and_merged_again_is_the_same(steps: list, at: int) -> None:
    value, model = grown(steps)
    at = min(at, len(model))
    left, right = value.part(0, at), value.part(at, len(model))
    assert origins(left, at) + origins(right, len(model) - at) == model
    assert left.joined(right, at) == value


@given(STEPS)
def test_what_is_stored_comes_back(steps: list) -> None:
    value, model = grown(steps)
    assert Provenance.read(value.stored()) == value
    assert sum(value.shares(len(model)).values()) == len(model)
    assert all(share == model.count(origin) for origin, share in value.shares(len(model)).items())


def test_what_the_author_types_into_a_generation_is_his() -> None:
    value = Provenance().marked(0, 10, "a1").moved([Change(4, 0, "xx")])
    assert value.ranges == (Range(0, 4, "a1"), Range(6, 12, "a1"))
    assert value.moved([Change(4, 2, "")]).ranges == (Range(0, 10, "a1"),), "taken out again, it is one passage"


def test_an_accepted_hunk_is_the_rewritings() -> None:
    value = Provenance().marked(0, 20, "a1").moved([Change(4, 3, "new"), Change(10, 0, "more")], "b2")
    assert [r.origin for r in value.ranges] == ["a1", "b2", "a1", "b2", "a1"]


def test_a_change_that_nobody_told_of_leaves_what_stayed_to_its_origin() -> None:
    former = "The lamp went out. The ship was near and black in the rain."
    text = "The lamp had gone out. The ship was near and black in the rain. It sank."
    value = Provenance().marked(19, len(former), "a1").moved(changes_between(former, text))
    assert [text[r.start : r.end] for r in value.ranges] == ["The ship was near and black in the rain."]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "provenance 2\n",
        "provenance 1\n3 4\n",
        "provenance 1\n3 x a\n",
        "provenance 1\n-3 4 a\n",
        "provenance 1\n3 0 a\n",
        "provenance 1\n3 4 a\n5 4 b\n",
        "provenance 1\n3 4 a\n7 4 a\n",
        "provenance 1\n3 4 \n",
    ],
)
def test_what_is_damaged_is_told_and_not_believed(text: str) -> None:
    with pytest.raises(StateDamaged):
        Provenance.read(text)


def test_what_was_kept_is_recalled_for_the_text_as_it_is_now() -> None:
    former = "The lamp went out. The ship was near and black in the rain."
    stored = Provenance().marked(19, len(former), "a1").stored()
    now = "Before. " + former
    assert [now[r.start : r.end] for r in recalled(now, former, stored).ranges] == [former[19:]]
    assert recalled(now, former, "nonsense") == Provenance()
    assert recalled(now, "", "") == Provenance()


def test_what_was_written_elsewhere_is_known_by_its_words_unless_it_is_known_better() -> None:
    text = "One. Two. Three."
    assert recalled(text, "", "", [(5, 9, "b2")]).ranges == (Range(5, 9, "b2"),)
    stored = Provenance().marked(5, 8, "a1").stored()
    assert recalled(text, text, stored, [(5, 9, "b2"), (10, 16, "c3")]).ranges == (
        Range(5, 8, "a1"),
        Range(10, 16, "c3"),
    )

"""Cells and clusters: what is measured is what is painted, and no cursor stands inside a cluster."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from wcwidth import iter_graphemes

from writer.editing import cells
from writer.text.sanitise import visible

_FAMILY = "👨\u200d👩\u200d👧"
_PIECES = [
    *"ab 1#中，“あ가é\t\x1b\r\x00\x9b\u202e\u200e\ud800",
    *(
        "\u200d",
        "\ufe0f",
        "\u200b",
        "\u0301",
        "\u3099",
        "\u200c",
        "🇩",
        "🇪",
        "👍",
        "\U0001f3fd",
        "❤",
        "\u0600",
        "\u00ad",
    ),
    *(
        "\u1100",
        "\u1161",
        "\u11a8",
        "\u0e01",
        "\u0e33",
        "\u0e34",
        "क",
        "\u094d",
        "\u093f",
        "\uff9e",
        "\ufeff",
        "1\ufe0f\u20e3",
    ),
    _FAMILY,
]
_TEXT = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=30).map("".join),
    st.text(max_size=30).map(lambda text: text.replace("\n", " ")),
)


def stops(text: str) -> list[int]:
    return [0, *(end for end, _ in cells.clusters(text))]


def parts(text: str) -> list[str]:
    found = stops(text)
    return [text[start:end] for start, end in itertools.pairwise(found)]


@settings(max_examples=300)
@given(_TEXT)
def test_widths_add_up_over_clusters_and_are_those_that_are_painted(text: str) -> None:
    found = cells.clusters(text)
    assert cells.width(text) == cell_len(cells.painted(text)) == sum(count for _, count in found)
    for part, (end, count) in zip(parts(text), found, strict=True):
        assert cells.width(part) == count
        assert cells.width(text[:end]) + cells.width(text[end:]) == cells.width(text)
    assert "".join(parts(text)) == text


@settings(max_examples=300)
@given(_TEXT, st.integers(0, 40))
def test_clusters_do_not_depend_on_text_before_or_behind_them(text: str, at: int) -> None:
    found = cells.clusters(text)
    start = cells.stop(text, at)
    assert [(start + end, count) for end, count in cells.clusters(text[start:])] == [c for c in found if c[0] > start]
    assert [end for end, _ in cells.clusters(text[:at])][:-1] == [end for end, _ in found if end < min(at, len(text))]


@settings(max_examples=300)
@given(_TEXT)
def test_only_the_first_cluster_can_have_no_cells(text: str) -> None:
    assert all(count for _, count in cells.clusters(text)[1:])


@settings(max_examples=300)
@given(_TEXT)
def test_a_cursor_stops_at_every_cluster_and_nowhere_else(text: str) -> None:
    """F9, F11: also in right-to-left text the stops only grow."""
    found = stops(text)
    for at in range(len(text) + 1):
        before, after = max(s for s in found if s <= at), [s for s in found if s > at]
        assert cells.stop(text, at) == before
        assert cells.next_stop(text, at) == (after[0] if after else len(text))
        assert cells.previous_stop(text, at) == max([s for s in found if s < at], default=0)


@settings(max_examples=300)
@given(_TEXT)
def test_a_cell_leads_to_the_cluster_that_covers_it(text: str) -> None:
    column = 0
    for start, (_, count) in zip(stops(text), cells.clusters(text), strict=False):
        for cell in range(max(1, column), column + count):
            assert cells.index_at(text, cell) == start
        column += count
    assert cells.index_at(text, column + 1) == len(text)
    assert cells.index_at(text, -1) == cells.index_at(text, 0) == 0


@pytest.mark.parametrize(
    ("cluster", "count"),
    [
        ("e\u0301", 1),
        (_FAMILY, 2),
        ("🇩🇪", 2),
        ("👍\U0001f3fd", 2),
        ("❤\ufe0f", 2),
        ("1\ufe0f\u20e3", 2),
        ("\u1112\u1161\u11ab", 2),
        ("क्षि", 2),
        ("स्त्री", 3),
        ("中", 2),
        ("\t", 4),
        ("\x1b", 1),
        ("\x9b", 1),
        ("\ud800", 1),
    ],
)
def test_what_a_reader_sees_as_one_sign_is_one_stop(cluster: str, count: int) -> None:
    """F9, R1."""
    text = f"a{cluster}中"
    assert parts(text) == ["a", cluster, "中"]
    assert cells.width(cluster) == count
    assert cells.next_stop(text, 1) == 1 + len(cluster)
    assert cells.previous_stop(text, 1 + len(cluster)) == 1


def test_flags_pair_up_from_their_beginning_however_many_there_are() -> None:
    text = "a" + "🇩🇪" * 300 + "🇫"
    assert cells.stop(text, 502) == 501
    assert cells.next_stop(text, 501) == 503
    assert cells.previous_stop(text, len(text)) == 601


def test_a_cluster_longer_than_any_window_is_one_stop() -> None:
    text = "ab" + "\u0301" * 1000 + "c"
    assert cells.next_stop(text, 1) == 1002
    assert cells.stop(text, 900) == cells.previous_stop(text, 1002) == 1


def test_nonsense_that_never_ends_a_cluster_is_cut() -> None:
    for text in ("\u1100" * 50, "\u0600" * 50, "क\u094d" * 50):
        assert max(count for _, count in cells.clusters(text)) <= 4


def test_what_counts_as_simple_is_simple_for_unicode_and_for_rich() -> None:
    """The blocks are written out by hand: each character is checked, alone and behind everything that joins."""
    everything = [chr(code) for code in range(0x110000) if chr(code) != "\n"]
    simple = [character for character in everything if cells.simple(character)]
    assert all(1 <= cell_len(visible(character)) <= 2 for character in simple)
    assert [cell_len(visible(c)) for c in simple] == [w for c in simple for w in cells.each(c)]
    text = visible("".join(simple))
    assert sum(1 for _ in iter_graphemes(text)) == len(text)
    assert set("aé’“—…中，。！あア가Жω😀") <= set(simple)


def test_what_begins_a_cluster_wherever_it_stands_does_so_for_unicode() -> None:
    sure = re.compile(f"[{cells._ALONE}]")
    for code in range(0x110000):
        character = visible(chr(code))
        if sure.match(chr(code)):
            for before in ("a", "\u0301", "क\u094d", "\u1100", "🇩", "가", "\u0903"):
                assert len(list(iter_graphemes(before + character))) == 2


def test_what_joins_with_what_follows_is_known() -> None:
    prefixes = re.compile(f"[{cells._PREFIXES}]")
    joining = {chr(code) for code in range(0x110000) if sum(1 for _ in iter_graphemes(chr(code) + "a")) == 1}
    assert {character for character in joining if not prefixes.match(character)} == set()


def test_painted_text_has_no_control_characters() -> None:
    """R1."""
    assert cells.painted("a\tb\x1b[31m\x9b\u202e") == "a    b␛[31m��"

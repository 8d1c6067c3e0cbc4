"""Wrapping: against a plain reading of its rules, and again from any row and behind any edit."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing import cells, wrapping

_CLOSERS = "，。、；：！？）》」』】〉〕…—·”’"
_OPENERS = "（《「『【〈〔“‘([{"
_PIECES = [
    *"ab-. ,)(中文，。“”—…é\t1",
    "  ",
    "--",
    "——",
    "word ",
    "well-known",
    "然后——他说：“好。”",
    "e\u0301",
    "\u0301",
    "👨\u200d👩\u200d👧",
    "🇩🇪",
    "🇫",
    "❤\ufe0f",
    "\u200d",
    "\ufe0f",
    "\u200b",
    "स्त्री ",
    "สวัสดี",
    "مرحبا ",
    "\ud800",
    "\x1b",
    "\u0600",
    "\u1100",
]
_TEXT = st.one_of(
    st.text(alphabet="ab -", max_size=40),
    st.text(alphabet="中文，（", max_size=40),
    st.text(alphabet="a 中，“”(-", max_size=40),
    st.lists(st.sampled_from([" ", "“", "（", "”", "a", "中", "\t", "क्क्क", "\u1100"]), max_size=30).map("".join),
    st.lists(st.sampled_from(_PIECES), max_size=30).map("".join),
)
_WIDTH = st.one_of(st.integers(1, 12), st.integers(1, 90))


def wrapped(text: str, width: int, start: int = 0) -> list[int]:
    breaks: list[int] = []
    wrapping.wrap(text, width, start, breaks)
    return breaks


def rows(text: str, width: int) -> list[str]:
    breaks = wrapped(text, width)
    return [text[start:end] for start, end in zip([0, *breaks], [*breaks, len(text)], strict=True)]


def plainly(text: str, width: int) -> list[int]:
    """The rules again, for one row at a time, over the clusters of the whole text."""
    found = [0, *(end for end, _ in cells.clusters(text))]
    breaks: list[int] = []
    row = 0
    while True:
        full = row + 1
        while full < len(found) - 1 and cells.width(text[found[row] : found[full + 1]]) <= width:
            full += 1
        hang = full + (full < len(found) - 1 and text[found[full] : found[full + 1]] == " ")
        if hang >= len(found) - 1:
            return breaks
        good = [i for i in range(row + 1, hang + 1) if opening(text, found, row, i) and allowed(text, found, i)]
        fold = [i for i in range(row + 1, full + 1) if allowed(text, found, i)]
        row = (good or fold or [full])[-1]
        breaks.append(found[row])


def opening(text: str, found: list[int], row: int, index: int) -> bool:
    cluster, after = text[found[index - 1] : found[index]], text[found[index]]
    if cluster in (" ", "\t"):
        return True
    if cells.width(cluster[0]) == 2 or cells.width(after) == 2:
        return cluster[0] not in " \t\xa0" and after not in " \t\xa0"
    words = [text[found[index - 1] - 1], after]
    return cluster in ("-", "–", "—") and index > row + 1 and all(unicodedata.category(c)[0] in "LMN" for c in words)


def allowed(text: str, found: list[int], index: int) -> bool:
    before, after = text[found[index - 1]], text[found[index]]
    wide = cells.width(before) == 2
    return (
        after not in _CLOSERS
        and before not in _OPENERS
        and not (wide and after in ",.;:!?)]}%")
        and not before == after == "-"
    )


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (10, ["The quick ", "brown fox ", "jumped"]),
        (10, ["0123456789 ", " next"]),
        (10, ["0123456789", "01234 next"]),
        (10, ["A well-", "known man"]),
        (7, ["tired—", "so ", "tired"]),
        (10, ["so long -- ", "so tired"]),
        (8, ["aaaaaaa", "--b"]),
        (9, ["see ", "-option"]),
        (10, ["他说：“你", "好，世", "界。”然后"]),
        (10, ["第一章 黎", "明"]),
        (9, ["你好世界", "（明）"]),
        (11, ["你好世界", "（明）"]),
        (11, ["中文中Latin", "中文"]),
        (9, ["中文", "word——中", "文"]),
        (6, ["。。。", "。。。", "。"]),
        (6, ["中文", "中, ", "abc"]),
        (5, ["e\u0301e\u0301e\u0301e\u0301e\u0301", "e\u0301"]),
        (5, ["👨\u200d👩\u200d👧👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"]),
        (3, ["🇩🇪", "🇫🇷🇬"]),
        (1, ["中", "文", "a", "b"]),
        (6, ["a\t", "bc"]),
        (4, ["\ud800\x1bab", "\x9b"]),
        (4, ["a", "你\xa0b"]),
        (5, ["a ", "你\xa0bc"]),
    ],
)
def test_rows_begin_where_a_reader_expects(width: int, expected: list[str]) -> None:
    """F9, F10, R3."""
    assert rows("".join(expected), width) == expected


@pytest.mark.parametrize("text", ["", "word", "0123456789", "0123456789 ", "你好世界你"])
def test_what_fits_has_no_breaks(text: str) -> None:
    assert wrapped(text, 10) == []


def test_a_width_below_one_cell_is_one() -> None:
    """R3."""
    assert wrapped("abc", 0) == wrapped("abc", 1) == [1, 2]


@settings(max_examples=300)
@given(_TEXT, _WIDTH)
def test_no_row_is_wider_than_the_view_but_for_a_space_or_a_single_cluster(text: str, width: int) -> None:
    """F10, R3."""
    for row in rows(text, width):
        assert cells.width(row) <= width or (cells.width(row[:-1]) == width and row[-1] == " ") or single(row)


def single(row: str) -> bool:
    return len(cells.clusters(row)) == 1 or (row[-1] == " " and len(cells.clusters(row)) == 2)


@pytest.mark.parametrize(
    "passage",
    [
        "The quick brown fox, well-known here, jumped. ",
        "“Don’t,” he said—again. ",
        "他走了很久，天色渐渐暗下来，没有人说话。",
        "他说：“你好，World。”然后 left…… ",
        "👨\u200d👩\u200d👧 e\u0301 ❤\ufe0f सत्य สวัสดี مرحبا 🇩🇪🇫🇷",
        "a" + "\u0301" * 700,
        "tab\tand\x1bescape ",
    ],
)
@pytest.mark.parametrize("width", [2, 7, 60])
def test_a_long_line_is_wrapped_as_its_rows_are(passage: str, width: int) -> None:
    """R4: long lines are measured in pieces; no row shows where one ends."""
    text = passage * (9000 // len(passage))
    breaks = wrapped(text, width)
    for start, end in zip([0, *breaks], breaks, strict=False):
        row: list[int] = []
        wrapping.wrap(text[start : start + 5000], width, 0, row, lambda _: True)
        assert row == [end - start]


def test_done_is_asked_after_each_row_and_ends_the_wrap() -> None:
    asked: list[int] = []
    breaks: list[int] = []

    def done(column: int) -> bool:
        asked.append(column)
        return len(asked) == 3

    for text in ("word " * 20, "中文，" * 20, "é中 " * 20, "e\u0301 " * 20):
        asked.clear()
        breaks.clear()
        wrapping.wrap(text, 5, 0, breaks, done)
        assert breaks == asked
        assert len(breaks) == 3


@settings(max_examples=300)
@given(_TEXT, _WIDTH)
def test_every_way_to_wrap_follows_the_rules(text: str, width: int) -> None:
    assert wrapped(text, width) == plainly(text, width)


@settings(max_examples=300)
@given(_TEXT, _WIDTH)
def test_a_wrap_from_any_row_gives_the_rest_of_the_rows(text: str, width: int) -> None:
    breaks = wrapped(text, width)
    for index, start in enumerate(breaks):
        assert wrapped(text, width, start) == breaks[index + 1 :]


@settings(max_examples=300)
@given(_TEXT, _WIDTH, st.data())
def test_an_edit_changes_no_row_but_a_few_before_it_and_wrapping_meets_the_old_breaks_again(
    text: str, width: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    inserted = data.draw(_TEXT)
    old = wrapped(text, width)
    new = text[:start] + inserted + text[end:]
    moved = len(inserted) - (end - start)
    kept = old[: max(0, bisect_right(old, start) - wrapping.SETTLED)]
    later = {column + moved for column in old if column >= end}
    met: list[int] = []

    def done(column: int) -> bool:
        if column >= start + len(inserted) and column in later:
            met.append(column)
        return bool(met)

    wrapping.wrap(new, width, kept[-1] if kept else 0, kept, done)
    if met:
        kept.extend(column + moved for column in old[bisect_left(old, met[0] - moved) + 1 :])
    assert kept == wrapped(new, width)

"""Wrapping: where the rows of a paragraph begin. Greedy, and each row is told from the text behind its start alone.

So rows before an edit stay but for the last few, a wrap may begin at any break, and it may end where the breaks of
an earlier wrap are met again behind an edit. A line of a million characters is never measured whole for one row.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from writer.editing.cells import cells_of, clusters, each, simple_end

SETTLED = 3  # rows before an edit whose breaks may still change with it

_NO_START = frozenset("，。、；：！？）》」』】〉〕…—·”’］｝〗〙〛‥％．｡､々ー〞")
_NO_START_AFTER_WIDE = frozenset(",.;:!?)]}%")
_NO_END = frozenset("（《「『【〈〔“‘([{［｛〖〘〚〝")
_HYPHENS = frozenset("-‐–—")
_NOT_BESIDE_WIDE = frozenset(" \t\xa0\u2007\u202f")
_LARGEST = 8192  # characters measured at once

# Characters of two cells, each a cluster: every place between two of them is a place to break, but for punctuation.
_wide_run = re.compile(r"[\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60]*").match

_Done = Callable[[int], bool]


def wrap(text: str, width: int, start: int, breaks: list[int], done: _Done | None = None) -> None:
    """Append the columns behind `start` where rows of `width` cells begin. `start` is 0 or such a column.

    One space may hang over the end of a row. `done(column)` is asked after each; True ends early. Behind an edit,
    where a column equals one of an earlier wrap, moved by the edit, all further ones are equal too.
    """
    width = max(1, width)
    size = 3 * width + 64
    at = start
    while True:
        row = _wrap_part(text, width, at, min(len(text), at + size), breaks, done)
        if row is None:
            return
        size = size * 4 if row == at else min(size * 4, max(_LARGEST, 4 * width))
        at = row


def _wrap_part(text: str, width: int, at: int, end: int, breaks: list[int], done: _Done | None) -> int | None:
    """Wrap what lies between `at` and `end`; the start of the first row that needs more, None at the end of all."""
    part = text[at:end]
    if part.isascii() and "\t" not in part:
        return _wrap_ascii(text, width, at, end, breaks, done)
    if width > 1:
        wide = _wide_run(text, at, end)
        if wide and wide.end() - at > width:
            return _wrap_wide(text, width, at, wide.end(), breaks, done)
    run = simple_end(text, at, end)
    if run == end or run - at > width + 2:
        part = part[: run - at]
        cuts: Sequence[int] = range(len(part) + 1)
        cells = list(accumulate(each(part), initial=0))
    else:
        found = clusters(part)
        cuts = [0, *[index for index, _ in found]]
        cells = list(accumulate((count for _, count in found), initial=0))
    return _wrap_measured(part, at, cuts, cells, width, at + len(part) == len(text), breaks, done)


def _wrap_ascii(text: str, width: int, at: int, end: int, breaks: list[int], done: _Done | None) -> int | None:
    rfind = text.rfind
    last = end - width if end == len(text) else end - width - 2
    while at < last:
        full = at + width
        cut = rfind(" ", at, full + 1) + 1
        hyphen = rfind("-", cut or at + 1, full) + 1
        while hyphen > at + 1:
            if text[hyphen - 2].isalnum() and hyphen < end and text[hyphen].isalnum():
                cut = hyphen
                break
            hyphen = rfind("-", cut or at + 1, hyphen - 1) + 1
        if not cut:
            cut = at + _folded(text[at : full + 1], range(width + 1), 0, width)
        if cut == len(text):
            return None
        breaks.append(cut)
        at = cut
        if done and done(cut):
            return None
    return None if end == len(text) else at


def _wrap_wide(text: str, width: int, at: int, end: int, breaks: list[int], done: _Done | None) -> int | None:
    half = width // 2
    while at + half < end:
        full = cut = at + half
        while text[cut] in _NO_START or text[cut - 1] in _NO_END:
            cut -= 1
            if cut == at:
                cut = full
                break
        breaks.append(cut)
        at = cut
        if done and done(cut):
            return None
    return at


def _wrap_measured(
    part: str,
    offset: int,
    cuts: Sequence[int],
    cells: list[int],
    width: int,
    final: bool,
    breaks: list[int],
    done: _Done | None,
) -> int | None:
    """Wrap a part of which the ends of the clusters and the cells up to each are known; the last may be unfinished."""
    row = 0
    last = len(cuts) - 1
    while True:
        full = max(row + 1, bisect_right(cells, cells[row] + width, row) - 1)
        if full + 2 > last and not final:
            return offset + cuts[row]
        if full >= last:
            return None
        hang = full + 1 if part[cuts[full] : cuts[full + 1]] == " " else full
        if hang >= last:
            return None
        row = _best(part, cuts, row, hang) or _folded(part, cuts, row, full)
        breaks.append(offset + cuts[row])
        if done and done(offset + cuts[row]):
            return None


def _best(part: str, cuts: Sequence[int], row: int, last: int) -> int:
    """The last good place to break behind `row`; 0 when there is none."""
    for index in range(last, row, -1):
        start, end = cuts[index - 1], cuts[index]
        before, after = part[start], part[end]
        if before == " " or before == "\t":
            good = end - start == 1
        elif cells_of(before) == 2 or cells_of(after) == 2:
            good = before not in _NOT_BESIDE_WIDE and after not in _NOT_BESIDE_WIDE
        else:
            good = (
                before in _HYPHENS
                and index > row + 1
                and end - start == 1
                and _in_word(part[start - 1])
                and _in_word(after)
            )
        if good and _allowed(before, after):
            return index
    return 0


def _folded(part: str, cuts: Sequence[int], row: int, full: int) -> int:
    """Where to break a word that is longer than its row."""
    for index in range(full, row, -1):
        if _allowed(part[cuts[index - 1]], part[cuts[index]]):
            return index
    return full


def _allowed(before: str, after: str) -> bool:
    """Whether a row may end with the one and the next begin with the other."""
    if after in _NO_START or before in _NO_END:
        return False
    if after in _NO_START_AFTER_WIDE and cells_of(before) == 2:
        return False
    return not (before == after == "-")


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"

"""Cells and clusters: how wide text is on the screen, and where a cursor may stand in it. The only place that measures.

Widths are Rich's, because that is what the screen is painted with. Clusters are Unicode's grapheme clusters, joined
further where Rich would measure the whole other than its parts, so that widths always add up. Text here is one
paragraph or a piece of one that begins at a cluster; a line break has no cells.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size

from writer.text.sanitise import visible

TAB = 4  # cells of a tab, at any column, so that widths add up

_JOINER = "\u200d"
_SELECTOR = "\ufe0f"  # asks for the wide form of the character before it
_WIDEST = 4  # cells; a wider cluster is cut, so that nonsense cannot outgrow a row
_WINDOW = 64  # characters looked at first; more only inside a cluster that is longer

# Characters that stand alone beside each other and have a cell or two. A choice of blocks, not all there are:
# what is missing here is only slower. Of these, the first begin a cluster after anything but a joiner or a prefix.
_ALONE = (
    r"\0-\x08\x0b-\xac\xae-\u02ff\u0370-\u0482\u048a-\u0587\u05d0-\u05ea\u0606-\u060f\u061d-\u064a\u0660-\u066f"
    r"\u0671-\u06d5\u0e01-\u0e30\u0e32\u0e3f-\u0e46\u0e4f-\u0e5b\u10a0-\u10ff\u1e00-\u200a\u200e-\u205f\u2070-\u20cf"
    r"\u2100-\u2cee\u2e00-\u3029\u3030-\u3098\u309b-\u3163\u3165-\ua4cf\ud800-\udfff\ue000-\ufb1d\ufb1f-\ufdff"
    r"\ufe30-\uff9d\uffe0-\uffef\ufffc\ufffd\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
    r"\U00020000-\U0003ffff"
)
_SIMPLE = _ALONE + r"\u0904-\u0939\u0958-\u0961\u0964-\u0980\uac00-\ud7a3"
_PREFIXES = (
    r"\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3\U000113d1"
    r"\U0001193f\U00011941\U00011a3f\U00011a84-\U00011a89\U00011d46\U00011f02"
)
_simple_run = re.compile(f"[{_SIMPLE}]*").match
_sure_stop = re.compile(f"(?<=[{_SIMPLE}\t])[{_SIMPLE}\t]").match
_last_sure_stop = re.compile(f"(?s:.*)(?:(?<=[{_SIMPLE}\t])[{_SIMPLE}\t]|(?<![{_PREFIXES}\u200d])[{_ALONE}])").match


# Characters whose cells the upper half of their code tells, which is much faster for a page of Chinese.
_EVEN = re.compile(
    r"[\0-\x08\x0b-\xac\xae-\u02ff\u0370-\u0482\u048a-\u0587\u1e00-\u200a\u200e-\u205f\u3000-\u3029"
    r"\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*"
).fullmatch
_BY_UPPER_HALF = bytes(2 if 0x30 <= half < 0xD8 or half == 0xFF else 1 for half in range(256))


class _Cells(dict[str, int]):
    """Cells of each character as it is painted, when it stands alone."""

    def __missing__(self, character: str) -> int:
        shown = visible(character)
        cells = self[character] = TAB if shown == "\t" else 0 if shown == "\n" else get_character_cell_size(shown)
        return cells


cells_of = _Cells().__getitem__  # the cells of a single character


def painted(text: str) -> str:
    """What is painted for this text. One character for each, but TAB spaces for a tab."""
    shown = visible(text)
    if "\t" not in shown:
        return shown
    return shown.replace("\u200d\t", "\u200d\u200c\t").replace("\t", " " * TAB)  # Rich drops what a joiner joins


def simple_end(text: str, start: int, end: int) -> int:
    """Where the simple text that begins at `start` ends; `end` at most."""
    match = _simple_run(text, start, end)
    return match.end() if match else start


def simple(text: str) -> bool:
    """Whether every character is a cluster of its own and at least one cell wide. False is possible for more."""
    if text.isascii():
        return "\t" not in text and "\n" not in text
    return simple_end(text, 0, len(text)) == len(text)


def each(text: str) -> Iterable[int]:
    """The cells of each character of simple text."""
    if _EVEN(text):
        return text.encode("utf-16-le")[1::2].translate(_BY_UPPER_HALF)
    return map(cells_of, text)


def width(text: str) -> int:
    """Cells of the text as painted: the sum of the cells of its clusters."""
    if text.isascii():
        return len(text) + (TAB - 1) * text.count("\t") - text.count("\n")
    if simple(text):
        return sum(each(text))
    return cell_len(painted(text))


def clusters(text: str) -> list[tuple[int, int]]:
    """(end index, cells) of each cluster. All ends but the last stay when text is added behind."""
    if simple(text):
        return list(enumerate(each(text), 1))
    found: list[tuple[int, int]] = []
    start = end = 0
    for piece in _graphemes(visible(text)):
        # A character without cells belongs to the one before; Rich does not count the one behind a joiner.
        if end and cells_of(piece[0]) and (text[end - 1] != _JOINER or piece == "\t"):
            _add(found, text[start:end], start)
            start = end
        end += len(piece)
    _add(found, text[start:end], start)
    return found


def next_stop(text: str, at: int) -> int:
    """The index behind the cluster that contains `at`; the length of the text at most."""
    at = max(0, at)
    if at + 1 >= len(text):
        return len(text)
    if _sure_stop(text, at + 1):
        return at + 1
    start = _sure_stop_before(text, at)
    size = at - start + _WINDOW
    while True:
        ends = [start + end for end, _ in clusters(text[start : start + size])]
        after = bisect_right(ends, at)
        if after < len(ends) - 1 or start + size >= len(text):
            return ends[after]
        size *= 4


def previous_stop(text: str, at: int) -> int:
    """The start of the cluster before `at`; of the one that `at` is inside of."""
    return stop(text, min(at, len(text)) - 1)


def stop(text: str, at: int) -> int:
    """The cluster boundary at or before `at`."""
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    if _sure_stop(text, at):
        return at
    start = _sure_stop_before(text, at)
    ends = clusters(text[start : at + 1])  # whether a cluster begins at `at` is known from that character
    return start + ends[-2][0] if len(ends) > 1 else start


def index_at(text: str, cell: int) -> int:
    """The index of the cluster that covers this cell; the length of the text behind its end."""
    if cell <= 0:
        return 0
    if simple(text):
        if text.isascii():
            return min(cell, len(text))
        return bisect_right(list(accumulate(each(text))), cell)
    start = 0
    for end, cells in clusters(text):
        cell -= cells
        if cell < 0:
            return start
        start = end
    return start


def _sure_stop_before(text: str, at: int) -> int:
    """A cluster boundary at or before `at` that can be told without what is before it."""
    size = _WINDOW
    while size < at:
        if match := _last_sure_stop(text, at - size, at + 1):
            return match.end() - 1
        size *= 4
    match = _last_sure_stop(text, 1, at + 1)
    return match.end() - 1 if match else 0


def _graphemes(text: str) -> Iterator[str]:
    from wcwidth import iter_graphemes  # slow to import, and plain text never needs it

    return iter_graphemes(text)


def _add(found: list[tuple[int, int]], cluster: str, start: int) -> None:
    """Add a cluster that begins at `start`; one that is too wide in parts."""
    if len(cluster) == 1:
        found.append((start + 1, cells_of(cluster)))
    elif len(cluster) <= _WIDEST // 2:  # of two cells each
        found.append((start + len(cluster), cell_len(painted(cluster))))
    else:
        for part in _cut(cluster):
            start += len(part)
            found.append((start, cell_len(painted(part))))


def _cut(cluster: str) -> Iterator[str]:
    """Parts of at most _WIDEST cells, each but the first from a character that has cells and follows no joiner."""
    start = cells = 0
    before = ""
    for index, character in enumerate(cluster):
        more = 0 if before == _JOINER else 1 if character == _SELECTOR else cells_of(character)
        if more and cells + more > _WIDEST and character != _SELECTOR:
            yield cluster[start:index]
            start, cells = index, 0
        cells += more
        before = character
    yield cluster[start:]

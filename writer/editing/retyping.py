"""Editing single paragraphs: text, rows and height change together. Rows are exact where they were, else estimated."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from writer.editing import estimate, wrapping
from writer.editing.blocks import Paragraph
from writer.editing.reflow import reflow

LARGE = 4096
"""Characters of an insertion above which rows are estimated until they are looked at."""

ONE_ROW: list[int] = []
"""The breaks of every paragraph of one row. Shared, to save memory; nothing may be appended to it."""


def measured(paragraph: Paragraph, breaks: list[int]) -> None:
    """These are the paragraph's breaks."""
    paragraph.breaks = breaks or ONE_ROW
    paragraph.height = len(breaks) + 1


def retype(paragraph: Paragraph, width: int, at: int, end: int, new: str) -> tuple[int, int]:
    """Replace columns by text without line breaks. Returns the first changed row and the number of changed rows."""
    _put(paragraph, at, end, new)
    paragraph.words = -1
    if paragraph.breaks is None or len(new) > LARGE:
        paragraph.breaks = None
        paragraph.height = estimate.rows(paragraph.text, width)
        return 0, paragraph.height
    breaks = paragraph.breaks or []
    changed = reflow(paragraph.text, width, breaks, at, end - at, len(new))
    measured(paragraph, breaks)
    return changed


def _put(paragraph: Paragraph, at: int, end: int, new: str) -> None:
    text = paragraph.text
    if at == len(text):
        paragraph.text = ""  # with one owner, a string grows in place: a line of a million characters is not copied
        text += new
        paragraph.text = text
    else:
        paragraph.text = text[:at] + new + text[end:]


def rebuild(
    first: Paragraph, at: int, last: Paragraph, end: int, pieces: list[str], width: int
) -> tuple[int, list[Paragraph]]:
    """Replace from column `at` of one paragraph to column `end` of the same or a later one by lines of text.

    `first` changes in place. Returns its first changed row, and the paragraphs to come behind it.
    """
    exact = first.breaks is not None and last.breaks is not None and sum(map(len, pieces)) + len(pieces) <= LARGE
    tail = Paragraph(last.text[end:])
    if exact and last.breaks:
        tail.breaks = [column - end for column in last.breaks[bisect_right(last.breaks, end) :]]
    elif exact:
        tail.breaks = ONE_ROW
    _cut_off(first, at, exact)
    if len(pieces) == 1:
        _attach(first, tail)
        return retype(first, width, at, at, pieces[0])[0], []
    row, _ = retype(first, width, at, at, pieces[0])
    retype(tail, width, 0, 0, pieces[-1])
    return row, [*_fresh(pieces[1:-1], width, exact), tail]


def _cut_off(paragraph: Paragraph, at: int, exact: bool) -> None:
    """End the paragraph at a column. Breaks stay where text may follow that makes them true again."""
    paragraph.text = paragraph.text[:at]
    if not exact:
        paragraph.breaks = None
    elif paragraph.breaks:
        del paragraph.breaks[bisect_left(paragraph.breaks, at) :]


def _attach(paragraph: Paragraph, tail: Paragraph) -> None:
    at = len(paragraph.text)
    paragraph.text += tail.text
    if tail.breaks:
        paragraph.breaks = [*(paragraph.breaks or ()), *(column + at for column in tail.breaks)]


def _fresh(pieces: list[str], width: int, exact: bool) -> list[Paragraph]:
    paragraphs = [Paragraph(piece) for piece in pieces]
    for paragraph in paragraphs:
        if exact:
            breaks: list[int] = []
            wrapping.wrap(paragraph.text, width, 0, breaks)
            measured(paragraph, breaks)
        else:
            paragraph.height = estimate.rows(paragraph.text, width)
    return paragraphs

"""Which passage is meant where nothing is selected: the sentence at the cursor, or its paragraph. Pure."""

from __future__ import annotations

from writer.text.sentences import sentences


def sentence_at(text: str, start: int, end: int, cursor: int) -> tuple[int, int]:
    """The sentence at the cursor in the paragraph [start, end), without the blanks around it; empty if there is none.

    Behind the last one it is the last one.
    """
    paragraph = text[start:end]
    for first, last in sentences(paragraph):
        if cursor - start < last or last == len(paragraph):
            return _bare(paragraph, start, first, last)
    return cursor, cursor


def paragraph_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The paragraph without the blanks around it."""
    return _bare(text[start:end], start, 0, end - start)


def _bare(paragraph: str, offset: int, first: int, last: int) -> tuple[int, int]:
    found = paragraph[first:last]
    left = len(found) - len(found.lstrip())
    right = len(found.rstrip())
    return (offset + first + left, offset + first + right) if right > left else (offset + first, offset + first)

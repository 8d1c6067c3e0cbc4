"""Searching all chapters of a book. What is searched for is the caller's: a function from a text to its matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from writer.errors import ChapterUnreadable
from writer.manuscript.book import Book

_AROUND = 60  # characters on either side


@dataclass(frozen=True, slots=True)
class Hit:
    """One match, [start, end) in characters of its chapter's text."""

    chapter: str
    number: int
    start: int
    end: int
    line: int
    """From 1."""
    context: str
    """The line's part around it, as it stands there."""
    at: int
    """Where the match begins in `context`."""


def search(
    book: Book, find: Callable[[str], Iterable[tuple[int, int]]], unread: Callable[[str], object]
) -> Iterator[Hit]:
    """Every match. `unread` gets a sentence for each chapter that cannot be read. Raises what `find` does."""
    for chapter in book.manuscript.chapters:
        try:
            text = book.text(chapter.path).text
        except ChapterUnreadable as error:
            unread(error.sentence)
            continue
        line, counted = 1, 0
        for start, end in find(text):
            line, counted = line + text.count("\n", counted, start), start
            first = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
            last = text.find("\n", start)
            last = min(len(text) if last < 0 else last, start + _AROUND)
            yield Hit(chapter.path, chapter.number, start, end, line, text[first:last], start - first)

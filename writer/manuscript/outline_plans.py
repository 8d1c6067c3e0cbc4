"""Chapters that the outline has and the book has not: which they are, and where each of them belongs. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from writer.manuscript import chapter_plans
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book
from writer.manuscript.model import Chapter
from writer.manuscript.outline import OutlineEntry, entry_for


def standing(entries: Sequence[OutlineEntry], chapters: Sequence[Chapter]) -> list[Chapter | None]:
    """The chapter of each entry; None where it has none yet. Several of one title have as many, in their order."""
    waiting: dict[OutlineEntry | None, list[Chapter]] = defaultdict(list)
    for chapter in chapters:
        waiting[entry_for(entries, chapter.title)].append(chapter)
    alike = [waiting[entry_for(entries, entry.title)] for entry in entries]
    return [found.pop(0) if found else None for found in alike]


def added_from_outline(book: Book, at: int) -> Arrangement:
    """A chapter for the entry of that number, from 0, where the outline has it. Raises ManuscriptError."""
    entries = book.outline()
    after = _place(standing(entries, book.manuscript.chapters), at)
    return chapter_plans.added(book, entries[at].title, after=after, part=entries[at].part or None)


def added_where_it_belongs(book: Book, title: str, behind: str = "") -> Arrangement:
    """A chapter of that title where the outline has it, if it waits there to be made.

    Else behind the chapter of the path `behind`, or at the end if that is none. Raises ManuscriptError.
    """
    entries = book.outline()
    own, there = entry_for(entries, title), standing(entries, book.manuscript.chapters)
    after = _place(there, entries.index(own)) if own and there[entries.index(own)] is None else None
    if after is None and behind in book.paths:
        after = book.paths.index(behind) + 1
    return chapter_plans.added(book, title, after=after)


def _place(there: Sequence[Chapter | None], at: int) -> int | None:
    """The number of the chapter that an entry's comes to stand behind, 0 at the beginning; None if nothing tells."""
    if before := next((each for each in reversed(there[:at]) if each), None):
        return before.number
    following = next((each for each in there[at:] if each), None)
    return following.number - 1 if following else None

"""Parts of plans of the screen's chapter changes: made in the writing thread, from the book as it lies on the disk."""

from __future__ import annotations

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript import chapter_plans
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book
from writer.manuscript.outline import entry_for


def number_of(book: Book, path: str) -> int:
    """The chapter's number in the book as it lies on the disk. Raises ManuscriptError."""
    if path not in book.paths:
        raise ManuscriptError(say("That chapter is not there any more. Look at the list again."))
    return book.paths.index(path) + 1


def refuse_changed(book: Book, texts: dict[str, str]) -> None:
    """Raises ManuscriptError if a file holds another text than the one that the author sees."""
    for path, text in texts.items():
        if book.text(path).text != text:
            raise ManuscriptError(say("The chapter could not be saved as it is on the screen, so nothing is changed."))


def added_where_it_belongs(book: Book, title: str, behind: str = "") -> Arrangement:
    """A chapter of that title, behind the one that stands before it in the outline, if it waits there to be made.

    Else behind the chapter of the path `behind`, or at the end if that is none. Raises ManuscriptError.
    """
    entries = book.outline()
    own = entry_for(entries, title)
    if own and not any(entry_for(entries, chapter.title) == own for chapter in book.manuscript.chapters):
        for entry in reversed(entries[: entries.index(own)]):
            for chapter in book.manuscript.chapters:
                if entry_for([entry], chapter.title):
                    return chapter_plans.added(book, title, after=chapter.number)
    return chapter_plans.added(book, title, after=number_of(book, behind) if behind in book.paths else None)

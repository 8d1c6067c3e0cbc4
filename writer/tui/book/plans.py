"""Parts of plans of the screen's chapter changes: made in the writing thread, from the book as it lies on the disk."""

from __future__ import annotations

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript.book import Book


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

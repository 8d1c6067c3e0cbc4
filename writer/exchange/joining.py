"""The chapters of a book as one Markdown text, each with its heading, parts between them. Reads, never writes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from writer.errors import ExchangeError
from writer.exchange.about import About, printable, read_about
from writer.exchange.orders import ExportOrder, Style, chosen_numbers
from writer.exchange.paragraphs import demoted, strict
from writer.language import say
from writer.manuscript.book import read_book
from writer.manuscript.model import Chapter
from writer.manuscript.names import heading_line
from writer.text.count import words

PART = "\ue000"
"""Stands before the title of a part, which is no chapter. A character of the private range: no text has it."""
_ESCAPED = re.compile(r"([\\`*_\[\]<>&#])")


@dataclass(frozen=True, slots=True)
class Joined:
    """What is exported. `plain` is as the author wrote it; `strict` is what the converter reads."""

    title: str
    language: str
    identity: str
    about: About
    plain: str
    strict: str
    chapters: int
    words: int


def join(order: ExportOrder) -> Joined:
    """Read the book. Raises what reading it does, ExchangeError if there is no chapter."""
    book = read_book(order.folder)
    manuscript = book.manuscript
    if not manuscript.chapters:
        raise ExchangeError(say("There is no chapter yet. Write one first: writer draft, or the app."))
    plain, told, count, part = list[str](), list[str](), 0, ""
    numbers = chosen_numbers(order.chapters, len(manuscript.chapters))
    for chapter in (manuscript.chapters[number - 1] for number in numbers):
        text = order.texts.get(chapter.path)
        text = (book.text(chapter.path).text if text is None else text).replace("\r\n", "\n").replace(PART, "")
        count += words(text)
        if (now := book.said(chapter.path).part) != part:
            part = now
            if part:
                plain.append(f"# {escaped(part)}")
                told.append(f"# {PART}{escaped(part)}")
        text = _headed(text, chapter)
        plain.append(text.strip("\n"))
        prose = order.style is not Style.REPORT
        told.append(strict(demoted(printable(text)), prose=prose, notes=f"{chapter.number}-"))
    return Joined(
        printable(manuscript.title),
        manuscript.language,
        manuscript.id,
        read_about(order.folder),
        "\n\n".join(plain) + "\n",
        "\n\n".join(told) + "\n",
        len(numbers),
        count,
    )


def escaped(text: str) -> str:
    """A plain text as Markdown that means just that."""
    return _ESCAPED.sub(r"\\\1", text)


def _headed(text: str, chapter: Chapter) -> str:
    """The text with a title: its own heading, else what its file is called."""
    return text if heading_line(text) else f"# {escaped(chapter.title)}\n\n{text}"

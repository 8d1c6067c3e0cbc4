"""What is asked for, and what came of it, as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from writer.errors import ExchangeError
from writer.language import many, say
from writer.text.sanitise import one_line

_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6})?)?")


class Format(StrEnum):
    """A kind of file; its value is the ending of the file's name."""

    DOCX = "docx"
    EPUB = "epub"
    PDF = "pdf"
    HTML = "html"
    MD = "md"
    TXT = "txt"


class Style(StrEnum):
    """How it looks."""

    MANUSCRIPT = "manuscript"  # what publishers ask for: title page, running head, double spacing
    REPORT = "report"  # contents, numbered headings, figures


@dataclass(frozen=True, slots=True)
class ExportOrder:
    """One export. Without `output` the file goes into the folder exports of the manuscript."""

    folder: Path
    format: Format
    style: Style | None = None
    """None: as writer.toml says of the book."""
    output: Path | None = None
    chapters: str = ""
    """Which ones, like "1-3,7" or "5-"; all of them if empty."""
    force: bool = False
    """A file that is there already may be replaced."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Of chapters that are open in an editor, by path: what is on the screen counts."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The file that was made."""

    path: Path
    chapters: int
    words: int
    size: int
    """Bytes."""
    notes: tuple[str, ...] = ()
    """A sentence for each thing that could not go along."""

    @property
    def sentence(self) -> str:
        """What was made."""
        return say(
            "Exported {chapters}, {words:,} words, to {path}",
            chapters=chapters_of(self.chapters),
            words=self.words,
            path=one_line(str(self.path), 300),
        )


@dataclass(frozen=True, slots=True)
class Imported:
    """The manuscript that was made."""

    folder: Path
    title: str
    chapters: int
    words: int
    images: int
    notes: tuple[str, ...] = ()


def chapters_of(count: int) -> str:
    """ "1 chapter", "40 chapters"."""
    return many("{count:,} chapter", "{count:,} chapters", count)


def chosen_numbers(asked: str, last: int) -> list[int]:
    """The numbers that "1-3,7" or "5-" names, in the book's order. Raises ExchangeError."""
    if not asked.strip():
        return list(range(1, last + 1))
    chosen: set[int] = set()
    for part in asked.split(","):
        found = _RANGE.fullmatch(part.strip())
        if not found:
            raise ExchangeError(
                say('"{asked}" names no chapters. Write them like 1-3,7 or 5-.', asked=one_line(asked, 40))
            )
        first = int(found[1])
        end = int(found[2]) if found[2] else (last if "-" in part else first)
        if not 1 <= first <= end <= last:
            raise ExchangeError(
                say("There are chapters 1 to {last}, and {part} is not among them.", last=last, part=one_line(part, 40))
            )
        chosen |= set(range(first, end + 1))
    return sorted(chosen)

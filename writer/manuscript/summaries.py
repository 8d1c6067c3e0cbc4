"""Summaries of chapters: notes/summaries/*.md, written on request, shown, and the author's to change.

Each remembers the chapter and the SHA-256 of what it sums up, so that an old one is known as old.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from writer.manuscript import material
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.front_matter import parted, written

FOLDER = "notes/summaries"
MOST_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True)
class Summary:
    """What happens in one chapter."""

    chapter: str
    """The chapter's path."""
    text: str
    of_sha256: str
    """Of the chapter's bytes when it was summed up; "" if nobody knows."""


def summary_path(chapter: str) -> str:
    """Where the summary of a chapter lies: "notes/summaries/03-the-harbour.md"."""
    pure = PurePosixPath(chapter)
    if pure.parent == PurePosixPath("chapters"):
        return f"{FOLDER}/{pure.name}"
    # A chapter elsewhere may share its name with one in chapters/.
    return f"{FOLDER}/{pure.stem[:60]}-{hashlib.sha256(chapter.encode()).hexdigest()[:8]}.md"


def read_summary(folder: Path, chapter: str) -> Summary | None:
    """The summary of a chapter of the manuscript in `folder`; None if there is none. Raises ManuscriptError."""
    path = summary_path(chapter)
    if not (folder / path).exists():
        return None
    facts, text = parted(material.read_text(folder, path, MOST_BYTES), path)
    text = text.strip()
    if not text or facts.text("chapter", chapter) != chapter:
        return None
    return Summary(chapter, text, facts.text("of"))


def write_summary(folder: Path, summary: Summary) -> None:
    """Write it in the place of an earlier one, whole or not at all. Raises ManuscriptError.

    What the author wrote in the head of the file, such as keys, gives way; the text is `summary.text`.
    """
    text = written({"chapter": summary.chapter, "of": summary.of_sha256}, summary.text)
    file = ChapterFile(folder / summary_path(summary.chapter), root=folder)
    if file.exists():
        file.save(text, file.read())
    else:
        file.create(text)

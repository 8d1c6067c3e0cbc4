"""Summaries of chapters: notes/summaries/*.md, written on request, shown, and the author's to change.

Each remembers the chapter and the SHA-256 of what it sums up, so that an old one is known as old.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from writer.errors import ManuscriptError
from writer.manuscript import material
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.front_matter import parted, written
from writer.text.count import words

FOLDER = "notes/summaries"
MOST_BYTES = 512 * 1024
FEWEST = 50
"""Words of a chapter that is worth a summary."""


class Standing(StrEnum):
    """How it stands with the summary of a chapter."""

    NONE = "none"
    SHORT = "short"  # there is none, and the chapter is too short for one
    OLD = "old"  # the chapter is another one now
    GOOD = "good"


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


def standing(folder: Path, chapter: str) -> Standing:
    """How it stands with the summary of a chapter, as both lie on the disk. Raises ManuscriptError."""
    summary, loaded = read_summary(folder, chapter), ChapterFile(folder / chapter).read()
    if summary is None:
        return Standing.NONE if words(loaded.text) >= FEWEST else Standing.SHORT
    return Standing.OLD if summary.of_sha256 not in ("", loaded.sha256) else Standing.GOOD


def lacking(folder: Path, chapters: Sequence[str]) -> tuple[int, int]:
    """How many of these chapters have no summary, and how many an old one. What cannot be read counts as neither."""
    found = []
    for chapter in chapters:
        try:
            found.append(standing(folder, chapter))
        except ManuscriptError:  # whoever opens it is told
            continue
    return found.count(Standing.NONE), found.count(Standing.OLD)

"""New notes: a file with a head and a few questions to answer, below notes/."""

from __future__ import annotations

import os
from pathlib import Path

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.front_matter import written
from writer.manuscript.names import slug
from writer.text.sanitise import one_line

TEMPLATES: dict[str, tuple[str, str]] = {
    "character": ("characters", say("Who:\n\nLooks, and speaks:\n\nWants:\n\nFears, or hides:\n\nTies to others:\n")),
    "place": ("places", say("Where:\n\nSeen, heard, smelt:\n\nWho is there:\n\nWhat happened here:\n")),
    "thread": ("threads", say("What is open:\n\nPlanted in:\n\nComes back in:\n\nIs resolved by:\n")),
    "note": ("", ""),
}
"""Of each kind: its folder below notes/, and the text."""


def new_note(folder: Path, kind: str, title: str) -> str:
    """Make a note of that kind in the manuscript `folder`; its path. Raises ManuscriptError, SaveFailed."""
    title = one_line(title, 200)
    if not slug(title):
        raise ManuscriptError(say("A note needs a name with a letter or a digit. Give it one."))
    inner, text = TEMPLATES[kind]
    path = _free_path(folder, "/".join(filter(None, ("notes", inner, slug(title)))))
    head: dict[str, str | int | bool] = {"title": _said(title)}
    if _is_plain(title):  # without keys the title is one, whatever it holds
        head["keys"] = title
    ChapterFile(folder / path, root=folder).create(written(head, text))
    return path


def make_outline(folder: Path) -> None:
    """Make an empty outline.md, unless there is one. Raises SaveFailed."""
    if not os.path.lexists(folder / "outline.md"):
        ChapterFile(folder / "outline.md", root=folder).create("")


_WORDS = {"true", "false", "yes", "no", "on", "off"}


def _is_plain(title: str) -> bool:
    """Whether it reads as itself at the head of a file, as a title and as a key."""
    marked = any(mark in title for mark in ",\"'/[]#:") or {"AND", "NOT"} & set(title.split())
    return not marked and title.lower() not in _WORDS


def _said(title: str) -> str:
    return title if _is_plain(title) else '"' + title.replace('"', "”") + '"'


def _free_path(folder: Path, stem: str) -> str:
    for attempt in range(1, 10_000):
        path = f"{stem}{f'-{attempt}' if attempt > 1 else ''}.md"
        if not os.path.lexists(folder / path):
            return path
    raise ManuscriptError(say("There are too many notes of that name. Choose another one."))

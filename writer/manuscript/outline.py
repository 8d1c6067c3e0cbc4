"""The outline: outline.md, where each chapter has a heading and below it what happens there. Reads, never writes.

    # Part One
    ## The harbour
    Mara comes home. Somebody has lit the lamp.

`#` begins a part and `##` a chapter; deeper headings belong to the synopsis. Where no `##` stands at all, each `#` is
a chapter. What stands in comments (`<!-- … -->`) is nobody's. A chapter's status is kept in writer.toml.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from writer.errors import ConfigError, ManuscriptError
from writer.manuscript import material
from writer.manuscript.chapter_facts import IDEA, read_facts
from writer.manuscript.edits import Edit
from writer.manuscript.names import title_of
from writer.text.sanitise import one_line

FILE = "outline.md"
MOST_BYTES = 2 * 1024 * 1024
MOST_ENTRIES = 2000
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"(##?)[ \t]+(.*?)[ \t#]*")
_NUMBERED = re.compile(r"^(?:chapter|kapitel|chapitre|cap[ií]tulo)?\s*\d+\s*[.:–—-]?\s+(?=\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One chapter of the outline."""

    title: str
    synopsis: str
    part: str
    """Heading of the part that it stands in; "" if there is none."""
    status: str
    """What writer.toml says of the chapter with this title; "idea" if there is no such chapter yet."""


def read_outline(folder: Path, shown: str | None = None) -> tuple[OutlineEntry, ...]:
    """The outline of the manuscript in `folder`, in its order; () if there is none. Raises ManuscriptError.

    `shown` is its text where it is open: that counts, saved or not.
    """
    if shown is None and not (folder / FILE).exists():
        return ()
    statuses = _statuses(folder)
    entries = parse(material.read_text(folder, FILE, MOST_BYTES) if shown is None else shown)
    return tuple(
        OutlineEntry(title, synopsis, part, statuses.get(_folded(title), IDEA)) for title, synopsis, part in entries
    )


def entry_for(entries: Iterable[OutlineEntry], chapter_title: str) -> OutlineEntry | None:
    """The entry of a chapter: the same title, but for case, spaces and a number before it; None if there is none."""
    entries = tuple(entries)
    at = _belonging([entry.title for entry in entries], chapter_title)
    return None if at is None else entries[at]


def retitled(text: str, old: str, new: str, others: Iterable[str] = ()) -> tuple[Edit, ...]:
    """What gives the heading of the chapter `old` in an outline's text its `new` title; a number before it stays.

    Nothing, where there is no such heading, or where it may as well be that of one of the `others`.
    """
    bare = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)  # every heading stays where it is
    headings = list(_headings(bare))
    level = max((marks for marks, _, _ in headings), default="")
    chapters = [(start, title) for marks, start, title in headings if marks == level]
    at = _belonging(titles := [title for _, title in chapters], old)
    if at is None or any(_belonging(titles, other) == at for other in others):
        return ()
    start, title = chapters[at]
    exact = _folded(title) == _folded(old)
    number = None if exact else _NUMBERED.match(title)
    kept = number.end() if number else 0
    said = new if exact or not _NUMBERED.match(old) else _NUMBERED.sub("", new)
    return ((start + kept, len(title) - kept, said),) if title[kept:] != said else ()


def _headings(text: str) -> Iterator[tuple[str, int, str]]:
    """Marks, place of the title, and title, of the headings of parts and chapters."""
    at = 0
    for line in text.split("\n"):
        if _head(line) and (found := _HEADING.fullmatch(line)):
            yield found[1], at + found.start(2), found[2].rstrip()
        at += len(line) + 1


def _belonging(titles: Sequence[str], wanted: str) -> int | None:
    """Which of these is the title of a chapter, from 0."""
    folded, wanted = [_folded(title) for title in titles], _folded(wanted)
    if wanted in folded:
        return folded.index(wanted)
    loose = [_NUMBERED.sub("", title) for title in folded]
    bare = _NUMBERED.sub("", wanted)
    return loose.index(bare) if bare in loose else None


def parse(text: str) -> list[tuple[str, str, str]]:
    """Title, synopsis and part of each chapter in an outline's text."""
    text = _COMMENT.sub("", text)
    lines = [(line, _head(line)) for line in text.split("\n")]
    chapter = "##" if any(head and head[0] == "##" for _, head in lines) else "#"
    entries: list[tuple[str, list[str], str]] = []
    part = ""
    below: list[str] = []  # where lines go; those above the first chapter, and below a part's heading, go nowhere
    for line, head in lines:
        if not head or len(entries) == MOST_ENTRIES:
            below.append(line)
            continue
        below = []
        if head[0] == chapter:
            entries.append((head[1], below, part))
        else:
            part = head[1]
    return [(title, "\n".join(body).strip(), of) for title, body, of in entries]


def _head(line: str) -> tuple[str, str] | None:
    """The marks of a heading and its title."""
    found = _HEADING.fullmatch(line) if len(line) < 1000 else None
    title = one_line(found[2], 200) if found else ""
    return (found[1], title) if found and title else None


def _statuses(folder: Path) -> dict[str, str]:
    """Status by folded title, of the chapters that writer.toml has one for."""
    try:
        facts = read_facts(folder)
    except (ConfigError, ManuscriptError):
        return {}  # whoever opens the manuscript is told
    return {_folded(title_of(folder / path)): fact.status for path, fact in facts.items() if fact.status}


def _folded(title: str) -> str:
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())

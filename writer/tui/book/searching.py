"""Looking through the whole book: what is found where, and what replacing makes of it. Reads files: for a thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from writer.editing.find import BadPattern, Finder, Match
from writer.errors import ManuscriptError
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.edits import applied
from writer.manuscript.model import Manuscript

MOST_SHOWN = 2000
_BEFORE, _BEHIND = 30, 90  # characters of context


@dataclass(frozen=True, slots=True)
class Hit:
    """One place. `line` is its surroundings, of which [start, end) was found."""

    path: str
    match: Match
    line: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Found:
    """All that was found; only the first places are listed."""

    hits: tuple[Hit, ...]
    counts: dict[str, int]
    """By chapter, of those in which there is something."""
    sentences: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many places there are."""
        return sum(self.counts.values())


def look_through(manuscript: Manuscript, finder: Finder, open_texts: Mapping[str, str]) -> Found:
    """Every place in the book. Of open chapters the texts are given."""
    hits: list[Hit] = []
    counts, sentences = dict[str, int](), list[str]()
    for chapter in manuscript.chapters:
        try:
            text = open_texts.get(chapter.path)
            if text is None:
                text = ChapterFile(manuscript.folder / chapter.path, root=manuscript.folder).read().text
            matches = finder.all(text)
        except BadPattern as error:  # it is as slow in the next chapter
            return Found(tuple(hits), counts, (*sentences, error.sentence))
        except ManuscriptError as error:
            sentences.append(error.sentence)
            continue
        if matches:
            counts[chapter.path] = len(matches)
            hits += [_hit(chapter.path, text, match) for match in matches[: MOST_SHOWN - len(hits)]]
    return Found(tuple(hits), counts, tuple(sentences))


def replaced(finder: Finder, text: str, replacement: str) -> tuple[str, int]:
    """The text with every match replaced, and how many there were. Raises BadPattern."""
    matches = finder.all(text)
    changes = finder.changes(text, matches, replacement)
    return applied(text, [(each.at, each.removed, each.inserted) for each in changes]), len(matches)


def _hit(path: str, text: str, match: Match) -> Hit:
    """With what stands around it in its paragraph, as one line of the same length."""
    first = max(text.rfind("\n", 0, match.start) + 1, match.start - _BEFORE)
    last = text.find("\n", match.end)
    last = min(len(text) if last < 0 else last, match.end + _BEHIND)
    line = text[first:last].replace("\n", " ").replace("\t", " ")
    return Hit(path, match, line, match.start - first, match.end - first)

"""What the overview of a book tells of each chapter. Reads files: for a thread, never for the screen's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from writer.errors import ConfigError, ManuscriptError
from writer.manuscript.chapter_facts import ChapterFacts, read_facts
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Manuscript
from writer.manuscript.outline import FILE, OutlineEntry, entry_for, read_outline
from writer.manuscript.project import open_manuscript
from writer.text.count import words


@dataclass(frozen=True, slots=True)
class Row:
    """A chapter, or what the outline has of one that is not there yet: then the path is ""."""

    path: str
    number: int
    title: str
    part: str
    status: str
    words: int
    goal: int
    synopsis: str


@dataclass(frozen=True, slots=True)
class Overview:
    """A book, and a sentence for each thing that could not be read."""

    manuscript: Manuscript
    rows: tuple[Row, ...]
    sentences: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """Of all chapters."""
        return sum(row.words for row in self.rows)


def read_overview(folder: Path, open_texts: Mapping[str, str]) -> Overview:
    """The book in `folder`. Of files that are open, the texts are given: what is on the screen counts.

    Raises what `open_manuscript` does.
    """
    manuscript, sentences = open_manuscript(folder), list[str]()
    facts: dict[str, ChapterFacts] = {}
    entries: tuple[OutlineEntry, ...] = ()
    try:
        facts = read_facts(folder)
    except ConfigError as error:
        sentences.append(error.sentence)
    try:
        entries = read_outline(folder, open_texts.get(FILE))
    except ManuscriptError as error:
        sentences.append(error.sentence)
    rows, used = [], set[int]()
    for chapter in manuscript.chapters:
        entry, said = entry_for(entries, chapter.title), facts.get(chapter.path, ChapterFacts())
        used.add(id(entry))
        count = _words(folder, chapter.path, open_texts, sentences)
        part, synopsis = said.part or (entry.part if entry else ""), entry.synopsis if entry else ""
        rows.append(Row(chapter.path, chapter.number, chapter.title, part, said.status, count, said.goal, synopsis))
    rows += [Row("", 0, e.title, e.part, e.status, 0, 0, e.synopsis) for e in entries if id(e) not in used]
    return Overview(manuscript, tuple(rows), tuple(sentences))


def _words(folder: Path, path: str, open_texts: Mapping[str, str], sentences: list[str]) -> int:
    text = open_texts.get(path)
    if text is None:
        try:
            text = ChapterFile(folder / path, root=folder).read().text
        except ManuscriptError as error:
            sentences.append(error.sentence)
            return 0
    return words(text)

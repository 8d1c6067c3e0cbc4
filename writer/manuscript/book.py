"""All chapters of a manuscript and its writer.toml as they lie on the disk: where plans of changes start from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript.chapter_facts import ChapterFacts, read_facts
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Chapter, ChapterText, Manuscript
from writer.manuscript.names import file_name
from writer.manuscript.outline import OutlineEntry, read_outline
from writer.manuscript.project import open_manuscript

SETTINGS = "writer.toml"


@dataclass(frozen=True, slots=True)
class Book:
    """A manuscript with what its settings say of each chapter. Texts are read when they are asked for, once."""

    manuscript: Manuscript
    facts: dict[str, ChapterFacts]
    settings: ChapterText
    _texts: dict[str, ChapterText] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The manuscript's folder."""
        return self.manuscript.folder

    @property
    def paths(self) -> list[str]:
        """Of all chapters, in reading order."""
        return [chapter.path for chapter in self.manuscript.chapters]

    def numbered(self, number: int) -> Chapter:
        """The chapter of that number. Raises ManuscriptError."""
        chapters = self.manuscript.chapters
        if not 1 <= number <= len(chapters):
            last = (
                say("the last one is {chapters}", chapters=len(chapters)) if chapters else say("there is none at all")
            )
            raise ManuscriptError(
                say(
                    "There is no chapter {number}; {last}. `writer chapters list` shows them.", number=number, last=last
                )
            )
        return chapters[number - 1]

    def text(self, path: str) -> ChapterText:
        """A chapter's text. Raises ChapterUnreadable."""
        if path not in self._texts:
            self._texts[path] = ChapterFile(self.folder / path, root=self.folder).read()
        return self._texts[path]

    def outline(self) -> tuple[OutlineEntry, ...]:
        """What stands in the outline; () if it cannot be read, for no change of chapters hangs on it."""
        try:
            return read_outline(self.folder)
        except ManuscriptError:
            return ()

    def said(self, path: str) -> ChapterFacts:
        """What writer.toml says of a chapter."""
        return self.facts.get(path, ChapterFacts())

    def free_path(self, name: str) -> str:
        """A path in chapters/ that no file has, for this file name or one like it. Raises ManuscriptError."""
        stem, suffix = os.path.splitext(name)
        for attempt in range(1, 10_000):
            path = f"chapters/{stem}{f'-{attempt}' if attempt > 1 else ''}{suffix}"
            if not os.path.lexists(self.folder / path):
                return path
        raise ManuscriptError(say("There are too many chapters of that name. Choose another title."))

    def new_path(self, title: str) -> str:
        """A path for one more chapter, numbered behind all others: numbers in names are never given twice."""
        taken = [int(head) for chapter in self.paths if (head := Path(chapter).name.partition("-")[0]).isdecimal()]
        return self.free_path(file_name(max([len(self.paths), *taken]) + 1, title))


def read_book(folder: Path) -> Book:
    """The manuscript in `folder`. Raises what opening it does, ConfigError, ChapterUnreadable."""
    manuscript = open_manuscript(folder)
    settings = ChapterFile(manuscript.settings_file, root=manuscript.folder).read()
    return Book(manuscript, read_facts(manuscript.folder), settings)

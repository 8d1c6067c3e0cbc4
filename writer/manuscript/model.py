"""A manuscript and its chapters, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter file. `path` is relative to the manuscript ("chapters/01-the-harbour.md") and names it everywhere."""

    number: int  # from 1, in reading order
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A folder of plain files. `id` (a UUID in writer.toml) names its state folder."""

    folder: Path
    id: str
    title: str
    language: str
    chapters: tuple[Chapter, ...]

    @property
    def settings_file(self) -> Path:
        """The manuscript's own settings: writer.toml, table [settings]."""
        return self.folder / "writer.toml"

    def chapter(self, path: str) -> Chapter:
        """The chapter of that relative path. Raises KeyError."""
        for chapter in self.chapters:
            if chapter.path == path:
                return chapter
        raise KeyError(path)


@dataclass(frozen=True, slots=True)
class ChapterText:
    """A chapter file's content and how to write it back unchanged.

    `text` uses "\\n" for line breaks where the whole file uses one style; in a file of mixed line ends every
    "\\r" stays in the text, so that saving is byte-identical.
    """

    text: str
    sha256: str  # of the file's bytes
    crlf: bool = False
    bom: bool = False

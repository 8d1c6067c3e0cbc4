"""Reads what a chapter's prompt is made from out of the manuscript's folder: notes, outline, summaries, sources.

What cannot be read is left out and told in a sentence: nothing beside the text may keep an author from writing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from writer.errors import ConfigError, ManuscriptError
from writer.generation.plan_material import Material, in_order_of_mention
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Chapter, Manuscript
from writer.manuscript.names import title_of
from writer.manuscript.notes import mentioned, read_notes
from writer.manuscript.outline import OutlineEntry, read_outline
from writer.manuscript.project import open_manuscript
from writer.manuscript.sources import read_sources
from writer.manuscript.summaries import read_summary

T = TypeVar("T")
_SEEN = 200_000
"""Characters at the end of a chapter in which notes may be mentioned: more than most windows hold."""


@dataclass(slots=True)
class _Reading:
    """What could not be read so far."""

    sentences: list[str] = field(default_factory=list)

    def tried(self, read: Callable[[], T], otherwise: T) -> T:
        """What `read` gives; `otherwise`, and a sentence, if it fails."""
        try:
            return read()
        except (ManuscriptError, ConfigError) as error:
            self.sentences.append(error.sentence)
            return otherwise


def gather(manuscript: Manuscript, chapter: str, text: str, instruction: str = "") -> Material:
    """All for a prompt of the chapter at that path, which has this text by now. Blocks: files are read."""
    reading = _Reading()
    folder = manuscript.folder
    manuscript = reading.tried(lambda: open_manuscript(folder), manuscript)  # chapters may have been added since
    notes, unread_notes = read_notes(folder)
    keyed = [note for note in notes if note.kind != "summary"]
    sources, unread_sources = read_sources(folder)
    outline: tuple[OutlineEntry, ...] = reading.tried(lambda: read_outline(folder), ())
    earlier = _earlier(manuscript, chapter)
    summaries = [(each.title, _summary(reading, folder, each.path)) for each in earlier]
    before = reading.tried(lambda: ChapterFile(folder / earlier[-1].path).read().text, "") if earlier else ""
    return Material(
        manuscript_title=manuscript.title,
        chapter_title=title_of(folder / chapter),
        language=manuscript.language,
        text=text,
        instruction=instruction,
        notes=notes,
        mentioned=in_order_of_mention(mentioned(keyed, f"{text[-_SEEN:]}\n{instruction}"), text),
        outline=outline,
        summaries=tuple((title, said) for title, said in summaries if said),
        sources=sources,
        before=before,
        sentences=(*reading.sentences, *unread_notes, *unread_sources, *(each.note for each in sources if each.note)),
    )


def _earlier(manuscript: Manuscript, chapter: str) -> tuple[Chapter, ...]:
    paths = [each.path for each in manuscript.chapters]
    return manuscript.chapters[: paths.index(chapter)] if chapter in paths else manuscript.chapters


def _summary(reading: _Reading, folder: Path, chapter: str) -> str:
    found = reading.tried(lambda: read_summary(folder, chapter), None)
    return found.text if found else ""

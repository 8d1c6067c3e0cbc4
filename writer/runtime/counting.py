"""Counts the words of chapters as they are saved, for the history of days. A front end's `notify` with ears."""

from __future__ import annotations

import os
from pathlib import Path

from writer.errors import ManuscriptError
from writer.manuscript.chapter_file import MAX_BYTES as MOST_BYTES
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.project import open_manuscript
from writer.manuscript.word_history import WordHistory
from writer.runtime.events import ChaptersArranged, ChapterSaved, DeskOpened, Event
from writer.runtime.runner import Notify
from writer.text.count import words

_AT_ONCE = 400_000  # bytes that are counted while text may stream in; a larger chapter waits for the next start


class Counting:
    """Passes every event on, and then looks at what it concerns: in the thread that reports it."""

    def __init__(self, notify: Notify, folder: Path, history: WordHistory) -> None:
        self._notify = notify
        self._folder = folder
        self._history = history

    def __call__(self, event: Event) -> None:
        self._notify(event)
        if isinstance(event, ChapterSaved):
            self._count(event.chapter, most=_AT_ONCE)
        elif isinstance(event, DeskOpened):
            self._count_all()
        elif isinstance(event, ChaptersArranged):
            self._history.carry((each.old, each.new) for each in event.carried if each.old != each.new)
            self._count_all(new=True)

    def _count_all(self, *, new: bool = False) -> None:
        try:
            chapters = open_manuscript(self._folder).chapters
        except ManuscriptError:
            return  # whoever opens it is told
        for chapter in chapters:
            self._count(chapter.path, new=new)

    def _count(self, chapter: str, *, new: bool = False, most: int = MOST_BYTES) -> None:
        file = ChapterFile(self._folder / chapter, root=self._folder)
        try:
            if os.stat(file.path).st_size > most:
                return
            self._history.note(chapter, words(file.read().text), new=new)
        except (ManuscriptError, OSError):
            return  # it is not there, or no text

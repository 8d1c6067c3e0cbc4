"""Counts the words of chapters as they are saved, for the history of days. A front end's `notify` with ears."""

from __future__ import annotations

import os
from pathlib import Path

from writer.errors import ManuscriptError
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.project import open_manuscript
from writer.manuscript.word_history import WordHistory
from writer.runtime.events import ChaptersArranged, ChapterSaved, DeskOpened, Event
from writer.runtime.runner import Notify
from writer.text.count import words

_AT_ONCE = 400_000  # bytes that are counted while text may stream in; a larger chapter waits for the next start
_MOST = 4_000_000  # bytes; larger files are no chapters that somebody writes


class Counting:
    """Passes every event on, and then looks at what it concerns: in the thread that reports it."""

    def __init__(self, notify: Notify, folder: Path, history: WordHistory) -> None:
        self._notify = notify
        self._folder = folder
        self._history = history
        self._chapters: set[str] = set()

    def __call__(self, event: Event) -> None:
        self._notify(event)
        if isinstance(event, ChapterSaved):
            known = event.chapter in self._chapters
            if known or self._is_chapter(event.chapter):  # notes are saved as well; they are no part of the book
                self._count(event.chapter, new=not known, most=_AT_ONCE)
        elif isinstance(event, DeskOpened):
            self._history.tidy()
            self._count_all()
        elif isinstance(event, ChaptersArranged):
            self._history.carry((each.old, each.new) for each in event.carried if each.old != each.new)
            self._count_all(new=True)

    def _is_chapter(self, path: str) -> bool:
        self._chapters = self._listed()
        return path in self._chapters

    def _listed(self) -> set[str]:
        try:
            return {chapter.path for chapter in open_manuscript(self._folder).chapters}
        except ManuscriptError:
            return set()  # whoever opens it is told

    def _count_all(self, *, new: bool = False) -> None:
        self._chapters = self._listed()
        for chapter in sorted(self._chapters):
            self._count(chapter, new=new)

    def _count(self, chapter: str, *, new: bool = False, most: int = _MOST) -> None:
        file = ChapterFile(self._folder / chapter, root=self._folder)
        try:
            if os.stat(file.path).st_size > most:
                return
            self._history.note(chapter, words(file.read().text), new=new)
        except (ManuscriptError, OSError):
            return  # it is not there, or no text

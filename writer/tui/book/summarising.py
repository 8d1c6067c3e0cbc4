"""Summaries in the app: asked for, told how far they are, shown. Written beside the chapters, like takes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from writer.errors import WriterError
from writer.language import many, say
from writer.manuscript.summaries import Standing, standing, summary_path
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    DeskOpened,
    Event,
    GenerationFailed,
    SummaryStopped,
    SummaryWritten,
)
from writer.text.sanitise import one_line
from writer.tui.screens.choice import Choice
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.manuscript.model import Chapter
    from writer.tui.screens.manuscript import ManuscriptScreen

SUMMARY = "summary"
"""The role of its generation."""


class Summaries:
    """The summaries of one screen's chapters."""

    def __init__(self, screen: ManuscriptScreen) -> None:
        self._screen = screen
        self._failed = ""
        self._asked: dict[str, tuple[object, int]] = {}
        """By chapter: what was shown when its summary was ordered. It is shown if the author is still there."""
        self._writing: dict[str, tuple[str, int]] = {}  # by generation: its chapter, and how many tokens there are

    @property
    def busy(self) -> bool:
        """Whether one is being written."""
        return bool(self._asked)

    # Asking ---------------------------------------------------------------------------------------------------

    def ask(self, path: str) -> None:
        """Write the summary of this chapter; where there is one already, ask what should be done."""
        work(self._screen, "summary", self._ask, path)

    async def _ask(self, path: str) -> None:
        if (chapter := self._chapter(path)) is None:
            return
        if path in self._asked:
            self._screen.note(say("Its summary is being written"))
            return
        try:
            found = await asyncio.to_thread(standing, self._screen.manuscript.folder, path)
        except WriterError as error:
            self._screen.complain(error.sentence)
            return
        if found in (Standing.NONE, Standing.SHORT):
            self._order(chapter)
            return
        name = one_line(chapter.title, 60)
        old = found is Standing.OLD
        line = (
            say("The chapter “{name}” was changed since it was summed up.", name=name)
            if old
            else say("There is a summary of “{name}”.", name=name)
        )
        again = ("again", say("Sum up anew"))
        show = ("show", say("Show it"))
        more = say("What it says now is kept as a version.")
        card = Choice([line, more], (again, show) if old else (show, again))
        self._screen.app.push_screen(card, lambda answer: self._answered(chapter, answer))

    def _answered(self, chapter: Chapter, answer: str | None) -> None:
        if answer == "show":
            self.show(chapter.path)
        elif answer == "again":
            self._order(chapter)

    def _chapter(self, path: str) -> Chapter | None:
        screen = self._screen
        chapter = next((each for each in screen.manuscript.chapters if each.path == path), None)
        if screen.only_reads:
            screen.complain(say("This window only reads: ask for a summary in the one that writes."), "information")
            return None
        return chapter if screen.open_for_writing else None

    def _order(self, chapter: Chapter) -> None:
        screen = self._screen
        for path in (chapter.path, summary_path(chapter.path)):
            if path in screen.pages:
                screen.pages[path].buffer.flush()
                screen.keeping.save(screen.pages[path])
        self._asked[chapter.path] = self._there()
        screen.desk.summarise(chapter)
        screen.note(say("The summary is written beside the chapter; Escape pauses it"))

    def _there(self) -> tuple[object, int]:
        page = self._screen.page
        return page, page.editor.revision if page else 0

    def pause(self) -> None:
        """Stop all that are being written; asked for again, each goes on at its next word."""
        for generation in self._writing:
            self._screen.desk.pause(generation)

    def marked_done(self, path: str) -> None:
        """The author has said that this chapter is done: the setting tells what follows."""
        wish = self._screen.editing.summarise
        if wish != "never":
            work(self._screen, "summary", self._done, path, wish)

    async def _done(self, path: str, wish: str) -> None:
        if (chapter := self._chapter(path)) is None or path in self._asked:
            return
        try:
            found = await asyncio.to_thread(standing, self._screen.manuscript.folder, path)
        except WriterError:
            return  # it was not asked for; whoever asks is told
        if found not in (Standing.NONE, Standing.OLD):
            return
        if wish == "always" and found is Standing.NONE:  # one that is there may be in the author's words
            self._order(chapter)
            return
        line = say("“{name}” is done. Shall the model sum it up, for later chapters?", name=one_line(chapter.title, 60))
        buttons = (("again", say("Sum up")), ("back", say("Not now")))
        self._screen.app.push_screen(Choice([line], buttons), lambda answer: self._answered(chapter, answer))

    # What is reported -----------------------------------------------------------------------------------------

    def heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        match event:
            case AsideBegun(role=role, generation=generation, chapter=chapter) if role == SUMMARY:
                self._writing[generation] = chapter, 0
            case BatchCommitted(generation=generation, tokens=tokens) if generation in self._writing:
                self._writing[generation] = self._writing[generation][0], tokens
            case SummaryWritten():
                self._written(event)
            case SummaryStopped(chapter=chapter, sentence=sentence):
                self._ended(chapter)
                if sentence and sentence == self._failed:
                    return  # it was told as it failed
                if sentence:
                    self._screen.complain(sentence)
                else:
                    self._screen.note(say("The summary is paused; ask for it again to go on"))
            case GenerationFailed(sentence=sentence) if event.tag or event.generation:
                self._failed = sentence
            case GenerationFailed() if not (event.generation or event.chapter or event.tag):
                self._asked.clear()  # the writing thread has failed at it: no answer will come
                self._writing.clear()
            case DeskOpened(asides=asides) if any(offer.role == SUMMARY for offer in asides):
                self._screen.complain(
                    say("A summary was interrupted. Ask for it again, and it goes on at its next word."), "information"
                )

    def _ended(self, chapter: str) -> tuple[object, int] | None:
        self._writing = {name: about for name, about in self._writing.items() if about[0] != chapter}
        return self._asked.pop(chapter, None)

    def _written(self, event: SummaryWritten) -> None:
        there = self._ended(event.chapter)
        self._screen.desk.look()  # it may be open
        self._screen.plan_again()
        if there is not None and there == self._there() and self._screen.app.screen is self._screen:
            self.show(event.chapter)
        else:
            self._screen.complain(say("The summary is kept in {path}.", path=event.path), "information")

    def show(self, chapter: str) -> None:
        """Open the summary in the editor: it is the author's to change."""
        self._screen.open_text(summary_path(chapter))

    def part(self) -> str:
        """For the status line."""
        if not self._asked:
            return ""
        tokens = sum(count for _, count in self._writing.values())
        return say("summary: {tokens} tokens", tokens=tokens) if tokens else say("summary: waits for the engine")


def told(missing: int, old: int) -> str:
    """For the inspector: how many of the chapters before this one lack a summary; "" if none does."""
    lacking = many("{count} chapter before has no summary.", "{count} chapters before have no summary.", missing)
    aged = many("{count} summary is older than its chapter.", "{count} summaries are older than their chapters.", old)
    return " ".join(([lacking] if missing else []) + ([aged] if old else []))

"""What a screen reader is told: whole sentences on one line, which changes only when there is something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from writer.language import many, say, together
from writer.text.sanitise import one_line
from writer.tui.calmed import calm_at
from writer.tui.widgets.status import StatusLine

if TYPE_CHECKING:
    from writer.manuscript.model import Chapter
    from writer.runtime.events import Event, GenerationFinished, GenerationPaused, GenerationStarted
    from writer.tui.screens.manuscript import ManuscriptScreen


class Announcer:
    """Speaks for one main screen; silent unless a screen reader reads it."""

    def __init__(self, screen: ManuscriptScreen) -> None:
        self._screen = screen
        self._engine = ""
        self._save_asked = False

    def tell(self, sentence: str) -> bool:
        """Announce this. Returns whether a screen reader is told, and whether it can be read now."""
        screen = self._screen
        if not sentence or not screen.is_attached or not calm_at(screen.app).reader or not screen.query(StatusLine):
            return False
        screen.query_one(StatusLine).announce(screen.with_keys(sentence))
        return screen.app.screen is screen

    def complained(self, sentence: str, severity: str) -> bool:
        """As `tell`; how grave it is can be seen by its colour only, so it is said."""
        return self.tell(say("Error: {sentence}", sentence=sentence) if severity == "error" else sentence)

    def opened(self, chapter: Chapter) -> None:
        """This chapter, or another text, is shown now."""
        title = one_line(chapter.title, 60)
        told = say("{title} is open.", title=title)
        if chapter.number:
            told = say("Chapter {number}, {title}, is open.", number=chapter.number, title=title)
        self.tell(together(told, say("This window only reads.")) if self._screen.only_reads else told)

    def ordered(self, path: str) -> None:
        """The author wants this chapter to be written on."""
        self.tell(say("The engine reads chapter {number}, then it writes.", number=self._number(path)))

    def save_asked(self) -> None:
        """The author has pressed the key for it. Saves of themselves are not told."""
        self._save_asked = True

    def news(self, event: Event) -> str:
        """What there is to say of this report, before the screen takes it in; "" if nothing."""
        from writer.runtime.events import (
            AsideBegun,
            ChapterSaved,
            EngineAttached,
            EngineProgressed,
            GenerationFinished,
            GenerationPaused,
            GenerationStarted,
        )

        match event:
            case EngineProgressed(status=status):
                return self._engine_news(status.state, status.sentence)
            case EngineAttached():
                return self._engine_news("ready", "")
            case AsideBegun(number=1, count=count):
                return many("A text is written beside the chapter.", "{count} texts are written beside it.", count)
            case GenerationStarted() if event.generation not in self._screen.beside:
                return self._started(event)
            case GenerationPaused() | GenerationFinished() if event.generation not in self._screen.beside:
                return self._ended(event)
            case ChapterSaved() if self._save_asked:
                self._save_asked = False
                return say("Saved.")
        return ""

    def _engine_news(self, state: str, sentence: str) -> str:
        if state == self._engine:
            return ""
        self._engine = state
        match state:
            case "starting":
                return say("The engine is starting.")
            case "ready":
                return say("The engine is ready.")
            case "failed" | "asleep":
                return sentence
        return ""

    def _started(self, event: GenerationStarted) -> str:
        number = self._number(event.chapter)
        if event.thinking:
            return say("The model thinks about chapter {number} before it writes.", number=number)
        if event.resumed_from:
            return say("Writing goes on in chapter {number}.", number=number)
        return say("Chapter {number} is being written.", number=number)

    def _ended(self, event: GenerationPaused | GenerationFinished) -> str:
        from writer.runtime.events import GenerationFinished, GenerationPaused
        from writer.text.count import words

        writing = self._screen.writings.writer_of(event.generation)
        page = self._screen.pages.get(writing.chapter) if writing else None
        if page is None:
            return say("Paused.") if isinstance(event, GenerationPaused) else say("Finished.")
        page.buffer.flush()
        span = page.editor.generated_span()
        count = words(page.editor.text[span.start : span.end]) if span else 0
        number = page.chapter.number
        if isinstance(event, GenerationFinished) and event.reason != "length":
            return many(
                "Finished: {count} word was written in chapter {number}.",
                "Finished: {count} words were written in chapter {number}.",
                count,
                number=number,
            )
        return many(
            "Paused after {count} word in chapter {number}. Ctrl+G goes on.",
            "Paused after {count} words in chapter {number}. Ctrl+G goes on.",
            count,
            number=number,
        )

    def _number(self, path: str) -> int:
        return next((each.number for each in self._screen.manuscript.chapters if each.path == path), 0)

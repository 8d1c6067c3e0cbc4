"""A desk for a window that only reads: another one writes in the manuscript, and this one follows what it saves.

It holds no lock, opens no state and starts no engine. What it is ordered to write is refused in one sentence.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from writer.config import Settings
from writer.engine.base import EngineStatus
from writer.errors import ChapterUnreadable
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Chapter, ChapterText
from writer.runtime.alternatives_found import AlternativesRefused, WordAsked
from writer.runtime.ancestors import difference
from writer.runtime.events import (
    ArrangeRefused,
    ChapterMerged,
    DeskOpened,
    Event,
    GenerationFailed,
    PromptShown,
    SaveRefused,
    SummaryStopped,
    ThoughtFound,
)
from writer.runtime.orders import ArrangeOrder, AsideOrder, DraftOrder, ResumeOrder, SaveOrder
from writer.runtime.rewriting import RewriteRequest

SENTENCE = say(
    "This window only reads: another one writes in the manuscript. Leave it, and start writer again to write here."
)
FOLLOWS = 0.5  # seconds between looks at what the other window has saved


class ReadingDesk:
    """Implements writer.runtime.ports.Desk."""

    only_reads = True

    def __init__(self, folder: Path, why: str = "") -> None:
        """`why` nothing can be written, as a sentence, if it is not because another window writes."""
        self._folder = folder
        self.why = why
        self._notify: Callable[[Event], None] = lambda event: None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="reading", daemon=True)
        self._known: dict[str, ChapterText] = {}
        self._numbers: dict[str, int] = {}  # of the last change that was told of each chapter

    def start(self, notify: Callable[[Event], None]) -> None:
        self._notify = notify
        self._thread.start()
        notes = (say("Your chapters can be read here, not written. {why}", why=self.why),) if self.why else ()
        self._loop.call_soon_threadsafe(notify, DeskOpened((), EngineStatus(state="stopped"), notes))
        asyncio.run_coroutine_threadsafe(self._follow(), self._loop)

    def draft(self, order: DraftOrder) -> None:
        self._refuse()

    def resume(self, order: ResumeOrder) -> None:
        self._refuse()

    def aside(self, order: AsideOrder) -> None:
        self._refuse()

    def rewrite(self, request: RewriteRequest) -> None:
        self._refuse()

    def rewritten(self, generation: str, text: str) -> None:
        pass

    def recall(self, generation: str, text: str) -> None:
        pass

    def origins(self, chapter: str, text: str) -> None:
        pass

    def thought(self, chapter: str, generation: str = "") -> None:
        self._loop.call_soon_threadsafe(self._notify, ThoughtFound(chapter, why=self.why or SENTENCE))

    def who(self, generation: str) -> None:
        pass

    def alternatives(self, order: WordAsked) -> None:
        self._loop.call_soon_threadsafe(self._notify, AlternativesRefused(order.tag, self.why or SENTENCE))

    def summarise(self, chapter: Chapter) -> None:
        self._notify(SummaryStopped(chapter.path, SENTENCE))

    def go_on(self, generation: str) -> None:
        self._refuse()

    def choose(self, generation: str) -> None:
        pass

    def unchoose(self, generation: str) -> None:
        pass

    def keep_all(self, chapter: str) -> None:
        pass

    def takes(self, chapter: str) -> None:
        pass

    def pause(self, generation: str = "", chapter: str = "") -> None:
        pass

    def free_gpu(self) -> None:
        pass

    def plan(self, order: DraftOrder) -> None:
        why = say("This window only reads, so nothing is sent from it.")
        self._loop.call_soon_threadsafe(self._notify, PromptShown(order.chapter, None, why=why))

    def settings(self, settings: Settings) -> None:
        pass

    def arrange(self, order: ArrangeOrder) -> None:
        self._loop.call_soon_threadsafe(self._notify, ArrangeRefused(order.tag, self.why or SENTENCE))

    def opened(self, chapter: str, loaded: ChapterText) -> None:
        self._loop.call_soon_threadsafe(self._opened, chapter, loaded)

    def save(self, order: SaveOrder) -> None:
        self._loop.call_soon_threadsafe(self._notify, SaveRefused(order.chapter, order.serial, self.why or SENTENCE))

    def look(self) -> None:
        asyncio.run_coroutine_threadsafe(self._look(), self._loop)

    def keep(self, generation: str) -> None:
        pass

    def discard(self, generation: str, text: str, place: tuple[int, int]) -> None:
        pass

    def undiscard(self, generation: str) -> None:
        pass

    def warm_up(self) -> None:
        pass

    def close(self) -> Future[None]:
        """Nothing is left to do."""
        if not self._thread.is_alive():
            done: Future[None] = Future()
            done.set_result(None)
            return done
        closed = asyncio.run_coroutine_threadsafe(self._close(), self._loop)
        closed.add_done_callback(lambda _: self._loop.call_soon_threadsafe(self._loop.stop))
        return closed

    # --- inside ------------------------------------------------------------------------------------------------

    async def _close(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _refuse(self) -> None:
        self._loop.call_soon_threadsafe(self._notify, GenerationFailed("", 0, self.why or SENTENCE))

    def _opened(self, chapter: str, loaded: ChapterText) -> None:
        self._known[chapter], self._numbers[chapter] = loaded, 0

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(FOLLOWS)
            await self._look()

    async def _look(self) -> None:
        for chapter, before in list(self._known.items()):
            file = ChapterFile(self._folder / chapter, root=self._folder)
            try:
                now = await asyncio.to_thread(file.read)
            except ChapterUnreadable:
                continue  # it is just being replaced, or has gone: the text stays on the screen
            if now.text != before.text and self._known.get(chapter) is before:
                changes = await asyncio.to_thread(difference, before.text, now.text)
                number, self._known[chapter] = self._numbers[chapter], now
                self._numbers[chapter] = number + 1
                self._notify(ChapterMerged(chapter, number + 1, number, before.text, now.text, changes, ""))
